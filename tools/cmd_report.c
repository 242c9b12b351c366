/* `aprof report`: a table of routines with their calls, costs and input sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "tools/events_command.h"
#include "tools/model.h"
#include "tools/paths_command.h"
#include "tools/report_load.h"
#include "lib/growth/growth_split.h"
#include "lib/growth/report_sample.h"
#include "lib/base/short_name.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define HEADING_INDENT "         "

static const char *const by_names[] = {"routine", "context", "object", "file", NULL};

/* Writing -------------------------------------------------------------------------------------- */

static void write_word(FILE *to, const char *word)
{
    bool plain = *word && !strpbrk(word, " \t\n'\"\\$`*?&|;<>()");
    fputs(plain ? " " : " '", to);
    table_write_safe(word, to);
    fputs(plain ? "" : "'", to);
}

static void write_contexts_heading(const struct report_view *view, FILE *to)
{
    const struct report_contexts *c = &view->report->contexts;
    if (view->settings->by != REPORT_BY_CONTEXT)
        return;
    if (strcmp(c->kind, "hot") == 0)
        fprintf(to, "context: hot by %s, phi %s, epsilon %s", c->weight, c->phi, c->epsilon);
    else
        fputs("context: all", to);
    fputs(strcmp(c->recursion, "folded") == 0 ? "; recursion is folded\n" : "\n", to);
}

/* Writes a text, indented after the first line, and frees the text. */
static void write_line(char *words, size_t width, FILE *to)
{
    table_write_wrapped(words, HEADING_INDENT, width, to);
    free(words);
}

static void write_heading(const struct report_view *view, size_t width, FILE *to)
{
    const struct report *r = view->report;
    const struct totals *t = &r->totals;
    char *process = report_process_words(r);
    char *input = report_input_words(r, view->metric);
    fputs("command:", to);
    for (size_t i = 0; i < r->command.count; i++)
        write_word(to, r->command.at[i]);
    putc('\n', to);
    write_line(memory_format("process: %s (%s), end: %s", process, r->arch, r->end_reason), width,
               to);
    write_line(memory_format("input:   memory read before it is written (%s)", input), width, to);
    write_line(memory_format(
                   "reads:   %" PRIu64
                   " cells: %.1f%% written by other threads, %.1f%% from files, network or devices",
                   t->reads, summary_percent(t->induced_thread, t->reads),
                   summary_percent(t->induced_external, t->reads)),
               width, to);
    write_line(memory_format("cost:    %" PRIu64 " %s in %" PRIu64 " calls", t->cost,
                             report_cost_words(r), t->activations),
               width, to);
    char *share = report_share_words(r), *sample = memory_format("sample:  %s", share ? share : "");
    if (share)
        table_write_wrapped(sample, HEADING_INDENT, width, to);
    write_contexts_heading(view, to);
    free(sample);
    free(share);
    free(process);
    free(input);
}

/* Writes sentences after an empty line, each on a new line, and frees the sentences. */
static void write_sentences(text_list *sentences, size_t width, FILE *to)
{
    if (sentences->count)
        putc('\n', to);
    for (size_t i = 0; i < sentences->count; i++) {
        table_write_wrapped(sentences->at[i], "", width, to);
        free(sentences->at[i]);
    }
    vector_free(sentences);
}

static void write_findings(const struct report_view *view, const struct report_table *table,
                           size_t lines, FILE *to)
{
    text_list sentences = {0};
    report_findings(view, lines, &table->known, &sentences);
    write_sentences(&sentences, table->width, to);
}

static void write_advice(const struct report_view *view, const struct report_table *table, FILE *to)
{
    text_list sentences = {0};
    report_advice(view, &table->known, &sentences);
    write_sentences(&sentences, table->width, to);
}

/* Writes which scattered routines have clear growth if their calls are separated by caller, or by
 * kind of input. */
static void write_splits(const struct report_view *view, size_t lines, size_t width, FILE *to)
{
    for (size_t i = 0; i < lines && i < REPORT_TOP_DEFAULT; i++) {
        struct summary s = report_line_summary(view, i);
        struct growth_split split;
        if (s.members || !growth_split_may_help(&s.growth.average_claim))
            continue;
        growth_split_find(view->report, s.profile, view->metric, &split);
        char *words = growth_split_words(&split);
        if (split.by != GROWTH_SPLIT_NONE)
            write_line(memory_format("scattered: separate curves fit the points of %s %s",
                                     s.routine->name, words),
                       width, to);
        free(words);
        growth_split_free(&split);
    }
}

static void write_text(const struct report_view *view, const struct report_table *table,
                       size_t lines, FILE *to)
{
    const struct report_settings *settings = view->settings;
    bool all = !settings->routine && !settings->filter && !settings->object && !settings->mine;
    bool one_by_one = settings->by == REPORT_BY_ROUTINE || settings->by == REPORT_BY_CONTEXT;
    write_heading(view, table->width, to);
    if (view->lines.count == 0) {
        fprintf(to, "\nno %s to show\n", report_things(view));
        return;
    }
    bool whole = settings->sort == 0 && all && one_by_one;
    if (whole)
        write_findings(view, table, lines, to);
    fprintf(to, "\n%zu of %zu %s, sorted by %s:\n", lines, view->all, report_things(view),
            report_sort_keys[settings->sort].words);
    table_write_text(&table->table, to, table_may_style(to));
    if (lines < view->lines.count)
        fprintf(to, "(%zu more: --top=0 shows all)\n", view->lines.count - lines);
    if (settings->by == REPORT_BY_ROUTINE && !settings->routine)
        write_splits(view, lines, table->width, to);
    if (!settings->routine)
        report_table_write_legend(table, one_by_one, to);
    if (whole)
        write_advice(view, table, to);
    for (size_t i = 0; settings->routine && i < lines; i++) {
        struct summary s = report_line_summary(view, i);
        report_explain(view, &s, to);
    }
}

static void write_view(const struct report_view *view, FILE *to)
{
    bool text = view->settings->format == TABLE_TEXT;
    size_t lines =
        common_top(&view->settings->common, text ? REPORT_TOP_DEFAULT : 0, view->lines.count);
    if (!text) {
        bool json = view->settings->format == TABLE_JSON;
        (json ? report_write_json : report_write_separated)(view, lines, to);
        return;
    }
    struct report_table table;
    report_table_make(view, lines, table_width(view->settings->common.width, to), &table);
    write_text(view, &table, lines, to);
    report_table_free(&table);
}

bool points_rows(void *report, const struct report_settings *settings, FILE *to,
                 struct failure *why)
{
    struct report_view view = {.settings = settings, .report = report};
    report_estimate(report);
    bool good = report_view_make(&view, why);
    if (good)
        write_view(&view, to);
    report_view_free(&view);
    return good;
}

/* The command ---------------------------------------------------------------------------------- */

const struct option_entry report_options[] = {
    {'s', "sort", "KEY", "* [self]", OPTION_INTO(struct report_settings, sort),
     OPTION_CHOICES(report_sort_keys), .kinds = FOR_POINTS},
    {'s', "sort", "KEY", "* [count]", OPTION_INTO(struct report_settings, sort),
     OPTION_CHOICES(contexts_sort_names), .kinds = FOR_CONTEXTS},
    COMMON_ENTRY_TOP(
        "shows the first N lines; 0: all [30; paths: 20; formats other than text: all]", 0),
    {'r', "routine", "NAME", "shows the details and points (or paths) of this routine",
     OPTION_INTO(struct report_settings, routine), .kinds = FOR_POINTS | FOR_PATHS},
    {0, "all-points", NULL, "shows all points of the routine given by --routine",
     OPTION_INTO(struct report_settings, all_points), .kinds = FOR_POINTS},
    {0, "filter", "PATTERN", "shows only routines whose name matches (* ?)",
     OPTION_INTO(struct report_settings, filter), .kinds = FOR_POINTS},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct report_settings, metric_name), OPTION_CHOICES(metric_names),
     .kinds = FOR_POINTS},
    {'f', "format", "FORMAT", "*; tsv, csv and json have all columns, for scripts [text]",
     OPTION_INTO(struct report_settings, format), OPTION_CHOICES(table_format_names),
     .kinds = FOR_POINTS | FOR_CONTEXTS | FOR_PATHS},
    {'f', "format", "FORMAT", "*; dot is for call graphs [text]",
     OPTION_INTO(struct report_settings, format), OPTION_CHOICES(events_format_names),
     .kinds = FOR_EVENTS},
    {'t', "threads", NULL, "shows each thread separately",
     OPTION_INTO(struct report_settings, threads), .kinds = FOR_POINTS},
    {'b', "by", "WHAT", "one line for each *; context: calling context [routine]",
     OPTION_INTO(struct report_settings, by), OPTION_CHOICES(by_names), .kinds = FOR_POINTS},
    COMMON_ENTRY_MINE(OPTION_INTO(struct report_settings, mine), FOR_POINTS),
    {0, "object", "PATTERN", "shows only routines of objects whose path or name matches",
     OPTION_INTO(struct report_settings, object), .kinds = FOR_POINTS},
    {0, "tree", NULL,
     "shows contexts as a tree [default, except with tsv, --sort, --sites or --frames]",
     OPTION_INTO(struct report_settings, tree), .kinds = FOR_CONTEXTS},
    {0, "flat", NULL, "shows one context per line, with the chain of its callers",
     OPTION_INTO(struct report_settings, flat), .kinds = FOR_CONTEXTS},
    {'i', "inverted", NULL, "shows routines, with the callers of each routine below it",
     OPTION_INTO(struct report_settings, inverted), .kinds = FOR_CONTEXTS},
    {0, "frames", "N", "shows at most N routines of a context; 0: all [6; tsv: 100]",
     OPTION_INTO(struct report_settings, frames), .kinds = FOR_CONTEXTS},
    {0, "depth", "N", "shows at most N levels of callers with --inverted [5]",
     OPTION_INTO(struct report_settings, depth), .kinds = FOR_CONTEXTS},
    {0, "lines", NULL, "shows the source lines of each path",
     OPTION_INTO(struct report_settings, lines), .kinds = FOR_PATHS},
    COMMON_ENTRY_PHI("shows contexts with at least this share of the total [0.001]"),
    COMMON_ENTRY_THREAD,
    COMMON_ENTRY_SITES,
    COMMON_ENTRY_WIDTH(FOR_POINTS | FOR_CONTEXTS),
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS | FOR_EVENTS),
    COMMON_ENTRY_OUT,
    {0},
};

/* Whether the operand looks like a path. If so, and the file does not exist, the message says that
 * a report is missing, and not that a routine is unknown. */
static bool is_path(const char *word)
{
    return report_set_is_name(word) || *word == '/' || strncmp(word, "./", 2) == 0 ||
           strncmp(word, "../", 3) == 0;
}

/* Reads the newest report of the folder; returns NULL after a failure. */
static void *read_newest(const struct report_settings *settings, const string_list *operands,
                         struct failure *why)
{
    char *newest = report_set_newest(why);
    void *report = newest ? model_read(&model_points, newest, &settings->common, why) : NULL;
    if (operands->count > 0 && (!report || is_path(operands->at[0]))) {
        failure_set(why, "%s: %s", operands->at[0], strerror(ENOENT));
        model_free(&model_points, report);
        report = NULL;
    }
    if (report)
        message_error("report: reads %s, the newest report in the current folder",
                      short_path(newest));
    free(newest);
    return report;
}

/* Whether an operand after the first is a report: an existing file whose name is that of a report,
 * or is given with a folder. The mere existence of a file is not enough, because a routine may have
 * the same name as a file. */
static bool is_further_report(const char *word)
{
    return (report_set_is_name(word) || strchr(word, '/')) && access(word, F_OK) == 0;
}

static size_t count_reports(const string_list *operands)
{
    size_t reports = 1;
    while (reports < operands->count && is_further_report(operands->at[reports]))
        reports++;
    return reports;
}

/* Adds up the reports that the first `reports` operands name; one more operand may name a
 * routine. */
static void *read_sum(struct report_settings *settings, const string_list *operands, size_t reports,
                      struct failure *why)
{
    string_list named = *operands;
    path_list paths = {0};
    void *sum = model_new(&model_points);
    named.count = reports;
    if (operands->count > reports)
        settings->routine = operands->at[reports];
    bool good = report_set_expand(&named, &paths, why) &&
                model_points.add(sum, &paths, &settings->common, why);
    report_set_free(&paths);
    if (good)
        return sum;
    model_free(&model_points, sum);
    return NULL;
}

/* Reads the named report, or the newest report of the folder. A single operand may name a routine
 * in the newest report. */
static void *read_report(const struct report_model *model, struct report_settings *settings,
                         const string_list *operands, struct failure *why)
{
    size_t reports = count_reports(operands);
    if (model == &model_points && reports > 1)
        return read_sum(settings, operands, reports, why);
    if (operands->count == 2)
        settings->routine = operands->at[1];
    if (model != &model_points || operands->count == 2 ||
        (operands->count == 1 && access(operands->at[0], F_OK) == 0))
        return model_read(model, operands->count ? operands->at[0] : ".", &settings->common, why);
    void *report = read_newest(settings, operands, why);
    if (operands->count > 0)
        settings->routine = operands->at[0];
    return report;
}

int report_run(const struct command *command, char **argv)
{
    const struct report_model *model = model_of(command);
    struct report_settings settings = REPORT_SETTINGS;
    struct options options;
    struct output output;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    size_t reports = count_reports(&options.operands);
    if (options.operands.count > reports + 1)
        return options_usage_error(&options, "expected one routine after the reports, not",
                                   options.operands.at[reports + 1]);
    void *report = read_report(model, &settings, &options.operands, &why);
    bool good = report && output_open(&output, settings.common.output, &why) &&
                model_close(&output, model->rows(report, &settings, output.stream, &why), &why);
    model_free(model, report);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_report = {
    .name = "report",
    .summary = "shows a table of routines",
    .usage = "[options] [REPORT...] [ROUTINE]",
    .details =
        "Shows a table of routines: their calls, their shares of the cost (without and with\n"
        "callees), and how the cost of a call grows with its input size. Further columns show\n"
        "each routine's share of all input, the shares of its input that other threads and the\n"
        "kernel wrote, its largest input and its largest cost. If a routine is given, shows\n"
        "the details and points of this routine. If no report is given, the newest report in\n"
        "the current folder is used. Several reports are added, as by 'aprof merge'.",
    .options = report_options,
    .kinds = FOR_POINTS,
    .operands_least = 0,
    .operands_most = OPERANDS_ANY,
    .operands = "reports, and one routine",
    .verb = VERB_REPORT,
    .run = report_run,
};
