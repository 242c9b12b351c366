/* The parallel TRMS: time, synchronisation, calls and returns.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each execution context has its own time; docs/parallel-trms.md proves that separate times
 * suffice.
 */
#include "native/trms/calls/activations.h"
#include "native/trms/calls/edges.h"
#include "native/trms/calls/weights.h"
#include "native/trms/shadow/words.h"

#define BOTTOM_TIME TRMS_TICK

/* ---------------------------------------------------------------- time */

/* Returns the new time of a word when the counter has overflowed. A time is compared only with the
 * times of calls of pending activations. So the call of activation i gets time i + 1. All words
 * with times between this call and the call of activation i + 1 also get time i + 1. Renumbering
 * changes only memory of this execution context. */
uint32_t trms_time_renumbered(const struct trms_exec_context *ctx, uint32_t time)
{
    const struct trms_activation *stack = ctx->stack;
    size_t low = 0, end = trms_depth(ctx) + 1;
    while (end - low > 1) {
        size_t middle = low + (end - low) / 2;
        if (stack[middle].stamp <= time)
            low = middle;
        else
            end = middle;
    }
    return (uint32_t)low * TRMS_TICK + BOTTOM_TIME;
}

APROF_NOINLINE void trms_time_renumber(struct trms_exec_context *ctx)
{
    if (UNLIKELY(trms_is_behind(ctx)))
        trms_catch_up(ctx);
    trms_words_renumber(ctx);
    for (size_t i = 0; i <= trms_depth(ctx); i++) {
        ctx->stack[i].stamp = (uint32_t)i * TRMS_TICK + BOTTOM_TIME;
        ctx->stack[i].near = 0; /* below `synced` */
    }
    ctx->synced = ctx->activation->stamp + TRMS_TICK; /* all words are now older than `synced` */
    trms_floor_set(ctx);
    ctx->stamp = (ctx->stamp >> 32) << 32 | ctx->synced;
    trms_time_limit_set(ctx);
    trms_accumulators_fold(ctx);
    ctx->renumberings++;
}

APROF_NOINLINE void trms_floors_repair(struct trms_exec_context *ctx)
{
    trms_floor_set(ctx);
}

/* Ends the current epoch of the execution context. */
void trms_epoch_end(struct trms_exec_context *ctx)
{
    trms_time_tick(ctx);
    if (UNLIKELY(ctx->world->without_direct_shadows) && trms_direct_shadow_must_go(ctx))
        trms_direct_shadow_leave(ctx);
    ctx->synced = ctx->floor = ctx->activation->near = (uint32_t)ctx->stamp;
    if (ctx->token_used)
        trms_token_next(ctx);
}

void trms_refresh(struct trms_exec_context *ctx)
{
    if (UNLIKELY(ctx->world->without_direct_shadows) && trms_direct_shadow_must_go(ctx))
        trms_direct_shadow_leave(ctx);
    if (UNLIKELY(trms_is_behind(ctx)))
        trms_catch_up(ctx);
}

/* Ends an epoch; does nothing if there is only one execution context. */
void trms_sync(struct trms_exec_context *ctx)
{
    if (ctx->world->shared)
        trms_epoch_end(ctx);
    else if (UNLIKELY(ctx->world->sampled))
        trms_refresh(ctx);
}

/* The interrupted code may be about to change the context's clock, so this function does not change
 * the clock. Until the clock's next change, every word is older than the floor. The interrupted
 * code may be using the context's token. The token's epoch began before the handler acquired data,
 * so the next slow-path access takes another token. */
void trms_interrupted(struct trms_exec_context *ctx)
{
    ctx->settled =
        /* this value is never equal to the world's generation, see trms_catch_up */
        ctx->generation - 1;
    ctx->synced = ctx->floor = ctx->activation->near = (uint32_t)ctx->stamp + TRMS_TICK;
}

static void forget_pending(void *context, struct routine_profile *profile)
{
    (void)context;
    profile->pending = 0;
}

/* Returns the context's cost when activation `i` called its pending callee, or the current cost if
 * the activation has no pending callee. */
static uint64_t cost_until(const struct trms_exec_context *ctx, size_t i)
{
    return i < trms_depth(ctx) ? ctx->stack[i + 1].cost_before : ctx->cost;
}

/* Repairs the stack after an interrupted call or return. The pointer `activation` keeps its value,
 * whether or not the interrupted operation has already changed it; the end of a callee may have
 * been counted twice. */
void trms_repair(struct trms_exec_context *ctx)
{
    size_t depth = trms_depth(ctx);
    trms_floor_set(ctx);
    if (depth + 1 < ctx->capacity)
        ctx->activation[1] = (struct trms_activation){.profile = NULL};
    profile_each(&ctx->profile, forget_pending, NULL);
    for (size_t i = 1; i <= depth; i++) {
        struct trms_activation *pending = &ctx->stack[i];
        uint64_t most = cost_until(ctx, i) - pending->cost_before;
        if (pending->cost_of_callees > most)
            pending->cost_of_callees = most;
        pending->profile->pending += pending->accumulator != &trms_accumulator_unmeasured;
    }
}

/* ---------------------------------------------------------------- calls and returns */

/* In execution contexts that keep calling contexts or use a clock, returns always take the slow
 * path. */
static struct trms_accumulator *accumulator_of_call(struct trms_exec_context *ctx,
                                                    struct routine_profile *profile,
                                                    uintptr_t caller)
{
    if (!ctx->world->collecting)
        return &trms_accumulator_unmeasured;
    if (!ctx->activation->profile || ctx->world->sampled)
        return &trms_accumulator_apart;
    uint32_t edge = ctx->edges ? trms_edge_of_call(ctx, profile, caller) : EDGE_NONE;
    return trms_accumulator_get(ctx, profile, edge);
}

/* Sets the time up to which calls may use the cache of known calls: each of these calls takes one
 * tick, and at most one of the free slots of the stack. */
static void call_limit_set(struct trms_exec_context *ctx)
{
    uint64_t places = ctx->capacity - 1 - trms_depth(ctx);
    uint64_t limit = (uint32_t)ctx->stamp + places * TRMS_TICK;
    ctx->call_limit = limit < ctx->time_limit ? (uint32_t)limit : ctx->time_limit;
}

void trms_exec_context_call(struct trms_exec_context *ctx, struct routine_profile *profile,
                            uintptr_t slot, uintptr_t caller)
{
    struct trms_accumulator *accumulator = accumulator_of_call(ctx, profile, caller);
    bool measured = accumulator != &trms_accumulator_unmeasured;
    trms_time_make_room(ctx);
    if (UNLIKELY(trms_depth(ctx) >= ctx->capacity / 4 * 3))
        trms_stack_grow(ctx);
    trms_activation_push(ctx, ctx->activation, accumulator, profile, slot, caller);
    if (trms_floors_are_old(ctx))
        trms_floors_repair(ctx);
    call_limit_set(ctx);
    profile->pending += measured;
    if (UNLIKELY(ctx->contexts))
        trms_contexts_call(ctx, profile, measured);
}

void trms_exec_context_pass_over(struct trms_exec_context *ctx)
{
    struct trms_activation *top = ctx->activation;
    top->profile->pending -= top->accumulator != &trms_accumulator_unmeasured;
    top->accumulator = &trms_accumulator_unmeasured;
}

/* Returns the metric by which activations are assigned to points: the trms if it is measured,
 * otherwise the rms. */
APROF_INLINE enum metric shown_metric(const struct trms_world *world)
{
    return world->config.metrics & 1u << METRIC_TRMS ? METRIC_TRMS : METRIC_RMS;
}

static void count(struct trms_exec_context *ctx, const struct trms_activation *top, uint64_t cost)
{
    struct routine_profile *profile = top->profile;
    struct measurement m = {
        .input = {(uint64_t)(top->rms + top->delta), (uint64_t)top->rms},
        .cost = cost,
        .self = cost - top->cost_of_callees,
        .thread_again = (uint64_t)top->delta_thread,
        .induced_thread = top->induced_thread,
        .induced_external = top->induced - top->induced_thread,
    };
    if (--profile->pending == 0)
        profile->cost_total += cost;
    profile_add(profile, &m, ctx->world->config.metrics);
    if (LIKELY(ctx->edges))
        trms_edge_count(ctx, top->accumulator->edge, 1, profile->pending ? 0 : cost,
                        m.input[shown_metric(ctx->world)]);
    ctx->activations++;
    if (UNLIKELY(ctx->contexts))
        trms_contexts_return(ctx, &m);
}

/* Adds the induced input of an ended activation to its caller. The caller's accumulator is set
 * first, because a signal handler may jump away between two stores. */
static void pass(struct trms_activation *top, struct trms_activation *parent)
{
    if (!top->induced)
        return;
    parent->accumulator = parent->accumulator->aside;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    parent->induced += top->induced;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    parent->induced_thread += top->induced_thread;
    parent->delta += top->delta;
    parent->delta_thread += top->delta_thread;
    top->delta = top->delta_thread = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    top->induced = top->induced_thread = 0;
}

/* Adds the ended activation to its accumulator if possible; returns whether it was added. */
static bool is_taken(struct trms_exec_context *ctx, struct trms_activation *top, uint64_t cost)
{
    if (top->induced || top->accumulator == &trms_accumulator_apart ||
        cost >= TRMS_ACCUMULATOR_COSTS || ctx->contexts || ctx->world->timed)
        return false;
    top->accumulator = top->accumulator->whole;
    return trms_activation_end_known(ctx, top) ||
           (trms_accumulator_turn(ctx, top->accumulator, (uint64_t)top->rms) &&
            trms_activation_end_known(ctx, top));
}

static void end_latest(struct trms_exec_context *ctx)
{
    struct trms_activation *top = ctx->activation;
    bool measured = top->accumulator != &trms_accumulator_unmeasured;
    uint64_t cost = ctx->cost - top->cost_before;
    if (measured && is_taken(ctx, top, cost))
        return;
    if (measured)
        count(ctx, top, cost);
    else if (ctx->contexts)
        trms_contexts_return(ctx, NULL);
    if (UNLIKELY(ctx->weights))
        trms_weights_return(ctx, cost);
    pass(top, top - 1);
    trms_activation_pop(ctx, top, (uint64_t)top->rms, cost);
}

void trms_exec_context_return(struct trms_exec_context *ctx)
{
    end_latest(ctx);
    if (trms_floors_are_old(ctx))
        trms_floors_repair(ctx);
}
