/* The loop over the stream: what its records mean, the common ones first and fast.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/activation.h"
#include "aprof/state.h"
#include "ground/host.h"

/* ---------------------------------------------------------------- HOT: the common accesses */

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

/* Where the fast loop is: in the record of `block` at `at`, `access` of its accesses done. */
struct place {
    const aprof_word *at, *behind; /* `behind` it stands the next record, or ... */
    const aprof_word *to;          /* ... the end of all records */
    const struct block *block;
    size_t access;
    uint32_t top_stamp;
    bool charged; /* blocks are charged now */
};

/* What the fast loop keeps in registers. */
struct run {
    struct strand *strand;
    const struct place *place;
    uint32_t now;
    unsigned shift; /* constant in each instance of the loop, as is: */
    bool shared;
};

/* Each of these does its access and returns true, or returns false if it needs the general path,
 * which may repeat what was done already: that changes nothing. */
#define BOTH_HALVES(x) ((uint64_t)(x) << 32 | (x))

APROF_INLINE bool run_read_cell(const struct run *r, const struct remembered_chunk *chunk,
                                uint64_t cell)
{
    uint32_t *accessed = stamp_at(chunk->accessed, cell), stamp = *accessed;
    uint32_t bit = r->shared ? 0 : stamp & STAMP_BIT, time = stamp - bit;
    if (r->shared ? time == r->now : (stamp | STAMP_BIT) == (r->now | STAMP_BIT))
        return true;
    if (chunk->written != NO_ORIGIN &&
        UNLIKELY(time < (*stamp_at(chunk->written, cell) & ~STAMP_BIT)))
        return false;
    *accessed = r->now | bit;
    if (time < r->place->top_stamp)
        trms_count_first(r->strand, time, 1);
    return true;
}

/* Reads two neighbouring cells: their stamps are mostly alike. */
APROF_INLINE bool run_read_pair(const struct run *r, const struct remembered_chunk *chunk,
                                uint64_t cell)
{
    uint32_t *accessed = stamp_at(chunk->accessed, cell);
    uint64_t stamps = load_pair(accessed);
    uint64_t bits = r->shared ? 0 : stamps & BOTH_HALVES((uint64_t)STAMP_BIT),
             times = stamps - bits;
    uint64_t now = BOTH_HALVES((uint64_t)r->now);
    uint32_t time = (uint32_t)times;
    if (times == now)
        return true;
    if (UNLIKELY(time != times >> 32))
        return run_read_cell(r, chunk, cell) && run_read_cell(r, chunk, cell + 1);
    if (chunk->written != NO_ORIGIN) {
        const uint32_t *written = stamp_at(chunk->written, cell);
        if (UNLIKELY(time < (written[0] & ~STAMP_BIT)) ||
            UNLIKELY(time < (written[1] & ~STAMP_BIT)))
            return false;
    }
    store_pair(accessed, now | bits);
    if (time < r->place->top_stamp)
        trms_count_first(r->strand, time, 2);
    return true;
}

/* Cells [cell, cell + n) of a remembered chunk. */
APROF_INLINE bool run_cells(const struct run *r, unsigned kind,
                            const struct remembered_chunk *chunk, uint64_t cell, size_t n)
{
    uint64_t stamp = r->shared ? r->now : r->now | STAMP_BIT;
    size_t i = 0;
    if (kind != ACCESS_WRITE) {
        for (; i + 1 < n; i += 2)
            if (UNLIKELY(!run_read_pair(r, chunk, cell + i)))
                return false;
        if (n % 2 && UNLIKELY(!run_read_cell(r, chunk, cell + i)))
            return false;
    }
    if (kind == ACCESS_READ)
        return true;
    for (i = 0; i + 1 < n; i += 2) {
        store_pair(stamp_at(chunk->accessed, cell + i), BOTH_HALVES(stamp));
        if (r->shared)
            store_pair(stamp_at(chunk->written, cell + i), BOTH_HALVES(stamp));
    }
    if (n % 2) {
        *stamp_at(chunk->accessed, cell + i) = (uint32_t)stamp;
        if (r->shared)
            *stamp_at(chunk->written, cell + i) = (uint32_t)stamp;
    }
    return true;
}

/* The same if they lie in one remembered chunk. */
APROF_INLINE bool run_range(const struct run *r, unsigned kind, uint64_t first, size_t n)
{
    uint64_t index = first >> CHUNK_CELLS_LOG2;
    const struct remembered_chunk *chunk = &r->strand->remembered[index % REMEMBERED_CHUNKS];
    if (UNLIKELY(chunk->index != index || (n > 1 && CELL_IN_CHUNK(first) > CHUNK_CELLS - n) ||
                 (kind != ACCESS_READ && r->shared && chunk->written == NO_ORIGIN)))
        return false;
    return run_cells(r, kind, chunk, first, n);
}

/* An access of a constant size, if the address is aligned so that it touches no more. */
APROF_INLINE bool run_bytes(const struct run *r, unsigned kind, unsigned log2_bytes,
                            uint64_t address)
{
    uint64_t bytes = (uint64_t)1 << log2_bytes, in_cell = ((uint64_t)1 << r->shift) - 1;
    if (UNLIKELY((address & in_cell) > (log2_bytes < r->shift ? in_cell + 1 - bytes : 0)))
        return false;
    return run_range(r, kind, address >> r->shift,
                     log2_bytes < r->shift ? 1 : (size_t)1 << (log2_bytes - r->shift));
}

/* Joined accesses have any size. */
APROF_INLINE bool run_unusual(const struct run *r, struct access access, uint64_t address)
{
    uint64_t first = address >> r->shift;
    size_t n = (size_t)(((address + access.size_bytes - 1) >> r->shift) - first + 1);
    if (UNLIKELY(access.guarded && !address))
        return true;
    if (access.kind == ACCESS_READ)
        return run_range(r, ACCESS_READ, first, n);
    if (access.kind == ACCESS_WRITE)
        return run_range(r, ACCESS_WRITE, first, n);
    return run_range(r, ACCESS_MODIFY, first, n);
}

/* Inside a routine, as far as anybody can tell: reached by a jump, nothing begins here. */
APROF_INLINE bool is_inside(const struct block *block)
{
    return !(block->flags & (BLOCK_ENTRY | BLOCK_RESOLVER)) &&
           (!(block->flags & BLOCK_UNNAMED) || !block->routine->was_called);
}

/* Of a block that is not at home. */
static APROF_NOINLINE void charge_elsewhere(struct engine *engine, struct block *block,
                                            uint32_t cost)
{
    struct routine *routine = engine->strand->routine;
    homes_charge(&engine->homes, &engine->charges, routine, block, cost,
                 block->routine == routine || is_inside(block));
}

/* What the strand has to remember of the block that ends where `place` is. */
APROF_INLINE void leave_block(struct strand *strand, struct place *place)
{
    const struct block *block = place->block;
    place->at = place->behind;
    strand->end = block->end;
    strand->pointer = place->at[-1];
    strand->next = block->next;
    strand->repeat = block->repeat;
    strand->span = block->span;
}

/* Goes on to the next record and returns its block, of which the cost is counted. NULL if that may begin
 * or end an activation, or is no block. */
APROF_INLINE const struct block *run_on(struct engine *engine, struct strand *strand,
                                        struct place *place)
{
    const struct block *block = place->block;
    const aprof_word *at = place->behind;
    struct block *next;
    uint32_t cost;
    if (UNLIKELY(at >= place->to))
        goto leave;
    if (UNLIKELY(((const struct event_desc *)*at)->kind != EVENT_BLOCK))
        goto leave;
    next = (struct block *)*at;
    cost = next->cost;
    if (UNLIKELY(block->end != BLOCK_JUMP)) {
        if (block->end != BLOCK_FALL)
            goto leave;
        if (block->next == next->start)
            cost = next->cost_continued;
        else if (block->repeat && block->repeat == next->start)
            cost = next->cost_repeated;
    }
    if (UNLIKELY(next->home != strand->routine)) {
        if (next->routine != strand->routine && !is_inside(next))
            goto leave;
        charge_elsewhere(engine, next, place->charged ? cost : 0);
    } else if (place->charged) {
        next->charged += cost;
    }
    strand->cost += cost;
    place->block = next;
    place->at = at;
    place->behind = at + 1 + next->event.words;
    return next;
leave:
    leave_block(strand, place);
    return NULL;
}

#define LOOP_NAME   run_private_0
#define LOOP_SHIFT  0
#define LOOP_SHARED false
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_shared_0
#define LOOP_SHIFT  0
#define LOOP_SHARED true
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_private_1
#define LOOP_SHIFT  1
#define LOOP_SHARED false
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_shared_1
#define LOOP_SHIFT  1
#define LOOP_SHARED true
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_private_2
#define LOOP_SHIFT  2
#define LOOP_SHARED false
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_shared_2
#define LOOP_SHIFT  2
#define LOOP_SHARED true
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_private_3
#define LOOP_SHIFT  3
#define LOOP_SHARED false
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_shared_3
#define LOOP_SHIFT  3
#define LOOP_SHARED true
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_private_4
#define LOOP_SHIFT  4
#define LOOP_SHARED false
#include "aprof/fast_loop.h"

#define LOOP_NAME   run_shared_4
#define LOOP_SHIFT  4
#define LOOP_SHARED true
#include "aprof/fast_loop.h"

/* By resolution, and whether writes are shared. */
typedef bool run_function(struct engine *engine, struct place *place);
static run_function *const runs[][2] = {
    {run_private_0, run_shared_0}, {run_private_1, run_shared_1}, {run_private_2, run_shared_2},
    {run_private_3, run_shared_3}, {run_private_4, run_shared_4},
};

/* A computed jump that begins and ends nothing: on the one stack that the thread has, not above the
 * top's slot, and into the midst of a routine, as interpreters do it all the time. Where nothing has a
 * name the routine is another one after each such jump. */
APROF_INLINE bool jumps_inside(const struct engine *engine, const struct strand *strand,
                               const struct block *block, aprof_word slot)
{
    const struct thread *thread = engine->thread;
    if (strand->pointer > slot)
        return false;
    if (block->routine == strand->routine)
        return true;
    return is_inside(block) && strand->top && strand->kind == STRAND_THREAD && !thread->n_parked &&
           !engine->n_coroutines && thread->stack_low <= strand->pointer &&
           strand->pointer - thread->stack_low <= thread->stack_high - thread->stack_low;
}

/* The plain cases: a call, the return from it, a jump within a routine that has no name or is in
 * parts, a block that goes on. Everything else is for callstack_arrive. */
APROF_INLINE bool arrive_quickly(struct engine *engine, struct strand *strand,
                                 const struct block *block, uint32_t *cost)
{
    const struct activation *top = &strand->stack[strand->top];
    switch (strand->end) {
    case BLOCK_JUMP:
        return block->routine == strand->routine || (is_inside(block) && strand->top);
    case BLOCK_CALL:
        if (!(block->flags == BLOCK_ENTRY || block->flags == BLOCK_UNNAMED) ||
            top->slot - strand->pointer - 1 >= FAR_BELOW) /* above it, too */
            return false;
        if (block->flags == BLOCK_UNNAMED)
            callstack_first_call(engine, block->routine);
        activation_begin(engine, strand, block->routine, strand->pointer);
        return true;
    case BLOCK_RETURN:
        if (strand->pointer != top->slot || strand->top < 2 || top[-1].slot == top->slot ||
            strand->routine->toggles || !is_inside(block))
            return false;
        activation_end(engine, strand);
        return true;
    case BLOCK_FALL:
        if (strand->next != block->start || !strand->top)
            return false;
        *cost = block->cost_continued;
        return true;
    case BLOCK_INDIRECT:
        return jumps_inside(engine, strand, block, top->slot);
    default:
        return false;
    }
}

/* Lines are charged as routines are: what a measured activation costs while anything is counted. */
APROF_INLINE bool is_charged(const struct engine *engine, const struct strand *strand)
{
    return engine->config.lines && !strand->silent && strand->stack[strand->top].measured;
}

/* ---------------------------------------------------------------- HOT: the stream */

/* Consumes the block's record at `at` and those behind it that only run on; returns where it
 * stopped. */
APROF_INLINE const aprof_word *consume_blocks(struct engine *engine, const aprof_word *at,
                                              const aprof_word *to)
{
    struct block *block = (struct block *)*at;
    struct place place = {.at = at, .to = to, .block = block};
    uint32_t cost = block->cost;
    if (!arrive_quickly(engine, engine->strand, block, &cost) &&
        callstack_arrive(engine, block, at + 1, &cost))
        return at + 1 + block->event.words;
    struct strand *strand = engine->strand;
    uint64_t cost_before = strand->cost;
    strand->cost += cost;
    place.charged = is_charged(engine, strand);
    if (LIKELY(block->home == strand->routine))
        block->charged += place.charged ? cost : 0;
    else
        charge_elsewhere(engine, block, place.charged ? cost : 0);
    while (runs[engine->shift][engine->shared](engine, &place)) {
        block = (struct block *)*place.at;
        trms_access(engine, block->access[place.access].kind, place.at[1 + place.access],
                    block->access[place.access].size_bytes);
        place.access++;
    }
    if (UNLIKELY(strand->silent)) {
        strand->cost = cost_before;
        strand->end |= END_SILENT;
    }
    return place.at;
}

void engine_consume(struct engine *engine, const aprof_word *at, const aprof_word *to)
{
    engine->stats.words += (uint64_t)(to - at);
    while (at < to) {
        const struct event_desc *event = (const struct event_desc *)*at;
        if (LIKELY(event->kind == EVENT_BLOCK)) {
            at = consume_blocks(engine, at, to);
        } else {
            engine_event(engine, event, at + 1);
            at += 1 + event->words;
        }
    }
}
