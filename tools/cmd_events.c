/* `aprof events`: reports of analyses of events; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"

static const struct command *const steps[] = {
    &events_report_step, &events_compare_step, &events_merge_step, &events_export_step, NULL,
};

const struct command command_events = {
    .name = "events",
    .summary = "shows what analyses on other cores have counted",
    .usage = "report|compare|merge|export ...",
    .details =
        "Reads what a program built with aprof-cc --aprof=events has written: entries of "
        "routines,\n"
        "calls by caller and callee, calling patterns, paths, or hits and misses of a cache.",
    .steps = steps,
};
