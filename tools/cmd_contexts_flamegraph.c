/* `aprof contexts flamegraph`: a tree of calling contexts as one svg.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/contexts_flame.h"
#include "lib/output.h"

#define LEAST_DEFAULT 5e-4 /* of the whole: half a pixel */
#define DEPTH_DEFAULT 200

struct settings {
    struct contexts_options common;
    struct contexts_flame flame;
    unsigned long depth;
};

static bool draw(void *settings, const char *path, struct failure *why)
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

static const struct option_entry flamegraph_options[] = {
    {'i', "inverted", NULL, "shows routines at the top and their callers below",
     OPTION_INTO(struct settings, flame.inverted)},
    {0, "title", "TEXT", "stands above the picture [the program's name]",
     OPTION_INTO(struct settings, flame.title)},
    {0, "min-share", "SHARE", "leaves out frames below this share [0.0005]",
     OPTION_INTO(struct settings, flame.least), .most = 1},
    {0, "depth", "N", "draws N levels at most [200]", OPTION_INTO(struct settings, depth)},
    CONTEXTS_ENTRY_THREAD,
    CONTEXTS_ENTRY_DEBUG,
    CONTEXTS_ENTRY_OUT,
    {0},
};

static int run(char **argv)
{
    struct settings settings = {
        .common = CONTEXTS_SETTINGS, .flame.least = LEAST_DEFAULT, .depth = DEPTH_DEFAULT};
    return contexts_run(argv, &contexts_flamegraph, &settings, draw);
}

const struct command contexts_flamegraph = {
    .name = "flamegraph",
    .summary = "one svg to look into with a browser",
    .usage = "[options] FILE",
    .details =
        "Draws the tree as one svg that needs nothing else: a frame is as wide as the counts of "
        "its\n"
        "context and of all below. In a browser a click enlarges a frame, Search marks routines.",
    .options = flamegraph_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one file of calling contexts",
    .run = run,
};
