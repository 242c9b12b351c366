/* Places a procedure's probes: increments on edges, and commits of paths.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels may be shifted by potentials: increment(e) = label(e) + phi(from) - phi(to). The ids of
 * paths stay the same, because phi(ENTRY) = phi(EXIT) = 0. If all paths are interesting, phi is
 * chosen so that hot edges get increment 0. This is the event counting of Ball and Larus: the edges
 * of a maximum spanning tree get 0. PSPP's labels are often 0, and the potentials of a tree would
 * change many of these labels. So phi is computed twice, from the tree's potentials and from 0, and
 * is improved vertex by vertex. Moreover, phi(EXIT) may differ from 0 if the end of each path adds
 * phi(EXIT) (`base`). The tree can then contain all edges of the hottest path, so that this path
 * has no increments.
 *
 * Potentials, increments and intermediate sums are modulo 2^64, as in the probes. A path's final
 * sum equals its id, because ids are below 2^64.
 *
 * A commit counts a finished path. A path is committed when it enters a stop vertex. EXIT is a stop
 * vertex. With early commits, a vertex with a single way to EXIT is also a stop vertex, if control
 * cannot leave the procedure on this way. After a stop vertex there are no probes. An uninteresting
 * edge to a stop vertex does not commit a path. Edges that no commit can follow add nothing.
 */
#ifndef PATHS_PLACEMENT_H
#define PATHS_PLACEMENT_H

#include "paths/numbering.h"

enum placement_kind {
    PLACEMENT_AS_NUMBERED, /* phi = 0: increments are the labels of the numbering */
    PLACEMENT_TREE,        /* event counting */
    PLACEMENT_BEST, /* the better of two results (from two initial values of phi); uses `base` and
                     * early commits */
};

struct placement {
    int64_t *increment; /* increments by edge */
    int64_t base;       /* number that the end of each path adds to the sum of increments */
    bool *stop;         /* whether each vertex is a stop vertex */
    bool *live;         /* whether a path can be committed after each vertex */
};

/* Makes a placement. Control may leave the procedure in each block whose member `calls` is true;
 * `blocks` is NULL if there is no such block. */
void placement_make(struct placement *placement, const struct dag *dag,
                    const struct numbering *numbering, const uint64_t *frequency,
                    const struct graph_block *blocks, enum placement_kind kind);

/* Finds only the stop vertices of a placement. */
void placement_find_stops(bool *stop, const struct dag *dag, const struct graph_block *blocks,
                          bool early);
void placement_free(struct placement *placement);

/* Returns whether a path is committed on this edge. If a path is committed on an edge, the edge's
 * increment is part of the commit. */
bool placement_commits(const struct placement *placement, const struct dag *dag,
                       const struct numbering *numbering, uint32_t edge);

/* Returns whether the edge has a non-zero increment. Executions of edges with increments are the
 * paper's hits. */
bool placement_hits(const struct placement *placement, const struct dag *dag, uint32_t edge);

/* Returns the number of hits predicted by these frequencies. */
uint64_t placement_cost(const struct placement *placement, const struct dag *dag,
                        const uint64_t *frequency);

/* Returns the number of edges with non-zero increments (the paper's static cost). */
uint32_t placement_count(const struct placement *placement, const struct dag *dag);

#endif
