/* `aprof scale`: predicts a run ten times as large from several runs of different sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof scale --sizes=1000,2000,4000 small.aprof middle.aprof large.aprof
 *     aprof scale --run './app {}' 1000 2000 4000
 */
#include "tools/child.h"
#include "tools/common_options.h"
#include "tools/scale_view.h"
#include "lib/base/progress.h"
#include "lib/growth/report_sample.h"
#include "lib/load/report_set.h"
#include "lib/base/gnuplot.h"
#include "lib/growth/scale.h"
#include "lib/export/scale_plot.h"
#include "lib/base/short_name.h"
#include "lib/base/table.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The exit status of a gate: 0 if no limit is exceeded, 1 if one is exceeded, 2 after an error. */
enum { STATUS_KEPT = 0, STATUS_EXCEEDED = 1, STATUS_TROUBLE = 2 };

#define RUNS_MOST 64

static const char *const format_names[] = {"text", "tsv", "json", NULL};

#define NOT_GIVEN (-1.0)

/* Profiling ------------------------------------------------------------------------------------ */

/* The text of `command`, in which each `mark` is replaced by `operand`. The caller frees the
 * result. */
static char *fill_in(const char *command, const char *mark, const char *operand)
{
    char *text = memory_copy_string("");
    for (const char *at = command, *hole; *at; at = *hole ? hole + strlen(mark) : hole) {
        hole = strstr(at, mark);
        hole = hole ? hole : at + strlen(at);
        char *longer = memory_format("%s%.*s%s", text, (int)(hole - at), at, *hole ? operand : "");
        free(text);
        text = longer;
    }
    return text;
}

/* The shell parses the command and is then replaced by `aprof run`, so only the program is
 * profiled. The program's own output is discarded. */
static bool profile(const char *command, const char *report, struct progress *progress,
                    struct failure *why)
{
    int status = 0;
    char *script = memory_format("exec \"$0\" run -q --aprof-out-file=\"$1\" -- %s", command);
    char *name = fill_in(report, "%", "%%"); /* % is doubled, because the tool expands %p */
    const char *argv[] = {"/bin/sh", "-c", script, child_own_path(), name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    bool good = child_run(argv, &actions, progress, &status, why);
    posix_spawn_file_actions_destroy(&actions);
    free(script);
    free(name);
    if (!good)
        return false;
    if (access(report, R_OK) != 0)
        return failure_set(why, "%s: no report was written", command);
    if (status == 0)
        return true;
    char *words = child_status_words(status);
    failure_set(why, "%s: %s: only successful runs can be compared", command, words);
    free(words);
    return false;
}

#define SIZE_MOST 999999999 /* reports record sizes as whole numbers up to this maximum */

/* `size` is recorded in the report; 0 means that it is unknown. */
static bool profile_and_read(struct prediction *c, const char *folder, const char *operand,
                             double size, struct progress *progress, struct failure *why)
{
    const struct scale_settings *s = c->settings;
    char recorded[32];
    snprintf(recorded, sizeof recorded, "%.0f", size);
    if (size >= 1 && size <= SIZE_MOST && size == floor(size))
        setenv("APROF_SIZE", recorded, 1);
    char *command = fill_in(s->run, "{}", operand);
    char *path = memory_format("%s/run-%zu.aprof", folder, c->count + 1);
    unlink(path);
    bool good =
        profile(command, path, progress, why) && report_set_read(path, &c->reports[c->count], why);
    c->count += good;
    if (!s->keep)
        unlink(path);
    free(path);
    free(command);
    return good;
}

/* `sizes`: the sizes of the runs, or NULL. */
static bool profile_all(struct prediction *c, const double *sizes, struct failure *why)
{
    const char *keep = c->settings->keep;
    char *temporary = NULL;
    bool good = true;
    if (keep && mkdir(keep, 0777) != 0 && errno != EEXIST)
        return failure_set(why, "%s: %s", keep, strerror(errno));
    if (!keep && !(temporary = child_folder_make("aprof-scale", why)))
        return false;
    struct progress progress = progress_start("runs", c->operands->count);
    for (size_t i = 0; good && i < c->operands->count; i++) {
        progress_step(&progress, i);
        good = profile_and_read(c, keep ? keep : temporary, c->operands->at[i],
                                sizes ? sizes[i] : 0, &progress, why);
    }
    progress_end(&progress);
    if (temporary)
        child_folder_remove(temporary);
    return good;
}

/* Reading -------------------------------------------------------------------------------------- */

static bool read_all(struct prediction *c, struct failure *why)
{
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!report_set_read(c->operands->at[i], &c->reports[c->count++], why))
            return false;
    }
    return true;
}

/* Parses a number at the beginning of `text`. After the number, there must be a comma or the end of
 * the text. */
static bool take_number(const char **text, double *number)
{
    char *end;
    *number = strtod(*text, &end);
    bool good = end > *text && (*end == ',' || !*end) && isfinite(*number) && *number > 0;
    *text = *end ? end + 1 : end;
    return good;
}

/* Reads the sizes from --sizes, one for each run. */
static bool take_given(const struct prediction *c, double *sizes, struct failure *why)
{
    const char *text = c->settings->sizes;
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!take_number(&text, &sizes[i]))
            return failure_set(why, "--sizes: must be %zu numbers above 0, one per run",
                               c->operands->count);
    }
    return !*text || failure_set(why, "--sizes: more numbers than runs");
}

static bool number_size(const char *operand, double *size)
{
    return take_number(&operand, size) && !*operand;
}

static bool file_size(const char *operand, double *size)
{
    struct stat file;
    if (stat(operand, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    *size = (double)file.st_size;
    return file.st_size > 0;
}

/* Converts all operands of --run to numbers; returns false if an operand is not a number. */
static bool take_operands(const struct prediction *c, bool (*take)(const char *, double *),
                          double *sizes)
{
    for (size_t i = 0; i < c->operands->count; i++) {
        if (!take(c->operands->at[i], &sizes[i]))
            return false;
    }
    return true;
}

/* The sizes of the runs, from the options or the operands; NULL if the sizes can come only from the
 * reports. */
static const char *find_sizes(const struct prediction *c, double *sizes)
{
    const struct scale_settings *s = c->settings;
    if (s->sizes || (s->run && take_operands(c, number_size, sizes)))
        return "the given sizes";
    return s->run && take_operands(c, file_size, sizes) ? "the files' sizes, in bytes" : NULL;
}

static bool compatible(const struct report *a, const struct report *b, struct failure *why)
{
    if (!report_is_whole(a, why) || !report_is_whole(b, why))
        return false;
    if (strcmp(report_program(a), report_program(b)) != 0)
        return failure_set(why, "%s and %s cannot be compared: different programs, %s and %s",
                           a->path, b->path, report_program(a), report_program(b));
    if (strcmp(a->arch, b->arch) != 0)
        return failure_set(why, "%s and %s cannot be compared: different architectures, %s and %s",
                           a->path, b->path, a->arch, b->arch);
    if (a->resolution_bytes != b->resolution_bytes)
        return failure_set(why, "%s and %s cannot be compared: different resolutions", a->path,
                           b->path);
    return strcmp(a->cost_unit, b->cost_unit) == 0 ||
           failure_set(why, "%s and %s cannot be compared: different cost units", a->path, b->path);
}

static bool make_scale(struct prediction *c, struct failure *why)
{
    const struct scale_settings *s = c->settings;
    size_t count = c->operands->count;
    const struct report *reports[RUNS_MOST];
    double sizes[RUNS_MOST];
    const char *axis = find_sizes(c, sizes);
    if ((s->sizes && !take_given(c, sizes, why)) ||
        !(s->run ? profile_all(c, axis ? sizes : NULL, why) : read_all(c, why)))
        return false;
    for (size_t i = 0; i < count; i++) {
        reports[i] = &c->reports[i];
        if (!compatible(&c->reports[0], &c->reports[i], why) ||
            !report_choose_metric(&c->reports[i], s->metric_name, &c->metric, why))
            return false;
        if (i > 0 && report_is_same_run(reports[i - 1], reports[i]))
            message_error("scale: %s and %s come from the same run", reports[i - 1]->path,
                          reports[i]->path);
        report_merge_threads(&c->reports[i]);
    }
    bool good =
        scale_make(&c->scale, reports, axis ? sizes : NULL, count, c->metric, !s->no_inlined, why);
    if (axis)
        c->scale.axis = axis;
    if (good && s->mine)
        scale_keep_mine(&c->scale);
    return good;
}

static bool draw_scale(const struct prediction *c, struct failure *why)
{
    const char *program = short_path(c->reports[0].command.at[0]);
    return !c->settings->plot || scale_plot_draw(&c->scale, program, c->settings->plot, why);
}

/* The gate ------------------------------------------------------------------------------------- */

static bool exceeds(const struct scale_settings *s, const struct scale_routine *r)
{
    bool counts = fmax(r->share, r->share_later) >= SCALE_SHARE_NAMED;
    return (s->max_share >= 0 && r->rises && r->share_later > s->max_share) ||
           (s->max_growth >= 0 && counts &&
            (r->outlook.begun || r->outlook.exponent > s->max_growth));
}

static bool print_exceeding(const struct prediction *c)
{
    bool any = false;
    for (size_t i = 0; i < c->scale.list.count; i++) {
        const struct scale_routine *r = &c->scale.list.at[i];
        if (!exceeds(c->settings, r))
            continue;
        char *growth = scale_growth_words(r);
        char *name = scale_routine_words(r);
        message_error("scale: %s: rises from %.1f%% to %.1f%% of the cost at ten times the size; "
                      "growth of the self cost: %s",
                      name, r->share, r->share_later, growth);
        free(name);
        free(growth);
        any = true;
    }
    return any;
}

/* The command ---------------------------------------------------------------------------------- */

static const struct option_entry scale_options[] = {
    {'s', "sizes", "N,N,...", "sizes of the runs, in any unit and in the order of the runs",
     OPTION_INTO(struct scale_settings, sizes)},
    {'r', "run", "COMMAND", "profiles COMMAND once for each argument, which replaces {}",
     OPTION_INTO(struct scale_settings, run)},
    {'k', "keep", "FOLDER", "keeps the reports of --run in this folder",
     OPTION_INTO(struct scale_settings, keep)},
    {'x', "max", "PERCENT", "status 1 if a routine's predicted share rises above PERCENT",
     OPTION_INTO(struct scale_settings, max_share)},
    {'g', "max-growth", "K",
     "status 1 if a routine with at least 1 % of the cost grows faster than n^K",
     OPTION_INTO(struct scale_settings, max_growth)},
    {'n', "top", "N", "shows the first N routines; 0: all [20; tsv and json: all]",
     OPTION_INTO(struct scale_settings, top)},
    {'i', "no-inlined", NULL, "adds inlined functions to the routines into which they were inlined",
     OPTION_INTO(struct scale_settings, no_inlined)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct scale_settings, mine), 0),
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct scale_settings, metric_name), OPTION_CHOICES(metric_names)},
    {'f', "format", "FORMAT", "* [text]", OPTION_INTO(struct scale_settings, format),
     OPTION_CHOICES(format_names)},
    {'o', "output", "FILE", "writes the output to a file",
     OPTION_INTO(struct scale_settings, output)},
    {'w', "width", "N", "limits lines to N columns; 0: no limit [the terminal's width]",
     OPTION_INTO(struct scale_settings, width)},
    {'p', "plot", "FILE",
     "also draws costs and shares: FILE.svg, .png or .pdf, or - for the terminal",
     OPTION_INTO(struct scale_settings, plot)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct scale_settings settings = {.top = SCALE_TOP_NOT_GIVEN,
                                      .width = TABLE_WIDTH_NOT_GIVEN,
                                      .max_share = NOT_GIVEN,
                                      .max_growth = NOT_GIVEN};
    struct options options;
    struct prediction c = {.settings = &settings, .operands = &options.operands};
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (settings.plot && !gnuplot_is_picture(settings.plot))
        return options_usage_error(
            &options, "the picture's name must end in .svg, .png or .pdf, not", settings.plot);
    if (settings.run && !strstr(settings.run, "{}"))
        return options_usage_error(&options, "--run: no {} for the size in", settings.run);
    c.reports = memory_get_zeroed(options.operands.count, sizeof *c.reports);
    bool good = make_scale(&c, &why) && scale_view_write(&c, &why) && draw_scale(&c, &why);
    int status = !good ? STATUS_TROUBLE : print_exceeding(&c) ? STATUS_EXCEEDED : STATUS_KEPT;
    if (!good)
        message_failure(&why);
    scale_free(&c.scale);
    for (size_t i = 0; i < c.count; i++)
        report_free(&c.reports[i]);
    free(c.reports);
    return status;
}

const struct command command_scale = {
    .name = "scale",
    .summary = "predicts the cost of a larger run from several runs",
    .usage = "[options] RUN RUN [RUN...]",
    .details =
        "Reads reports of at least two runs of different sizes; three runs are better. For a\n"
        "run of ten times the largest size, predicts the self cost of each routine. Also shows\n"
        "the routines whose share of the cost rises, and the reason: more calls, larger inputs\n"
        "or more expensive calls. The sizes of the runs are given by --sizes or are in the\n"
        "reports. If no sizes are known, the external input of a run is its size.",
    .options = scale_options,
    .operands_least = 2,
    .operands_most = RUNS_MOST,
    .operands = "at least two runs, better three",
    .run = run,
};
