/* `aprof flamegraph`: a report, or a tree of calling contexts, as one svg to explore.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "tools/contexts_command.h"
#include "tools/report_load.h"
#include "lib/base/output.h"
#include "lib/export/report_flame.h"
#include "lib/load/report_kind.h"
#include "lib/growth/report_sample.h"
#include "lib/load/report_set.h"
#include "lib/base/short_name.h"

#define LEAST_DEFAULT 5e-4 /* of the whole: half a pixel */
#define DEPTH_DEFAULT 200

struct settings {
    struct common_options common;
    struct contexts_flame flame;
    unsigned long depth;
};

#define FLAMEGRAPH_SETTINGS                                                                        \
    ((struct settings){                                                                            \
        .common = COMMON_OPTIONS, .flame.least = LEAST_DEFAULT, .depth = DEPTH_DEFAULT})

/* Points --------------------------------------------------------------------------------------- */

static bool draw(struct settings *settings, const char *path, struct failure *why)
{
    struct report report;
    struct output output;
    bool good = report_load(&report, path, why);
    if (good) {
        report_merge_threads(&report);
        report_estimate(&report);
    }
    good = good && output_open(&output, settings->common.output, why);
    if (good) {
        settings->flame.depth_max = settings->depth;
        report_flame_write(&report, &settings->flame, output.stream);
        good = output_close(&output, why);
    }
    report_free(&report);
    return good;
}

/* Of the newest report here, for none is named. */
static bool draw_newest(struct settings *settings, struct failure *why)
{
    char *newest = report_set_newest(why);
    bool good = newest && draw(settings, newest, why);
    if (good)
        message_error("flamegraph: %s is the newest report here", short_path(newest));
    free(newest);
    return good;
}

/* Calling contexts ----------------------------------------------------------------------------- */

static bool draw_contexts(void *settings, const char *path, struct failure *why)
{
    struct settings *s = settings;
    struct context_profile sum;
    struct output output;
    if (!contexts_load_sum(&sum, path, &s->common, why))
        return false;
    s->flame.depth_max = s->depth;
    if (!s->flame.title)
        s->flame.title = contexts_program(&sum);
    bool good = output_open(&output, s->common.output, why);
    if (good) {
        contexts_flame_write(&sum, &s->flame, output.stream);
        good = output_close(&output, why);
    }
    contexts_free(&sum);
    return good;
}

/* The commands --------------------------------------------------------------------------------- */

static const struct option_entry flamegraph_options[] = {
    {'i', "inverted", NULL, "shows routines at the top and their callers below",
     OPTION_INTO(struct settings, flame.inverted)},
    {0, "title", "TEXT", "title of the picture [what it shows]",
     OPTION_INTO(struct settings, flame.title)},
    {0, "min-share", "SHARE", "omits frames below this share of the total [0.0005]",
     OPTION_INTO(struct settings, flame.least), .most = 1},
    {0, "depth", "N", "draws at most N levels [200]", OPTION_INTO(struct settings, depth)},
    COMMON_ENTRY_THREAD,
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS),
    COMMON_ENTRY_OUT,
    {0},
};

static int run(char **argv)
{
    struct settings settings = FLAMEGRAPH_SETTINGS;
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_flamegraph, argv, &settings))
        return options.status;
    bool good = options.operands.count > 0 ? draw(&settings, options.operands.at[0], &why)
                                           : draw_newest(&settings, &why);
    return good ? STATUS_OK : message_failure(&why);
}

static int run_contexts(char **argv)
{
    struct settings settings = FLAMEGRAPH_SETTINGS;
    return contexts_run(argv, &contexts_flamegraph, &settings, draw_contexts);
}

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_flamegraph,
    [REPORT_CONTEXTS] = &contexts_flamegraph,
};

const struct command command_flamegraph = {
    .name = "flamegraph",
    .summary = "draws a flame graph of the cost as an SVG file",
    .usage = "[options] [REPORT]",
    .details = "Draws the routines by how they were reached, as wide as their total cost, in one\n"
               "self-contained SVG file. In a browser, a click enlarges a frame; Search marks\n"
               "routines. Without calling contexts, callers are approximated from call edges.\n"
               "Without a report, the newest report in this folder is used.",
    .options = flamegraph_options,
    .kinds = FOR_POINTS,
    .operands_least = 0,
    .operands_most = 1,
    .operands = "one report",
    .of_kind = of_kind,
    .run = run,
};

const struct command contexts_flamegraph = {
    .name = "flamegraph",
    .summary = "draws a flame graph as an SVG file",
    .usage = "[options] FILE",
    .details =
        "Draws the tree as one self-contained SVG file. A frame is as wide as the counts of\n"
        "its context and of all contexts below it. In a browser, a click enlarges a frame;\n"
        "Search marks routines.",
    .options = flamegraph_options,
    .kinds = FOR_CONTEXTS,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one file of calling contexts",
    .run = run_contexts,
};
