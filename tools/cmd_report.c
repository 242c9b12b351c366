/* `aprof report`: a table of routines with their calls, costs and input sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "tools/contexts_command.h"
#include "tools/events_command.h"
#include "tools/paths_command.h"
#include "tools/report_view.h"
#include "lib/output.h"
#include "lib/report_kind.h"
#include "lib/report_symbols.h"
#include "lib/table.h"

#include <inttypes.h>
#include <string.h>

#define TOP_DEFAULT 30 /* lines for people; scripts get all */

static const char *const format_names[] = {"text", "tsv", NULL};
static const char *const by_names[] = {"routine", "context", NULL};

#define TOP_NOT_GIVEN ((unsigned long)-1)

/* Writing -------------------------------------------------------------------------------------- */

static void write_word(FILE *to, const char *word)
{
    bool plain = *word && !strpbrk(word, " \t\n'\"\\$`*?&|;<>()");
    fputs(plain ? " " : " '", to);
    table_write_safe(word, to);
    fputs(plain ? "" : "'", to);
}

/* What there is a line for. */
static const char *things(const struct report_view *view)
{
    if (view->settings->by == REPORT_BY_CONTEXT)
        return view->settings->threads ? "contexts and threads" : "contexts";
    return view->settings->threads ? "routines and threads" : "routines";
}

static void write_contexts_heading(const struct report_view *view, FILE *to)
{
    const struct report_contexts *c = &view->report.contexts;
    if (view->settings->by != REPORT_BY_CONTEXT)
        return;
    if (strcmp(c->kind, "hot") == 0)
        fprintf(to, "context: hot by %s, phi %s, epsilon %s", c->weight, c->phi, c->epsilon);
    else
        fputs("context: all", to);
    fputs(strcmp(c->recursion, "folded") == 0 ? "; recursion is folded\n" : "\n", to);
}

static void write_heading(const struct report_view *view, FILE *to)
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

/* How many of the dearest, by own cost, make half of all cost; -1 if not even all of them do. */
static long count_half(const struct report_view *view)
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
static void write_sentences(const struct report_view *view, FILE *to)
{
    const struct report_line *first = &view->lines.at[0];
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

static void write_text(const struct report_view *view, FILE *to, size_t lines)
{
    write_heading(view, to);
    if (view->lines.count == 0) {
        fprintf(to, "\nno %s to show\n", things(view));
        return;
    }
    if (view->settings->sort == 0 && !view->settings->routine && !view->settings->filter)
        write_sentences(view, to);
    fprintf(to, "\n%zu of %zu %s, sorted by %s:\n", lines, view->all, things(view),
            report_sort_keys[view->settings->sort].words);
    report_view_write_table(view, to, lines);
    if (lines < view->lines.count)
        fprintf(to, "(%zu more: --top=0 shows all)\n", view->lines.count - lines);
    if (!view->settings->routine)
        write_legend(to);
    for (size_t i = 0; view->settings->routine && i < lines; i++) {
        struct summary s = report_line_summary(view, i);
        report_explain(view, &s, to);
    }
}

static size_t shown_lines(const struct report_view *view)
{
    unsigned long top = view->settings->top;
    if (top == TOP_NOT_GIVEN)
        top = view->settings->format == REPORT_TEXT ? TOP_DEFAULT : 0;
    return top && top < view->lines.count ? top : view->lines.count;
}

static bool write_view(const struct report_view *view, struct failure *why)
{
    struct output output;
    size_t lines = shown_lines(view);
    if (!output_open(&output, view->settings->output, why))
        return false;
    if (view->settings->format == REPORT_TSV)
        report_view_write_table(view, output.stream, lines);
    else
        write_text(view, output.stream, lines);
    return output_close(&output, why);
}

/* The command ---------------------------------------------------------------------------------- */

static const struct option_entry report_options[] = {
    {'s', "sort", "KEY", "* [self]", OPTION_INTO(struct report_settings, sort),
     OPTION_CHOICES(report_sort_keys)},
    {'n', "top", "N", "shows the first N routines, 0 shows all [30; tsv all]",
     OPTION_INTO(struct report_settings, top)},
    {'r', "routine", "NAME", "explains this routine and shows its points",
     OPTION_INTO(struct report_settings, routine)},
    {'f', "filter", "PATTERN", "shows routines whose name matches, with * and ?",
     OPTION_INTO(struct report_settings, filter)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct report_settings, metric_name), OPTION_CHOICES(metric_names)},
    {0, "format", "text|tsv", "tsv has all columns, for scripts [text]",
     OPTION_INTO(struct report_settings, format), OPTION_CHOICES(format_names)},
    {'t', "threads", NULL, "shows each thread by itself",
     OPTION_INTO(struct report_settings, threads)},
    {'b', "by", "routine|context", "context tells a routine's callers apart [routine]",
     OPTION_INTO(struct report_settings, by), OPTION_CHOICES(by_names)},
    {'o', "output", "FILE", "writes to a file", OPTION_INTO(struct report_settings, output)},
    {0},
};

static int run(char **argv)
{
    struct report_settings settings = {.top = TOP_NOT_GIVEN};
    struct report_view view = {.settings = &settings};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_report, argv, &settings))
        return options.status;
    if (options.operands.count == 2)
        settings.routine = options.operands.at[1];
    bool good = report_read_with_lines(&view.report, options.operands.at[0], &why) &&
                report_view_make(&view, &why) && write_view(&view, &why);
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
