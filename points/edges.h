/* Call edges: caller, callee, site, number of calls and cost.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An edge is a caller, a callee and a site. A site is the front end's number for a piece of code
 * that ends with a call. Most sites always call the same routine. The latest edge of each site is
 * cached. Therefore, a call usually needs only two comparisons to find its edge, and a return needs
 * three additions.
 *
 * Recursion. A call adds to the cost of its edge only if no older activation of the callee is
 * pending. Therefore the cost of a routine is the sum of two parts: the costs of all edges to the
 * routine, and the cost of those activations of the routine that have no caller. The routine's
 * cost, too, counts recursive activations only once. Example: main calls f (cost 10), and f calls
 * itself (cost 4). The edge main -> f has 1 call and cost 10; the edge f -> f has 1 call and cost
 * 0.
 *
 * A signal handler may interrupt a table operation at any instruction and jump away; the table
 * stays in use. So an edge may exist twice, with equal caller, callee and site.
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
    struct routine_profile *profile;  /* profile of the callee in this execution context */
    RECORD_EDGE_COUNTS(RECORD_MEMBER) /* `cost`: cost of the callee's outermost activations */
};

#define EDGE_NONE 0 /* number of the entry that collects calls without an edge */

/* A table of zeros is empty; edge_table_start must be called before the first use. */
struct edge_table {
    struct call_edge *edges; /* edges by number; edges[EDGE_NONE] is no real edge */
    uint32_t n_edges, capacity;
    uint32_t *index; /* hash index, open addressing: numbers, 0 = free */
    uint32_t index_mask;
    uint32_t *latest; /* latest edge of each site */
    uint32_t n_latest;
};

void edge_table_start(struct edge_table *table);
void edge_table_free(struct edge_table *table);

/* Clears the counts. Edges keep their numbers, because pending activations refer to them. */
void edge_table_clear(struct edge_table *table);

/* Returns the latest edge of the site, or EDGE_NONE. */
APROF_INLINE uint32_t edge_table_latest(const struct edge_table *table, uint32_t site)
{
    return LIKELY(site < table->n_latest) ? table->latest[site] : EDGE_NONE;
}

/* Slow path of edge_table_get. */
uint32_t edge_table_find(struct edge_table *table, struct routine *caller, struct routine *callee,
                         uint32_t site);

/* Returns the number of the edge; creates the edge if it does not exist. */
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
