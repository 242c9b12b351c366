/* Brings reports of one analysis together: common routines, rows side by side, sums.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A routine is known by its object's path and build id and by its offset there, so that neither the
 * order of loading nor the process matters. The words of keys that are no routines (procedures,
 * paths, levels of cache) are the same everywhere.
 */
#ifndef LIB_EVENTS_EVENTS_JOIN_H
#define LIB_EVENTS_EVENTS_JOIN_H

#include "lib/events/events_report.h"

/* A row, and which report it is from. */
struct events_joined_row {
    struct events_row row; /* its key is in the common tables */
    size_t report;
};

struct events_joined {
    struct events_report tables; /* objects, routines and words of all; no rows, no head */
    VECTOR(struct events_joined_row) rows; /* in the order of keys, then of reports */
};

/* Joins reports of one analysis; several analyses are refused. */
bool events_join(const struct events_report *const *reports, size_t count,
                 struct events_joined *joined, struct failure *why);
void events_joined_free(struct events_joined *joined);

/* The end of the rows that have the key of the row `first`. */
size_t events_joined_group(const struct events_joined *joined, size_t first);

/* Adds the counts of all reports. Counts stay at their largest value rather than wrap; what the
 * heads do not have in common becomes the word "several". The sum does not depend on the order of
 * reports. Reports sampled at different rates are refused: their counts mean different things. */
bool events_sum(const struct events_report *const *reports, size_t count, struct events_report *sum,
                struct failure *why);

#endif
