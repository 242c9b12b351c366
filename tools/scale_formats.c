/* The formats of `aprof scale`: sentences and a table, tsv, JSON; see scale_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/scale_view.h"
#include "lib/base/json.h"
#include "lib/base/output.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT  20
#define LEGEND_WIDTH 80

/* Cells ---------------------------------------------------------------------------------------- */

static const struct table_column text_columns[] = {
    {"own_share", "self %", false},
    {"share_at_10x", "at 10x %", false},
    {"range", "between", true},
    {"growth", "self cost", true},
    {"calls_growth", "calls", true},
    {"input_growth", "mean input", true},
    {"why", "why", true},
    {"routine", "routine", true},
};

/* The order in which columns are omitted from short lines. */
static const unsigned text_ranks[] = {0, 0, 3, 1, 4, 5, 2, 0};
#define ROUTINE_COLUMN (sizeof text_ranks / sizeof *text_ranks - 1)
#define ROUTINE_LEAST  24

/* The maximum number of risers in sentences; the table has all of them. */
#define RISERS_NAMED     5
#define OUTGROWING_NAMED 3

/* Cost that exceeds these limits is said to grow faster than the size. The first limit is for the
 * predicted cost ratio of the whole run at ten times the size; the second limit is for the exponent
 * of a routine. */
#define WHOLE_OUTGROWS    12.6
#define EXPONENT_OUTGROWS 1.1

static const struct table_column tsv_columns[] = {
    {"routine", "", true},
    {"object", "", true},
    {"file", "", true},
    {"own_share", "", false},
    {"share_at_10x", "", false},
    {"share_at_10x_low", "", false},
    {"share_at_10x_high", "", false},
    {"growth", "", true},
    {"why", "", true},
    {"rises", "", true},
    {"own_cost", "", false},
    {"own_cost_at_10x", "", false},
    {"own_cost_at_10x_low", "", false},
    {"own_cost_at_10x_high", "", false},
    {"calls_growth", "", true},
    {"input_growth", "", true},
    {"checked_error", "", false},
};

static char *exponent_cell(double exponent)
{
    return fabs(exponent) < 0.005 ? memory_copy_string("1") : memory_format("n^%.2f", exponent);
}

static void add_text_row(struct table *t, const struct scale_routine *r)
{
    table_add(t, memory_format("%.1f", r->share));
    table_add(t, memory_format("%.1f", r->share_later));
    table_add(t, r->outlook.is_known ? memory_format("%.1f..%.1f", r->share_low, r->share_high)
                                     : memory_copy_string("not known"));
    table_add(t, scale_growth_words(r));
    table_add(t, exponent_cell(r->calls_exponent));
    table_add(t, exponent_cell(r->input_exponent));
    char *why = scale_reason_words(r);
    table_add(t, memory_format("%s%s", r->rises ? "rises: " : "", why));
    table_add(t, scale_routine_words(r));
    free(why);
}

static void add_tsv_row(struct table *t, const struct prediction *c, const struct scale_routine *r)
{
    const struct scale_outlook *o = &r->outlook;
    table_add(t, scale_routine_words(r));
    table_add(t, memory_copy_string(r->report->objects.at[r->routine->object]));
    table_add(t, memory_copy_string(r->routine->file));
    table_add(t, memory_format("%.4f", r->share));
    table_add(t, memory_format("%.4f", r->share_later));
    table_add(t, memory_format("%.4f", r->share_low));
    table_add(t, memory_format("%.4f", r->share_high));
    table_add(t, scale_growth_words(r));
    table_add(t, scale_reason_words(r));
    table_add(t, memory_copy_string(r->rises ? "yes" : "no"));
    table_add(t, memory_format("%.0f", r->cost[c->scale.runs - 1]));
    table_add(t, memory_format("%.0f", o->later));
    table_add(t, memory_format("%.0f", o->low));
    table_add(t, memory_format("%.0f", o->high));
    table_add(t, exponent_cell(r->calls_exponent));
    table_add(t, exponent_cell(r->input_exponent));
    table_add(t, isfinite(o->error) ? memory_format("%.4f", o->error) : memory_copy_string(""));
}

/* Formats -------------------------------------------------------------------------------------- */

static size_t lines_shown(const struct prediction *c)
{
    const struct scale_settings *s = c->settings;
    size_t lines = c->scale.list.count;
    unsigned long top = s->top;
    if (top == SCALE_TOP_NOT_GIVEN)
        top = s->format == SCALE_TEXT ? TOP_DEFAULT : 0;
    return top && lines > top ? top : lines;
}

/* Appends `more` to `text`; frees both texts and returns the result. */
static char *and_then(char *text, char *more)
{
    char *both = memory_format("%s%s", text, more);
    free(text);
    free(more);
    return both;
}

/* The name of a routine in sentences. The caller frees the name. */
static char *name_in_sentence(const struct scale_routine *r)
{
    char *routine = short_name(scale_routine_name(r), SHORT_NAME_SENTENCE);
    if (!r->inlined)
        return routine;
    char *inlined = short_name(r->inlined, SHORT_NAME_SENTENCE);
    char *both = memory_format("%s (inlined in %s)", inlined, routine);
    free(inlined);
    free(routine);
    return both;
}

/* Writes a sentence about the whole run. The sentence is needed because there may be no riser: if
 * all expensive routines grow equally fast, their shares stay the same. */
static void write_whole(const struct scale *s, size_t width, FILE *to)
{
    double times = s->total[s->runs - 1] > 0 ? s->total_later / s->total[s->runs - 1] : 0;
    char *text =
        memory_format("The whole run grows as n^%.2f: at ten times the size it costs %.3g times as "
                      "much.",
                      times > 0 ? log10(times) : 0, times);
    size_t named = 0;
    for (size_t i = 0; times > WHOLE_OUTGROWS && i < s->list.count && named < OUTGROWING_NAMED;
         i++) {
        const struct scale_routine *r = &s->list.at[i];
        if (r->outlook.exponent <= EXPONENT_OUTGROWS || r->share_later < SCALE_RISE_POINTS)
            continue;
        char *growth = scale_growth_words(r);
        char *name = name_in_sentence(r);
        text = and_then(text, memory_format("%s%s (%s)",
                                            named++ ? ", " : " Faster than the size grows: ", name,
                                            growth));
        free(name);
        free(growth);
    }
    if (named)
        text = and_then(text, memory_copy_string("."));
    table_write_wrapped(text, "", width, to);
    free(text);
}

/* Writes the most important sentence, which names the routines with rising shares. */
static void write_sentences(const struct scale *s, size_t width, FILE *to)
{
    char *text = memory_copy_string("");
    size_t rise = 0;
    for (size_t i = 0; i < s->list.count; i++) {
        const struct scale_routine *r = &s->list.at[i];
        if (!r->rises || ++rise > RISERS_NAMED)
            continue;
        char *why = scale_reason_words(r);
        char *name = name_in_sentence(r);
        text = and_then(text, memory_format("%s%s, from %.1f%% of the cost to about %.0f%% (%s)",
                                            *text ? "; " : "Rises: ", name, r->share,
                                            r->share_later, why));
        free(name);
        free(why);
    }
    if (rise > RISERS_NAMED)
        text = and_then(text, memory_format("; and %zu more", rise - RISERS_NAMED));
    text = *text ? and_then(text, memory_copy_string("."))
                 : and_then(text, memory_copy_string("No routine's share rises much: the most "
                                                     "expensive routines stay the same."));
    table_write_wrapped(text, "", width, to);
    free(text);
}

static void write_text(const struct prediction *c, FILE *to)
{
    const struct scale *s = &c->scale;
    struct table table = {.columns = text_columns,
                          .column_count = sizeof text_columns / sizeof *text_columns};
    size_t lines = lines_shown(c), width = table_width(c->settings->width, to);
    write_whole(s, width, to);
    write_sentences(s, width, to);
    fputs("sizes:  ", to);
    for (size_t i = 0; i < s->runs; i++)
        fprintf(to, " %g", s->size[i]);
    fprintf(to, " (%s); predicted: %g\n", s->axis, s->size[s->runs - 1] * SCALE_TIMES);
    if (s->runs < SCALE_RUNS)
        fputs("Two runs cannot validate the prediction, which assumes at most n^2: profile a third "
              "size.\n",
              to);
    fprintf(to, "\n%zu of %zu routines, by predicted self cost at ten times the size:\n", lines,
            s->list.count);
    for (size_t i = 0; i < lines; i++)
        add_text_row(&table, &s->list.at[i]);
    table_fit(&table, text_ranks, ROUTINE_COLUMN, ROUTINE_LEAST, width);
    table_write_text(&table, to, table_may_style(to));
    if (lines < s->list.count)
        fprintf(to, "(%zu more: --top=0 shows all)\n", s->list.count - lines);
    putc('\n', to);
    table_write_wrapped(
        "self %: share of all self cost in the largest run. at 10x %, between: the predicted share "
        "and its "
        "90 % interval, not known if that spans a factor of 6 to either side. self cost, calls, "
        "mean input: growth with the size of the run. why: what grows faster than the size.",
        "", width ? width : LEGEND_WIDTH, to);
    table_free(&table);
}

static void write_tsv(const struct prediction *c, FILE *to)
{
    struct table table = {.columns = tsv_columns,
                          .column_count = sizeof tsv_columns / sizeof *tsv_columns};
    for (size_t i = 0; i < lines_shown(c); i++)
        add_tsv_row(&table, c, &c->scale.list.at[i]);
    table_write_separated(&table, TABLE_TSV, to);
    table_free(&table);
}

static void json_reals(struct json *json, const char *key, const double *numbers, size_t count)
{
    json_open_compact(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_real(json, NULL, numbers[i]);
    json_close(json);
}

static void json_routine(struct json *json, const struct scale *s, const struct scale_routine *r)
{
    char *growth = scale_growth_words(r), *why = scale_reason_words(r);
    json_open(json, NULL, '{');
    json_text(json, "routine", scale_routine_name(r));
    if (r->inlined)
        json_text(json, "inlined", r->inlined);
    json_text(json, "object", r->report->objects.at[r->routine->object]);
    json_text(json, "file", r->routine->file);
    json_real(json, "own_share", r->share);
    json_real(json, "share_at_10x", r->share_later);
    json_real(json, "share_at_10x_low", r->share_low);
    json_real(json, "share_at_10x_high", r->share_high);
    json_text(json, "growth", growth);
    json_text(json, "why", why);
    json_bool(json, "rises", r->rises);
    json_reals(json, "own_cost", r->cost, s->runs);
    json_reals(json, "calls", r->calls, s->runs);
    json_reals(json, "mean_input", r->input, s->runs);
    json_real(json, "own_cost_at_10x", r->outlook.later);
    json_real(json, "own_cost_at_10x_low", r->outlook.low);
    json_real(json, "own_cost_at_10x_high", r->outlook.high);
    json_real(json, "checked_error", r->outlook.error);
    json_close(json);
    free(growth);
    free(why);
}

static void write_json(const struct prediction *c, FILE *to)
{
    struct json json = json_open_document(to, "aprof-scale-1");
    json_text(&json, "axis", c->scale.axis);
    json_reals(&json, "sizes", c->scale.size, c->scale.runs);
    json_reals(&json, "own_cost", c->scale.total, c->scale.runs);
    json_real(&json, "own_cost_at_10x", c->scale.total_later);
    json_open(&json, "routines", '[');
    for (size_t i = 0; i < lines_shown(c); i++)
        json_routine(&json, &c->scale, &c->scale.list.at[i]);
    json_close(&json);
    json_close(&json);
}

bool scale_view_write(const struct prediction *c, struct failure *why)
{
    static void (*const write[])(const struct prediction *, FILE *) = {
        [SCALE_TEXT] = write_text, [SCALE_TSV] = write_tsv, [SCALE_JSON] = write_json};
    struct output output;
    if (!output_open(&output, c->settings->output, why))
        return false;
    write[c->settings->format](c, output.stream);
    return output_close(&output, why);
}
