/* Finds how often each edge of an acyclic graph is taken: measured in a training run, or estimated.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_FREQUENCY_H
#define PATHS_FREQUENCY_H

#include "paths/dag.h"

/* The counts of a training run for a procedure. */
struct edge_counts {
    uint64_t entries;
    uint64_t *edges; /* one count for each edge of the graph */
};

/* An edge profile has one edge_counts for each procedure of a program. */
struct edge_profile {
    size_t count;
    struct edge_counts *procedures;
};

bool edge_profile_read(struct edge_profile *profile, const struct graph_program *program,
                       const char *path, struct failure *why);
bool edge_profile_write(const struct edge_profile *profile, const struct graph_program *program,
                        const char *path, struct failure *why);
void edge_profile_make(struct edge_profile *profile, const struct graph_program *program);
void edge_profile_free(struct edge_profile *profile);

/* frequency_measured and frequency_estimated return one number for each edge of the dag; the caller
 * frees this array. */
uint64_t *frequency_measured(const struct dag *dag, const struct graph *graph,
                             const struct edge_counts *counts);

/* The estimate by Ball and Larus: both sides of a branch are equally frequent, and a loop iterates
 * ten times. One call has the frequency FREQUENCY_UNIT, not 1, so that the frequency can be divided
 * among branches. */
#define FREQUENCY_UNIT 1000000
uint64_t *frequency_estimated(const struct dag *dag);

#endif
