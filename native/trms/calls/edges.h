/* Call edges of the compiled-in TRMS: each execution context counts its edges separately.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * points/edges.h defines an edge. In the compiled-in TRMS, a call site is a return address, which
 * the entry hook receives. Execution contexts share no data, so each context numbers the sites
 * separately. The world renumbers sites when it gathers the counts.
 */
#ifndef NATIVE_TRMS_CALLS_EDGES_H
#define NATIVE_TRMS_CALLS_EDGES_H

#include "native/trms/state.h"
#include "points/edges.h"

/* Numbered return addresses. A table of zeros is empty. */
struct trms_sites {
    uintptr_t *address;
    uint32_t n, capacity;
    uint32_t *index; /* hash index, open addressing: number + 1, 0 = free */
    uint32_t index_mask;
};

/* An entry of a cache of call sites: the site's latest edge. The site's address selects the
 * entry. */
struct trms_known_edge {
    uintptr_t site;
    uint32_t edge;
};

struct trms_edges {
    struct edge_table table;
    struct trms_sites sites;
    struct trms_known_edge known[TRMS_KNOWN];
};

/* Returns a new table without edges. */
struct trms_edges *trms_edges_new(void);
void trms_edges_free(struct trms_edges *edges);

/* Adds the counts of an execution context to the world. The caller holds the world's lock. The
 * edges keep their numbers. */
void trms_edges_gather(struct trms_exec_context *ctx);

/* The slow path of trms_edge_of_call. */
uint32_t trms_edge_find(struct trms_edges *edges, struct routine *caller, struct routine *callee,
                        uintptr_t site);

/* HOT: returns the edge of a call of `callee` by the latest activation; the call returns to
 * `site`. */
APROF_INLINE uint32_t trms_edge_of_call(const struct trms_exec_context *ctx,
                                        const struct routine_profile *callee, uintptr_t site)
{
    struct trms_edges *edges = ctx->edges;
    const struct routine_profile *caller = ctx->activation->profile;
    const struct trms_known_edge *known = &edges->known[trms_known_slot(site)];
    if (UNLIKELY(!caller))
        return EDGE_NONE;
    const struct call_edge *edge = &edges->table.edges[known->edge];
    if (LIKELY(known->site == site && edge->callee == callee->routine &&
               edge->caller == caller->routine))
        return known->edge;
    return trms_edge_find(edges, caller->routine, callee->routine, site);
}

/* Adds ended activations that were called through this edge. */
APROF_INLINE void trms_edge_count(const struct trms_exec_context *ctx, uint32_t edge,
                                  uint64_t calls, uint64_t cost, uint64_t input)
{
    struct call_edge *counted = &ctx->edges->table.edges[edge];
    counted->calls += calls;
    counted->cost += cost;
    counted->input += input;
}

#endif
