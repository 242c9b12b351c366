/* HOT: the common accesses, inline, for the loop over the stream.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef APROF_FAST_ACCESS_H
#define APROF_FAST_ACCESS_H

#include "aprof/activation.h"
#include "aprof/state.h"

/* Two neighbouring cells as one word. */
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

/* Stands for the top's routine where nothing is charged: no block is at home there. */
static const struct routine nowhere;

/* Where the fast loop is, and what it would have to look up for each access. What is needed once per
 * record only stands here, so that the registers are left to what each access needs. */
struct place {
    struct tip tip;
    struct block *block; /* whose accesses are being done */
    const struct routine
        *home; /* of the top: what is at home there goes on, and is charged to it */
    uint64_t read_stamps, write_stamps; /* what an access leaves: now, twice, and its bit */
    uint32_t top_stamp;
    bool counted;         /* first accesses are: the strand is not silent */
    bool plain;           /* engine->plain, and the strand is not silent */
    const aprof_word *at; /* its record; in the end, behind the last one */
    const aprof_word *to; /* the end of all records */
    size_t access;        /* at which the loop begins, or ended */
};

/* What the fast loop keeps in registers. */
struct run {
    const struct remembered_chunk *remembered;
    struct place *place;
    unsigned shift; /* constant in each instance of the loop, as is: */
    bool shared;
};

/* Each of these does its access and returns true, or returns false if it needs the general path,
 * which may repeat what was done already: that changes nothing. */
#define BOTH_HALVES(x) ((uint64_t)(x) << 32 | (x))

/* Somebody else has written the cell since it was accessed. */
APROF_INLINE bool is_written_since(const uint32_t *written, uint32_t stamp)
{
    return UNLIKELY(stamp < (*written & ~STAMP_BIT));
}

/* A cell that the top activation has accessed already keeps its stamp: see trms.c. */
APROF_INLINE bool run_read_cell(const struct run *r, const struct remembered_chunk *chunk,
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

/* Reads two neighbouring cells: their stamps are mostly alike. */
APROF_INLINE bool run_read_pair(const struct run *r, const struct remembered_chunk *chunk,
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

/* Each of n cells from `cell` on. */
APROF_INLINE bool run_read(const struct run *r, const struct remembered_chunk *chunk, uint64_t cell,
                           size_t n)
{
    for (size_t i = 0; i < n / 2; i++, cell += 2)
        if (UNLIKELY(!run_read_pair(r, chunk, cell)))
            return false;
    return n % 2 == 0 || run_read_cell(r, chunk, cell);
}

APROF_INLINE void run_write(uintptr_t stamps, uint64_t cell, size_t n, uint64_t stamp)
{
    for (size_t i = 0; i < n / 2; i++, cell += 2)
        store_pair(stamp_at(stamps, cell), stamp);
    if (n % 2)
        *stamp_at(stamps, cell) = (uint32_t)stamp;
}

/* Cells [first, first + n), if they lie in one remembered chunk. */
APROF_INLINE bool run_cells(const struct run *r, unsigned kind, uint64_t first, size_t n,
                            bool may_cross)
{
    uint64_t index = first >> CHUNK_CELLS_LOG2;
    const struct remembered_chunk *chunk = &r->remembered[index % REMEMBERED_CHUNKS];
    if (UNLIKELY(chunk->index != index || (may_cross && CELL_IN_CHUNK(first) > CHUNK_CELLS - n) ||
                 (kind != ACCESS_READ && r->shared && chunk->written == NO_ORIGIN)))
        return false;
    if (kind != ACCESS_WRITE && UNLIKELY(!run_read(r, chunk, first, n)))
        return false;
    if (kind != ACCESS_READ)
        run_write(chunk->accessed, first, n, r->place->write_stamps);
    if (kind != ACCESS_READ && r->shared)
        run_write(chunk->written, first, n, r->place->write_stamps);
    return true;
}

/* An access of a constant size, if the address is aligned so that it touches no more. */
APROF_INLINE bool run_bytes(const struct run *r, unsigned kind, unsigned log2_bytes,
                            uint64_t address)
{
    uint64_t bytes = (uint64_t)1 << log2_bytes, in_cell = ((uint64_t)1 << r->shift) - 1;
    size_t n = log2_bytes < r->shift ? 1 : (size_t)1 << (log2_bytes - r->shift);
    if (UNLIKELY((address & in_cell) > (log2_bytes < r->shift ? in_cell + 1 - bytes : 0)))
        return false;
    return run_cells(r, kind, address >> r->shift, n, n > 1 && UNLIKELY(address & (bytes - 1)));
}

/* Joined accesses have any size. */
APROF_INLINE bool run_unusual(const struct run *r, struct access access, uint64_t address)
{
    uint64_t first = address >> r->shift;
    size_t n = (size_t)(((address + access.size_bytes - 1) >> r->shift) - first + 1);
    if (UNLIKELY(access.guarded && !address))
        return true;
    if (access.kind == ACCESS_READ)
        return run_cells(r, ACCESS_READ, first, n, true);
    if (access.kind == ACCESS_WRITE)
        return run_cells(r, ACCESS_WRITE, first, n, true);
    return run_cells(r, ACCESS_MODIFY, first, n, true);
}

#endif
