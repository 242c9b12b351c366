/* The loop over the stream: processes records, with fast paths for common records.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/activation.h"
#include "aprof/fast_access.h"
#include "aprof/state.h"
#include "ground/host.h"

/* Returns whether the block starts inside a routine; a jump to such a block begins no
 * activation. */
APROF_INLINE bool is_inside(const struct block *block)
{
    return !(block->flags & (BLOCK_ENTRY | BLOCK_RESOLVER)) &&
           (!(block->flags & BLOCK_UNNAMED) || !block->routine->was_called);
}

/* ---------------------------------------------------------------- HOT: from block to block */

/* The following functions handle a finished block and the record `at`, which follows the block. The
 * functions always set `place`. They return false if the record is not a block, or if callstack.c
 * must handle the record. */

/* Loads the values that depend on the top of the stack and on the time. */
APROF_INLINE void place_look_up(struct engine *engine, struct fast_place *place)
{
    struct exec_context *ctx = engine->ctx;
    place->tip = exec_context_tip(ctx);
    place->plain = engine->plain && !ctx->silent;
    place->top_stamp = *place->tip.stamp;
    place->counted = !ctx->silent;
    place->home = !ctx->silent && place->tip.top->measured ? ctx->routine : &nowhere;
}

APROF_INLINE void place_read_clock(struct engine *engine, struct fast_place *place)
{
    uint64_t now = engine->now;
    place->read_stamps = BOTH_HALVES(now);
    place->write_stamps = BOTH_HALVES(engine->shared ? now : now | STAMP_BIT);
}

/* Saves the state of the finished block in the execution context. */
static APROF_NOINLINE bool run_leave(struct fast_place *place, const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    const struct block *block = place->block;
    place->at = at;
    ctx->end = block->end;
    ctx->pointer = at[-1];
    ctx->next = block->next;
    ctx->repeat = block->repeat;
    ctx->span = block->span;
    return false;
}

/* Returns NULL if the record is not a block. */
APROF_INLINE struct block *next_block(const struct fast_place *place, const aprof_word *at)
{
    if (UNLIKELY(at >= place->to) ||
        UNLIKELY(((const struct event_desc *)*at)->kind != EVENT_BLOCK))
        return NULL;
    return (struct block *)*at;
}

/* Continues with a block that the routine of the top activation owns. */
APROF_INLINE void run_on(struct fast_place *place, struct block *block, uint32_t cost)
{
    block->charged += cost;
    place->tip.ctx->cost += cost;
    place->block = block;
}

static APROF_NOINLINE void run_on_elsewhere(struct engine *engine, struct fast_place *place,
                                            struct block *block, uint32_t cost)
{
    struct exec_context *ctx = place->tip.ctx;
    struct routine *routine = ctx->routine;
    if (block->home != routine)
        homes_charge(&engine->homes, &engine->charges, routine, block,
                     place->home == &nowhere ? 0 : cost,
                     block->routine == routine || is_inside(block));
    ctx->cost += cost;
    place->block = block;
}

/* Continues with a block, whichever routine owns the block. */
APROF_INLINE void run_cost(struct engine *engine, struct fast_place *place, struct block *block,
                           uint32_t cost)
{
    if (LIKELY(block->home == place->home))
        run_on(place, block, cost);
    else
        run_on_elsewhere(engine, place, block, cost);
}

/* Returns true if a jump to the block begins and ends no activation, and the block itself does not
 * either. */
APROF_INLINE bool goes_on_in(const struct routine *routine, const struct block *block)
{
    if (LIKELY(block->home == routine))
        return true;
    return is_inside(block) || (block->routine == routine && !(block->flags & BLOCK_RESOLVER));
}

/* A tail call is a jump to a routine's entry with the slot of the top activation. If an activation
 * with this slot already belongs to the routine, the jump is a loop. */
static bool is_tail_call(const struct exec_context *ctx, const struct block *block)
{
    const struct activation *a = &ctx->stack[ctx->top];
    if (ctx->silent || block->flags != BLOCK_ENTRY || block->routine->transparent ||
        block->routine->toggles || exec_context_folds(ctx, block->routine) ||
        exec_context_folds_jump(ctx, block->routine))
        return false;
    for (aprof_word slot = a->slot; a > ctx->stack && a->slot == slot; a--)
        if (a->profile->routine == block->routine)
            return false;
    return ctx->top > 0;
}

/* If the finished block has called the routine of the next block, begins the activation with this
 * slot. */
APROF_INLINE void run_begin(struct engine *engine, struct fast_place *place, struct block *next,
                            aprof_word slot)
{
    place->tip.ctx->span = place->block->span;
    activation_call(engine, place->tip.ctx, next->routine, slot, true);
    place_look_up(engine, place);
    place_read_clock(engine, place);
    run_cost(engine, place, next, next->cost);
}

/* Handles a jump to a block with another owning routine, or without an owning routine. */
static APROF_NOINLINE bool run_jump_elsewhere(struct engine *engine, struct fast_place *place,
                                              const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    struct block *next = next_block(place, at);
    if (!next)
        return run_leave(place, at);
    if (!goes_on_in(ctx->routine, next)) {
        if (!is_tail_call(ctx, next))
            return run_leave(place, at);
        run_begin(engine, place, next, place->tip.top->slot);
        return true;
    }
    run_cost(engine, place, next, next->cost);
    return true;
}

APROF_INLINE bool run_jump(struct engine *engine, struct fast_place *place, const aprof_word *at)
{
    struct block *next = next_block(place, at);
    if (UNLIKELY(!next || next->home != place->home))
        return run_jump_elsewhere(engine, place, at);
    run_on(place, next, next->cost);
    return true;
}

APROF_INLINE bool run_fall(struct engine *engine, struct fast_place *place, const aprof_word *at)
{
    const struct block *block = place->block;
    struct block *next = next_block(place, at);
    if (UNLIKELY(!next || !goes_on_in(place->tip.ctx->routine, next)))
        return run_leave(place, at);
    run_cost(engine, place, next,
             block->next == next->start                      ? next->cost_continued
             : block->repeat && block->repeat == next->start ? next->cost_repeated
                                                             : next->cost);
    return true;
}

/* Returns whether the thread has no other execution context, and the address is on the thread's
 * stack. */
APROF_INLINE bool is_on_only_stack(const struct engine *engine, const struct exec_context *ctx,
                                   aprof_word address)
{
    const struct thread *thread = engine->thread;
    return ctx->kind == EXEC_CONTEXT_THREAD && !thread->n_parked && !engine->n_coroutines &&
           thread->stack_low <= address && address <= thread->stack_high;
}

/* Returns whether a call stores its return address below the top activation's slot, on the same
 * stack. */
APROF_INLINE bool is_called_below(const struct engine *engine, const struct fast_place *place,
                                  aprof_word slot)
{
    aprof_word top = place->tip.top->slot;
    return LIKELY(top - slot - 1 < FAR_BELOW && slot > place->tip.ctx->barrier) ||
           (slot < top && is_on_only_stack(engine, place->tip.ctx, slot));
}

/* Handles a call of a routine on the caller's stack. */
static APROF_NOINLINE bool run_any_call(struct engine *engine, struct fast_place *place,
                                        const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    struct block *next = next_block(place, at);
    aprof_word slot = at[-1];
    if (!next || ctx->silent || (next->flags != BLOCK_ENTRY && next->flags != BLOCK_UNNAMED) ||
        !is_called_below(engine, place, slot) || next->routine->toggles ||
        exec_context_folds(ctx, next->routine))
        return run_leave(place, at);
    if (next->flags == BLOCK_UNNAMED)
        callstack_first_call(engine, next->routine);
    run_begin(engine, place, next, slot);
    return true;
}

/* Handles a call that uses the same edge as the call site's previous call. Such a call is handled
 * without a look-up and without a function call. */
static APROF_NOINLINE bool run_call(struct engine *engine, struct fast_place *place,
                                    const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    struct block *next = next_block(place, at);
    aprof_word slot = at[-1];
    if (UNLIKELY(!next || !place->plain))
        return run_any_call(engine, place, at);
    uint32_t number = edge_table_latest(&engine->edges, place->block->span);
    const struct call_edge *edge = &engine->edges.edges[number];
    struct routine *routine = next->routine;
    if (UNLIKELY(edge->callee != routine || edge->caller != ctx->routine) ||
        UNLIKELY(edge->exec_context != ctx->number) || UNLIKELY(next->home != routine) ||
        UNLIKELY(next->flags != BLOCK_ENTRY &&
                 (next->flags != BLOCK_UNNAMED || !routine->was_called)) ||
        UNLIKELY(ctx->top >= ctx->known_depth) || UNLIKELY(!is_called_below(engine, place, slot)) ||
        UNLIKELY(!activation_tick_quickly(engine)))
        return run_any_call(engine, place, at);
    activation_push(engine, &place->tip, routine, edge->profile, slot, number, true);
    place->top_stamp = engine->now;
    place->read_stamps += BOTH_HALVES((uint64_t)1 << 1);
    place->write_stamps += BOTH_HALVES((uint64_t)1 << 1);
    place->home = routine;
    run_on(place, next, next->cost);
    return true;
}

/* Handles a return into the middle of the caller. The return also ends the activations that the
 * called routine began by tail calls. */
static APROF_NOINLINE bool run_any_return(struct engine *engine, struct fast_place *place,
                                          const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    struct block *next = next_block(place, at);
    aprof_word slot = at[-1];
    size_t caller = ctx->top;
    if (!next || ctx->silent || engine->config.collect_in_toggles || !is_inside(next))
        return run_leave(place, at);
    while (caller && ctx->stack[caller].slot == slot)
        caller--;
    if (caller == 0 || caller == ctx->top)
        return run_leave(place, at);
    while (ctx->top > caller)
        trms_return(engine, ctx);
    place_look_up(engine, place);
    run_cost(engine, place, next, next->cost);
    return true;
}

static bool run_return_of_other_size(struct engine *engine, struct fast_place *place,
                                     const aprof_word *at);

/* Handles the return of an activation without induced input, if its input size is the same as in
 * the routine's previous activation. */
static APROF_NOINLINE bool run_return(struct engine *engine, struct fast_place *place,
                                      const aprof_word *at)
{
    struct exec_context *ctx = place->tip.ctx;
    const struct activation *top = place->tip.top;
    const struct activation *caller = top - 1;
    struct block *next = next_block(place, at);
    uint64_t cost = ctx->cost - top->cost_before;
    if (UNLIKELY(!next || !place->plain) || UNLIKELY(at[-1] != top->slot) ||
        UNLIKELY(ctx->top < 2) || UNLIKELY(caller->slot == top->slot) ||
        UNLIKELY(next->home != caller->profile->routine) || UNLIKELY(top->is_induced) ||
        UNLIKELY(!top->measured) || UNLIKELY(!caller->measured) ||
        UNLIKELY(top->slot - ctx->deepest_slot > DEAD_STACK_BYTES))
        return run_any_return(engine, place, at);
    if (!profile_add_again(top->profile, (uint64_t)top->rms, cost, cost - top->cost_of_callees))
        return run_return_of_other_size(engine, place, at);
    activation_count_edge(engine, top, cost, (uint64_t)top->rms);
    activation_pop(&place->tip, next->home, cost);
    place->home = next->home;
    place->top_stamp = *place->tip.stamp;
    run_on(place, next, next->cost);
    return true;
}

static APROF_NOINLINE bool run_return_of_other_size(struct engine *engine, struct fast_place *place,
                                                    const aprof_word *at)
{
    const struct activation *top = place->tip.top;
    if (!profile_seek(top->profile, (uint64_t)top->rms))
        return run_any_return(engine, place, at);
    return run_return(engine, place, at);
}

/* Handles a computed jump into the middle of a routine, if the jump neither begins nor ends an
 * activation. The stack pointer must be in the thread's only stack, and not above the top
 * activation's slot. Interpreters make such jumps constantly. In code without symbols, the target
 * of each computed jump counts as another routine. */
static APROF_NOINLINE bool run_computed(struct engine *engine, struct fast_place *place,
                                        const aprof_word *at)
{
    const struct exec_context *ctx = place->tip.ctx;
    struct block *next = next_block(place, at);
    aprof_word pointer = at[-1];
    if (UNLIKELY(!next || pointer > place->tip.top->slot) ||
        UNLIKELY(!goes_on_in(ctx->routine, next)))
        return run_leave(place, at);
    if (next->routine != ctx->routine &&
        UNLIKELY(!ctx->top || !is_on_only_stack(engine, ctx, pointer)))
        return run_leave(place, at);
    run_cost(engine, place, next, next->cost);
    return true;
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

/* Each combination of resolution and private or shared writes has its own instance of the loop. */
typedef bool run_function(struct engine *engine, struct fast_place *place);
static run_function *const runs[][2] = {
    {run_private_0, run_shared_0}, {run_private_1, run_shared_1}, {run_private_2, run_shared_2},
    {run_private_3, run_shared_3}, {run_private_4, run_shared_4},
};

/* ---------------------------------------------------------------- HOT: the stream */

/* Consumes the block record at `at` and later records that the loop handles. Returns the first
 * record that the loop has not consumed. */
APROF_INLINE const aprof_word *consume_blocks(struct engine *engine, const aprof_word *at,
                                              const aprof_word *to)
{
    struct block *block = (struct block *)*at;
    uint32_t cost = block->cost;
    if (callstack_arrive(engine, block, at + 1, &cost))
        return at + 1 + block->event.words;
    struct exec_context *ctx = engine->ctx;
    struct fast_place place = {.at = at, .to = to};
    uint64_t cost_before = ctx->cost;
    place_look_up(engine, &place);
    place_read_clock(engine, &place);
    run_cost(engine, &place, block, cost);
    while (runs[engine->shift][engine->shared](engine, &place)) {
        block = place.block;
        trms_access(engine, block->access[place.access].kind, place.at[1 + place.access],
                    block->access[place.access].size_bytes);
        place.access++;
    }
    if (UNLIKELY(ctx->silent)) {
        ctx->cost = cost_before;
        ctx->end |= END_SILENT;
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
