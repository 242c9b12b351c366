/* `aprof paths`: path profiling; dispatches to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

static const struct command *const steps[] = {
    &paths_edges, &paths_plan, &paths_run, &paths_merge, &paths_report, &paths_check, NULL,
};

const struct command command_paths = {
    .name = "paths",
    .summary = "counts executed paths, by several copies of a program",
    .usage = "edges|plan|run|merge|report|check ...",
    .details =
        "Counts exactly how often each acyclic path of each procedure of a C or C++ program\n"
        "was executed. Several instrumented copies of the program run in parallel, and each\n"
        "copy counts some of the paths. Build the program with aprof-pathcc or aprof-pathc++.\n"
        "The steps are:",
    .steps = steps,
};
