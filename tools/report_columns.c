/* The columns of `aprof report`; see report_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text, TSV and JSON are made from one list of columns.
 */
#include "tools/report_view.h"
#include "ground/record_schema.h"
#include "lib/export/export.h"
#include "lib/report/report_contexts.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <string.h>

/* If a name with its position would be shortened to less than this number of bytes, the position is
 * omitted instead. */
#define NAME_KEPT 28

/* The minimum widths of a name, and of a name with its callers. Columns are omitted before names
 * get shorter than these widths. */
#define NAME_FAIR    30
#define CONTEXT_FAIR 48

#define LEGEND_WIDTH 80

/* Columns -------------------------------------------------------------------------------------- */

static char *share_cell(const struct report_view *view, u128 part, u128 whole)
{
    int decimals = view->settings->format != TABLE_TEXT ? 4 : 1;
    return memory_format("%.*f", decimals, summary_percent(part, whole));
}

static char *thread_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->profile->thread);
}

static char *calls_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->profile->calls);
}

static char *points_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->points);
}

static char *self_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->profile->cost_self);
}

static char *self_share_cell(const struct report_view *view, const struct summary *s)
{
    return share_cell(view, s->profile->cost_self, view->report->totals.cost);
}

static char *total_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return s->members ? memory_copy_string("") : table_wide_text(s->profile->cost_total);
}

static char *total_share_cell(const struct report_view *view, const struct summary *s)
{
    return s->members ? memory_copy_string("")
                      : share_cell(view, s->profile->cost_total, view->report->totals.cost);
}

/* The cell of a standard error. In text, the error is a percentage of all cost, as in the columns
 * of shares. The cell is empty if the error is unknown. */
static char *standard_error_cell(const struct report_view *view, double error)
{
    double whole = (double)view->report->totals.cost;
    if (!(error > 0))
        return memory_copy_string("");
    return view->settings->format != TABLE_TEXT ? memory_format("%.0f", error)
                                                : memory_format("%.1f", 100 * error / whole);
}

static char *self_error_cell(const struct report_view *view, const struct summary *s)
{
    return standard_error_cell(view, s->profile->self_error);
}

static char *total_error_cell(const struct report_view *view, const struct summary *s)
{
    return standard_error_cell(view, s->profile->total_error);
}

#define TREND_BEGINS "~n^"

/* Whether the growth column shows the trend. Output for scripts has separate columns for the
 * trend. */
static bool shows_trend(const struct report_view *view, const struct growth_claim *claim)
{
    return claim->trend.is_known && view->settings->format == TABLE_TEXT;
}

static char *claim_cell(const struct summary *s, const struct growth_claim *claim)
{
    return s->members ? memory_copy_string("") : growth_claim_words(claim);
}

/* The growth of the worst case. The interval is omitted to save space. */
static char *worst_growth_cell(const struct report_view *view, const struct summary *s)
{
    const struct growth_claim *claim = &s->growth.worst_claim;
    return shows_trend(view, claim) && !s->members
               ? memory_format(TREND_BEGINS "%.1f", claim->trend.exponent)
               : claim_cell(s, claim);
}

static char *average_growth_cell(const struct report_view *view, const struct summary *s)
{
    const struct growth_claim *claim = &s->growth.average_claim;
    return shows_trend(view, claim) && !s->members ? growth_trend_brief(&claim->trend)
                                                   : claim_cell(s, claim);
}

static char *trend_number(const struct summary *s, double number)
{
    return s->growth.average_claim.trend.is_known ? memory_format("%.4g", number)
                                                  : memory_copy_string("");
}

static char *trend_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return trend_number(s, s->growth.average_claim.trend.exponent);
}

static char *trend_low_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return trend_number(s, s->growth.average_claim.trend.low);
}

static char *trend_high_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return trend_number(s, s->growth.average_claim.trend.high);
}

static char *trend_within_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return trend_number(s, s->growth.average_claim.trend.within);
}

/* The leading term of the claimed cost of a call, such as "6.0 n log n". */
static char *leading_term_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return growth_leading_term(&s->growth.average_claim);
}

/* A factor with two significant digits: 1.3, 11, 130. */
static char *times_words(double times)
{
    return memory_format("%.*f", times < 9.95 ? 1 : 0, times);
}

/* The predicted cost of a call with ten times the largest input of the curve, as a ratio to the
 * cost at that largest input: "x11 (8.6..13)". */
static char *call_later_cell(const struct report_view *view, const struct summary *s)
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

/* Returns false for the line of start-up, because its largest call would be the whole program. */
static bool has_largest(const struct summary *s)
{
    return !s->members || s->cost_worst > 0;
}

/* The cell for a number of a growth claim, for scripts; empty if there is no claim. */
static char *earned(const struct summary *s, double number)
{
    bool is_earned = s->growth.average_claim.times > 0;
    return is_earned ? memory_format("%.6g", number) : memory_copy_string("");
}

static char *call_times_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times);
}

static char *call_low_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times_low);
}

static char *call_high_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.times_high);
}

static char *claim_size_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.n_max);
}

static char *claim_cost_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return earned(s, s->growth.average_claim.cost);
}

/* R^2 of the worst case's curve; empty if there is no curve, or if the curve is a constant.
 */
static char *r_squared_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    const struct growth_fit *worst = &s->growth.worst;
    if (!growth_is_claimed(&s->growth.worst_claim) || !growth_is_known(worst) ||
        growth_best(worst)->class == GROWTH_CONSTANT)
        return memory_copy_string("");
    return memory_format("%.4f", growth_best(worst)->r_squared);
}

static char *input_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->input);
}

static char *input_share_cell(const struct report_view *view, const struct summary *s)
{
    return share_cell(view, s->input, view->total_input);
}

static char *thread_share_cell(const struct report_view *view, const struct summary *s)
{
    return share_cell(view, s->induced_thread, s->trms_input);
}

static char *external_share_cell(const struct report_view *view, const struct summary *s)
{
    return share_cell(view, s->induced_external, s->trms_input);
}

static char *max_input_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return has_largest(s) ? table_wide_text(s->input_max) : memory_copy_string("");
}

static char *worst_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return has_largest(s) ? table_wide_text(s->cost_worst) : memory_copy_string("");
}

static char *name_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return memory_copy_string(s->routine->name);
}

/* The source position of a routine (app.c:12); if unknown, the name of its object. The text is
 * empty if the routine's name contains the object's name. */
static char *place_of(const struct report_view *view, const struct summary *s)
{
    const struct report_routine *routine = s->routine;
    if (s->members)
        return s->members == 1 ? memory_copy_string("1 routine")
                               : memory_format("%zu routines", s->members);
    if (*routine->file && routine->line)
        return memory_format("%s:%" PRIu32, short_path(routine->file), routine->line);
    const char *object = view->report->objects.at[routine->object];
    if (strcmp(object, JIT_OBJECT) == 0 && *routine->file)
        return memory_copy_string(short_path(routine->file));
    if (!*routine->symbol)
        return memory_copy_string("");
    return memory_copy_string(*object ? short_path(object) : "???");
}

/* The name and the source position in at most `most` bytes. The name is shortened first; if that is
 * not enough, the position is omitted. If `most` is 0, only the name is limited, to
 * SHORT_NAME_SENTENCE bytes, as for names in sentences. */
static char *name_and_place(const struct report_view *view, const struct summary *s, size_t most)
{
    char *place = place_of(view, s), *name = memory_copy_string(s->routine->name);
    size_t beside = *place ? strlen(place) + strlen(" ()") : 0;
    if (!most)
        most = SHORT_NAME_SENTENCE + beside;
    if (strlen(name) + beside > most) {
        free(name);
        bool fits = most >= beside + NAME_KEPT;
        name = short_name(s->routine->name, fits ? most - beside : most);
        *place = fits ? *place : 0;
    }
    char *both = *place ? memory_format("%s (%s)", name, place) : memory_copy_string(name);
    free(place);
    free(name);
    return both;
}

/* The first bytes of a text, with an ellipsis for the rest and without splitting a character of
 * UTF-8. */
static char *cut_end(char *text, size_t most)
{
    size_t length = strlen(text), kept = most - strlen("...");
    if (!most || length <= most)
        return text;
    while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    text[kept] = 0;
    char *cut = memory_format("%s...", text);
    free(text);
    return cut;
}

/* The name with its callers: "insert (lists.c:7) < parse < main". The position is omitted before
 * callers are omitted. */
static char *routine_cell(const struct report_view *view, const struct summary *s, size_t most)
{
    if (!s->context || s->context->caller == CONTEXT_NO_CALLER)
        return name_and_place(view, s, most);
    const struct report_context *caller = &view->report->contexts.all.at[s->context->caller];
    char *name = name_and_place(view, s, 0);
    char *callers = context_words(view->report, caller, REPORT_CALLERS_SHOWN - 1);
    char *both = memory_format("%s < %s", name, callers);
    if (most && strlen(both) > most) {
        free(both);
        both = memory_format("%s < %s", s->routine->name, callers);
    }
    free(name);
    free(callers);
    return cut_end(both, most);
}

static char *context_cell(const struct report_view *view, const struct summary *s)
{
    return context_path(view->report, s->context, ';', CONTEXT_ROUTINES_MOST);
}

static char *error_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->context->error);
}

static char *object_cell(const struct report_view *view, const struct summary *s)
{
    return memory_copy_string(view->report->objects.at[s->routine->object]);
}

static char *file_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return memory_copy_string(s->routine->file);
}

static char *line_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->routine->line);
}

enum { IN_TEXT = 1, FOR_SCRIPTS = 2, IN_THREADS = 4, IN_CONTEXTS = 8, IN_SAMPLES = 16 };

/* The columns in the order of TSV and JSON; in text, the routine comes first. */
static const struct column {
    struct table_column head;
    unsigned shown;
    unsigned rank; /* rank in text: the column with the largest rank is omitted first; 0 is always
                    * shown */
    char *(*cell)(const struct report_view *, const struct summary *);
    const char *meaning; /* meaning of the column, for the legend */
} columns[] = {
    {{"thread", "thread", false}, IN_THREADS | FOR_SCRIPTS, 0, thread_cell, NULL},
    {{"calls", "calls", false}, IN_TEXT | FOR_SCRIPTS, 3, calls_cell, NULL},
    {{"points", "points", false}, FOR_SCRIPTS, 0, points_cell, NULL},
    {{"self_cost", "self cost", false}, FOR_SCRIPTS, 0, self_cell, NULL},
    {{"self_share", "self %", false},
     IN_TEXT | FOR_SCRIPTS,
     0,
     self_share_cell,
     "share of the total cost, without callees"},
    {{"self_error", "self +-", false},
     IN_SAMPLES,
     2,
     self_error_cell,
     "standard error of the preceding column, in percent of the total cost"},
    {{"total_cost", "total cost", false}, FOR_SCRIPTS, 0, total_cell, NULL},
    {{"total_share", "total %", false},
     IN_TEXT | FOR_SCRIPTS,
     2,
     total_share_cell,
     "share of the total cost, including callees"},
    {{"total_error", "total +-", false},
     IN_SAMPLES,
     2,
     total_error_cell,
     "standard error of the preceding column"},
    {{"average_growth", "growth", true},
     IN_TEXT | FOR_SCRIPTS,
     1,
     average_growth_cell,
     "validated growth of a call's cost with its input size n; otherwise the trend over the "
     "measured sizes (~n^1.2, and the interval of the exponent), or the reason: too few input "
     "sizes, no simple curve, or scattered (calls of equal size differ in cost)"},
    {{"average_term", "leading term", true},
     IN_TEXT | FOR_SCRIPTS,
     5,
     leading_term_cell,
     "largest term of the fitted cost of a call"},
    {{"call", "at 10 n", true},
     IN_TEXT,
     4,
     call_later_cell,
     "predicted cost of a call with ten times the largest input, as a multiple"},
    {{"worst_growth", "worst case", true},
     IN_TEXT | FOR_SCRIPTS,
     6,
     worst_growth_cell,
     "growth of the most expensive call of each input size"},
    {{"worst_r_squared", "R^2", false}, FOR_SCRIPTS, 0, r_squared_cell, NULL},
    {{"call_at_10x", "", false}, FOR_SCRIPTS, 0, call_times_cell, NULL},
    {{"call_at_10x_low", "", false}, FOR_SCRIPTS, 0, call_low_cell, NULL},
    {{"call_at_10x_high", "", false}, FOR_SCRIPTS, 0, call_high_cell, NULL},
    {{"claim_from", "", false}, FOR_SCRIPTS, 0, claim_size_cell, NULL},
    {{"claim_cost", "", false}, FOR_SCRIPTS, 0, claim_cost_cell, NULL},
    {{"trend_exponent", "", false}, FOR_SCRIPTS, 0, trend_cell, NULL},
    {{"trend_low", "", false}, FOR_SCRIPTS, 0, trend_low_cell, NULL},
    {{"trend_high", "", false}, FOR_SCRIPTS, 0, trend_high_cell, NULL},
    {{"trend_within", "", false}, FOR_SCRIPTS, 0, trend_within_cell, NULL},
    {{"input", "input", false}, FOR_SCRIPTS, 0, input_cell, NULL},
    {{"input_share", "input %", false},
     IN_TEXT | FOR_SCRIPTS,
     7,
     input_share_cell,
     "share of all input read; input size is counted in 4-byte cells"},
    {{"thread_induced_share", "thread %", false},
     IN_TEXT | FOR_SCRIPTS,
     10,
     thread_share_cell,
     "share of the routine's input that other threads wrote"},
    {{"external_share", "external %", false},
     IN_TEXT | FOR_SCRIPTS,
     9,
     external_share_cell,
     "share of the routine's input from files, network or devices"},
    {{"max_input", "max input", false},
     IN_TEXT | FOR_SCRIPTS,
     8,
     max_input_cell,
     "largest input of a call"},
    {{"worst_cost", "max cost", false}, IN_TEXT | FOR_SCRIPTS, 11, worst_cell, NULL},
    {{"routine", "routine", true}, FOR_SCRIPTS, 0, name_cell, NULL},
    {{"object", "object", true}, FOR_SCRIPTS, 0, object_cell, NULL},
    {{"file", "file", true}, FOR_SCRIPTS, 0, file_cell, NULL},
    {{"line", "line", false}, FOR_SCRIPTS, 0, line_cell, NULL},
    {{"context", "context", true}, IN_CONTEXTS, 0, context_cell, NULL},
    {{"error", "error", false}, IN_CONTEXTS, 0, error_cell, NULL},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static bool column_shown(const struct column *column, const struct report_view *view)
{
    const struct report_settings *settings = view->settings;
    if (column->shown & IN_SAMPLES)
        return view->report->share.weighted;
    if (settings->format != TABLE_TEXT)
        return (column->shown & FOR_SCRIPTS) ||
               ((column->shown & IN_CONTEXTS) && settings->by == REPORT_BY_CONTEXT);
    return (column->shown & IN_TEXT) || ((column->shown & IN_THREADS) && settings->threads);
}

/* The table ------------------------------------------------------------------------------------ */

#define GAP_BYTES 2 /* blanks between columns */

/* A table in preparation: the names of the routines, and for each column that may be shown, its
 * cells. */
struct draft {
    size_t lines;
    char **cells[COLUMNS]; /* cells by column; NULL: the column is not shown */
    size_t width[COLUMNS];
    bool says_something[COLUMNS];
};

static void draft_fill(const struct report_view *view, struct draft *d, size_t line,
                       const struct summary *s)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        if (!d->cells[c])
            continue;
        char *cell = d->cells[c][line] = columns[c].cell(view, s);
        size_t width = table_text_width(cell);
        d->width[c] = width > d->width[c] ? width : d->width[c];
        d->says_something[c] |= *cell && strcmp(cell, "0.0") != 0;
    }
}

static void draft_allocate(const struct report_view *view, struct draft *d, size_t lines)
{
    d->lines = lines;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (!column_shown(&columns[c], view))
            continue;
        d->cells[c] = memory_get_zeroed(lines + 1, sizeof *d->cells[c]);
        d->width[c] = table_text_width(columns[c].head.title);
    }
}

static void draft_leave_out(struct draft *d, size_t c)
{
    for (size_t i = 0; i < d->lines; i++)
        free(d->cells[c][i]);
    free(d->cells[c]);
    d->cells[c] = NULL;
}

static size_t draft_width(const struct draft *d)
{
    size_t width = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        width += d->cells[c] ? GAP_BYTES + d->width[c] : 0;
    return width;
}

/* Omits first the empty columns, and then the least important columns, until the name fits. */
static void draft_fit(struct draft *d, size_t width, size_t name)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        if (d->cells[c] && columns[c].rank && d->lines && !d->says_something[c])
            draft_leave_out(d, c);
    }
    while (width && name + draft_width(d) > width) {
        size_t least = COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++) {
            if (d->cells[c] && columns[c].rank &&
                (least == COLUMNS || columns[c].rank > columns[least].rank))
                least = c;
        }
        if (least == COLUMNS)
            return;
        draft_leave_out(d, least);
    }
}

/* Moves the names and the cells to the table; each row has the name first. */
static void draft_finish(const struct report_view *view, struct draft *d, char **names,
                         struct report_table *t)
{
    static const char *const titles[] = {"routine", "routine", "object", "file"};

    t->heads = memory_get_zeroed(COLUMNS + 1, sizeof *t->heads);
    t->legend = memory_get_zeroed(COLUMNS + 1, sizeof *t->legend);
    t->table.columns = t->heads;
    t->heads[t->table.column_count++] =
        (struct table_column){"routine", titles[view->settings->by], true};
    for (size_t c = 0; c < COLUMNS; c++) {
        if (!d->cells[c])
            continue;
        t->legend[t->table.column_count] = columns[c].meaning;
        t->heads[t->table.column_count++] = columns[c].head;
    }
    for (size_t i = 0; i < d->lines; i++) {
        table_add(&t->table, names[i]);
        for (size_t c = 0; c < COLUMNS; c++) {
            if (d->cells[c])
                table_add(&t->table, d->cells[c][i]);
        }
    }
    for (size_t c = 0; c < COLUMNS; c++)
        free(d->cells[c]);
}

/* The remaining width for names; `natural` is the width of the longest name. */
static size_t name_room(const struct draft *d, size_t width, size_t natural)
{
    size_t beside = draft_width(d);
    if (!width || natural + beside <= width)
        return 0;
    return width > beside + SHORT_NAME_LEAST ? width - beside : SHORT_NAME_LEAST;
}

static char *name_of_line(const struct report_view *view, size_t index, size_t most)
{
    const struct report_line *line = &view->lines.at[index];
    const struct report_group *group = report_line_group(line);
    struct summary s = {.routine = line->routine, .context = report_line_context(view, line)};
    s.members = group ? group->summary.members : 0;
    return routine_cell(view, &s, most);
}

/* The style of a growth cell: red if growth is steep, dim if there is no claim. */
static const char *growth_style(const struct table_column *column, const char *cell)
{
    bool growth =
        strcmp(column->key, "average_growth") == 0 || strcmp(column->key, "worst_growth") == 0;
    if (!growth)
        return NULL;
    if (strcmp(cell, "too few sizes") == 0 || strcmp(cell, "no simple curve") == 0 ||
        strcmp(cell, "scattered") == 0 || strncmp(cell, TREND_BEGINS, strlen(TREND_BEGINS)) == 0)
        return "2";
    return strstr(cell, "n^") || strstr(cell, "2^n") ? "31" : NULL;
}

void report_table_make(const struct report_view *view, size_t lines, size_t width,
                       struct report_table *t)
{
    struct draft draft = {0};
    char **names = memory_get_zeroed(lines + 1, sizeof *names);
    size_t natural = table_text_width("routine");
    *t = (struct report_table){.width = width, .table.style = growth_style};
    draft_allocate(view, &draft, lines);
    for (size_t i = 0; i < lines; i++) {
        struct summary s = report_line_summary(view, i);
        draft_fill(view, &draft, i, &s);
        report_known_add(&t->known, &s);
        names[i] = name_of_line(view, i, 0);
        size_t name = table_text_width(names[i]);
        natural = name > natural ? name : natural;
    }
    size_t fair = view->settings->by == REPORT_BY_CONTEXT ? CONTEXT_FAIR : NAME_FAIR;
    draft_fit(&draft, width, natural < fair ? natural : fair);
    size_t most = name_room(&draft, width, natural);
    for (size_t i = 0; most && i < lines; i++) {
        free(names[i]);
        names[i] = name_of_line(view, i, most);
    }
    draft_finish(view, &draft, names, t);
    free(names);
}

/* Writes each line immediately, because there may be millions of lines. */
void report_write_separated(const struct report_view *view, size_t lines, FILE *to)
{
    enum table_format format = view->settings->format;
    bool first = true;
    for (size_t c = 0; c < COLUMNS; c++) {
        if (!column_shown(&columns[c], view))
            continue;
        table_write_cell(columns[c].head.key, first, format, to);
        first = false;
    }
    putc('\n', to);
    for (size_t i = 0; i < lines; i++) {
        struct summary s = report_line_summary(view, i);
        first = true;
        for (size_t c = 0; c < COLUMNS; c++) {
            if (!column_shown(&columns[c], view))
                continue;
            char *cell = columns[c].cell(view, &s);
            table_write_cell(cell, first, format, to);
            free(cell);
            first = false;
        }
        putc('\n', to);
    }
}

static void write_json_head(const struct report_view *view, struct json *json)
{
    const struct report *r = view->report;
    json_texts(json, "command", &r->command);
    json_texts(json, "process", &r->process);
    json_texts(json, "options", &r->options);
    json_text(json, "arch", r->arch);
    json_text(json, "end", r->end_reason);
    json_text(json, "cost_unit", r->cost_unit);
    json_text(json, "metric", metric_names[view->metric]);
    export_json_totals(json, &r->totals);
}

void report_write_json(const struct report_view *view, size_t lines, FILE *to)
{
    struct json json = json_open_document(to, "aprof-report-1");
    write_json_head(view, &json);
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < lines; i++) {
        struct summary s = report_line_summary(view, i);
        json_open_compact(&json, NULL, '{');
        for (size_t c = 0; c < COLUMNS; c++) {
            if (!column_shown(&columns[c], view))
                continue;
            char *cell = columns[c].cell(view, &s);
            table_write_json_cell(&columns[c].head, cell, &json);
            free(cell);
        }
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

void report_table_free(struct report_table *t)
{
    table_free(&t->table);
    free(t->heads);
    free(t->legend);
}

void report_table_write_legend(const struct report_table *t, bool of_routines, FILE *to)
{
    char *all = memory_copy_string("");
    for (size_t c = 0; c < t->table.column_count; c++) {
        if (!t->legend[c])
            continue;
        char *longer =
            memory_format("%s%s%s: %s.", all, *all ? " " : "", t->heads[c].title, t->legend[c]);
        free(all);
        all = longer;
    }
    putc('\n', to);
    table_write_wrapped(all, "", t->width && t->width < LEGEND_WIDTH ? t->width : LEGEND_WIDTH, to);
    if (of_routines)
        fputs("--routine=NAME shows the details of a routine.\n", to);
    free(all);
}
