/* The acyclic graph of a procedure; the paths from ENTRY to EXIT are profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The construction is Ball and Larus's. The vertices are the blocks and the virtual ENTRY and EXIT.
 * A back edge u->h of a depth-first search becomes u->EXIT, and one edge ENTRY->h is added for each
 * h. One path ends at the back edge, and the next path starts there. Irreducible loops are no
 * special case, because a depth-first search finds the back edges of any graph. Edges marked as
 * cuts are replaced like back edges.
 *
 *     for (;;) { if (a) b; else c; }     blocks 0 -> 1; 1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 1
 *     becomes  ENTRY -> 0 -> 1, ENTRY -> 1, 1 -> 2 -> 4, 1 -> 3 -> 4, 4 -> EXIT: four paths.
 *
 * If a vertex would have more paths to EXIT than the limit allows, its edge to the vertex with the
 * most paths to EXIT is cut. A cut edge is replaced like a back edge, and counted in dag->cuts.
 * Unreachable blocks are omitted.
 */
#ifndef PATHS_DAG_H
#define PATHS_DAG_H

#include "paths/graph.h"

/* Path ids have 64 bits, and sums of two ids must also fit into 64 bits. */
#define DAG_DEFAULT_LIMIT ((uint64_t)1 << 62)

enum dag_kind {
    DAG_ENTER,   /* ENTRY -> block 0: a call */
    DAG_RESTART, /* ENTRY -> the block to which a back edge or a cut leads */
    DAG_FLOW,    /* an edge of the control-flow graph */
    DAG_BREAK,   /* block -> EXIT at a back edge or a cut */
    DAG_RETURN,  /* block -> EXIT: a block without successors */
};

struct dag_edge {
    uint32_t from, to;
    enum dag_kind kind;
    /* for FLOW and BREAK, the edge of the graph; for other kinds of edges, the block */
    uint32_t origin;
};

struct dag {
    uint32_t vertex_count; /* number of blocks, plus ENTRY and EXIT */
    uint32_t entry, exit;
    VECTOR(struct dag_edge) edges;
    uint32_t *order; /* reachable vertices in topological order: ENTRY first, EXIT last */
    uint32_t order_count;
    uint32_t *out_first, *out; /* the edges out of v begin at out[out_first[v]] */
    uint32_t *in_first, *in;
    uint64_t *suffixes; /* number of paths from v to EXIT; for ENTRY, number of all paths */
    uint32_t cuts;      /* number of edges that were cut because of the limit */
};

/* Makes the dag of a graph. If cuts cannot reduce the number of paths to the limit, returns false
 * and makes an empty dag. */
bool dag_make(struct dag *dag, const struct graph *graph, uint64_t limit);

/* Makes a dag, for tests and examples, from a graph that is already acyclic; all edges are FLOW. */
void dag_make_plain(struct dag *dag, uint32_t vertex_count, uint32_t entry, uint32_t exit,
                    const uint32_t (*edges)[2], uint32_t edge_count);

void dag_free(struct dag *dag);

/* Marks the edges of all paths from ENTRY to EXIT that have only edges in `among` (NULL: of all
 * paths). `among` and `marked` may be the same array. */
void dag_mark_paths(const struct dag *dag, const bool *among, bool *marked);

#endif
