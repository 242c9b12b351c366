/* `aprof export`: writes the points of reports in formats that other programs read.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each format is a file of its own, lib/export_*.c.
 */
#include "tools/command.h"
#include "lib/export.h"
#include "lib/output.h"
#include "lib/report_symbols.h"

#include <string.h>

enum { KEY_FORMAT = 1, KEY_ROUTINE, KEY_METRIC, KEY_OUT };

static const struct option_entry export_options[] = {
    {KEY_FORMAT, 'f', "format", "FORMAT",
     "csv, json, gnuplot, callgrind, folded, speedscope or sqlite [csv]"},
    {KEY_ROUTINE, 'r', "routine", "NAME", "exports this routine only"},
    {KEY_METRIC, 'm', "metric", "trms|rms", "exports the points of this metric only [all]"},
    {KEY_OUT, 'o', "output", "FILE", "writes to a file"},
    {0},
};

struct settings {
    int format;
    const char *routine, *metric_name, *output;
};

static const char *const format_names[] = {"csv",    "json",       "gnuplot", "callgrind",
                                           "folded", "speedscope", "sqlite",  NULL};
static const struct export_format *const formats[] = {
    &export_csv,    &export_json,       &export_gnuplot, &export_callgrind,
    &export_folded, &export_speedscope, &export_sqlite};

/* The command ---------------------------------------------------------------------------------- */

static bool choose_metrics(struct export_job *job, const char *name, struct failure *why)
{
    enum report_metric only;
    memcpy(job->metrics, job->report.has_metric, sizeof job->metrics);
    if (!name)
        return true;
    if (!report_choose_metric(&job->report, name, &only, why))
        return false;
    for (int m = 0; m < METRIC_COUNT; m++)
        job->metrics[m] = m == (int)only;
    return true;
}

static bool export_report(const struct settings *settings, const char *path,
                          struct export_writer *w, struct failure *why)
{
    struct export_job job = {.chosen = settings->routine != NULL};
    bool good =
        report_read_with_lines(&job.report, path, why) &&
        choose_metrics(&job, settings->metric_name, why) &&
        (!job.chosen || select_routines(&job.report, settings->routine, &job.routines, why));
    if (good && !w->started) {
        w->started = true;
        good = formats[settings->format]->start(w, why);
    }
    good = good && formats[settings->format]->report(w, &job, why);
    w->reports++;
    vector_free(&job.routines);
    report_free(&job.report);
    return good;
}

static int export_all(const struct settings *settings, const string_list *paths)
{
    struct output output;
    struct failure why;
    bool good = true;
    if (!output_open(&output, settings->output, &why))
        return message_failure(&why);
    struct export_writer writer = {.stream = output.stream, .path = output.partial};
    for (size_t i = 0; i < paths->count && good; i++)
        good = export_report(settings, paths->at[i], &writer, &why);
    good = good && formats[settings->format]->end(&writer, &why);
    export_sqlite_abandon(&writer);
    if (good)
        good = output_close(&output, &why);
    else
        output_discard(&output);
    return good ? STATUS_OK : message_failure(&why);
}

static bool take_option(void *settings, int key, const struct options *options)
{
    struct settings *s = settings;
    static const char *const metric_choices[] = {"trms", "rms", NULL};
    switch (key) {
    case KEY_FORMAT:
        s->format = options_choice(options, "--format", format_names);
        return s->format >= 0;
    case KEY_ROUTINE:
        s->routine = options->value;
        return true;
    case KEY_METRIC:
        s->metric_name = options->value;
        return options_choice(options, "--metric", metric_choices) >= 0;
    case KEY_OUT:
        s->output = options->value;
        return true;
    }
    return false;
}

static int run(char **argv)
{
    struct settings settings = {0};
    struct options options;
    int status = STATUS_OK;
    if (!options_parse(&options, export_options, argv, take_option, &settings))
        status = STATUS_USAGE;
    else if (options.operands.count == 0)
        status = options_usage_error(&options, "wants at least one report", NULL);
    else
        status = export_all(&settings, &options.operands);
    vector_free(&options.operands);
    return status;
}

const struct command command_export = {
    .name = "export",
    .summary = "writes the points in other formats",
    .usage = "[options] REPORT...",
    .details =
        "Writes the reports for other programs: csv, json, gnuplot and sqlite have every point;\n"
        "callgrind, folded and speedscope have calls and costs, for input sizes do not add up.",
    .options = export_options,
    .run = run,
};
