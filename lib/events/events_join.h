/* Combines reports of one analysis: finds common routines and corresponding rows, adds up counts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A routine is identified by its object's path, its object's build id and its offset in the object.
 * The identity of a routine depends neither on the order in which objects are loaded nor on the
 * process. Words of keys that are not routines (procedures, paths, levels of cache) are compared as
 * they are.
 */
#ifndef LIB_EVENTS_EVENTS_JOIN_H
#define LIB_EVENTS_EVENTS_JOIN_H

#include "lib/events/events_report.h"

/* A row, and the report that contains the row. */
struct events_joined_row {
    struct events_row row; /* row with a key that refers to the common tables */
    size_t report;
};

struct events_joined {
    /* objects, routines and words of all reports, without rows and header */
    struct events_report tables;
    /* sorted by key; rows with equal keys are in the order of their reports */
    VECTOR(struct events_joined_row) rows;
};

/* Combines reports; fails if they are of different analyses. */
bool events_join(const struct events_report *const *reports, size_t count,
                 struct events_joined *joined, struct failure *why);
void events_joined_free(struct events_joined *joined);

/* The index after the last row that has the key of row `first`. */
size_t events_joined_group(const struct events_joined *joined, size_t first);

/* Adds up the counts of all reports; sums saturate. Header fields that differ become the word
 * "several". The sum does not depend on the order of reports. Fails if the reports were sampled at
 * different rates, because their counts then have different meanings. */
bool events_sum(const struct events_report *const *reports, size_t count, struct events_report *sum,
                struct failure *why);

#endif
