/* Shadow tables: a 32-bit stamp for each memory cell that was touched.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A cell number is an address divided by the resolution. Its upper bits number a chunk of
 * CHUNK_CELLS stamps. Chunks exist for touched memory only, and being lazily zeroed pages they cost
 * what is touched of them.
 *
 * A table lists its chunks, so that a walk visits what exists and nothing else, and finds them by
 * a hash once they are not few. The look-up table of paper 003, section 5, has three levels instead
 * and costs as much time, but a table of one cell takes pages of each level; here it takes 64 KiB
 * of addresses and one page. Who has so many tables that this is too much begins with
 * shadow_lines.h.
 */
#ifndef APROF_SHADOW_MEMORY_H
#define APROF_SHADOW_MEMORY_H

#include "ground/basics.h"

#define CHUNK_CELLS_LOG2 14
#define CHUNK_CELLS      (1u << CHUNK_CELLS_LOG2)
#define CHUNK_BYTES      (CHUNK_CELLS * sizeof(uint32_t))
#define CELL_IN_CHUNK(c) ((uint32_t)(c) & (CHUNK_CELLS - 1))

/* User-space addresses; higher ones (the vsyscall page) are folded in. */
#define ADDRESS_MASK (sizeof(uintptr_t) == 8 ? (uint64_t)0x7fffffffffff : (uint64_t)0xffffffff)

struct shadow_chunk {
    uint64_t index;  /* first cell / CHUNK_CELLS */
    uint32_t *cells; /* CHUNK_CELLS stamps, 0 = never */
};

struct shadow_table {
    struct shadow_chunk *list;
    uint32_t *places; /* by hash of index: position in the list + 1, or 0; NULL while few */
    uint32_t n_chunks;
    uint32_t capacity;
    uint32_t mask; /* of places */
};

/* Chunks given back, zeroed, for the next table that needs one. Shared by all tables of an engine.
 */
struct chunk_pool {
    uint32_t **free; /* FREE_CHUNKS of them */
    uint32_t n_free;
    uint64_t n_live;
};

/* The chunk's stamps, or NULL where nothing was touched yet. O(1). */
uint32_t *shadow_find(const struct shadow_table *table, uint64_t index);

/* The chunk's stamps, made (all 0) if they do not exist. */
uint32_t *shadow_make(struct shadow_table *table, struct chunk_pool *pool, uint64_t index);

/* Sets the stamps of cells [first, last] to 0; chunks that are covered whole are given back. Costs
 * no more than the chunks that exist, however wide the range. */
void shadow_clear(struct shadow_table *table, struct chunk_pool *pool, uint64_t first,
                  uint64_t last);

/* Gives every chunk back; the table can be used again. */
void shadow_release(struct shadow_table *table, struct chunk_pool *pool);

/* Gives back all that pooled chunks hold. */
void chunk_pool_free(struct chunk_pool *pool);

#endif
