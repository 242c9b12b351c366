/* `aprof contexts`: trees of calling contexts; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"

static const struct command *const steps[] = {
    &contexts_report, &contexts_compare, &contexts_prune,      &contexts_merge,
    &contexts_stats,  &contexts_export,  &contexts_flamegraph, NULL,
};

static int run(char **argv)
{
    return steps_run(steps, argv);
}

static const struct option_entry no_options[] = {{0}};

const struct command command_contexts = {
    .name = "contexts",
    .summary = "shows which chains of calls are hot",
    .usage = "report|compare|prune|merge|stats|export|flamegraph ...",
    .details =
        "Reads what a program built with aprof-cc --aprof=contexts has written: how often each\n"
        "calling context, a chain of calls from the program's start, was entered, or how long it\n"
        "took.\n\n"
        "  report FILE            the hottest contexts: flat, as a tree, or callers below "
        "routines\n"
        "  compare FILE FILE      how well one tree stands for another; what changed\n"
        "  prune --phi=P FILE     leaves the hot contexts and their callers\n"
        "  merge FILE...          adds threads and files to one tree\n"
        "  stats FILE...          sizes of call graph, context tree and call tree\n"
        "  export FILE            folded stacks, speedscope, Graphviz or CSV\n"
        "  flamegraph FILE        one svg to look into with a browser\n\n"
        "'aprof contexts STEP --help' explains a step; aprof-contexts(1) has it all.",
    .options = no_options,
    .run = run,
};
