/* `aprof paths`: path profiling; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

static const struct command *const steps[] = {
    &paths_edges, &paths_plan, &paths_run, &paths_merge, &paths_report, &paths_check, NULL,
};

static int run(char **argv)
{
    return steps_run(steps, argv);
}

static const struct option_entry no_options[] = {{0}};

const struct command command_paths = {
    .name = "paths",
    .summary = "counts the paths through procedures, divided over copies of a program",
    .usage = "edges|plan|run|merge|report|check ...",
    .details =
        "Counts exactly how often every acyclic path through every procedure of a C or C++\n"
        "program was taken. The work is divided over instrumented copies that run side by side.\n"
        "The program must be built with aprof-pathcc or aprof-pathc++. The steps:\n\n"
        "  edges -- PROGRAM ARGS  measures how often each edge is taken, for a better plan\n"
        "  plan PROGRAM           decides what each copy counts, and makes the copies\n"
        "  run -- ARGS            runs the copies on the same input\n"
        "  merge                  puts their counts together\n"
        "  report                 shows the hottest paths and what the counting cost\n"
        "  check                  compares with other ways to count, on the same input\n\n"
        "'aprof paths STEP --help' explains a step; aprof-paths(1) has it all.",
    .options = no_options,
    .run = run,
};
