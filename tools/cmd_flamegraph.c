/* `aprof flamegraph`: a report, or a tree of calling contexts, as one interactive svg.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "lib/base/short_name.h"

#define LEAST_DEFAULT 5e-4 /* minimum share of the total width for a frame: half a pixel */
#define DEPTH_DEFAULT 200

struct settings {
    struct common_options common;
    struct contexts_flame flame;
    unsigned long depth;
    const char *base;
};

#define FLAMEGRAPH_SETTINGS                                                                        \
    ((struct settings){                                                                            \
        .common = COMMON_OPTIONS, .flame.least = LEAST_DEFAULT, .depth = DEPTH_DEFAULT})

const struct option_entry flamegraph_options[] = {
    {'i', "inverted", NULL, "shows routines at the top, and their callers below them",
     OPTION_INTO(struct settings, flame.inverted)},
    {'b', "base", "REPORT",
     "compares with this report: red frames cost more, blue frames cost less",
     OPTION_INTO(struct settings, base)},
    {0, "focus", "PATTERN", "draws only routines whose name matches (* ?), with their callees",
     OPTION_INTO(struct settings, flame.focus)},
    {0, "fold-recursion", NULL, "draws recursive calls as a part of the routine's first frame",
     OPTION_INTO(struct settings, flame.folded)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, flame.mine), FOR_POINTS),
    {0, "title", "TEXT", "title of the picture [the program and the unit of cost]",
     OPTION_INTO(struct settings, flame.title)},
    {0, "min-share", "SHARE", "omits frames below this share of the total [0.0005]",
     OPTION_INTO(struct settings, flame.least), .most = 1},
    {0, "depth", "N", "draws at most N levels [200]", OPTION_INTO(struct settings, depth)},
    COMMON_ENTRY_THREAD,
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS),
    COMMON_ENTRY_OUT,
    {0},
};

static bool draw(const struct report_model *model, struct settings *settings, const char *path,
                 struct failure *why)
{
    struct output output;
    void *report = model_read(model, path, &settings->common, why), *base = NULL;
    bool good = report != NULL;
    if (good && settings->base)
        good = (base = model_read(model, settings->base, &settings->common, why)) != NULL;
    good = good && output_open(&output, settings->common.output, why);
    if (good) {
        settings->flame.depth_max = settings->depth;
        model->frames(report, base, &settings->flame, output.stream);
        good = output_close(&output, why);
    }
    model_free(model, base);
    model_free(model, report);
    return good;
}

/* If no report is named, draws the newest report in the current folder. */
static bool draw_newest(const struct report_model *model, struct settings *settings,
                        struct failure *why)
{
    char *newest = report_set_newest(why);
    bool good = newest && draw(model, settings, newest, why);
    if (good)
        message_error("flamegraph: reads %s, the newest report in the current folder",
                      short_path(newest));
    free(newest);
    return good;
}

int flamegraph_run(const struct command *command, char **argv)
{
    const struct report_model *model = model_of(command);
    struct settings settings = FLAMEGRAPH_SETTINGS;
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = options.operands.count > 0 ? draw(model, &settings, options.operands.at[0], &why)
                                           : draw_newest(model, &settings, &why);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_flamegraph = {
    .name = "flamegraph",
    .summary = "draws a flame graph of the cost as an SVG file",
    .usage = "[options] [REPORT]",
    .details = "Draws a flame graph as one self-contained SVG file. The width of a frame is the\n"
               "total cost of its routine. In a browser, a click enlarges a frame, and buttons\n"
               "search, invert and fold the graph. If the report has no calling contexts, callers "
               "are approximated from call\n"
               "edges. If no report is given, the newest report in the current folder is used.",
    .options = flamegraph_options,
    .kinds = FOR_POINTS,
    .operands_least = 0,
    .operands_most = 1,
    .operands = "one report",
    .verb = VERB_FLAMEGRAPH,
    .run = flamegraph_run,
};
