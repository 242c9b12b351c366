/* Call edges of the compiled-in TRMS; see edges.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/edges.h"
#include "ground/array.h"
#include "ground/host.h"

#define FIRST_SITES 64

/* ---------------------------------------------------------------- sites */

static uint32_t *slot_of_site(const uintptr_t *sites, uint32_t *index, uint32_t mask,
                              uintptr_t address)
{
    uint32_t at = (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (index[at] && sites[index[at] - 1] != address)
        at = (at + 1) & mask;
    return &index[at];
}

/* Installs a larger index of sites. The new index is stored before its mask, as in points/edges.c.
 * Between the two stores, a search with the old mask finds only some of the sites. */
static void index_grow(struct trms_sites *sites, uint32_t slots)
{
    uint32_t *index = host_alloc("aprof.trms.sites.index", slots * sizeof(*index));
    for (uint32_t i = 0; i < sites->n; i++)
        *slot_of_site(sites->address, index, slots - 1, sites->address[i]) = i + 1;
    index_replace(&sites->index, &sites->index_mask, index, slots);
}

static void sites_grow(struct trms_sites *sites)
{
    uint32_t capacity = sites->capacity ? 2 * sites->capacity : FIRST_SITES;
    index_grow(sites, 2 * capacity);
    array_grow_whole("aprof.trms.sites", &sites->address, &sites->capacity, capacity,
                     sizeof(*sites->address));
}

/* Returns the number of a site. If a signal handler jumps out of this function, a site may get a
 * second number, with other edges. */
static uint32_t site_number(struct trms_sites *sites, uintptr_t address)
{
    if (sites->n == sites->capacity)
        sites_grow(sites);
    uint32_t *slot = slot_of_site(sites->address, sites->index, sites->index_mask, address);
    if (!*slot) {
        sites->address[sites->n] = address;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        sites->n++;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        *slot = sites->n;
    }
    return *slot - 1;
}

/* ---------------------------------------------------------------- edges */

struct trms_edges *trms_edges_new(void)
{
    struct trms_edges *edges = host_alloc("aprof.trms.edges", sizeof(*edges));
    edge_table_start(&edges->table);
    return edges;
}

void trms_edges_free(struct trms_edges *edges)
{
    if (!edges)
        return;
    edge_table_free(&edges->table);
    host_free(edges->sites.address);
    host_free(edges->sites.index);
    host_free(edges);
}

APROF_NOINLINE uint32_t trms_edge_find(struct trms_edges *edges, struct routine *caller,
                                       struct routine *callee, uintptr_t site)
{
    uint32_t edge = edge_table_get(&edges->table, caller, callee, site_number(&edges->sites, site));
    struct trms_known_edge *known = &edges->known[trms_known_slot(site)];
    known->site = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    known->edge = edge;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    known->site = site;
    return edge;
}

void trms_edges_gather(struct trms_exec_context *ctx)
{
    struct trms_edges *from = ctx->edges, *to = ctx->world->edges;
    if (!from)
        return;
    for (uint32_t i = EDGE_NONE + 1; i < from->table.n_edges; i++) {
        const struct call_edge *edge = &from->table.edges[i];
        if (!edge->calls)
            continue;
        uint32_t site = site_number(&to->sites, from->sites.address[edge->site]);
        /* The edge's address is computed after this call, because a new edge may move the table. */
        uint32_t number = edge_table_get(&to->table, edge->caller, edge->callee, site);
        struct call_edge *sum = &to->table.edges[number];
        RECORD_ADD(RECORD_EDGE_COUNTS, sum, edge);
    }
    edge_table_clear(&from->table);
}
