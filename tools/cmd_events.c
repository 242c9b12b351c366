/* `aprof events`: reports of analyses of events; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"

static const struct command *const steps[] = {
    &events_report_step, &events_compare_step, &events_merge_step, &events_export_step, NULL,
};

const struct command command_events = {
    .name = "events",
    .summary = "shows, compares and adds reports of event analyses",
    .usage = "report|compare|merge|export ...",
    .details =
        "Reads the files of programs built with aprof-cc --aprof=events: entries of routines,\n"
        "calls by caller and callee, calling patterns, paths, or hits and misses of a cache.",
    .steps = steps,
};
