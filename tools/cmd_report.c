/* `aprof report`: a table of routines with their calls, costs and input sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns stand in one table, from which the text for people and the TSV for scripts are made;
 * so do the sort keys.
 */
#include "tools/command.h"
#include "tools/contexts_command.h"
#include "tools/events_command.h"
#include "tools/paths_command.h"
#include "lib/report_kind.h"
#include "lib/output.h"
#include "lib/report_contexts.h"
#include "lib/report_symbols.h"
#include "lib/select.h"
#include "lib/short_name.h"
#include "lib/summary.h"
#include "lib/table.h"

#include <inttypes.h>
#include <string.h>

#define TOP_DEFAULT 30 /* lines for people; scripts get all */

#define CALLERS_SHOWN 8 /* behind a routine's name; tsv has all */

#define AHEAD_MOST 1e6 /* a larger lead has no meaning as a number */

enum format { FORMAT_TEXT, FORMAT_TSV };
static const char *const format_names[] = {"text", "tsv", NULL};

enum by { BY_ROUTINE, BY_CONTEXT };
static const char *const by_names[] = {"routine", "context", NULL};

#define TOP_NOT_GIVEN ((unsigned long)-1)

struct settings {
    int sort, format, by;
    unsigned long top;
    const char *routine, *filter, *metric_name, *output;
    bool threads;
};

/* What may be shown, and where it stands: small, because there may be millions of contexts. */
struct line {
    const struct report_profile *profile;
    const struct report_routine *routine;
    const struct report_context *context; /* NULL: all activations of the routine */
    double value, tie;
    bool claimed; /* of one call's growth something may be said */
};

typedef VECTOR(struct line) line_list;

/* What is shown, and what the shares refer to. */
struct view {
    const struct settings *settings;
    struct report report;
    enum report_metric metric;
    line_list lines;
    size_t all;       /* lines before any were left out */
    u128 total_input; /* of all activations: the base of each routine's share of the input */
};

/* Columns -------------------------------------------------------------------------------------- */

static char *wide_cell(u128 number)
{
    char digits[WIDE_DIGITS];
    return memory_copy_string(u128_format(number, digits));
}

static char *share_cell(const struct view *view, u128 part, u128 whole)
{
    int decimals = view->settings->format == FORMAT_TSV ? 4 : 1;
    return memory_format("%.*f", decimals, summary_percent(part, whole));
}

static char *thread_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->profile->thread);
}

static char *calls_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->profile->calls);
}

static char *points_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->points);
}

static char *self_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->profile->cost_self);
}

static char *self_share_cell(const struct view *view, const struct summary *s)
{
    return share_cell(view, s->profile->cost_self, view->report.totals.cost);
}

static char *total_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->profile->cost_total);
}

static char *total_share_cell(const struct view *view, const struct summary *s)
{
    return share_cell(view, s->profile->cost_total, view->report.totals.cost);
}

static char *worst_growth_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return growth_claim_words(&s->growth.worst_claim);
}

static char *average_growth_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return growth_claim_words(&s->growth.average_claim);
}

/* "6.0 n log n": what a call costs at a large n, as far as it may be claimed. */
static char *leading_term_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return growth_leading_term(&s->growth.average_claim);
}

/* Two digits are all that a factor has: 1.3, 11, 130. */
static char *times_words(double times)
{
    return memory_format("%.*f", times < 9.95 ? 1 : 0, times);
}

/* "x11 (8.6..13)": one call with ten times the largest input that carries the curve. */
static char *call_later_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    const struct growth_claim *claim = &s->growth.average_claim;
    if (!(claim->times > 0))
        return memory_copy_string("");
    char *times = times_words(claim->times);
    char *low = times_words(claim->times_low), *high = times_words(claim->times_high);
    char *all = memory_format("x%s (%s..%s)", times, low, high);
    free(times);
    free(low);
    free(high);
    return all;
}

/* Numbers of the claim, for scripts; empty where it was not earned. */
static char *earned(const struct summary *s, double number)
{
    bool is_earned = s->growth.average_claim.times > 0;
    return is_earned ? memory_format("%.6g", number) : memory_copy_string("");
}

static char *call_times_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times);
}

static char *call_low_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times_low);
}

static char *call_high_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times_high);
}

static char *claim_size_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.n_max);
}

static char *claim_cost_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.cost);
}

/* R^2 of the worst case's curve; empty when there is none, or a constant, which explains nothing.
 */
static char *r_squared_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    const struct growth_fit *worst = &s->growth.worst;
    if (!growth_is_claimed(&s->growth.worst_claim) || !growth_is_known(worst) ||
        growth_best(worst)->class == GROWTH_CONSTANT)
        return memory_copy_string("");
    return memory_format("%.4f", growth_best(worst)->r_squared);
}

static char *input_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->input);
}

static char *input_share_cell(const struct view *view, const struct summary *s)
{
    return share_cell(view, s->input, view->total_input);
}

static char *thread_share_cell(const struct view *view, const struct summary *s)
{
    return share_cell(view, s->induced_thread, s->trms_input);
}

static char *external_share_cell(const struct view *view, const struct summary *s)
{
    return share_cell(view, s->induced_external, s->trms_input);
}

static char *max_input_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->input_max);
}

static char *worst_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->cost_worst);
}

static char *name_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return memory_copy_string(s->routine->name);
}

/* The name and where that is, as short as people want it: app.c:12, or the object's name. */
static char *name_and_place(const struct view *view, const struct summary *s)
{
    const struct report_routine *routine = s->routine;
    if (*routine->file && routine->line)
        return memory_format("%s (%s:%" PRIu32 ")", routine->name, short_path(routine->file),
                             routine->line);
    const char *object = view->report.objects.at[routine->object];
    if (!*routine->symbol)
        return memory_copy_string(routine->name); /* it names the object already */
    return memory_format("%s (%s)", routine->name, *object ? short_path(object) : "???");
}

/* The same, and who called it: "insert (lists.c:7) < parse < main". */
static char *name_and_place_cell(const struct view *view, const struct summary *s)
{
    char *name = name_and_place(view, s);
    if (!s->context || s->context->caller == CONTEXT_NO_CALLER)
        return name;
    const struct report_context *caller = &view->report.contexts.all.at[s->context->caller];
    char *callers = context_words(&view->report, caller, CALLERS_SHOWN - 1);
    char *both = memory_format("%s < %s", name, callers);
    free(name);
    free(callers);
    return both;
}

static char *context_cell(const struct view *view, const struct summary *s)
{
    return context_path(&view->report, s->context, ';');
}

static char *error_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->context->error);
}

static char *object_cell(const struct view *view, const struct summary *s)
{
    return memory_copy_string(view->report.objects.at[s->routine->object]);
}

static char *file_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return memory_copy_string(s->routine->file);
}

static char *line_cell(const struct view *view, const struct summary *s)
{
    (void)view;
    return wide_cell(s->routine->line);
}

enum { IN_TEXT = 1, IN_TSV = 2, IN_THREADS = 4, IN_CONTEXTS = 8 };

static const struct column {
    struct table_column head;
    unsigned shown;
    char *(*cell)(const struct view *, const struct summary *);
} columns[] = {
    {{"thread", "thread", false}, IN_THREADS | IN_TSV, thread_cell},
    {{"calls", "calls", false}, IN_TEXT | IN_TSV, calls_cell},
    {{"points", "points", false}, IN_TSV, points_cell},
    {{"self_cost", "own cost", false}, IN_TSV, self_cell},
    {{"self_share", "own%", false}, IN_TEXT | IN_TSV, self_share_cell},
    {{"total_cost", "total cost", false}, IN_TSV, total_cell},
    {{"total_share", "total%", false}, IN_TEXT | IN_TSV, total_share_cell},
    {{"average_growth", "one call", true}, IN_TEXT | IN_TSV, average_growth_cell},
    {{"average_term", "leading term", true}, IN_TEXT | IN_TSV, leading_term_cell},
    {{"call", "at 10 n", true}, IN_TEXT, call_later_cell},
    {{"worst_growth", "worst case", true}, IN_TEXT | IN_TSV, worst_growth_cell},
    {{"worst_r_squared", "R^2", false}, IN_TSV, r_squared_cell},
    {{"call_at_10x", "", false}, IN_TSV, call_times_cell},
    {{"call_at_10x_low", "", false}, IN_TSV, call_low_cell},
    {{"call_at_10x_high", "", false}, IN_TSV, call_high_cell},
    {{"claim_from", "", false}, IN_TSV, claim_size_cell},
    {{"claim_cost", "", false}, IN_TSV, claim_cost_cell},
    {{"input", "input", false}, IN_TSV, input_cell},
    {{"input_share", "input%", false}, IN_TEXT | IN_TSV, input_share_cell},
    {{"thread_induced_share", "thread%", false}, IN_TEXT | IN_TSV, thread_share_cell},
    {{"external_share", "extern%", false}, IN_TEXT | IN_TSV, external_share_cell},
    {{"max_input", "max input", false}, IN_TEXT | IN_TSV, max_input_cell},
    {{"worst_cost", "worst cost", false}, IN_TEXT | IN_TSV, worst_cell},
    {{"routine", "routine", true}, IN_TSV, name_cell},
    {{"routine", "routine", true}, IN_TEXT, name_and_place_cell},
    {{"object", "object", true}, IN_TSV, object_cell},
    {{"file", "file", true}, IN_TSV, file_cell},
    {{"line", "line", false}, IN_TSV, line_cell},
    {{"context", "context", true}, IN_CONTEXTS, context_cell},
    {{"error", "error", false}, IN_CONTEXTS, error_cell},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static bool column_shown(const struct column *column, const struct settings *settings)
{
    if (settings->format == FORMAT_TSV)
        return (column->shown & IN_TSV) ||
               ((column->shown & IN_CONTEXTS) && settings->by == BY_CONTEXT);
    return (column->shown & IN_TEXT) || ((column->shown & IN_THREADS) && settings->threads);
}

/* Sorting -------------------------------------------------------------------------------------- */

/* What a call with ten times the input costs, where that may be told; own cost decides the rest. */
static double growth_value(const struct summary *s)
{
    return s->growth.average_claim.times;
}

static double total_value(const struct summary *s)
{
    return (double)s->profile->cost_total;
}

static double self_value(const struct summary *s)
{
    return (double)s->profile->cost_self;
}

static double calls_value(const struct summary *s)
{
    return (double)s->profile->calls;
}

static double points_value(const struct summary *s)
{
    return (double)s->points;
}

static double input_value(const struct summary *s)
{
    return (double)s->input;
}

static double max_input_value(const struct summary *s)
{
    return (double)s->input_max;
}

static double worst_value(const struct summary *s)
{
    return (double)s->cost_worst;
}

static double no_value(const struct summary *s)
{
    (void)s;
    return 0; /* all are equal, and then names decide */
}

static const struct {
    const char *name, *words;
    double (*value)(const struct summary *);
} sort_keys[] = {
    {"self", "own cost", self_value},
    {"total", "total cost", total_value},
    {"growth", "cost of a call at ten times its input", growth_value},
    {"calls", "calls", calls_value},
    {"points", "number of points", points_value},
    {"input", "sum of input sizes", input_value},
    {"max-input", "largest input", max_input_value},
    {"worst", "worst cost", worst_value},
    {"name", "name", no_value},
    {0},
};

static int by_rank(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    if (left->value != right->value)
        return left->value > right->value ? -1 : 1;
    if (left->tie != right->tie)
        return left->tie > right->tie ? -1 : 1;
    int order = strcmp(left->routine->name, right->routine->name);
    if (order)
        return order;
    return left->profile < right->profile ? -1 : 1;
}

/* Equals are sorted by what was not asked for: own cost, or the total. */
static double tie_value(double (*value)(const struct summary *), const struct summary *s)
{
    return value == self_value ? total_value(s) : self_value(s);
}

static void sort_lines(struct view *view)
{
    if (view->lines.count)
        qsort(view->lines.at, view->lines.count, sizeof *view->lines.at, by_rank);
}

/* Adds a line, and what it has to the sums. */
static void add_line(struct view *view, const struct report_profile *profile,
                     const struct report_context *context)
{
    double (*value)(const struct summary *) = sort_keys[view->settings->sort].value;
    struct summary s = summary_of(&view->report, profile, view->metric);
    struct line line = {.profile = profile,
                        .routine = s.routine,
                        .context = context,
                        .value = value(&s),
                        .tie = value == no_value ? 0 : tie_value(value, &s),
                        .claimed = growth_is_claimed(&s.growth.average_claim)};
    view->total_input = u128_add(view->total_input, s.input);
    vector_push(&view->lines, line);
}

static void add_lines(struct view *view)
{
    const struct report *r = &view->report;
    bool contexts = view->settings->by == BY_CONTEXT;
    for (size_t i = 0; i < r->profiles.count && !contexts; i++)
        add_line(view, &r->profiles.at[i], NULL);
    for (size_t i = 0; i < r->contexts.all.count && contexts; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (context->profile.calls > 0)
            add_line(view, &context->profile, context);
    }
}

static struct summary line_summary(const struct view *view, size_t index)
{
    const struct line *line = &view->lines.at[index];
    struct summary s = summary_of(&view->report, line->profile, view->metric);
    s.context = line->context;
    return s;
}

/* Selecting ------------------------------------------------------------------------------------ */

static void keep_pattern(struct view *view, const char *pattern)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->lines.count; i++) {
        if (select_matches(view->lines.at[i].routine, pattern))
            view->lines.at[kept++] = view->lines.at[i];
    }
    view->lines.count = kept;
}

static bool keep_routine(struct view *view, const char *name, struct failure *why)
{
    routine_list found = {0};
    size_t kept = 0;
    bool good = select_routines(&view->report, name, &found, why);
    for (size_t i = 0; i < view->lines.count; i++) {
        bool wanted = false;
        for (size_t k = 0; k < found.count; k++)
            wanted |= view->lines.at[i].profile->routine == found.at[k];
        if (wanted)
            view->lines.at[kept++] = view->lines.at[i];
    }
    view->lines.count = kept;
    vector_free(&found);
    return good;
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_word(FILE *to, const char *word)
{
    bool plain = *word && !strpbrk(word, " \t\n'\"\\$`*?&|;<>()");
    fputs(plain ? " " : " '", to);
    table_write_safe(word, to);
    fputs(plain ? "" : "'", to);
}

/* What there is a line for. */
static const char *things(const struct view *view)
{
    if (view->settings->by == BY_CONTEXT)
        return view->settings->threads ? "contexts and threads" : "contexts";
    return view->settings->threads ? "routines and threads" : "routines";
}

static void write_contexts_heading(const struct view *view, FILE *to)
{
    const struct report_contexts *c = &view->report.contexts;
    if (view->settings->by != BY_CONTEXT)
        return;
    if (strcmp(c->kind, "hot") == 0)
        fprintf(to, "context: hot by %s, phi %s, epsilon %s", c->weight, c->phi, c->epsilon);
    else
        fputs("context: all", to);
    fputs(strcmp(c->recursion, "folded") == 0 ? "; recursion is folded\n" : "\n", to);
}

static void write_heading(const struct view *view, FILE *to)
{
    const struct report *r = &view->report;
    const struct totals *t = &r->totals;
    char *process = report_process_words(r);
    char *input = report_input_words(r, view->metric);
    fputs("command:", to);
    for (size_t i = 0; i < r->command.count; i++)
        write_word(to, r->command.at[i]);
    fprintf(to, "\nprocess: %s (%s), end: %s\n", process, r->arch, r->end_reason);
    fprintf(to, "input:   %s\n", input);
    fprintf(to,
            "reads:   %" PRIu64 " of cells new to a thread; %.1f%% written by other threads, "
            "%.1f%% from outside\n",
            t->reads, summary_percent(t->induced_thread, t->reads),
            summary_percent(t->induced_external, t->reads));
    fprintf(to, "cost:    %s; %" PRIu64 " in %" PRIu64 " activations\n", report_cost_words(r),
            t->cost, t->activations);
    write_contexts_heading(view, to);
    free(process);
    free(input);
}

static void write_table(const struct view *view, FILE *to, size_t lines)
{
    struct table_column heads[COLUMNS];
    const struct column *shown[COLUMNS];
    struct table table = {.columns = heads};
    for (size_t c = 0; c < COLUMNS; c++) {
        if (column_shown(&columns[c], view->settings)) {
            shown[table.column_count] = &columns[c];
            heads[table.column_count++] = columns[c].head;
        }
    }
    for (size_t i = 0; i < lines; i++) {
        struct summary s = line_summary(view, i);
        for (size_t c = 0; c < table.column_count; c++)
            table_add(&table, shown[c]->cell(view, &s));
    }
    if (view->settings->format == FORMAT_TSV)
        table_write_tsv(&table, to);
    else
        table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

/* ";\n    3.1 n log n + 5; ahead of n^1.5 by 40.2; R^2 ...; power law ...". */
static void write_curve(const struct growth_fit *g, FILE *to)
{
    const struct growth_curve *best = growth_best(g), *rival = growth_rival(g);
    char *formula = growth_formula(best, g->n_max);
    fprintf(to, ";\n    %s; ", formula);
    if (rival != best && rival->aicc - best->aicc < AHEAD_MOST)
        fprintf(to, "ahead of %s by %.1f; ", growth_class_name(rival->class),
                rival->aicc - best->aicc);
    if (best->class != GROWTH_CONSTANT)
        fprintf(to, "R^2 %.4f; ", best->r_squared);
    fprintf(to, "off by %.1f%%, residuals %s", 100 * best->sigma, growth_pattern_name(g->pattern));
    if (g->outliers > 0)
        fprintf(to, ", %zu outliers", g->outliers);
    if (g->power.usable)
        fprintf(to, "; power law n^%.2f (%.2f to %.2f)", g->power.c, g->c_low, g->c_high);
    free(formula);
}

/* The curve that describes the points best, whether anything may be claimed by it or not. */
static void write_growth(const char *what, const struct growth_fit *g, FILE *to)
{
    char *words = growth_words(g);
    fprintf(to, "  %s: %s%s; %zu sizes from %.0f to %.0f", what,
            growth_is_known(g) ? "looks like " : "", words, g->sizes, g->n_min, g->n_max);
    if (growth_is_known(g))
        write_curve(g, to);
    putc('\n', to);
    free(words);
}

/* What may be claimed, and what that rests on. */
static void write_claim(const char *what, const struct growth_claim *claim, FILE *to)
{
    char *reason = growth_claim_reason(claim);
    fprintf(to, "%s: %s.\n", what, reason);
    free(reason);
    if (!(claim->times > 0))
        return;
    char *formula = growth_terms_words(&claim->terms, claim->n_max);
    fprintf(to,
            "  %s; with an input of %.0f a call costs x%.3g of one with %.0f (x%.3g to x%.3g).\n",
            formula, GROWTH_TIMES * claim->n_max, claim->times, claim->n_max, claim->times_low,
            claim->times_high);
    free(formula);
}

/* As a colleague would tell it. */
static void write_explanation(const struct view *view, const struct summary *s, FILE *to)
{
    const struct totals *t = &view->report.totals;
    fprintf(
        to, "%" PRIu64 " %s cost %.1f%% of the whole by %s own code, %.1f%% with all that %s.\n",
        s->profile->calls, s->profile->calls == 1 ? "call" : "calls",
        summary_percent(s->profile->cost_self, t->cost), s->profile->calls == 1 ? "its" : "their",
        summary_percent(s->profile->cost_total, t->cost),
        s->profile->calls == 1 ? "it calls" : "they call");
    write_claim("One call", &s->growth.average_claim, to);
    write_claim("The worst case", &s->growth.worst_claim, to);
    if (s->growth.branches.count > 1)
        fprintf(to, "Its costs lie on %zu curves, as those of a cache hit and a miss do.\n",
                s->growth.branches.count);
    fputs("What a larger run costs is for `aprof scale`: its calls get more, not only larger.\n",
          to);
}

static void write_growths(const struct view *view, const struct summary *s, FILE *to)
{
    static const char *const branch_names[] = {"cheapest branch", "branch", "dearest branch"};
    struct routine_growth growth = s->growth, *g = &growth;
    routine_growth_add_powers(&view->report, s->profile, view->metric, g);
    for (size_t i = g->branches.count; g->branches.count > 1 && i-- > 0;)
        write_growth(branch_names[i + 1 == g->branches.count ? 2 : i], &g->branches.branch[i].fit,
                     to);
    if (g->branches.count < 2)
        write_growth("worst case", &g->worst, to);
    write_growth("average", &g->average, to);
}

static const struct table_column point_heads[] = {
    {"input", "input", false},         {"calls", "calls", false},
    {"mean_cost", "mean cost", false}, {"min_cost", "min cost", false},
    {"max_cost", "max cost", false},   {"thread_induced", "thread-induced", false},
    {"external", "external", false},
};

/* The points of one routine, below its line in the table. */
static void write_points(const struct view *view, const struct summary *s, FILE *to)
{
    struct table table = {.columns = point_heads,
                          .column_count = sizeof point_heads / sizeof *point_heads};
    const struct report_point *points = profile_points(&view->report, s->profile, view->metric);
    for (size_t i = 0; i < s->points; i++) {
        const struct report_point *p = &points[i];
        table_add(&table, wide_cell(p->input));
        table_add(&table, wide_cell(p->calls));
        table_add(&table, memory_format("%.1f", (double)p->cost_sum / (double)p->calls));
        table_add(&table, wide_cell(p->cost_min));
        table_add(&table, wide_cell(p->cost_max));
        table_add(&table, wide_cell(p->induced_thread));
        table_add(&table, wide_cell(p->induced_external));
    }
    char *name = s->context ? context_words(&view->report, s->context, CALLERS_SHOWN)
                            : memory_copy_string(s->routine->name);
    putc('\n', to);
    table_write_safe(name, to);
    free(name);
    if (s->profile->thread)
        fprintf(to, ", thread %" PRIu32, s->profile->thread);
    fputs(":\n", to);
    write_explanation(view, s, to);
    write_growths(view, s, to);
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

/* How many of the dearest, by own cost, make half of all cost; -1 if not even all of them do. */
static long count_half(const struct view *view)
{
    double sum = 0, half = (double)view->report.totals.cost / 2;
    for (size_t i = 0; i < view->lines.count; i++) {
        sum += (double)view->lines.at[i].profile->cost_self;
        if (sum >= half)
            return (long)i + 1;
    }
    return -1;
}

/* Two sentences worth reading: where the cost is, and what is known of how it grows. */
static void write_sentences(const struct view *view, FILE *to)
{
    const struct line *first = &view->lines.at[0];
    double claimed = 0, whole = (double)view->report.totals.cost;
    long half = count_half(view);
    for (size_t i = 0; i < view->lines.count; i++) {
        if (view->lines.at[i].claimed)
            claimed += (double)view->lines.at[i].profile->cost_self;
    }
    putc('\n', to);
    table_write_safe(first->routine->name, to);
    fprintf(to, " costs most, %.1f%% by its own code; ",
            summary_percent(first->profile->cost_self, view->report.totals.cost));
    if (half == 1)
        fputs("that alone is half of the cost.\n", to);
    else
        fprintf(to,
                half > 0 ? "%ld of %zu routines make half of the cost.\n"
                         : "no routines by themselves make half of the cost.\n",
                half, view->all);
    fprintf(
        to,
        "How a call grows with its input is known for %.0f%% of the cost; for larger runs, give "
        "`aprof scale` three of them.\n",
        whole > 0 ? 100 * claimed / whole : 0);
}

static void write_legend(FILE *to)
{
    fputs(
        "\n"
        "own%, total%: share of all cost, without and with what it calls. one call: how the cost "
        "of\n"
        "a call grows with its input, if that stood a test (else few points, no fit, cloud); at 10 "
        "n:\n"
        "a call with ten times the largest input costs so much more. worst case: the same of the\n"
        "dearest call of each size. input%, thread%, extern%: its share of all input, and how much "
        "of\n"
        "that other threads and the outside world wrote. --routine=NAME explains a line.\n",
        to);
}

static void write_text(const struct view *view, FILE *to, size_t lines)
{
    write_heading(view, to);
    if (view->lines.count == 0) {
        fprintf(to, "\nno %s to show\n", things(view));
        return;
    }
    if (view->settings->sort == 0 && !view->settings->routine && !view->settings->filter)
        write_sentences(view, to);
    fprintf(to, "\n%zu of %zu %s, sorted by %s:\n", lines, view->all, things(view),
            sort_keys[view->settings->sort].words);
    write_table(view, to, lines);
    if (lines < view->lines.count)
        fprintf(to, "(%zu more: --top=0 shows all)\n", view->lines.count - lines);
    if (!view->settings->routine)
        write_legend(to);
    for (size_t i = 0; view->settings->routine && i < lines; i++) {
        struct summary s = line_summary(view, i);
        write_points(view, &s, to);
    }
}

static size_t shown_lines(const struct view *view)
{
    unsigned long top = view->settings->top;
    if (top == TOP_NOT_GIVEN)
        top = view->settings->format == FORMAT_TEXT ? TOP_DEFAULT : 0;
    return top && top < view->lines.count ? top : view->lines.count;
}

static bool write_view(const struct view *view, struct failure *why)
{
    struct output output;
    size_t lines = shown_lines(view);
    if (!output_open(&output, view->settings->output, why))
        return false;
    if (view->settings->format == FORMAT_TSV)
        write_table(view, output.stream, lines);
    else
        write_text(view, output.stream, lines);
    return output_close(&output, why);
}

/* The command ---------------------------------------------------------------------------------- */

static bool make_view(struct view *view, struct failure *why)
{
    const struct settings *settings = view->settings;
    struct report *report = &view->report;
    if (!report_choose_metric(report, settings->metric_name, &view->metric, why))
        return false;
    if (settings->threads && !report->threads_separate)
        return failure_set(why, "%s: its threads are merged: profile with --separate-threads=yes",
                           report->path);
    if (settings->by == BY_CONTEXT && !report_has_contexts(report))
        return failure_set(why, "%s: has no contexts: profile with --contexts=full or hot",
                           report->path);
    if (!settings->threads)
        report_merge_threads(report);
    add_lines(view);
    view->all = view->lines.count;
    if (settings->filter)
        keep_pattern(view, settings->filter);
    if (settings->routine && !keep_routine(view, settings->routine, why))
        return false;
    sort_lines(view);
    return true;
}

static const struct option_entry report_options[] = {
    {'s', "sort", "KEY", "* [self]", OPTION_INTO(struct settings, sort), OPTION_CHOICES(sort_keys)},
    {'n', "top", "N", "shows the first N routines, 0 shows all [30; tsv all]",
     OPTION_INTO(struct settings, top)},
    {'r', "routine", "NAME", "explains this routine and shows its points",
     OPTION_INTO(struct settings, routine)},
    {'f', "filter", "PATTERN", "shows routines whose name matches, with * and ?",
     OPTION_INTO(struct settings, filter)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {0, "format", "text|tsv", "tsv has all columns, for scripts [text]",
     OPTION_INTO(struct settings, format), OPTION_CHOICES(format_names)},
    {'t', "threads", NULL, "shows each thread by itself", OPTION_INTO(struct settings, threads)},
    {'b', "by", "routine|context", "context tells a routine's callers apart [routine]",
     OPTION_INTO(struct settings, by), OPTION_CHOICES(by_names)},
    {'o', "output", "FILE", "writes to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static int run(char **argv)
{
    struct settings settings = {.top = TOP_NOT_GIVEN};
    struct view view = {.settings = &settings};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_report, argv, &settings))
        return options.status;
    if (options.operands.count == 2)
        settings.routine = options.operands.at[1];
    bool good = report_read_with_lines(&view.report, options.operands.at[0], &why) &&
                make_view(&view, &why) && write_view(&view, &why);
    vector_free(&view.lines);
    report_free(&view.report);
    return good ? STATUS_OK : message_failure(&why);
}

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_report,
    [REPORT_CONTEXTS] = &contexts_report,
    [REPORT_EVENTS] = &events_report_step,
    [REPORT_PATHS] = &paths_file_report,
};

const struct command command_report = {
    .name = "report",
    .summary = "shows a table of routines",
    .usage = "[options] REPORT [ROUTINE]",
    .details =
        "Shows for each routine its calls, its share of the cost, by its own code and with what\n"
        "it calls, how the cost of one call grows with its input, its share of all input, how\n"
        "much of that other threads and the outside world wrote, its largest input and its worst\n"
        "cost. A routine's name explains its line, with the points that it rests on.",
    .options = report_options,
    .operands_least = 1,
    .operands_most = 2,
    .operands = "one report, and a routine to explain",
    .of_kind = of_kind,
    .run = run,
};
