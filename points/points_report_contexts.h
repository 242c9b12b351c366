/* Writes the records of contexts, which follow the profiles in a report.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_POINTS_REPORT_CONTEXTS_H
#define POINTS_POINTS_REPORT_CONTEXTS_H

#include "ground/record_writer.h"
#include "points/process_contexts.h"

struct points_context {
    struct routine *routine;
    const struct routine_profile *profile; /* NULL: no activation was recorded */
    uint64_t error;
    uint32_t parent; /* position of the parent in the tree, plus 1; 0: no parent */
    uint32_t number; /* number of the routine in the report */
};

/* The contexts of one thread. */
struct points_tree {
    struct points_context *all;
    uint32_t n;
};

/* Returns one tree for each thread of `contexts`. In each tree, parents come before their children.
 * The caller owns the trees. */
struct points_tree *report_contexts_list(const struct process_contexts *contexts);
void report_contexts_free(const struct process_contexts *contexts, struct points_tree *trees);

/* Writes all points of a profile; `metrics` are the metrics for which the profile has tables.
 * points_report.c implements the function. */
void points_put(struct record_writer *w, const struct routine_profile *profile, unsigned metrics);

/* Writes the records of contexts. `number_of[id]` is a routine's number + 1. */
void report_contexts_put(struct record_writer *w, const struct process_contexts *contexts,
                         struct points_tree *trees, const uint32_t *number_of, unsigned metrics);

#endif
