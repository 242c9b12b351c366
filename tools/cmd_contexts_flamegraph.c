/* `aprof contexts flamegraph`: a tree of calling contexts as one svg.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/contexts_flame.h"
#include "lib/output.h"

#define LEAST_DEFAULT 5e-4 /* of the whole: half a pixel */
#define DEPTH_DEFAULT 200

enum { KEY_INVERTED = 1, KEY_TITLE, KEY_LEAST, KEY_DEPTH };

static const struct option_entry flamegraph_options[] = {
    {KEY_INVERTED, 'i', "inverted", NULL, "shows routines at the top and their callers below"},
    {KEY_TITLE, 0, "title", "TEXT", "stands above the picture [the program's name]"},
    {KEY_LEAST, 0, "min-share", "SHARE", "leaves out frames below this share [0.0005]"},
    {KEY_DEPTH, 0, "depth", "N", "draws N levels at most [200]"},
    CONTEXTS_ENTRY_THREAD,
    CONTEXTS_ENTRY_DEBUG,
    CONTEXTS_ENTRY_OUT,
    {0},
};

struct settings {
    struct contexts_settings common;
    struct contexts_flame flame;
};

static bool draw(void *settings, const char *path, struct failure *why)
{
    struct settings *s = settings;
    struct context_profile sum;
    struct output output;
    if (!contexts_load_sum(&sum, path, &s->common, why))
        return false;
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

static bool take_option(void *settings, int key, const struct options *options)
{
    struct settings *s = settings;
    unsigned long depth;
    switch (key) {
    case KEY_INVERTED:
        s->flame.inverted = true;
        return true;
    case KEY_TITLE:
        s->flame.title = options->value;
        return true;
    case KEY_LEAST:
        return contexts_share_option(options, "--min-share", &s->flame.least);
    case KEY_DEPTH:
        if (!options_number(options, "--depth", UINT32_MAX, &depth))
            return false;
        s->flame.depth_max = depth;
        return true;
    }
    return contexts_take_option(&s->common, key, options);
}

static int run(char **argv)
{
    struct settings settings = {.common = CONTEXTS_SETTINGS,
                                .flame = {.least = LEAST_DEFAULT, .depth_max = DEPTH_DEFAULT}};
    return contexts_run(argv, flamegraph_options, take_option, &settings, draw);
}

const struct command contexts_flamegraph = {
    .name = "flamegraph",
    .usage = "[options] FILE",
    .details =
        "Draws the tree as one svg that needs nothing else: a frame is as wide as the counts of "
        "its\n"
        "context and of all below. In a browser a click enlarges a frame, Search marks routines.",
    .options = flamegraph_options,
    .run = run,
};
