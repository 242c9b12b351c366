/* `aprof paths`: path profiling; dispatches to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

static const struct command *const steps[] = {
    &paths_edges, &paths_plan, &paths_run, &paths_merge, &paths_report, &paths_check, NULL,
};

const struct command command_paths = {
    .name = "paths",
    .summary = "counts paths through procedures, divided over copies of a program",
    .usage = "edges|plan|run|merge|report|check ...",
    .details =
        "Counts exactly how often every acyclic path through every procedure of a C or C++\n"
        "program was taken. The work is divided over instrumented copies that run side by side.\n"
        "The program must be built with aprof-pathcc or aprof-pathc++. The steps:",
    .steps = steps,
};
