/* Reads the files of counters of instrumented programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_COUNTS_H
#define PATHS_COUNTS_H

#include "paths/counters.h"
#include "paths/record.h"

/* The sum over all processes and threads of one copy. */
struct path_counts {
    uint64_t *slots;
    uint64_t slot_count;
    VECTOR(struct counters_entry) entries; /* from hash tables; a number may occur twice */
    unsigned processes;
    bool threads_refused;
};

/* Reads PREFIX.1, PREFIX.2, ..., all of which must belong to this plan and copy. */
bool counts_read(struct path_counts *counts, const char *prefix, uint64_t plan, uint32_t copy,
                 uint64_t slots, struct failure *why);

/* Reads PREFIX.PID, ...: reports of the analysis `paths`, written by a program that emits events.
 */
bool counts_read_events(struct path_counts *counts, const char *prefix, uint64_t slots,
                        struct failure *why);
void counts_free(struct path_counts *counts);

/* Removes the files of either kind, so that a new run starts with empty counters. */
void counts_remove_files(const char *prefix);

#endif
