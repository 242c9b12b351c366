/* Reads the files of counters of instrumented programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_COUNTS_H
#define PATHS_COUNTS_H

#include "paths/counters.h"
#include "paths/record.h"

/* The sum of counts over all processes and threads of one copy. */
struct path_counts {
    uint64_t *slots;
    uint64_t slot_count;
    /* entries of hash tables; several entries may have the same path number */
    VECTOR(struct counters_entry) entries;
    unsigned processes;
    bool threads_refused;
};

/* Reads PREFIX.1, PREFIX.2, ...; all files must belong to this plan and copy. */
bool counts_read(struct path_counts *counts, const char *prefix, uint64_t plan, uint32_t copy,
                 uint64_t slots, struct failure *why);

/* Reads PREFIX.PID, ..., which are reports of the analysis `paths` from a program that emits
 * events. */
bool counts_read_events(struct path_counts *counts, const char *prefix, uint64_t slots,
                        struct failure *why);
void counts_free(struct path_counts *counts);

/* Removes all files of counters and of path events, so that a new run starts from zero. */
void counts_remove_files(const char *prefix);

#endif
