/* What every sub-command of `aprof` is made of.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "lib/message.h"
#include "lib/options.h"

struct command {
    const char *name;
    const char *summary; /* one line for `aprof help` */
    const char *usage;   /* what follows `aprof NAME` */
    const char *details; /* a paragraph for `aprof help NAME` */
    const struct option_entry *options;
    int (*run)(char **argv); /* argv[0] is the sub-command's name; returns the exit status */
};

extern const struct command command_run, command_report, command_export, command_plot,
    command_merge, command_diff, command_check, command_html, command_paths;

#endif
