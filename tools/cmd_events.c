/* `aprof events`: reports of analyses of events; hands over to its own sub-commands.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"

static const struct command *const steps[] = {
    &events_report_step,
    &events_compare_step,
    &events_merge_step,
    NULL,
};

static int run(char **argv)
{
    return steps_run(steps, argv);
}

static const struct option_entry no_options[] = {{0}};

const struct command command_events = {
    .name = "events",
    .summary = "shows what analyses on other cores have counted",
    .usage = "report|compare|merge ...",
    .details =
        "Reads what a program built with aprof-cc --aprof=events has written: entries of "
        "routines,\n"
        "calls by caller and callee, calling patterns, paths, or hits and misses of a cache.\n\n"
        "  report FILE            the rows with the largest counts, with names\n"
        "  compare FILE FILE      the error of a sampled report against a full one\n"
        "  merge FILE...          adds the reports of several processes\n\n"
        "'aprof events STEP --help' explains a step; aprof-events(1) has it all.",
    .options = no_options,
    .run = run,
};
