/* Distributes the profiling of a program over copies: SBL, PBL, P3 and distribution by hits.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     sbl    sequential Ball-Larus: one copy counts everything
 *     pbl    whole procedures, by their number of probes, or by their hits if there is a profile
 *     p3     the paper's: procedures with at most one call site are partitioned (partition_reduced)
 *     hits   by the hits that an edge profile predicts, with probes placed by that profile; the
 *            largest task of the busiest copy is split (partition_split) as long as that helps
 *
 * Tasks are assigned in order of decreasing cost, each to the copy with the least load; the largest
 * load is then at most 4/3 of the optimum. With another input, other paths may be hot. So the
 * smallest tasks, with at most 1 / RARE of the measured executions, are divided among the copies
 * separately, by their number of probes. If only these tasks run, each copy has a share of the
 * cost. If other tasks run, too, the smallest tasks cost little. Probes on edges that were never
 * taken are placed by an estimate, not at random.
 *
 * Tasks of one procedure that are assigned to the same copy are united. The union may allow paths
 * that belong to another copy. Each copy counts such a path exactly, so the merge takes the count
 * of one copy, never the sum.
 */
#ifndef PATHS_POLICY_H
#define PATHS_POLICY_H

#include "paths/frequency.h"
#include "paths/placement.h"

enum policy { POLICY_SBL, POLICY_PBL, POLICY_P3, POLICY_HITS, POLICY_COUNT };

extern const char *const policy_names[POLICY_COUNT + 1]; /* ends with NULL */

/* A procedure that will be profiled. */
struct subject {
    const struct graph *graph;
    struct dag dag;
    uint64_t *frequency; /* frequencies by edge of the dag */
    /* frequencies for the placement of probes; edges that were never taken have estimated values */
    uint64_t *weight;
    bool is_measured;    /* whether frequencies are measured; equal in all subjects */
    const char *skipped; /* reason why the procedure is not profiled; NULL: it is profiled */
};

/* Makes the subjects of a program. If `edges` is NULL, frequencies are estimated. */
struct subject *subjects_make(const struct graph_program *program, const struct edge_profile *edges,
                              uint64_t path_limit);
void subjects_free(struct subject *subjects, size_t count);

/* The part of one procedure that one copy counts. */
struct part {
    bool used;
    struct numbering numbering;
    struct placement placement;
};

struct distribution {
    uint32_t copies;
    size_t procedures;
    /* part of each procedure in each copy: parts[copy * procedures + procedure] */
    struct part *parts;
    uint32_t *partitioned; /* number of tasks into which each procedure was divided */
};

void policy_distribute(struct distribution *distribution, const struct subject *subjects,
                       size_t count, enum policy policy, uint32_t copies);

/* Adds capacity for more copies, in which all parts are empty. */
void distribution_extend(struct distribution *distribution, uint32_t copies);

void distribution_free(struct distribution *distribution);

#endif
