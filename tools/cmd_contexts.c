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
    .summary = "shows which chains of calls are hot",
    .usage = "report|compare|prune|merge|stats|export|flamegraph ...",
    .details =
        "Reads what a program built with aprof-cc --aprof=contexts has written: how often each\n"
        "calling context, a chain of calls from the program's start, was entered, or how long it\n"
        "took.",
    .steps = steps,
};
