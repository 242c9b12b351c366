/* Call edges: caller, callee, site, number of calls and cost.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An edge is a caller, a callee and a site: the front end's number for a piece of code whose last
 * instruction calls. Most sites always call one routine, so the latest edge of each site is cached:
 * a call costs two comparisons, and a return three additions.
 *
 * Recursion. A call adds to the cost of its edge only if no activation of the callee is pending
 * below it. Therefore the costs of all edges to a routine, and of its activations without caller,
 * add up to the routine's cost. Recursive activations also count once in the routine's cost.
 * Example: main calls f (cost 10), which calls itself (cost 4): main -> f 1 call, cost 10; f -> f 1
 * call, cost 0.
 *
 * A signal handler that jumps away may leave a table at any instruction, and the table stays in
 * use: an edge may then exist twice, with equal caller, callee and site.
 */
#ifndef POINTS_EDGES_H
#define POINTS_EDGES_H

#include "ground/record_schema.h"
#include "points/routine.h"

struct routine_profile;

struct call_edge {
    struct routine *caller, *callee;
    uint32_t site;
    uint32_t exec_context;            /* number of the execution context of the latest call */
    struct routine_profile *profile;  /* the callee's profile in this execution context */
    RECORD_EDGE_COUNTS(RECORD_MEMBER) /* cost: of the outermost activations of the callee */
};

#define EDGE_NONE 0 /* collects calls without an edge */

/* A table of zeros is empty; edge_table_start must be called before use. */
struct edge_table {
    struct call_edge *edges; /* by number; edges[EDGE_NONE] is no edge */
    uint32_t n_edges, capacity;
    uint32_t *index; /* open addressing: numbers, 0 = free */
    uint32_t index_mask;
    uint32_t *latest; /* by site: the latest edge */
    uint32_t n_latest;
};

void edge_table_start(struct edge_table *table);
void edge_table_free(struct edge_table *table);

/* Clears the counts. Edges keep their numbers, because pending activations refer to them. */
void edge_table_clear(struct edge_table *table);

/* The latest edge of the site, or none. */
APROF_INLINE uint32_t edge_table_latest(const struct edge_table *table, uint32_t site)
{
    return LIKELY(site < table->n_latest) ? table->latest[site] : EDGE_NONE;
}

/* Slow path of edge_table_get. */
uint32_t edge_table_find(struct edge_table *table, struct routine *caller, struct routine *callee,
                         uint32_t site);

/* Returns the number of the edge, which is created if it does not exist. */
APROF_INLINE uint32_t edge_table_get(struct edge_table *table, struct routine *caller,
                                     struct routine *callee, uint32_t site)
{
    uint32_t latest = edge_table_latest(table, site);
    const struct call_edge *edge = &table->edges[latest];
    if (LIKELY(edge->callee == callee && edge->caller == caller))
        return latest;
    return edge_table_find(table, caller, callee, site);
}

#endif
