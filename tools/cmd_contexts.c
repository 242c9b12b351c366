/* `aprof contexts`: trees of calling contexts; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"

static const struct command *const steps[] = {
    &contexts_report, &contexts_compare, &contexts_prune,      &contexts_merge,
    &contexts_stats,  &contexts_export,  &contexts_flamegraph, NULL,
};

const struct command command_contexts = {
    .name = "contexts",
    .summary = "shows, compares and draws calling contexts",
    .usage = "report|compare|prune|merge|stats|export|flamegraph ...",
    .details =
        "Reads the files of programs built with aprof-cc --aprof=contexts: the number of\n"
        "calls, or the time, of each calling context. A calling context is a chain of calls\n"
        "from the program's start.",
    .steps = steps,
};
