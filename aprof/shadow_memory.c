/* Shadow tables: look-up, creation, and release of ranges.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine's hot path rarely calls this file, because the engine remembers recently used chunks
 * (struct remembered_chunk in state.h). The functions of this file run when a chunk is remembered,
 * or when a range is unmapped.
 */
#include "aprof/shadow_memory.h"
#include "ground/array.h"
#include "ground/host.h"

#define PAGE_CELLS  (4096 / sizeof(uint32_t))
#define GROUP_CELLS 16 /* number of cells that are tested at once */
#define FREE_CHUNKS 64 /* at most this number of chunks (4 MiB) is kept for reuse */

#define FEW_CHUNKS 8 /* up to this number of chunks, a table is searched linearly */

#define NOWHERE (~(uint32_t)0)

/* ---------------------------------------------------------------- places */

static uint32_t home_of(const struct shadow_table *table, uint64_t index)
{
    return (uint32_t)((index * 0x9e3779b97f4a7c15u) >> 32) & table->mask;
}

/* Returns the position of the chunk in the hash table, or the free position for the chunk. */
static uint32_t place_of(const struct shadow_table *table, uint64_t index)
{
    uint32_t at = home_of(table, index);
    while (table->places[at] && table->list[table->places[at] - 1].index != index)
        at = (at + 1) & table->mask;
    return at;
}

/* Makes a hash table in which at least half of the positions are free. */
static void places_make(struct shadow_table *table)
{
    host_free(table->places);
    table->mask = 2 * table->capacity - 1;
    table->places = host_alloc("aprof.shadow.places", 2 * table->capacity * sizeof(uint32_t));
    for (uint32_t i = 0; i < table->n_chunks; i++)
        table->places[place_of(table, table->list[i].index)] = i + 1;
}

/* Frees the position `hole` of the hash table. A later entry moves into the hole if the search for
 * this entry would end at the hole; the entry's old position is the next hole. */
static void place_clear(struct shadow_table *table, uint32_t hole)
{
    for (uint32_t at = (hole + 1) & table->mask; table->places[at]; at = (at + 1) & table->mask) {
        uint32_t home = home_of(table, table->list[table->places[at] - 1].index);
        if (((at - home) & table->mask) < ((at - hole) & table->mask))
            continue;
        table->places[hole] = table->places[at];
        hole = at;
    }
    table->places[hole] = 0;
}

/* ---------------------------------------------------------------- the list */

static uint32_t position_of(const struct shadow_table *table, uint64_t index)
{
    if (table->places)
        return table->places[place_of(table, index)] - 1; /* 0: NOWHERE */
    for (uint32_t i = 0; i < table->n_chunks; i++)
        if (table->list[i].index == index)
            return i;
    return NOWHERE;
}

uint32_t *shadow_find(const struct shadow_table *table, uint64_t index)
{
    uint32_t position = position_of(table, index);
    return position == NOWHERE ? NULL : table->list[position].cells;
}

static void list_append(struct shadow_table *table, struct shadow_chunk chunk)
{
    uint32_t capacity = table->capacity;
    table->list = array_grow("aprof.shadow.list", table->list, &table->capacity,
                             table->n_chunks + 1, sizeof(*table->list));
    table->list[table->n_chunks++] = chunk;
    if (table->n_chunks > FEW_CHUNKS && (!table->places || table->capacity != capacity))
        places_make(table);
    else if (table->places)
        table->places[place_of(table, chunk.index)] = table->n_chunks;
}

/* Removes a chunk from the list; the last chunk moves to its position. */
static void list_remove(struct shadow_table *table, uint32_t position)
{
    struct shadow_chunk last = table->list[table->n_chunks - 1];
    uint32_t hole = table->places ? place_of(table, table->list[position].index) : 0;
    if (table->places)
        table->places[place_of(table, last.index)] = position + 1;
    table->list[position] = last;
    if (table->places)
        place_clear(table, hole);
    table->n_chunks--;
}

/* ---------------------------------------------------------------- chunks */

typedef uint64_t four_cells __attribute__((vector_size(16), aligned(4), may_alias));

/* Returns whether GROUP_CELLS cells are 0. */
APROF_INLINE bool group_is_clear(const uint32_t *cells)
{
    const four_cells *four = (const four_cells *)cells;
    four_cells all = (four[0] | four[1]) | (four[2] | four[3]);
    return !(all[0] | all[1]);
}

/* Sets timestamps to 0. Pages that were never written stay unallocated, because the function writes
 * only to pages with other values than 0. */
static void clear_cells(uint32_t *cells, size_t n)
{
    for (size_t from = 0; from < n; from += PAGE_CELLS) {
        size_t to = n - from < PAGE_CELLS ? n : from + PAGE_CELLS, at = from;
        while (to - at >= GROUP_CELLS && group_is_clear(&cells[at]))
            at += GROUP_CELLS;
        while (at < to && !cells[at])
            at++;
        memset(cells + at, 0, (to - at) * sizeof(uint32_t));
    }
}

static uint32_t *pool_take(struct chunk_pool *pool)
{
    pool->n_live++;
    if (pool->n_free)
        return pool->free[--pool->n_free];
    return host_map("aprof.shadow.chunk", CHUNK_BYTES);
}

static void pool_give(struct chunk_pool *pool, uint32_t *cells)
{
    pool->n_live--;
    if (!pool->free)
        pool->free = host_alloc("aprof.shadow.pool", FREE_CHUNKS * sizeof(*pool->free));
    if (pool->n_free == FREE_CHUNKS) {
        host_unmap(cells, CHUNK_BYTES);
        return;
    }
    clear_cells(cells, CHUNK_CELLS);
    pool->free[pool->n_free++] = cells;
}

uint32_t *shadow_make(struct shadow_table *table, struct chunk_pool *pool, uint64_t index)
{
    uint32_t *cells = shadow_find(table, index);
    if (cells)
        return cells;
    cells = pool_take(pool);
    list_append(table, (struct shadow_chunk){index, cells});
    return cells;
}

/* Clears the part of [first, last] in one chunk. */
static void clear_chunk(struct shadow_table *table, struct chunk_pool *pool, uint32_t position,
                        uint64_t first, uint64_t last)
{
    struct shadow_chunk chunk = table->list[position];
    uint64_t begin = chunk.index << CHUNK_CELLS_LOG2, end = begin + CHUNK_CELLS - 1;
    if (first <= begin && last >= end) {
        list_remove(table, position);
        pool_give(pool, chunk.cells);
        return;
    }
    if (first < begin)
        first = begin;
    if (last > end)
        last = end;
    clear_cells(chunk.cells + CELL_IN_CHUNK(first), (size_t)(last - first + 1));
}

void shadow_clear(struct shadow_table *table, struct chunk_pool *pool, uint64_t first,
                  uint64_t last)
{
    uint64_t from = first >> CHUNK_CELLS_LOG2, to = last >> CHUNK_CELLS_LOG2;
    if (to - from >= table->n_chunks) {
        for (uint32_t i = table->n_chunks; i-- > 0;)
            if (table->list[i].index >= from && table->list[i].index <= to)
                clear_chunk(table, pool, i, first, last);
        return;
    }
    for (uint64_t index = from; index <= to; index++) {
        uint32_t position = position_of(table, index);
        if (position != NOWHERE)
            clear_chunk(table, pool, position, first, last);
    }
}

void shadow_release(struct shadow_table *table, struct chunk_pool *pool)
{
    for (uint32_t i = 0; i < table->n_chunks; i++)
        pool_give(pool, table->list[i].cells);
    host_free(table->list);
    host_free(table->places);
    memset(table, 0, sizeof(*table));
}

void chunk_pool_free(struct chunk_pool *pool)
{
    while (pool->n_free)
        host_unmap(pool->free[--pool->n_free], CHUNK_BYTES);
    host_free(pool->free);
    pool->free = NULL;
}
