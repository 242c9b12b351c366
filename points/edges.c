/* Call edges; see edges.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/edges.h"
#include "ground/array.h"
#include "ground/host.h"

#define FIRST_EDGES 64

/* The numbers of routines may differ between runs. The order of slots in the index then also
 * differs, but the edges are the same. */
static uint32_t hash(const struct routine *caller, const struct routine *callee, uint32_t site)
{
    uint64_t key = ((uint64_t)caller->id << 32 ^ callee->id) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((key ^ site) * 0xbf58476d1ce4e5b9u >> 32);
}

static void index_insert(uint32_t *index, uint32_t mask, const struct call_edge *edge,
                         uint32_t number)
{
    uint32_t slot = hash(edge->caller, edge->callee, edge->site) & mask;
    while (index[slot])
        slot = (slot + 1) & mask;
    index[slot] = number;
}

/* A signal handler may jump away before the mask is replaced. Searches in the new index with the
 * old mask then miss most edges. But the next call enlarges the index again, because table_grow()
 * raises the capacity of the table last. */
static void index_grow(struct edge_table *table, uint32_t slots)
{
    uint32_t *index = host_alloc("aprof.edges.index", slots * sizeof(*index));
    for (uint32_t i = 1; i < table->n_edges; i++)
        index_insert(index, slots - 1, &table->edges[i], i);
    index_replace(&table->index, &table->index_mask, index, slots);
}

static void table_grow(struct edge_table *table)
{
    uint32_t capacity = table->capacity ? 2 * table->capacity : FIRST_EDGES;
    index_grow(table, 2 * capacity);
    array_grow_whole("aprof.edges", &table->edges, &table->capacity, capacity,
                     sizeof(*table->edges));
}

void edge_table_start(struct edge_table *table)
{
    table_grow(table);
    table->n_edges = 1;
}

void edge_table_free(struct edge_table *table)
{
    host_free(table->edges);
    host_free(table->index);
    host_free(table->latest);
}

void edge_table_clear(struct edge_table *table)
{
    for (uint32_t i = 0; i < table->n_edges; i++)
        RECORD_CLEAR(RECORD_EDGE_COUNTS, &table->edges[i]);
}

/* Invariant: the index contains only complete edges. Therefore the table is written before the
 * index. */
static uint32_t edge_append(struct edge_table *table, struct routine *caller,
                            struct routine *callee, uint32_t site)
{
    if (table->n_edges == table->capacity)
        table_grow(table);
    uint32_t number = table->n_edges;
    struct call_edge *edge = &table->edges[number];
    *edge = (struct call_edge){.caller = caller, .callee = callee, .site = site};
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    table->n_edges = number + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    index_insert(table->index, table->index_mask, edge, number);
    return number;
}

static uint32_t edge_search(struct edge_table *table, struct routine *caller,
                            struct routine *callee, uint32_t site)
{
    uint32_t slot = hash(caller, callee, site) & table->index_mask;
    for (; table->index[slot]; slot = (slot + 1) & table->index_mask) {
        const struct call_edge *edge = &table->edges[table->index[slot]];
        if (edge->caller == caller && edge->callee == callee && edge->site == site)
            return table->index[slot];
    }
    return edge_append(table, caller, callee, site);
}

APROF_NOINLINE uint32_t edge_table_find(struct edge_table *table, struct routine *caller,
                                        struct routine *callee, uint32_t site)
{
    uint32_t number = edge_search(table, caller, callee, site);
    array_grow_whole("aprof.edges.latest", &table->latest, &table->n_latest, site + 1,
                     sizeof(number));
    table->latest[site] = number;
    return number;
}
