/* Commands that have sub-commands of their own: `aprof paths plan`, `aprof contexts report`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>

static const struct command *find_step(const struct command *const *steps, const char *name)
{
    for (; *steps; steps++) {
        if (strcmp((*steps)->name, name) == 0)
            return *steps;
    }
    return NULL;
}

static int print_help(const char *command, const struct command *step)
{
    printf("usage: aprof %s %s %s\n\n%s\n\n", command, step->name, step->usage, step->details);
    options_print_help(step->options);
    return STATUS_OK;
}

int steps_run(const struct command *const *steps, char **argv)
{
    const char *command = argv[0];
    const struct command *step = argv[1] ? find_step(steps, argv[1]) : NULL;
    if (!step) {
        if (argv[1])
            message_error("%s: %s: unknown command; see 'aprof help %s'", command, argv[1],
                          command);
        else
            message_error("%s: no command; see 'aprof help %s'", command, command);
        return STATUS_USAGE;
    }
    if (argv[2] && strcmp(argv[2], "--help") == 0)
        return print_help(command, step);
    char *name = memory_format("%s %s", command, step->name);
    argv[1] = name; /* for messages */
    int status = step->run(argv + 1);
    free(name);
    return status;
}
