/* `aprof export`: writes the points of reports in the formats of other programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each format has its own file, lib/export/export_*.c.
 */
#include "tools/events_command.h"
#include "tools/model.h"
#include "tools/paths_command.h"
#include "tools/report_load.h"
#include "lib/contexts/contexts_export.h"
#include "lib/export/export.h"
#include "lib/growth/report_sample.h"

#include <string.h>

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

/* Points --------------------------------------------------------------------------------------- */

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

static bool export_report(const struct export_settings *settings, const char *path,
                          struct export_writer *w, struct failure *why)
{
    struct export_job job = {.chosen = settings->routine != NULL};
    bool good =
        report_load(&job.report, path, why) && choose_metrics(&job, settings->metric_name, why) &&
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

bool points_export(const struct export_settings *settings, const string_list *paths,
                   struct output *output, struct failure *why)
{
    struct export_writer writer = {.stream = output->stream, .path = output->partial};
    bool good = true;
    for (size_t i = 0; i < paths->count && good; i++)
        good = export_report(settings, paths->at[i], &writer, why);
    good = good && formats[settings->format].format->end(&writer, why);
    export_sqlite_abandon(&writer);
    return good;
}

/* The command ---------------------------------------------------------------------------------- */

const struct option_entry export_options[] = {
    {'f', "format", "FORMAT", "* [csv]", OPTION_INTO(struct export_settings, format),
     OPTION_CHOICES(formats), .kinds = FOR_POINTS},
    {'f', "format", "FORMAT", "* [folded]", OPTION_INTO(struct export_settings, format),
     OPTION_CHOICES(contexts_formats), .kinds = FOR_CONTEXTS},
    {'f', "format", "FORMAT", "*; dot is for call graphs [csv]",
     OPTION_INTO(struct export_settings, format), OPTION_CHOICES(events_format_names),
     .kinds = FOR_EVENTS},
    {'f', "format", "FORMAT", "* [csv]", OPTION_INTO(struct export_settings, format),
     OPTION_CHOICES(table_format_names), .kinds = FOR_PATHS},
    COMMON_ENTRY_TOP("writes only the N largest counts; 0: all [0]", FOR_EVENTS | FOR_PATHS),
    {'r', "routine", "NAME", "exports only the points or paths of this routine",
     OPTION_INTO(struct export_settings, routine), .kinds = FOR_POINTS | FOR_PATHS},
    {'m', "metric", "trms|rms", "exports only the points of this metric [all]",
     OPTION_INTO(struct export_settings, metric_name), OPTION_CHOICES(metric_names),
     .kinds = FOR_POINTS},
    {0, "frames", "N", "writes at most N routines per line of folded; 0: all [1000]",
     OPTION_INTO(struct export_settings, frames), .kinds = FOR_CONTEXTS},
    {0, "lines", NULL, "includes the source lines of each path",
     OPTION_INTO(struct export_settings, lines), .kinds = FOR_PATHS},
    COMMON_ENTRY_PHI("omits contexts below this share of the total [0; dot: 0.001]"),
    COMMON_ENTRY_THREAD,
    COMMON_ENTRY_SITES,
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS | FOR_EVENTS),
    COMMON_ENTRY_OUT,
    {0},
};

int export_run(const struct command *command, char **argv)
{
    const struct report_model *model = model_of(command);
    struct export_settings settings = EXPORT_SETTINGS;
    struct options options;
    struct output output;
    struct failure why;
    settings.format = model->export_format;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = output_open(&output, settings.common.output, &why);
    if (good)
        good =
            model_close(&output, model->export(&settings, &options.operands, &output, &why), &why);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_export = {
    .name = "export",
    .summary = "writes the points in other formats",
    .usage = "[options] REPORT...",
    .details =
        "Writes reports in the formats of other programs. The formats csv, json, gnuplot and\n"
        "sqlite contain all points. The formats callgrind, pprof, folded and speedscope contain\n"
        "only calls and costs, because input sizes cannot be added.",
    .options = export_options,
    .kinds = FOR_POINTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one report",
    .verb = VERB_EXPORT,
    .run = export_run,
};
