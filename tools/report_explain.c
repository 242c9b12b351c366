/* The explanation of one routine in `aprof report`: its growth in words, and its points.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/report_view.h"
#include "lib/growth/growth_split.h"
#include "lib/report/report_contexts.h"
#include "lib/base/table.h"

#include <inttypes.h>

/* The largest difference of AICc that is printed, because larger numbers have no meaning. */
#define AHEAD_MOST 1e6

/* Writes the details of a fit: ";\n 3.1 n log n + 5; ahead of n^1.5 by 40.2; R^2 ...; power law
 * ...". */
static void write_curve(const struct growth_fit *g, FILE *to)
{
    const struct growth_curve *best = growth_best(g), *rival = growth_rival(g);
    char *formula = growth_formula(best, g->n_max);
    fprintf(to, ";\n    %s; ", formula);
    if (rival != best && rival->aicc - best->aicc < AHEAD_MOST)
        fprintf(to, "better than %s by %.1f (AICc); ", growth_class_name(rival->class),
                rival->aicc - best->aicc);
    if (best->class != GROWTH_CONSTANT)
        fprintf(to, "R^2 %.4f; ", best->r_squared);
    fprintf(to, "typical error %.1f%%, residuals %s", 100 * best->sigma,
            growth_pattern_name(g->pattern));
    if (g->outliers > 0)
        fprintf(to, ", %zu outliers", g->outliers);
    if (g->power.usable)
        fprintf(to, "; power law n^%.2f (%.2f to %.2f)", g->power.c, g->c_low, g->c_high);
    free(formula);
}

/* Writes the curve that fits the points best, even if it is not claimed. */
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

/* Writes the claim and its evidence. */
static void write_claim(const char *what, const struct growth_claim *claim, FILE *to)
{
    char *reason = growth_claim_reason(claim);
    fprintf(to, "%s: %s.\n", what, reason);
    free(reason);
    if (!(claim->times > 0))
        return;
    char *formula = growth_terms_words(&claim->terms, claim->n_max);
    fprintf(to,
            "  %s; at input %.0f a call is predicted to cost %.3g times as much as at %.0f (%.3g "
            "to %.3g times).\n",
            formula, GROWTH_TIMES * claim->n_max, claim->times, claim->n_max, claim->times_low,
            claim->times_high);
    free(formula);
}

/* Writes the curves of scattered points that lie on several branches. */
static void write_split(const struct report_view *view, const struct summary *s, FILE *to)
{
    struct growth_split split;
    if (!growth_split_may_help(&s->growth.average_claim) || s->context)
        return;
    growth_split_find(view->report, s->profile, view->metric, &split);
    char *words = growth_split_words(&split);
    if (split.by != GROWTH_SPLIT_NONE)
        fprintf(to, "Separate curves fit the points %s.\n", words);
    else if (!report_has_contexts(view->report))
        fprintf(
            to,
            "Calling contexts (%scontexts=hot) can show whether the growth differs by caller.\n",
            report_option_prefix(view->report));
    free(words);
    growth_split_free(&split);
}

static void write_explanation(const struct report_view *view, const struct summary *s, FILE *to)
{
    const struct totals *t = &view->report->totals;
    fprintf(
        to, "%" PRIu64 " %s: %.1f%% of the total cost in %s own code, %.1f%% including callees.\n",
        s->profile->calls, s->profile->calls == 1 ? "call" : "calls",
        summary_percent(s->profile->cost_self, t->cost), s->profile->calls == 1 ? "its" : "their",
        summary_percent(s->profile->cost_total, t->cost));
    write_claim("Growth", &s->growth.average_claim, to);
    write_split(view, s, to);
    write_claim("Worst case", &s->growth.worst_claim, to);
    if (s->growth.branches.count > 1)
        fprintf(to, "The costs lie on %zu curves, as for a cache hit and a miss.\n",
                s->growth.branches.count);
    fputs("A larger run may also make more calls: `aprof scale` predicts its cost.\n", to);
}

static void write_growths(const struct report_view *view, const struct summary *s, FILE *to)
{
    static const char *const branch_names[] = {"cheapest branch", "branch",
                                               "most expensive branch"};
    struct routine_growth growth = s->growth, *g = &growth;
    routine_growth_add_powers(view->report, s->profile, view->metric, g);
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

/* Enough points are displayed to show the shape of the curve; `aprof export` and `aprof plot` use
 * all points. */
#define POINTS_SHOWN 24

/* The index of the i-th of `shown` points, spread evenly from the first to the last. */
static size_t spread(size_t i, size_t shown, size_t count)
{
    return shown < 2 ? i : (size_t)((u128)i * (count - 1) / (shown - 1));
}

/* Writes the points of one routine, below its line in the table. */
void report_explain(const struct report_view *view, const struct summary *s, FILE *to)
{
    struct table table = {.columns = point_heads,
                          .column_count = sizeof point_heads / sizeof *point_heads};
    const struct report_point *points = profile_points(view->report, s->profile, view->metric);
    size_t most = view->settings->all_points ? s->points : POINTS_SHOWN;
    size_t shown = s->points < most ? s->points : most;
    for (size_t i = 0; i < shown; i++) {
        const struct report_point *p = &points[spread(i, shown, s->points)];
        table_add(&table, table_wide_text(p->input));
        table_add(&table, table_wide_text(p->calls));
        table_add(&table, memory_format("%.1f", (double)p->cost_sum / (double)p->calls));
        table_add(&table, table_wide_text(p->cost_min));
        table_add(&table, table_wide_text(p->cost_max));
        table_add(&table, table_wide_text(p->induced_thread));
        table_add(&table, table_wide_text(p->induced_external));
    }
    char *name = s->context ? context_words(view->report, s->context, REPORT_CALLERS_SHOWN)
                            : memory_copy_string(s->routine->name);
    putc('\n', to);
    table_write_safe(name, to);
    free(name);
    if (s->profile->thread)
        fprintf(to, ", thread %" PRIu32, s->profile->thread);
    fputs(":\n", to);
    char *words;
    size_t bytes;
    FILE *text = memory_stream(&words, &bytes);
    write_explanation(view, s, text);
    write_growths(view, s, text);
    fclose(text);
    table_write_lines(words, "    ", table_width(view->settings->common.width, to), to);
    free(words);
    report_explain_code(view, s, to);
    putc('\n', to);
    table_write_text(&table, to, table_may_style(to));
    if (shown < s->points)
        fprintf(to, "(%zu of %zu points; --all-points shows them all)\n", shown, s->points);
    table_free(&table);
}
