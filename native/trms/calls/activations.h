/* HOT: code for a call and a return in an execution context, inlined into the hooks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Most calls are in the cache of known calls (trms_known_call). Most returns end an activation with
 * a small cost and without induced input. In most cases, the activation's accumulator has a point
 * for the activation's input size. The push and the pop call no function. The sums in slots above
 * the top of the stack are always zero, so push and pop need not clear slots.
 */
#ifndef NATIVE_TRMS_CALLS_ACTIVATIONS_H
#define NATIVE_TRMS_CALLS_ACTIVATIONS_H

#include "native/trms/core.h"
#include "native/trms/calls/accumulators.h"

/* Renumbers all times when the counter of times has overflowed. activations.c implements the
 * following functions. */
void trms_time_renumber(struct trms_exec_context *ctx);

/* Makes space for one more tick. */
APROF_INLINE void trms_time_make_room(struct trms_exec_context *ctx)
{
    if (UNLIKELY((uint32_t)ctx->stamp >= ctx->time_limit))
        trms_time_renumber(ctx);
}

APROF_INLINE void trms_time_tick(struct trms_exec_context *ctx)
{
    trms_time_make_room(ctx);
    ctx->stamp += TRMS_TICK;
}

/* In activations.c: calls trms_floor_set, for slow paths. */
void trms_floors_repair(struct trms_exec_context *ctx);

/* Call this function after each push and pop, which derive new floors from the saved `near`. The
 * saved `near` is out of date if and only if it is below `synced`. This happens after a
 * synchronisation of the execution context. It also happens after the end of a signal handler that
 * has raised `synced` and the floors. */
APROF_INLINE bool trms_is_old(const struct trms_exec_context *ctx, uint32_t near)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return UNLIKELY(ctx->synced > near);
}

APROF_INLINE bool trms_floors_are_old(const struct trms_exec_context *ctx)
{
    return trms_is_old(ctx, ctx->activation->near);
}

/* Records a call by the latest activation, `top`. Invariant: the stack is consistent at every
 * moment, because the hooks of an unrecognised signal handler may use the same execution context.
 * The old floor becomes `near` and is returned. No cell has the time of the new call yet. */
APROF_INLINE uint32_t trms_activation_push(struct trms_exec_context *ctx,
                                           struct trms_activation *top,
                                           struct trms_accumulator *accumulator,
                                           struct routine_profile *profile, uintptr_t slot,
                                           uintptr_t caller)
{
    uint32_t now = (uint32_t)(ctx->stamp += TRMS_TICK);
    struct trms_activation *called = top + 1;
    uint32_t near = __atomic_load_n(&ctx->floor, __ATOMIC_RELAXED);
    called->profile = profile;
    called->slot = slot;
    called->caller = caller;
    called->accumulator = accumulator;
    called->cost_before = ctx->cost;
    called->stamp = now;
    called->near = near;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ctx->activation = called;
    __atomic_store_n(&ctx->floor, now, __ATOMIC_RELAXED);
    return near;
}

/* Records a call that is in the cache of known calls. Returns false and does nothing if the call is
 * not in the cache. */
APROF_INLINE bool trms_activation_begin_known(struct trms_exec_context *ctx,
                                              struct trms_activation *top,
                                              const struct trms_known_call *known, uintptr_t slot,
                                              uint32_t *near)
{
    if (UNLIKELY((uint32_t)ctx->stamp >= ctx->call_limit))
        return false;
    struct routine_profile *profile = known->accumulator->profile;
    *near = trms_activation_push(ctx, top, known->accumulator, profile, slot, known->site);
    profile->pending++;
    return true;
}

/* Removes the latest activation. Sets the floor to its value before the call, or to a higher value.
 * The floor is set before the activation is removed: a signal handler that raises the floor also
 * raises `near` of the latest activation, from which the floor is loaded. */
APROF_INLINE void trms_activation_pop(struct trms_exec_context *ctx, struct trms_activation *top,
                                      uint64_t input, uint64_t cost)
{
    struct trms_activation *parent = top - 1;
    parent->rms += (int64_t)input;
    parent->cost_of_callees += cost;
    top->rms = 0;
    top->cost_of_callees = 0;
    __atomic_store_n(&ctx->floor, top->near, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ctx->activation = parent;
}

/* Records the return of the latest activation, `top`, if the activation's accumulator accepts it.
 * Otherwise returns false and does nothing. */
APROF_INLINE bool trms_activation_end_known(struct trms_exec_context *ctx,
                                            struct trms_activation *top)
{
    struct trms_accumulator *accumulator = top->accumulator;
    uint64_t input = (uint64_t)top->rms;
    uint64_t cost = ctx->cost - top->cost_before;
    struct trms_accumulator_point *point = &accumulator->points[input & accumulator->mask];
    if (UNLIKELY(point->input != input) ||
        UNLIKELY(!trms_accumulator_point_add(point, cost, top->cost_of_callees)))
        return false;
    if (UNLIKELY(--accumulator->profile->pending))
        accumulator->inside += cost;
    trms_activation_pop(ctx, top, input, cost);
    return true;
}

#endif
