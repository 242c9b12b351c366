/* `aprof plot`: pictures of a routine, or of whole reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command computes all numbers and writes them to a temporary file; the gnuplot scripts only
 * draw.
 */
#include "tools/model.h"
#include "tools/report_load.h"
#include "lib/base/gnuplot.h"
#include "lib/export/plot.h"
#include "lib/load/report_set.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"

#include <ctype.h>
#include <string.h>

#define NAME_BYTES_MAX 100 /* maximum bytes of the routine's name in a file name */
/* Maximum bytes of a title; gnuplot would cut longer titles at both ends. */
#define TITLE_BYTES 90
#define GROUPS_MAX  1000000

struct settings {
    int kind;
    const char *output, *metric_name, *log;
    unsigned long groups;
    bool mine;
};

static const char *const log_names[] = {"x", "y", "xy", "none", NULL};

/* A file name made from the routine's name: "list::add(int)" becomes "list_add_int.svg". */
static char *default_output(const char *name)
{
    char file[NAME_BYTES_MAX + 1];
    size_t length = 0;
    for (; *name && length < NAME_BYTES_MAX; name++) {
        bool plain = isalnum((unsigned char)*name) || strchr("+-.@", *name);
        if (plain && !(length == 0 && *name == '.'))
            file[length++] = *name;
        else if (length > 0 && file[length - 1] != '_')
            file[length++] = '_';
    }
    while (length > 1 && file[length - 1] == '_')
        length--;
    file[length] = 0;
    return memory_format("%s.svg", length ? file : "routine");
}

/* The title and the axis labels. */
struct labels {
    char *title, *x, *y;
};

static void make_labels(const struct plot_request *q, struct labels *labels)
{
    const struct report *r = &q->reports[0];
    const struct plot_kind *kind = q->kind;
    char *input = report_input_words(r, q->metric);
    const char *name = kind->of_routine ? r->routines.at[q->routine].name : "";
    char *brief = short_name(name, TITLE_BYTES - strlen(kind->title));
    labels->title = memory_format("%s%s", brief, kind->title);
    free(brief);
    labels->x = kind->x_label ? memory_copy_string(kind->x_label)
                : kind->both_metrics
                    ? memory_format("input size (%u-byte cells)", r->resolution_bytes)
                    : memory_format("input size (%s)", input);
    labels->y = kind->y_is_cost ? memory_format("%s (%s)", kind->y_label, report_cost_words(r))
                                : memory_copy_string(kind->y_label);
    free(input);
}

static bool write_data(const struct plot_request *q, struct gnuplot_data *data, struct failure *why)
{
    if (q->kind->write(q, data->stream))
        return gnuplot_data_finish(data, why);
    if (q->kind->of_routine)
        return failure_set(why, "%s: no points to draw in %s",
                           q->reports[0].routines.at[q->routine].name, q->reports[0].path);
    return failure_set(why, "%s: nothing to draw", q->reports[0].path);
}

static bool draw(const struct plot_request *q, const char *log, const char *output,
                 struct failure *why)
{
    struct gnuplot_data data;
    struct labels labels;
    if (!gnuplot_may_write(output, why) || !gnuplot_data_create(&data, why))
        return false;
    make_labels(q, &labels);
    const char *style = q->kind->style ? q->kind->style : "";
    const char *arguments[] = {data.path, output, labels.title, labels.x,
                               labels.y,  log,    style,        NULL};
    bool good = write_data(q, &data, why) && gnuplot_run(q->kind->script, arguments, why) &&
                gnuplot_has_drawn(output, why);
    gnuplot_data_remove(&data);
    free(labels.title);
    free(labels.x);
    free(labels.y);
    return good;
}

static bool plot_reports(const struct settings *s, const char *routine, struct report *reports,
                         size_t count, struct failure *why)
{
    const struct plot_kind *kind = &plot_kinds[s->kind];
    struct plot_request q = {.kind = kind,
                             .groups = s->groups,
                             .mine = s->mine,
                             .log_x = s->log && strchr(s->log, 'x') != NULL,
                             .reports = reports,
                             .report_count = count};
    enum report_metric metric;
    if (!report_choose_metric(&reports[0], s->metric_name, &q.metric, why) ||
        (routine && !select_one_routine(&reports[0], routine, &q.routine, why)))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool both = !kind->both_metrics || report_choose_metric(&reports[i], "rms", &metric, why);
        if (!both ||
            (!kind->of_routine && !report_choose_metric(&reports[i], "trms", &metric, why)))
            return false;
        report_merge_threads(&reports[i]);
    }
    char *output = s->output ? memory_copy_string(s->output)
                   : routine ? default_output(reports[0].routines.at[q.routine].name)
                             : default_output(kind->name);
    const char *log = !s->log ? plot_choose_log(&q) : strcmp(s->log, "none") == 0 ? "" : s->log;
    bool good = draw(&q, log, output, why);
    if (good && !s->output)
        puts(output);
    free(output);
    return good;
}

static bool plot_paths(const struct settings *s, const char *routine, const string_list *paths,
                       struct failure *why)
{
    struct report *reports = memory_get_zeroed(paths->count, sizeof *reports);
    bool good = true;
    for (size_t i = 0; i < paths->count && good; i++)
        good = report_set_read(paths->at[i], &reports[i], why);
    for (size_t i = 0; i < paths->count && good; i++)
        report_load_notes(&reports[i]);
    good = good && plot_reports(s, routine, reports, paths->count, why);
    for (size_t i = 0; i < paths->count; i++)
        report_free(&reports[i]);
    free(reports);
    return good;
}

static bool plot_newest(const struct settings *s, const char *routine, struct failure *why)
{
    char *newest = report_set_newest(why);
    const char *path = newest;
    bool good = newest && plot_paths(s, routine, &(string_list){.at = &path, .count = 1}, why);
    if (good)
        message_error("plot: reads %s, the newest report in the current folder",
                      short_path(newest));
    free(newest);
    return good;
}

static const struct option_entry plot_options[] = {
    {'k', "kind", "KIND", "* [worst]; the last six kinds show whole reports",
     OPTION_INTO(struct settings, kind), OPTION_CHOICES(plot_kinds)},
    {'o', "output", "FILE", "FILE.svg, .png or .pdf, or - for the terminal [NAME.svg]",
     OPTION_INTO(struct settings, output)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {'l', "log", "x|y|xy|none",
     "logarithmic axes [each axis whose largest value exceeds 100 x the median]",
     OPTION_INTO(struct settings, log), OPTION_CHOICES(log_names)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, mine), 0),
    {'g', "group", "N", "combines the input sizes into N groups",
     OPTION_INTO(struct settings, groups), .most = GROUPS_MAX},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {0};
    struct options options;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool of_routine = plot_kinds[settings.kind].of_routine;
    string_list paths = options.operands;
    if (of_routine && (paths.count == 0 || paths.count > 2))
        return options_usage_error(&options, "expected a routine and a report", NULL);
    if (settings.output && !gnuplot_is_picture(settings.output))
        return options_usage_error(
            &options, "the picture's name must end in .svg, .png or .pdf, not", settings.output);
    const char *routine = of_routine ? paths.at[0] : NULL;
    paths.at += of_routine;
    paths.count -= of_routine;
    struct failure why;
    bool good = paths.count ? plot_paths(&settings, routine, &paths, &why)
                            : plot_newest(&settings, routine, &why);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draws the cost of a routine, or a summary of reports",
    .usage = "[options] ROUTINE [REPORT], or --kind=KIND [options] [REPORT...]",
    .details =
        "Draws the largest cost for each input size of a routine, with gnuplot. FILE:NAME or\n"
        "OBJECT:NAME selects one of several routines of the same name. If no report is given,\n"
        "the newest report in the current folder is used.",
    .options = plot_options,
    .operands_least = 0,
    .operands_most = OPERANDS_ANY,
    .operands = "reports",
    .verb = VERB_OF_POINTS,
    .run = run,
};
