/* HOT: the steps of calls, returns and first accesses.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * trms_call and trms_return handle calls and returns of any kind. The loop over the stream has fast
 * paths for the usual cases: run_call and run_return. run_call is for a call that uses the same
 * edge as its call site's latest call. run_return is for an activation with the same input size as
 * the routine's previous activation. A fast path performs the general function's steps on values in
 * registers, or leaves the record to the general function. Without inlining, the steps took 6 %
 * more instructions in a program that mainly calls through a pointer.
 */
#ifndef APROF_ACTIVATION_H
#define APROF_ACTIVATION_H

#include "aprof/state.h"
#include "aprof/exec_cursor.h"

/* Advances the time by one tick. If the counter is about to overflow, returns false and does
 * nothing; timestamps must then be renumbered first. */
APROF_INLINE bool activation_tick_quickly(struct engine *engine)
{
    uint32_t now = engine->now + (1u << 1);
    if (UNLIKELY(now >= engine->limit))
        return false;
    engine->now = now;
    return true;
}

APROF_INLINE void activation_tick(struct engine *engine)
{
    if (LIKELY(activation_tick_quickly(engine)))
        return;
    engine->now += 1u << 1;
    overflow_renumber(engine);
}

/* Counts `n` first accesses to cells whose latest access was at the time `accessed`; 0 means that
 * there was no earlier access. In most cases, the caller or the caller's caller has made the latest
 * access to these cells. Below the bottom of the stack, all timestamps are 0. They match no access,
 * because the unsigned difference 0 - 1 is larger than the time of any access. */
APROF_INLINE void activation_count_first(const struct tip *tip, uint32_t accessed, int64_t n)
{
    tip->top->rms += n;
    if (LIKELY(tip->stamp[-1] - 1 < accessed))
        tip->top[-1].rms -= n;
    else if (tip->stamp[-2] - 1 < accessed)
        tip->top[-2].rms -= n;
    else
        trms_take_from_ancestor(tip, accessed, n);
}

/* Returns the induced-access counts of the activation at `at`; the caller may change these
 * counts. */
APROF_INLINE struct induced *activation_induced(struct exec_context *ctx, size_t at)
{
    struct induced *induced = &ctx->induced[at];
    if (!ctx->stack[at].is_induced) {
        ctx->stack[at].is_induced = 1;
        *induced = (struct induced){0};
    }
    return induced;
}

/* Begins an activation of `routine`. Only this function makes a stack of activations grow. The
 * caller has advanced the time and made space on the stack. */
APROF_INLINE void activation_push(const struct engine *engine, struct tip *tip,
                                  struct routine *routine, struct routine_profile *profile,
                                  aprof_word slot, uint32_t edge, bool measured)
{
    struct exec_context *ctx = tip->ctx;
    struct activation *top = tip->top + 1;
    uint32_t *stamp = tip->stamp + 1;
    ctx->top++;
    ctx->routine = routine;
    *stamp = engine->now;
    *top = (struct activation){
        .profile = profile,
        .slot = slot,
        .cost_before = ctx->cost,
        .edge = edge,
        .measured = measured,
    };
    tip->top = top;
    tip->stamp = stamp;
    profile->pending += measured;
    if (slot < ctx->deepest_slot)
        ctx->deepest_slot = slot;
}

/* Finds or makes the call edge of a new activation. The caller is the activation on top. */
APROF_INLINE uint32_t edge_of_call(struct engine *engine, struct exec_context *ctx,
                                   struct routine *routine)
{
    if (UNLIKELY(!engine->config.edges || !ctx->routine))
        return EDGE_NONE;
    return edge_table_get(&engine->edges, ctx->routine, routine, ctx->span);
}

/* Records a call from the current span. The called routine must not be one that switches the
 * collection on or off. */
APROF_INLINE void activation_call(struct engine *engine, struct exec_context *ctx,
                                  struct routine *routine, aprof_word slot, bool measured)
{
    uint32_t edge = edge_of_call(engine, ctx, routine);
    activation_tick(engine);
    if (UNLIKELY(ctx->top + 1 == ctx->capacity))
        exec_context_grow_stack(ctx);
    struct routine_profile *profile = profile_get(&ctx->profile, routine);
    struct call_edge *latest = &engine->edges.edges[edge];
    latest->exec_context = ctx->number;
    latest->profile = profile;
    struct tip tip = exec_context_tip(ctx);
    activation_push(engine, &tip, routine, profile, slot, edge, measured);
    if (UNLIKELY(ctx->top > ctx->known_depth))
        exec_context_note_depth(engine, ctx);
    if (UNLIKELY(engine->contexts))
        exec_cursor_call(engine, ctx);
}

/* Adds the calls, cost and input of an ending activation to its call edge, and its cost to its
 * routine's profile. */
APROF_INLINE void activation_count_edge(struct engine *engine, const struct activation *top,
                                        uint64_t cost, uint64_t input)
{
    struct call_edge *edge = &engine->edges.edges[top->edge];
    if (--top->profile->pending == 0) {
        top->profile->cost_total += cost;
        edge->cost += cost;
    }
    edge->calls++;
    edge->input += input;
    engine->activations++;
}

/* Removes the activation on top, which was already counted. Only this function makes a stack of
 * activations shrink. The ended activation's partial sums are added to its parent, an activation of
 * `routine` (Invariant 2). */
APROF_INLINE void activation_pop(struct tip *tip, struct routine *routine, uint64_t cost)
{
    const struct activation *top = tip->top;
    struct activation *parent = tip->top - 1;
    struct exec_context *ctx = tip->ctx;
    tip->top = parent;
    tip->stamp--;
    ctx->top--;
    ctx->routine = routine;
    parent->rms += top->rms;
    parent->cost_of_callees += cost;
}

#endif
