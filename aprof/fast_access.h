/* HOT: inline code of the loop over the stream for common accesses.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cells of nearly all accesses are in one of the execution context's remembered chunks.
 * Accesses of each constant size have specialised functions with a constant number of cells. Other
 * accesses, and cases that the specialised functions do not handle, use run_any.
 */
#ifndef APROF_FAST_ACCESS_H
#define APROF_FAST_ACCESS_H

#include "aprof/activation.h"
#include "aprof/state.h"

/* Reads two neighbouring cells' timestamps as one word. */
APROF_INLINE uint64_t load_pair(const uint32_t *cells)
{
    uint64_t pair;
    __builtin_memcpy(&pair, cells, sizeof(pair));
    return pair;
}

APROF_INLINE void store_pair(uint32_t *cells, uint64_t pair)
{
    __builtin_memcpy(cells, &pair, sizeof(pair));
}

/* While no cost is charged, the fast loop uses `nowhere` instead of the routine of the top
 * activation. `nowhere` owns no block. */
static const struct routine nowhere;

/* The position of the fast loop, and values that each access needs. Members that are used only once
 * per record stay in memory, so that registers are free for the accesses. */
struct fast_place {
    struct tip tip;
    struct block *block; /* block of the current record */
    /* routine of the top activation; blocks of this routine begin no activation, and their cost is
     * charged to the routine */
    const struct routine *home;
    /* what a read or a write stores in two shadow words: each half has the current time and the bit
     * for the kind of access */
    uint64_t read_stamps, write_stamps;
    uint32_t top_stamp;
    bool counted; /* whether first accesses are counted; see exec_context_is_silent() */
    bool plain;   /* whether engine->plain is set and first accesses are counted */
    /* the current record; after the loop, the first record that the loop has not handled */
    const aprof_word *at;
    const aprof_word *to; /* end of all records */
    size_t access;        /* index of the access at which the loop begins or has stopped */
};

/* The values that the fast loop keeps in registers. */
struct fast_run {
    const struct remembered_chunk *remembered;
    struct fast_place *place;
    unsigned shift; /* `shift` and `shared` are constants in each instance of the loop */
    bool shared;
};

/* Each of the following functions performs an access and returns true, or returns false if the
 * access needs the general path. The general path may repeat completed steps without changing the
 * result. */
#define BOTH_HALVES(x) ((uint64_t)(x) << 32 | (x))

/* Returns whether another writer has written the cell since this context's latest access. */
APROF_INLINE bool is_written_since(const uint32_t *written, uint32_t stamp)
{
    return UNLIKELY(stamp < (*written & ~STAMP_BIT));
}

/* Reads a cell. If the top activation has already accessed the cell, the cell's timestamp does not
 * change (trms.c). */
APROF_INLINE bool run_read_cell(const struct fast_run *r, const struct remembered_chunk *chunk,
                                uint64_t cell)
{
    uint32_t *accessed = stamp_at(chunk->accessed, cell), stamp = *accessed;
    if (chunk->written != NO_ORIGIN && is_written_since(stamp_at(chunk->written, cell), stamp))
        return false;
    if (stamp >= r->place->top_stamp)
        return true;
    *accessed = (uint32_t)r->place->read_stamps | (r->shared ? 0 : stamp & STAMP_BIT);
    if (LIKELY(r->place->counted))
        activation_count_first(&r->place->tip, stamp, 1);
    return true;
}

/* Reads n cells; n is even. Neighbouring cells mostly have equal timestamps, for example if a
 * routine has saved registers in them. So one comparison of timestamps covers all cells. */
APROF_INLINE bool run_read_alike(const struct fast_run *r, const struct remembered_chunk *chunk,
                                 uint64_t cell, size_t n)
{
    uint32_t *accessed = stamp_at(chunk->accessed, cell);
    uint64_t stamps = load_pair(accessed), others = 0, written = 0;
    uint32_t low = (uint32_t)stamps, high = (uint32_t)(stamps >> 32);
    for (size_t i = 2; i < n; i += 2)
        others |= load_pair(accessed + i) ^ stamps;
    for (size_t i = 0; chunk->written != NO_ORIGIN && i < n; i += 2)
        written |= load_pair(stamp_at(chunk->written, cell) + i);
    if (UNLIKELY(others) || UNLIKELY(written))
        return false;
    if (low >= r->place->top_stamp && LIKELY(high >= r->place->top_stamp))
        return true;
    if (UNLIKELY((low ^ high) > STAMP_BIT))
        return false;
    stamps = r->place->read_stamps | (r->shared ? 0 : stamps & BOTH_HALVES((uint64_t)STAMP_BIT));
    for (size_t i = 0; i < n; i += 2)
        store_pair(accessed + i, stamps);
    if (LIKELY(r->place->counted))
        activation_count_first(&r->place->tip, low, (int64_t)n);
    return true;
}

/* Reads two cells, one of which another context may have written. */
APROF_INLINE bool run_read_pair(const struct fast_run *r, const struct remembered_chunk *chunk,
                                uint64_t cell)
{
    uint32_t *accessed = stamp_at(chunk->accessed, cell);
    uint64_t stamps = load_pair(accessed);
    uint32_t low = (uint32_t)stamps, high = (uint32_t)(stamps >> 32);
    if (chunk->written != NO_ORIGIN) {
        const uint32_t *written = stamp_at(chunk->written, cell);
        if (load_pair(written) &&
            (is_written_since(written, low) || is_written_since(written + 1, high)))
            return false;
    }
    if (low >= r->place->top_stamp && LIKELY(high >= r->place->top_stamp))
        return true;
    if (UNLIKELY((low ^ high) > STAMP_BIT))
        return false;
    store_pair(accessed,
               r->place->read_stamps | (r->shared ? 0 : stamps & BOTH_HALVES((uint64_t)STAMP_BIT)));
    if (LIKELY(r->place->counted))
        activation_count_first(&r->place->tip, low, 2);
    return true;
}

/* Reads a constant number of cells. */
APROF_INLINE bool run_read(const struct fast_run *r, const struct remembered_chunk *chunk,
                           uint64_t cell, size_t n)
{
    if (n == 1)
        return run_read_cell(r, chunk, cell);
    return n == 2 ? run_read_pair(r, chunk, cell) : run_read_alike(r, chunk, cell, n);
}

APROF_INLINE void run_write(uintptr_t stamps, uint64_t cell, size_t n, uint64_t stamp)
{
    for (size_t i = 0; i < n / 2; i++, cell += 2)
        store_pair(stamp_at(stamps, cell), stamp);
    if (n % 2)
        *stamp_at(stamps, cell) = (uint32_t)stamp;
}

APROF_INLINE void run_write_both(const struct fast_run *r, const struct remembered_chunk *chunk,
                                 uint64_t cell, size_t n)
{
    run_write(chunk->accessed, cell, n, r->place->write_stamps);
    if (r->shared)
        run_write(chunk->written, cell, n, r->place->write_stamps);
}

/* Returns the chunk of the cells [first, first + n), or NULL if the cells are not all in one
 * remembered chunk. */
APROF_INLINE const struct remembered_chunk *run_chunk(const struct fast_run *r, unsigned kind,
                                                      uint64_t first, size_t n, bool may_cross)
{
    uint64_t index = first >> CHUNK_CELLS_LOG2;
    const struct remembered_chunk *chunk = &r->remembered[index % REMEMBERED_CHUNKS];
    if (UNLIKELY(chunk->index != index || (may_cross && CELL_IN_CHUNK(first) > CHUNK_CELLS - n) ||
                 (kind != ACCESS_READ && r->shared && chunk->written == NO_ORIGIN)))
        return NULL;
    return chunk;
}

/* Performs an aligned access of a constant size. An aligned access touches only the cells that its
 * size implies. */
APROF_INLINE bool run_bytes(const struct fast_run *r, unsigned kind, uint64_t bytes,
                            uint64_t address)
{
    uint64_t cell_bytes = (uint64_t)1 << r->shift, first = address >> r->shift;
    size_t n = bytes < cell_bytes ? 1 : bytes >> r->shift;
    bool is_power = !(bytes & (bytes - 1));
    if (bytes > cell_bytes && (n << r->shift != bytes || (n > 1 && n % 2)))
        return false;
    if (UNLIKELY((address & (cell_bytes - 1)) > (bytes < cell_bytes ? cell_bytes - bytes : 0)))
        return false;
    const struct remembered_chunk *chunk =
        run_chunk(r, kind, first, n, n > 1 && (!is_power || UNLIKELY(address & (bytes - 1))));
    if (UNLIKELY(!chunk))
        return false;
    if (kind != ACCESS_WRITE && UNLIKELY(!run_read(r, chunk, first, n)))
        return false;
    if (kind != ACCESS_READ)
        run_write_both(r, chunk, first, n);
    return true;
}

/* Reads any number of cells. The loop handles two cells at a time, if both have the same
 * timestamp. */
APROF_INLINE bool run_read_any(const struct fast_run *r, const struct remembered_chunk *chunk,
                               uint64_t cell, size_t n)
{
    for (size_t i = 0; i < n / 2; i++, cell += 2)
        if (!run_read_pair(r, chunk, cell) &&
            !(run_read_cell(r, chunk, cell) && run_read_cell(r, chunk, cell + 1)))
            return false;
    return n % 2 == 0 || run_read_cell(r, chunk, cell);
}

/* Performs any access to cells of one remembered chunk. */
static APROF_NOINLINE bool run_any(struct fast_place *place, struct access access, uint64_t address,
                                   unsigned shift, bool shared)
{
    const struct fast_run r = {place->tip.ctx->remembered, place, shift, shared};
    uint64_t first = address >> shift;
    size_t n = (size_t)(((address + access.size_bytes - 1) >> shift) - first + 1);
    if (UNLIKELY(access.guarded && !address))
        return true;
    const struct remembered_chunk *chunk = run_chunk(&r, access.kind, first, n, true);
    if (UNLIKELY(!chunk))
        return false;
    if (access.kind != ACCESS_WRITE && UNLIKELY(!run_read_any(&r, chunk, first, n)))
        return false;
    if (access.kind != ACCESS_READ)
        run_write_both(&r, chunk, first, n);
    return true;
}

#endif
