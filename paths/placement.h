/* Places a procedure's probes: increments on edges, and commits of paths.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels may be shifted by potentials, increment(e) = label(e) + phi(from) - phi(to), without
 * changing the id of any path, because phi(ENTRY) = phi(EXIT) = 0. If all paths are interesting,
 * phi is chosen so that hot edges get increment 0. This choice is Ball and Larus' event counting:
 * the edges of a maximum spanning tree get 0. PSPP's labels contain many zeroes, which a tree would
 * destroy. Therefore phi is computed from two starts, the tree and 0, and is improved vertex by
 * vertex. Moreover, phi(EXIT) need not be 0 if the end of the path adds it (`base`). The tree can
 * then contain the whole hottest path, on which nothing is added.
 *
 * Potentials, increments and intermediate sums are modulo 2^64, as in the probes: a path's final
 * sum is its id, which is below that.
 *
 * A commit counts a finished path. A path is committed when it enters a stop vertex: EXIT, and,
 * with early commits, vertices with a single way to EXIT on which control cannot leave the
 * procedure. After a stop vertex there are no probes. An uninteresting edge to a stop vertex does
 * not commit a path. Edges after which no commit can follow add nothing.
 */
#ifndef PATHS_PLACEMENT_H
#define PATHS_PLACEMENT_H

#include "paths/numbering.h"

enum placement_kind {
    PLACEMENT_AS_NUMBERED, /* phi = 0: the labels of the numbering */
    PLACEMENT_TREE,        /* event counting */
    PLACEMENT_BEST,        /* the better result of the two starts; a base; early commits */
};

struct placement {
    int64_t *increment; /* by edge */
    int64_t base;       /* number that the end of a path adds to the sum of all increments */
    bool *stop;         /* by vertex */
    bool *live;         /* by vertex: a path can be committed after it */
};

/* `calls` is true for blocks in which control may leave the procedure; NULL: for none. */
void placement_make(struct placement *placement, const struct dag *dag,
                    const struct numbering *numbering, const uint64_t *frequency,
                    const struct graph_block *blocks, enum placement_kind kind);

/* The vertices that end a path, without the rest of a placement. */
void placement_find_stops(bool *stop, const struct dag *dag, const struct graph_block *blocks,
                          bool early);
void placement_free(struct placement *placement);

/* True if the path is committed on this edge. The increment is then part of the commit. */
bool placement_commits(const struct placement *placement, const struct dag *dag,
                       const struct numbering *numbering, uint32_t edge);

/* True if the edge has a non-zero increment. Executions of such edges are the paper's hits. */
bool placement_hits(const struct placement *placement, const struct dag *dag, uint32_t edge);

/* The hits predicted by these frequencies. */
uint64_t placement_cost(const struct placement *placement, const struct dag *dag,
                        const uint64_t *frequency);

/* The number of edges with hits: the paper's static cost. */
uint32_t placement_count(const struct placement *placement, const struct dag *dag);

#endif
