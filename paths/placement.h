/* Where a procedure's probes go: increments on edges, and where a path is committed.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels may be shifted by potentials, increment(e) = label(e) + phi(from) - phi(to), without
 * changing the id of any path, because phi(ENTRY) = phi(EXIT) = 0. Choosing phi so that hot edges
 * get increment 0 is Ball and Larus' event counting when all paths are interesting: the edges of a
 * maximum spanning tree get 0. PSPP's labels have many zeroes of their own, which a tree destroys;
 * there phi starts both from the tree and from 0 and is improved vertex by vertex. What is more,
 * phi(EXIT) need not be 0 if the commit adds it (`base`): then the tree can hold the whole hottest
 * path, on which nothing at all is added up.
 *
 * Potentials, increments and sums on the way are modulo 2^64, as the probes add: what a path adds up
 * in the end is its id, which is below that.
 *
 * A path ends, and is committed, when it enters a stop vertex. That is EXIT; with early commits
 * also every vertex that has one way on to EXIT, provided that nothing on that way could leave the
 * procedure for good. Behind a stop vertex there are no probes. Uninteresting edges to a stop
 * vertex do not commit, and where no commit can follow, nothing is added up.
 */
#ifndef PATHS_PLACEMENT_H
#define PATHS_PLACEMENT_H

#include "paths/numbering.h"

enum placement_kind {
    PLACEMENT_AS_NUMBERED, /* phi = 0: the labels as the numbering has them */
    PLACEMENT_TREE,        /* event counting */
    PLACEMENT_BEST,        /* the better of both starts, improved; a base; early commits */
};

struct placement {
    int64_t *increment; /* by edge */
    int64_t base;       /* what a commit adds to the sum of all increments */
    bool *stop;         /* by vertex */
    bool *live;         /* by vertex: a commit can follow */
};

/* `calls` tells of each block whether control may leave the procedure in it; NULL: in none. */
void placement_make(struct placement *placement, const struct dag *dag,
                    const struct numbering *numbering, const uint64_t *frequency,
                    const struct graph_block *blocks, enum placement_kind kind);

/* Which vertices end a path, without anything else of a placement. */
void placement_find_stops(bool *stop, const struct dag *dag, const struct graph_block *blocks,
                          bool early);
void placement_free(struct placement *placement);

/* Is the path committed on this edge? If so, the increment is part of the commit. */
bool placement_commits(const struct placement *placement, const struct dag *dag,
                       const struct numbering *numbering, uint32_t edge);

/* Does the edge have a non-zero increment? Executions of such edges are the paper's hits. */
bool placement_hits(const struct placement *placement, const struct dag *dag, uint32_t edge);

/* The hits that these frequencies promise. */
uint64_t placement_cost(const struct placement *placement, const struct dag *dag,
                        const uint64_t *frequency);

/* The number of edges that hit: the paper's static cost. */
uint32_t placement_count(const struct placement *placement, const struct dag *dag);

#endif
