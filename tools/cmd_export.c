/* `aprof export`: writes the points of reports in formats that other programs read.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each format is a file of its own, lib/export_*.c.
 */
#include "tools/command.h"
#include "tools/contexts_command.h"
#include "tools/events_command.h"
#include "tools/paths_command.h"
#include "lib/report_kind.h"
#include "lib/export.h"
#include "lib/output.h"
#include "lib/report_sample.h"
#include "lib/report_symbols.h"

#include <string.h>

struct settings {
    int format;
    const char *routine, *metric_name, *output;
};

static const struct {
    const char *name;
    const struct export_format *format;
} formats[] = {
    {"csv", &export_csv},
    {"json", &export_json},
    {"gnuplot", &export_gnuplot},
    {"callgrind", &export_callgrind},
    {"pprof", &export_pprof},
    {"folded", &export_folded},
    {"speedscope", &export_speedscope},
    {"sqlite", &export_sqlite},
    {0},
};

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
    if (good && formats[settings->format].format->merges_threads)
        report_merge_threads(&job.report);
    if (good)
        report_estimate(&job.report);
    if (good && !w->started) {
        w->started = true;
        good = formats[settings->format].format->start(w, why);
    }
    good = good && formats[settings->format].format->report(w, &job, why);
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
    good = good && formats[settings->format].format->end(&writer, &why);
    export_sqlite_abandon(&writer);
    if (good)
        good = output_close(&output, &why);
    else
        output_discard(&output);
    return good ? STATUS_OK : message_failure(&why);
}

static const struct option_entry export_options[] = {
    {'f', "format", "FORMAT", "* [csv]", OPTION_INTO(struct settings, format),
     OPTION_CHOICES(formats)},
    {'r', "routine", "NAME", "exports this routine only", OPTION_INTO(struct settings, routine)},
    {'m', "metric", "trms|rms", "exports the points of this metric only [all]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {'o', "output", "FILE", "writes to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static int run(char **argv)
{
    struct settings settings = {0};
    struct options options;
    if (!options_parse(&options, &command_export, argv, &settings))
        return options.status;
    return export_all(&settings, &options.operands);
}

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_export,
    [REPORT_CONTEXTS] = &contexts_export,
    [REPORT_EVENTS] = &events_export_step,
    [REPORT_PATHS] = &paths_file_export,
};

const struct command command_export = {
    .name = "export",
    .summary = "writes the points in other formats",
    .usage = "[options] REPORT...",
    .details =
        "Writes the reports for other programs: csv, json, gnuplot and sqlite have every point;\n"
        "callgrind, pprof, folded and speedscope have calls and costs, for input sizes do not add "
        "up.",
    .options = export_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one report",
    .of_kind = of_kind,
    .run = run,
};
