/* `aprof paths merge`: merges the counts of all copies.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

#include <stdio.h>
#include <stdlib.h>

/* All copies must exist and be complete, and must have ended with the same exit status. */
static bool read_counts(struct path_counts *counts, const struct plan *plan, const char *folder,
                        struct failure *why)
{
    struct paths_end first = {0}, end;
    bool fine = true;
    for (uint32_t c = 0; fine && c < plan->distribution.copies; c++) {
        char *prefix = paths_copy_file(folder, "counters", c + 1);
        fine = paths_read_end(&end, folder, c + 1, plan, why) &&
               (plan->flags & COUNTERS_EVENTS
                    ? counts_read_events(&counts[c], prefix, plan->slots[c], why)
                    : counts_read(&counts[c], prefix, plan->id, c + 1, plan->slots[c], why));
        if (c == 0)
            first = end;
        if (fine && counts[c].threads_refused)
            fine =
                failure_set(why, "copy %u: was stopped because the program starts threads", c + 1);
        if (fine && end.status != first.status)
            fine = failure_set(why, "copy %u: ended with %s, unlike copy 1", c + 1,
                               paths_end_text(end.status));
        free(prefix);
    }
    return fine;
}

static bool merge(const struct plan *plan, const char *folder, size_t *differences,
                  struct failure *why)
{
    uint32_t copies = plan->distribution.copies;
    struct path_counts *counts = memory_get_zeroed(copies, sizeof *counts);
    bool fine = read_counts(counts, plan, folder, why);
    if (fine) {
        struct path_profile profile;
        char *path = paths_file(folder, PATHS_PROFILE);
        path_profile_merge(&profile, plan, counts);
        *differences = profile.differences.count;
        for (size_t i = 0; i < profile.differences.count; i++)
            message_error("copies differ: %s", profile.differences.at[i]);
        fine = path_profile_write(&profile, plan, path, why);
        path_profile_free(&profile);
        free(path);
    }
    for (uint32_t c = 0; c < copies; c++)
        counts_free(&counts[c]);
    free(counts);
    return fine;
}

static const struct option_entry merge_options[] = {PATHS_ENTRY_FOLDER, {0}};

static int run(const struct command *command, char **argv)
{
    struct paths_settings settings = {.folder = "."};
    struct options options;
    struct failure why;
    struct plan plan;
    size_t differences = 0;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!paths_read_plan(&plan, settings.folder, &why))
        return message_failure(&why);
    bool fine = merge(&plan, settings.folder, &differences, &why);
    plan_free(&plan);
    if (!fine)
        return message_failure(&why);
    return differences ? STATUS_FAILED : STATUS_OK;
}

const struct command paths_merge = {
    .name = "merge",
    .summary = "merges the counts of all copies",
    .usage = "[-o FOLDER]",
    .details = "Merges the counts of all copies into one path profile. If copies have different\n"
               "counts of a path or of a procedure's entry, the copies ran differently. Each\n"
               "difference between copies is reported and recorded, and the exit status is 1.",
    .options = merge_options,
    .run = run,
};
