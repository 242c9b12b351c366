/* The contexts of a report: the records after the profiles, in the order of the program.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_POINTS_REPORT_CONTEXTS_H
#define POINTS_POINTS_REPORT_CONTEXTS_H

#include "ground/record_writer.h"
#include "points/process_contexts.h"

struct points_context {
    struct routine *routine;
    const struct routine_profile *profile; /* NULL: nothing recorded */
    uint64_t error;
    uint32_t parent; /* position in the tree + 1; 0: none */
    uint32_t number; /* of the routine, in the report */
};

/* The contexts of one thread. */
struct points_tree {
    struct points_context *all;
    uint32_t n;
};

/* One tree for each thread of `contexts`, parents first; owned by the caller. */
struct points_tree *report_contexts_list(const struct process_contexts *contexts);
void report_contexts_free(const struct process_contexts *contexts, struct points_tree *trees);

/* Writes all points of a profile with these metrics. Implemented in points_report.c. */
void points_put(struct record_writer *w, const struct routine_profile *profile, unsigned metrics);

/* Writes the records. `number_of` gives a routine's number + 1 by its id. */
void report_contexts_put(struct record_writer *w, const struct process_contexts *contexts,
                         struct points_tree *trees, const uint32_t *number_of, unsigned metrics);

#endif
