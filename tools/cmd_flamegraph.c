/* `aprof flamegraph`: a report as one svg, in which frames can be enlarged and searched for.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "tools/contexts_command.h"
#include "lib/output.h"
#include "lib/report_flame.h"
#include "lib/report_kind.h"
#include "lib/report_sample.h"
#include "lib/report_set.h"
#include "lib/report_symbols.h"
#include "lib/short_name.h"

#define LEAST_DEFAULT 5e-4 /* of the whole: half a pixel */
#define DEPTH_DEFAULT 200

struct settings {
    struct contexts_flame flame;
    unsigned long depth;
    const char *output;
};

static bool draw(struct settings *settings, const char *path, struct failure *why)
{
    struct report report;
    struct output output;
    bool good = report_read_with_lines(&report, path, why);
    if (good) {
        report_merge_threads(&report);
        report_estimate(&report);
    }
    good = good && output_open(&output, settings->output, why);
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

static const struct option_entry flamegraph_options[] = {
    {'i', "inverted", NULL, "shows routines at the top and their callers below",
     OPTION_INTO(struct settings, flame.inverted)},
    {0, "title", "TEXT", "stands above the picture [what is shown]",
     OPTION_INTO(struct settings, flame.title)},
    {0, "min-share", "SHARE", "leaves out frames below this share [0.0005]",
     OPTION_INTO(struct settings, flame.least), .most = 1},
    {0, "depth", "N", "draws N levels at most [200]", OPTION_INTO(struct settings, depth)},
    {'o', "output", "FILE", "writes to a file", OPTION_INTO(struct settings, output)},
    {0},
};

static int run(char **argv)
{
    struct settings settings = {.flame.least = LEAST_DEFAULT, .depth = DEPTH_DEFAULT};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_flamegraph, argv, &settings))
        return options.status;
    bool good = options.operands.count > 0 ? draw(&settings, options.operands.at[0], &why)
                                           : draw_newest(&settings, &why);
    return good ? STATUS_OK : message_failure(&why);
}

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_flamegraph,
    [REPORT_CONTEXTS] = &contexts_flamegraph,
};

const struct command command_flamegraph = {
    .name = "flamegraph",
    .summary = "draws where the cost is as one svg",
    .usage = "[options] [REPORT]",
    .details =
        "Draws the routines by how they were reached, as wide as what they cost with all that\n"
        "they call, in one svg that needs nothing else. In a browser a click enlarges a frame, "
        "and\n"
        "Search marks routines. Without contexts, callers are approximated from call edges.\n"
        "Without a report it is the newest in this folder.",
    .options = flamegraph_options,
    .operands_least = 0,
    .operands_most = 1,
    .operands = "one report",
    .of_kind = of_kind,
    .run = run,
};
