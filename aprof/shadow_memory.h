/* Shadow tables hold a 32-bit timestamp for each accessed memory cell.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A cell number is an address divided by the resolution. The upper bits of a cell number are the
 * number of a chunk of CHUNK_CELLS timestamps. Chunks exist only for accessed memory. The pages of
 * chunks take memory only when they are touched.
 *
 * A table lists its chunks, so that a walk visits only existing chunks. A table with many chunks
 * finds a chunk by a hash. The three-level table of paper 003, section 5, is as fast, but even a
 * table with one cell takes a page in each level. In a shadow table, one cell takes 64 KiB of
 * addresses and one page. In programs with very many tables, even one page for each table is too
 * much. So an execution context begins with lines (shadow_lines.h), and gets tables later.
 */
#ifndef APROF_SHADOW_MEMORY_H
#define APROF_SHADOW_MEMORY_H

#include "ground/basics.h"

#define CHUNK_CELLS_LOG2 14
#define CHUNK_CELLS      (1u << CHUNK_CELLS_LOG2)
#define CHUNK_BYTES      (CHUNK_CELLS * sizeof(uint32_t))
#define CELL_IN_CHUNK(c) ((uint32_t)(c) & (CHUNK_CELLS - 1))

/* The mask of user-space addresses; higher addresses (the vsyscall page) are reduced to this
 * range. */
#define ADDRESS_MASK (sizeof(uintptr_t) == 8 ? (uint64_t)0x7fffffffffff : (uint64_t)0xffffffff)

struct shadow_chunk {
    uint64_t index;  /* number of the chunk: first cell / CHUNK_CELLS */
    uint32_t *cells; /* CHUNK_CELLS timestamps, 0 = never */
};

struct shadow_table {
    struct shadow_chunk *list;
    /* hash table by chunk index: the chunk's position in `list` + 1, or 0 for a free entry. NULL
     * while there are few chunks */
    uint32_t *places;
    uint32_t n_chunks;
    uint32_t capacity;
    uint32_t mask; /* mask of `places` */
};

/* Freed, zeroed chunks, kept for the next table that needs a chunk. All tables of an engine share
 * one pool. */
struct chunk_pool {
    uint32_t **free; /* array of FREE_CHUNKS pointers */
    uint32_t n_free;
    uint64_t n_live;
};

/* Returns in O(1) the chunk's timestamps, or NULL if no cell of the chunk was accessed. */
uint32_t *shadow_find(const struct shadow_table *table, uint64_t index);

/* Returns the chunk's timestamps; creates them with zeros if they do not exist. */
uint32_t *shadow_make(struct shadow_table *table, struct chunk_pool *pool, uint64_t index);

/* Sets the timestamps of cells [first, last] to 0; chunks that lie wholly in the range are freed.
 * The running time depends on the number of chunks, not on the width of the range. */
void shadow_clear(struct shadow_table *table, struct chunk_pool *pool, uint64_t first,
                  uint64_t last);

/* Gives every chunk of the table back to the pool. Afterwards, the table is empty and can be used
 * again. */
void shadow_release(struct shadow_table *table, struct chunk_pool *pool);

/* Frees all pooled chunks. */
void chunk_pool_free(struct chunk_pool *pool);

#endif
