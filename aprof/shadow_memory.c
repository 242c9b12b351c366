/* Three-level shadow tables: look-up, creation, and release of ranges.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The hot path of the engine does not come here: it remembers recently used chunks (state.h, struct
 * remembered_chunk). What is here runs once per chunk and remembering, or once per unmapped range.
 */
#include "aprof/shadow_memory.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

#define MIDDLE_BITS (sizeof(uintptr_t) == 8 ? 17 : 9)
#define TOP_BITS    (sizeof(uintptr_t) == 8 ? 16 : 9)
#define MIDDLE_MASK (((uint64_t)1 << MIDDLE_BITS) - 1)
#define TOP_BYTES   (sizeof(void *) << TOP_BITS)
#define MID_BYTES   (sizeof(void *) << MIDDLE_BITS)

#define FREE_CHUNKS 64 /* 4 MiB at most are kept for reuse */

uint32_t *shadow_find(const struct shadow_table *table, uint64_t index)
{
    if (!table->top)
        return NULL;
    struct shadow_chunk **middle = table->top[index >> MIDDLE_BITS];
    struct shadow_chunk *chunk = middle ? middle[index & MIDDLE_MASK] : NULL;
    return chunk ? chunk->cells : NULL;
}

static void list_append(struct shadow_table *table, struct shadow_chunk *chunk)
{
    table->list = array_grow("aprof.shadow.list", table->list, &table->capacity,
                             table->n_chunks + 1, sizeof(struct shadow_chunk *));
    chunk->position = table->n_chunks;
    table->list[table->n_chunks++] = chunk;
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
    memset(cells, 0, CHUNK_BYTES);
    pool->free[pool->n_free++] = cells;
}

uint32_t *shadow_make(struct shadow_table *table, struct chunk_pool *pool, uint64_t index)
{
    if (!table->top)
        table->top = host_map("aprof.shadow.top", pages_bytes(TOP_BYTES));
    struct shadow_chunk ***middle = &table->top[index >> MIDDLE_BITS];
    if (!*middle)
        *middle = host_map("aprof.shadow.middle", pages_bytes(MID_BYTES));
    struct shadow_chunk **chunk = &(*middle)[index & MIDDLE_MASK];
    if (*chunk)
        return (*chunk)->cells;
    *chunk = host_alloc("aprof.shadow.descriptor", sizeof(**chunk));
    (*chunk)->index = index;
    (*chunk)->cells = pool_take(pool);
    list_append(table, *chunk);
    return (*chunk)->cells;
}

static void remove_chunk(struct shadow_table *table, struct chunk_pool *pool,
                         struct shadow_chunk *chunk)
{
    struct shadow_chunk *last = table->list[--table->n_chunks];
    table->list[chunk->position] = last;
    last->position = chunk->position;
    table->top[chunk->index >> MIDDLE_BITS][chunk->index & MIDDLE_MASK] = NULL;
    pool_give(pool, chunk->cells);
    host_free(chunk);
}

/* The part of one chunk that [first, last] covers. */
static void clear_chunk(struct shadow_table *table, struct chunk_pool *pool,
                        struct shadow_chunk *chunk, uint64_t first, uint64_t last)
{
    uint64_t begin = chunk->index << CHUNK_CELLS_LOG2, end = begin + CHUNK_CELLS - 1;
    if (first <= begin && last >= end) {
        remove_chunk(table, pool, chunk);
        return;
    }
    if (first < begin)
        first = begin;
    if (last > end)
        last = end;
    memset(chunk->cells + CELL_IN_CHUNK(first), 0, (size_t)(last - first + 1) * sizeof(uint32_t));
}

void shadow_clear(struct shadow_table *table, struct chunk_pool *pool, uint64_t first,
                  uint64_t last)
{
    uint64_t from = first >> CHUNK_CELLS_LOG2, to = last >> CHUNK_CELLS_LOG2;
    if (!table->top)
        return;
    if (to - from >= table->n_chunks) {
        for (uint32_t i = table->n_chunks; i-- > 0;) {
            struct shadow_chunk *chunk = table->list[i];
            if (chunk->index >= from && chunk->index <= to)
                clear_chunk(table, pool, chunk, first, last);
        }
        return;
    }
    for (uint64_t index = from; index <= to; index++) {
        struct shadow_chunk **middle = table->top[index >> MIDDLE_BITS];
        if (middle && middle[index & MIDDLE_MASK])
            clear_chunk(table, pool, middle[index & MIDDLE_MASK], first, last);
    }
}

void shadow_release(struct shadow_table *table, struct chunk_pool *pool)
{
    if (!table->top)
        return;
    while (table->n_chunks)
        remove_chunk(table, pool, table->list[table->n_chunks - 1]);
    for (uint64_t i = 0; i < (uint64_t)1 << TOP_BITS; i++)
        if (table->top[i])
            host_unmap(table->top[i], pages_bytes(MID_BYTES));
    host_unmap(table->top, pages_bytes(TOP_BYTES));
    host_free(table->list);
    memset(table, 0, sizeof(*table));
}

void chunk_pool_free(struct chunk_pool *pool)
{
    while (pool->n_free)
        host_unmap(pool->free[--pool->n_free], CHUNK_BYTES);
    host_free(pool->free);
    pool->free = NULL;
}
