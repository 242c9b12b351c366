/* What every sub-command of `aprof` is made of.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "lib/message.h"
#include "lib/command_line.h"

struct command {
    const char *name;
    const char *summary; /* one line for `aprof help` */
    const char *usage;   /* what follows `aprof NAME` */
    const char *details; /* a paragraph for `aprof help NAME` */
    const struct option_entry *options;
    int (*run)(char **argv); /* argv[0] is the sub-command's name; returns the exit status */
};

extern const struct command command_run, command_report, command_export, command_plot,
    command_merge, command_diff, command_check, command_html, command_paths, command_contexts,
    command_events;

/* Hands over to the sub-command that argv[1] names, of a list that ends with NULL; argv[0] is the
 * command's own name. `COMMAND STEP --help` explains a sub-command. */
int steps_run(const struct command *const *steps, char **argv);

#endif
