/* `aprof diff`: the changes between two reports, for users and for CI.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "lib/report/code_view.h"
#include "lib/compare/compare_words.h"
#include "lib/compare/comparison.h"
#include "lib/base/json.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Number of routines for which contexts and code are shown. */
#define ROUTINES_EXPLAINED 20

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_JSON };
static const char *const format_names[] = {"text", "markdown", "json", NULL};
static const char *const metrics_format_names[] = {"text", "csv", "json", NULL};

struct diff {
    const struct diff_settings *settings;
    struct comparison c;
};

/* Cells ---------------------------------------------------------------------------------------- */

static const struct table_column columns[] = {
    {"verdict", "verdict", true},     {"own", "self cost", false},  {"calls", "calls", false},
    {"input", "input", false},        {"cost", "cost at", false},   {"sizes", "equal sizes", false},
    {"curve", "curve", false},        {"at_10x", "at 10x", false},  {"growth", "worst case", true},
    {"share", "share of cost", true}, {"routine", "routine", true},
};

/* The order in which columns are omitted from short lines. */
static const unsigned ranks[] = {0, 1, 2, 4, 3, 7, 8, 9, 5, 6, 0};
#define ROUTINE_COLUMN (sizeof ranks / sizeof *ranks - 1)
#define ROUTINE_LEAST  32

static void add_row(struct table *table, const struct compare_routine *c)
{
    table_add_text(table, compare_verdict_names[c->verdict]);
    table_add(table, compare_change_words(c->own_ratio));
    table_add(table, compare_change_words(c->calls_ratio));
    table_add(table, compare_change_words(c->input_ratio));
    table_add(table, compare_change_words(c->cost_ratio));
    table_add_number(table, c->common_sizes);
    table_add(table, compare_change_words(c->curve_ratio));
    table_add(table, compare_change_words(c->later_ratio));
    table_add(table, compare_growth_words(c));
    table_add(table, memory_format("%.1f%% -> %.1f%%", c->base.total_share, c->new.total_share));
    table_add(table, compare_name_words(c));
}

/* Selects the changes to display, and their order. The caller frees the list. */
static const struct compare_routine **choose_shown(const struct diff *d, size_t *count)
{
    const struct compare_routine **shown = memory_get_zeroed(d->c.list.count + 1, sizeof *shown);
    size_t chosen = 0;
    for (size_t i = 0; i < d->c.list.count; i++) {
        if (d->settings->all || d->c.list.at[i].verdict != COMPARE_SAME)
            shown[chosen++] = &d->c.list.at[i];
    }
    *count = common_top(&d->settings->common, 0, chosen);
    return shown;
}

/* Formats -------------------------------------------------------------------------------------- */

static void write_summary(const struct diff *d, FILE *to, const char *strong)
{
    char *total = compare_change_words(d->c.total_ratio);
    fprintf(to, "Routines: %s%zu worse%s, %zu better, %zu appeared, %zu vanished, %zu the same",
            strong, d->c.verdicts[COMPARE_WORSE], strong, d->c.verdicts[COMPARE_BETTER],
            d->c.verdicts[COMPARE_APPEARED], d->c.verdicts[COMPARE_VANISHED],
            d->c.verdicts[COMPARE_SAME]);
    if (d->c.total_ratio > 0)
        fprintf(to, "; total cost %s", total);
    fprintf(to, " (cost changes below %g%% count as the same; input size: %s)\n",
            100 * d->settings->options.limits.threshold, metric_names[d->c.metric]);
    free(total);
    if (strcmp(report_program(&d->c.base), report_program(&d->c.new)) != 0)
        fprintf(to, "The programs differ: %s, %s; --map=OLD=NEW matches the executables.\n",
                report_program(&d->c.base), report_program(&d->c.new));
    if (d->c.limits.other_arch)
        fprintf(
            to,
            "The architectures differ: %s, %s; increases below %g%%, and routines that only one "
            "report has, do not count as worse.\n",
            d->c.base.arch, d->c.new.arch, 100 * COMPARE_RECOMPILED);
    else if (d->c.recompiled && d->c.limits.threshold < COMPARE_RECOMPILED)
        fprintf(to,
                "Most routines of %s changed, as by another compiler or optimisation level: "
                "increases below %g%% are ignored.\n",
                d->c.recompiled, 100 * COMPARE_RECOMPILED);
    if (d->c.appeared_rise > 0)
        fprintf(to, "The routines that appeared add %.1f%% to the cost: this counts as worse.\n",
                d->c.appeared_rise);
    if (!d->c.limits.one_workload)
        fputs("The arguments differ: only calls with equal input sizes are compared.\n", to);
}

/* Writes a line below the table (in Markdown, an item of a list), and frees the line. */
static void write_sentence(const struct diff *d, char *words, FILE *to)
{
    if (!words)
        return;
    if (d->settings->format == FORMAT_MARKDOWN) {
        fputs("- ", to);
        table_write_markdown_text(words, to);
        putc('\n', to);
    } else {
        table_write_wrapped(words, "    ", table_width(d->settings->common.width, to), to);
    }
    free(words);
}

/* Writes the calling contexts in which routines became more expensive, if the contexts are
 * known. */
static void write_contexts(const struct diff *d, FILE *to)
{
    bool first = true;
    for (size_t i = 0; i < d->c.list.count && i < ROUTINES_EXPLAINED; i++) {
        const struct compare_routine *c = &d->c.list.at[i];
        char *words = c->verdict == COMPARE_WORSE ? compare_context_words(&d->c, c) : NULL;
        if (words && first)
            putc('\n', to);
        first = first && !words;
        write_sentence(d, words, to);
    }
}

/* Writes the lines and the calls that made routines more expensive, if the report has lines and
 * calls. */
static void write_code(const struct diff *d, FILE *to)
{
    if (!report_has_code(&d->c.base) || !report_has_code(&d->c.new) ||
        d->c.verdicts[COMPARE_WORSE] == 0)
        return;
    /* If a routine's cost rose because of a callee, the line of this callee is written first.
     */
    const struct report_routine *explained = NULL;
    putc('\n', to);
    for (size_t i = 0; i < d->c.list.count && i < ROUTINES_EXPLAINED; i++) {
        const struct compare_routine *c = &d->c.list.at[i];
        if (c->verdict != COMPARE_WORSE)
            continue;
        if (!explained || c->new.routine != explained)
            write_sentence(d, compare_call_words(&d->c, c), to);
        if (c->is_cause)
            explained = compare_risen_call(&d->c, c).other;
        write_sentence(d, compare_line_words(&d->c, c), to);
    }
}

static const char *verdict_style(const struct table_column *column, const char *cell)
{
    if (strcmp(column->key, "verdict") != 0)
        return NULL;
    return strcmp(cell, "worse") == 0 ? "31" : strcmp(cell, "better") == 0 ? "32" : NULL;
}

/* Names the routines that raised the total costs of their callers, and the routines that replaced
 * other routines. */
static void write_causes(const struct diff *d, FILE *to)
{
    for (size_t i = 0; i < d->c.list.count && i < ROUTINES_EXPLAINED; i++) {
        const struct compare_routine *c = &d->c.list.at[i];
        char *words = compare_cause_words(c);
        if (!words)
            continue;
        char *name = compare_name_words(c);
        write_sentence(
            d, memory_format("%s%s: %s", c->is_cause ? "The increase begins in " : "", name, words),
            to);
        free(name);
        free(words);
    }
}

static void write_table(const struct diff *d, FILE *to)
{
    struct table table = {.columns = columns,
                          .column_count = sizeof columns / sizeof *columns,
                          .style = verdict_style};
    bool markdown = d->settings->format == FORMAT_MARKDOWN;
    size_t count;
    const struct compare_routine **shown = choose_shown(d, &count);
    if (markdown)
        fputs("### aprof diff\n\n", to);
    char *summary;
    size_t bytes;
    FILE *text = memory_stream(&summary, &bytes);
    write_summary(d, text, markdown ? "**" : "");
    fclose(text);
    table_write_lines(summary, "    ", markdown ? 0 : table_width(d->settings->common.width, to),
                      to);
    free(summary);
    if (markdown)
        putc('\n', to);
    write_causes(d, to);
    for (size_t i = 0; i < count; i++)
        add_row(&table, shown[i]);
    free(shown);
    if (table.cells.count > 0) {
        putc('\n', to);
        if (!markdown)
            table_fit(&table, ranks, ROUTINE_COLUMN, ROUTINE_LEAST,
                      table_width(d->settings->common.width, to));
        if (markdown)
            table_write_markdown(&table, to);
        else
            table_write_text(&table, to, table_may_style(to));
    }
    table_free(&table);
    write_contexts(d, to);
    write_code(d, to);
}

static void json_ratio(struct json *json, const char *key, double ratio)
{
    json_real(json, key, ratio > 0 ? ratio : NAN);
}

static void json_growth(struct json *json, const struct routine_growth *growth)
{
    char *worst = routine_growth_worst_words(growth);
    char *average = growth_words(&growth->average);
    json_text(json, "worst_growth", worst);
    json_text(json, "average_growth", average);
    free(worst);
    free(average);
}

/* The calls and the growth of an inlined function are not known. */
static void json_side(struct json *json, const char *key, const struct compare_side *side,
                      bool is_inlined)
{
    if (!side->routine)
        return;
    json_open_compact(json, key, '{');
    if (!is_inlined)
        json_number(json, "calls", side->calls);
    json_number(json, "cost_total", side->cost_total);
    json_number(json, "cost_self", side->cost_self);
    json_real(json, "total_share", side->total_share);
    json_real(json, "self_share", side->self_share);
    if (!is_inlined)
        json_growth(json, &side->growth);
    json_close(json);
}

static void json_context(struct json *json, const struct diff *d, const struct compare_routine *c)
{
    struct compare_context most = compare_find_context(&d->c.base, &d->c.new, c);
    if (c->verdict != COMPARE_WORSE || !most.context)
        return;
    char *path = context_path(&d->c.new, most.context, ';', CONTEXT_ROUTINES_MOST);
    json_open_compact(json, "context", '{');
    json_text(json, "path", path);
    json_number(json, "own_base", most.base);
    json_number(json, "own_new", most.new);
    json_close(json);
    free(path);
}

static void json_code(struct json *json, const struct diff *d, const struct compare_routine *c)
{
    if (c->verdict != COMPARE_WORSE)
        return;
    struct compare_line line = compare_risen_line(&d->c, c);
    if (line.new > line.base) {
        char *place = code_place_words(&d->c.new, line.file, line.line);
        json_open_compact(json, "line", '{');
        json_text(json, "place", place);
        json_number(json, "own_base", line.base);
        json_number(json, "own_new", line.new);
        json_close(json);
        free(place);
    }
    struct compare_call call = compare_risen_call(&d->c, c);
    if (call.other) {
        char *place = code_place_words(&d->c.new, call.place.file, call.place.line);
        json_open_compact(json, c->is_cause ? "callee" : "caller", '{');
        json_text(json, "name", call.other->name);
        json_text(json, "place", place);
        json_number(json, "calls_base", call.base_calls);
        json_number(json, "calls_new", call.new_calls);
        json_number(json, "cost_base", call.base_cost);
        json_number(json, "cost_new", call.new_cost);
        json_close(json);
        free(place);
    }
}

static void json_routine(struct json *json, const struct diff *d, const struct compare_routine *c)
{
    const struct report_routine *routine = c->base.routine ? c->base.routine : c->new.routine;
    json_open(json, NULL, '{');
    json_text(json, "name", routine->name);
    json_text(json, "mangled", routine->symbol);
    if (c->inlined)
        json_text(json, "inlined", c->inlined);
    json_text(json, "file", routine->file);
    json_text(json, "verdict", compare_verdict_names[c->verdict]);
    json_ratio(json, "own_ratio", c->own_ratio);
    json_ratio(json, "calls_ratio", c->calls_ratio);
    json_ratio(json, "input_ratio", c->input_ratio);
    json_bool(json, "begins_here", c->is_cause);
    if (c->is_replaced) {
        json_text(json, "calls_now", c->gained.name);
        json_text(json, "called_before", c->lost.name);
    }
    json_number(json, "common_sizes", c->common_sizes);
    json_ratio(json, "cost_ratio", c->cost_ratio);
    json_ratio(json, "common_size", c->common_size);
    json_ratio(json, "curve_ratio", c->curve_ratio);
    json_ratio(json, "curve_ratio_at_10x", c->later_ratio);
    json_side(json, "base", &c->base, c->inlined != NULL);
    json_side(json, "new", &c->new, c->inlined != NULL);
    json_context(json, d, c);
    json_code(json, d, c);
    json_close(json);
}

static void write_json(const struct diff *d, FILE *to)
{
    size_t count;
    const struct compare_routine **shown = choose_shown(d, &count);
    struct json json = json_open_document(to, "aprof-diff-1");
    json_text(&json, "base", d->c.base.path);
    json_text(&json, "new", d->c.new.path);
    json_text(&json, "metric", metric_names[d->c.metric]);
    json_real(&json, "threshold", d->settings->options.limits.threshold);
    json_ratio(&json, "total_ratio", d->c.total_ratio);
    json_real(&json, "appeared_rise", d->c.appeared_rise);
    json_number(&json, "worse", d->c.verdicts[COMPARE_WORSE]);
    json_open(&json, "routines", '[');
    for (size_t i = 0; i < count; i++)
        json_routine(&json, d, shown[i]);
    free(shown);
    json_close(&json);
    json_close(&json);
}

int points_compare(const struct diff_settings *settings, const char *base, const char *now,
                   FILE *to, struct failure *why)
{
    struct diff_settings scaled = *settings;
    struct diff diff = {.settings = &scaled};
    scaled.options.limits.threshold /= 100;
    bool good = comparison_make(&diff.c, base, now, &scaled.options, why);
    int status = !good ? DIFF_FAILED : comparison_is_worse(&diff.c) ? DIFF_BEYOND : DIFF_WITHIN;
    if (good && settings->format == FORMAT_JSON)
        write_json(&diff, to);
    else if (good)
        write_table(&diff, to);
    if (good && diff.c.same_run)
        message_error("diff: %s and %s come from the same run", diff.c.base.path, diff.c.new.path);
    comparison_free(&diff.c);
    return status;
}

/* The command ---------------------------------------------------------------------------------- */

bool diff_is_rise(const struct diff_settings *s, double base, double now, double total)
{
    double larger = base > now ? base : now;
    return 100 * larger >= s->options.limits.share * total &&
           now > base * (1 + s->limits.rise_most / 100);
}

/* Parses shares from 0 to 1, such as "1e-3,1e-4", into a struct diff_shares. */
static bool take_shares(const struct options *options, const char *name, void *member)
{
    struct diff_shares *shares = member;
    char *list = memory_copy_string(options->value), *rest = list, *word;
    struct options one = *options;
    bool good = true;
    shares->count = 0;
    while (good && (word = strsep(&rest, ","))) {
        one.value = word;
        if (shares->count == DIFF_SHARES_MAX) {
            options_usage_error(options, "too many numbers in", options->value);
            good = false;
        } else {
            good = options_real(&one, name, 1, &shares->at[shares->count++]);
        }
    }
    free(list);
    return good;
}

const struct option_entry diff_options[] = {
    {'t', "threshold", "PERCENT", "cost increase that makes a routine worse [10]",
     OPTION_INTO(struct diff_settings, options.limits.threshold), .kinds = FOR_POINTS},
    {'t', "threshold", "PERCENT", "status 1 if a count rises by more than PERCENT [no limit]",
     OPTION_INTO(struct diff_settings, limits.rise_most), .kinds = FOR_CONTEXTS | FOR_EVENTS},
    {0, "min-share", "PERCENT", "ignores routines or counts below this share of the total [0.1]",
     OPTION_INTO(struct diff_settings, options.limits.share)},
    COMMON_ENTRY_TOP("shows the first N lines; 0: all [all; contexts and events: 10]", 0),
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct diff_settings, options.metric_name), OPTION_CHOICES(metric_names),
     .kinds = FOR_POINTS},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct diff_settings, format),
     OPTION_CHOICES(format_names), .kinds = FOR_POINTS},
    {'f', "format", "text|csv|json", "csv has only the metrics [text]",
     OPTION_INTO(struct diff_settings, format), OPTION_CHOICES(metrics_format_names),
     .kinds = FOR_CONTEXTS | FOR_EVENTS},
    {0, "map", "OLD=NEW,...", "compares the object OLD of BASE with the object NEW",
     OPTION_INTO(struct diff_settings, options.map), .kinds = FOR_POINTS},
    {'a', "all", NULL, "also shows unchanged routines", OPTION_INTO(struct diff_settings, all),
     .kinds = FOR_POINTS},
    COMMON_ENTRY_MINE(OPTION_INTO(struct diff_settings, options.mine), FOR_POINTS),
    {'p', "phi", "SHARES",
     "at most 16 thresholds of hot contexts, separated by commas [as in NEW, or 1e-4]",
     OPTION_INTO(struct diff_settings, phis), .take = take_shares, .kinds = FOR_CONTEXTS},
    {0, "tau", "SHARES", "thresholds of hot edge coverage [0.01,0.05,0.1]",
     OPTION_INTO(struct diff_settings, taus), .take = take_shares, .kinds = FOR_CONTEXTS},
    {0, "scale", NULL, "scales the counts of NEW to the total of REFERENCE",
     OPTION_INTO(struct diff_settings, scale), .kinds = FOR_CONTEXTS | FOR_EVENTS},
    {0, "rate", "PERCENT", "share of all events that were recorded in NEW [read from NEW]",
     OPTION_INTO(struct diff_settings, rate_percent), .kinds = FOR_EVENTS},
    COMMON_ENTRY_THREAD,
    {0, "ignore-sites", NULL, "merges contexts that differ only in call sites",
     OPTION_INTO(struct diff_settings, ignore_sites), .kinds = FOR_CONTEXTS},
    {0, "min-overlap", "PERCENT", "status 1 if the overlap is lower than PERCENT",
     OPTION_INTO(struct diff_settings, limits.overlap_least), .kinds = FOR_CONTEXTS | FOR_EVENTS},
    {0, "min-coverage", "PERCENT", "status 1 if a hot edge coverage is lower than PERCENT",
     OPTION_INTO(struct diff_settings, limits.coverage_least), .kinds = FOR_CONTEXTS},
    {0, "max-uncovered", "PERCENT", "status 1 if an uncovered context's count exceeds PERCENT",
     OPTION_INTO(struct diff_settings, limits.uncovered_most), .kinds = FOR_CONTEXTS},
    {0, "max-error", "PERCENT", "status 1 if a hot context's counter error exceeds PERCENT",
     OPTION_INTO(struct diff_settings, limits.error_most), .kinds = FOR_CONTEXTS},
    {0, "max-error", "PERCENT", "status 1 if the average error exceeds PERCENT",
     OPTION_INTO(struct diff_settings, limits.error_most), .kinds = FOR_EVENTS},
    {0, "max-average-error", "PERCENT", "status 1 if the average counter error exceeds PERCENT",
     OPTION_INTO(struct diff_settings, limits.average_error_most), .kinds = FOR_CONTEXTS},
    {0, "max-single-error", "PERCENT", "status 1 if the error of a count exceeds PERCENT",
     OPTION_INTO(struct diff_settings, limits.single_error_most), .kinds = FOR_EVENTS},
    {0, "max-false", "N", "status 1 if there are more than N false positives",
     OPTION_INTO(struct diff_settings, limits.false_most), .kinds = FOR_CONTEXTS},
    {0, "max-missed", "N", "status 1 if more than N counts or hot contexts are missing in NEW",
     OPTION_INTO(struct diff_settings, limits.missed_most), .kinds = FOR_CONTEXTS | FOR_EVENTS},
    COMMON_ENTRY_WIDTH(FOR_POINTS),
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS | FOR_EVENTS),
    COMMON_ENTRY_OUT,
    {0},
};

int diff_run(const struct command *command, char **argv)
{
    struct diff_settings settings = DIFF_SETTINGS;
    struct options options;
    struct output output;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!output_open(&output, settings.common.output, &why)) {
        message_failure(&why);
        return DIFF_FAILED;
    }
    const char **paths = options.operands.at;
    int status = model_of(command)->compare(&settings, paths[0], paths[1], output.stream, &why);
    if (model_close(&output, status != DIFF_FAILED, &why))
        return status;
    message_failure(&why);
    return DIFF_FAILED;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "compares two reports; for CI",
    .usage = "[options] BASE NEW",
    .details =
        "Compares two reports, or two folders of reports, routine by routine: costs at equal\n"
        "input sizes, fitted curves, growth classes and shares of the cost. Fitted curves are\n"
        "compared at the largest input size of both reports, and at ten times this size. The\n"
        "exit status is 0 if nothing became worse, 1 if a routine or the program became worse,\n"
        "and 2 on errors.",
    .options = diff_options,
    .kinds = FOR_POINTS,
    .operands_least = 2,
    .operands_most = 2,
    .operands = "two reports",
    .verb = VERB_DIFF,
    .run = diff_run,
};
