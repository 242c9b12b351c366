/* `aprof paths`: path profiling; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths.h"

#include <stdio.h>
#include <string.h>

static const struct command *const steps[] = {
    &paths_edges, &paths_plan, &paths_run, &paths_merge, &paths_report, &paths_check,
};
#define STEPS (sizeof steps / sizeof *steps)

static const struct command *find_step(const char *name)
{
    for (size_t i = 0; i < STEPS; i++)
        if (strcmp(steps[i]->name, name) == 0)
            return steps[i];
    return NULL;
}

static int print_help(const struct command *step)
{
    printf("usage: aprof paths %s %s\n\n%s\n\n", step->name, step->usage, step->details);
    options_print_help(step->options);
    return STATUS_OK;
}

static int run(char **argv)
{
    const struct command *step = argv[1] ? find_step(argv[1]) : NULL;
    if (!step) {
        if (argv[1])
            message_error("paths: %s: unknown command; see 'aprof help paths'", argv[1]);
        else
            message_error("paths: no command; see 'aprof help paths'");
        return STATUS_USAGE;
    }
    if (argv[2] && strcmp(argv[2], "--help") == 0)
        return print_help(step);
    return step->run(argv + 1);
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
