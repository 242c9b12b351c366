/* The columns of `aprof report`; see report_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * They stand in one list, from which the text for people and the TSV for scripts are made.
 */
#include "tools/report_view.h"
#include "lib/report_contexts.h"
#include "lib/short_name.h"
#include "lib/table.h"

#include <inttypes.h>

/* Columns -------------------------------------------------------------------------------------- */

static char *share_cell(const struct report_view *view, u128 part, u128 whole)
{
    int decimals = view->settings->format == REPORT_TSV ? 4 : 1;
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
    return share_cell(view, s->profile->cost_self, view->report.totals.cost);
}

static char *total_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->profile->cost_total);
}

static char *total_share_cell(const struct report_view *view, const struct summary *s)
{
    return share_cell(view, s->profile->cost_total, view->report.totals.cost);
}

static char *worst_growth_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return growth_claim_words(&s->growth.worst_claim);
}

static char *average_growth_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return growth_claim_words(&s->growth.average_claim);
}

/* "6.0 n log n": what a call costs at a large n, as far as it may be claimed. */
static char *leading_term_cell(const struct report_view *view, const struct summary *s)
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

/* Numbers of the claim, for scripts; empty where it was not earned. */
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

/* R^2 of the worst case's curve; empty when there is none, or a constant, which explains nothing.
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
    return table_wide_text(s->input_max);
}

static char *worst_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->cost_worst);
}

static char *name_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return memory_copy_string(s->routine->name);
}

/* The name and where that is, as short as people want it: app.c:12, or the object's name. */
static char *name_and_place(const struct report_view *view, const struct summary *s)
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
static char *name_and_place_cell(const struct report_view *view, const struct summary *s)
{
    char *name = name_and_place(view, s);
    if (!s->context || s->context->caller == CONTEXT_NO_CALLER)
        return name;
    const struct report_context *caller = &view->report.contexts.all.at[s->context->caller];
    char *callers = context_words(&view->report, caller, REPORT_CALLERS_SHOWN - 1);
    char *both = memory_format("%s < %s", name, callers);
    free(name);
    free(callers);
    return both;
}

static char *context_cell(const struct report_view *view, const struct summary *s)
{
    return context_path(&view->report, s->context, ';');
}

static char *error_cell(const struct report_view *view, const struct summary *s)
{
    (void)view;
    return table_wide_text(s->context->error);
}

static char *object_cell(const struct report_view *view, const struct summary *s)
{
    return memory_copy_string(view->report.objects.at[s->routine->object]);
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

enum { IN_TEXT = 1, IN_TSV = 2, IN_THREADS = 4, IN_CONTEXTS = 8 };

static const struct column {
    struct table_column head;
    unsigned shown;
    char *(*cell)(const struct report_view *, const struct summary *);
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

static bool column_shown(const struct column *column, const struct report_settings *settings)
{
    if (settings->format == REPORT_TSV)
        return (column->shown & IN_TSV) ||
               ((column->shown & IN_CONTEXTS) && settings->by == REPORT_BY_CONTEXT);
    return (column->shown & IN_TEXT) || ((column->shown & IN_THREADS) && settings->threads);
}

/* The table ------------------------------------------------------------------------------------ */

void report_view_write_table(const struct report_view *view, FILE *to, size_t lines)
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
        struct summary s = report_line_summary(view, i);
        for (size_t c = 0; c < table.column_count; c++)
            table_add(&table, shown[c]->cell(view, &s));
    }
    if (view->settings->format == REPORT_TSV)
        table_write_tsv(&table, to);
    else
        table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}
