/* The acyclic graph of a procedure, whose paths from ENTRY to EXIT are profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ball and Larus' construction. The vertices are the blocks and the virtual ENTRY and EXIT. A back
 * edge u->h of a depth-first search becomes u->EXIT, and one ENTRY->h is added per h. One path ends
 * at the back edge, and the next path starts. Irreducible loops are therefore not a special case.
 * Edges marked as cuts are replaced like back edges.
 *
 *     for (;;) { if (a) b; else c; }     blocks 0 -> 1; 1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 1
 *     becomes  ENTRY -> 0 -> 1, ENTRY -> 1, 1 -> 2 -> 4, 1 -> 3 -> 4, 4 -> EXIT: four paths.
 *
 * If a vertex would have more paths to EXIT than the limit allows, its edge to the vertex with most
 * paths is cut like a back edge (and counted as a cut). Unreachable blocks are omitted.
 */
#ifndef PATHS_DAG_H
#define PATHS_DAG_H

#include "paths/graph.h"

/* Ids have 64 bits, and so have sums of two ids. */
#define DAG_DEFAULT_LIMIT ((uint64_t)1 << 62)

enum dag_kind {
    DAG_ENTER,   /* ENTRY -> block 0: a call */
    DAG_RESTART, /* ENTRY -> block: after a back edge or a cut */
    DAG_FLOW,    /* an edge of the control-flow graph */
    DAG_BREAK,   /* block -> EXIT: at a back edge or a cut */
    DAG_RETURN,  /* block -> EXIT: a block without successors */
};

struct dag_edge {
    uint32_t from, to;
    enum dag_kind kind;
    uint32_t origin; /* FLOW, BREAK: the edge of the graph. For other kinds of edges, the block. */
};

struct dag {
    uint32_t vertex_count; /* blocks, then ENTRY, then EXIT */
    uint32_t entry, exit;
    VECTOR(struct dag_edge) edges;
    uint32_t *order; /* the vertices that can be reached, topologically: ENTRY first, EXIT last */
    uint32_t order_count;
    uint32_t *out_first, *out; /* edges out of v: out[out_first[v] .. out_first[v + 1]) */
    uint32_t *in_first, *in;
    uint64_t *suffixes; /* number of paths from v to EXIT; for ENTRY, of all paths */
    uint32_t cuts;      /* edges cut because of the limit */
};

/* False, with an empty dag, if no cut brings the number of paths below the limit. */
bool dag_make(struct dag *dag, const struct graph *graph, uint64_t limit);

/* For graphs that are acyclic already, in tests and examples: all edges are FLOW. */
void dag_make_plain(struct dag *dag, uint32_t vertex_count, uint32_t entry, uint32_t exit,
                    const uint32_t (*edges)[2], uint32_t edge_count);

void dag_free(struct dag *dag);

/* Marks the edges that are on some path from ENTRY to EXIT with only edges in `among` (NULL:
 * all). `among` and `marked` may be one array. */
void dag_mark_paths(const struct dag *dag, const bool *among, bool *marked);

#endif
