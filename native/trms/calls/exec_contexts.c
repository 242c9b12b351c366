/* Execution contexts and the world that they share: start, end and restart.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/core.h"
#include "native/trms/calls/edges.h"
#include "native/trms/shadow/seen_versions.h"
#include "native/trms/calls/accumulators.h"
#include "native/trms/calls/weights.h"
#include "native/trms/shadow/words.h"
#include "points/process_contexts.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

#define BOTTOM_TIME TRMS_TICK

/* ---------------------------------------------------------------- the stack of activations */

static size_t stack_bytes(uint32_t capacity)
{
    return pages_bytes(((size_t)capacity + 1) * sizeof(struct trms_activation));
}

static struct trms_activation *stack_new(uint32_t capacity)
{
    struct trms_activation *stack = host_map("aprof.trms.stack", stack_bytes(capacity));
    stack->stamp = BOTTOM_TIME;
    return stack + 1;
}

static void stack_take(struct trms_exec_context *ctx, struct trms_activation *stack,
                       uint32_t capacity, size_t depth)
{
    ctx->capacity = capacity;
    ctx->stack = ctx->found = stack;
    ctx->activation = stack + depth;
}

static void stack_unmap(struct trms_activation *stack, uint32_t capacity)
{
    host_unmap(stack - 1, stack_bytes(capacity));
}

/* The first hook of a signal handler reads the latest activation of the interrupted code, and
 * repairs the stack after a jump. So signals are blocked while a larger stack replaces the old
 * stack, and the old stack is freed last. */
APROF_NOINLINE void trms_stack_grow(struct trms_exec_context *ctx)
{
    struct trms_activation *stack = ctx->stack;
    uint32_t capacity = ctx->capacity;
    struct trms_activation *larger = stack_new(2 * capacity);
    memcpy(larger, stack, capacity * sizeof(*stack));
    trms_lock(ctx->world);
    stack_take(ctx, larger, 2 * capacity, trms_depth(ctx));
    trms_unlock(ctx->world);
    stack_unmap(stack, capacity);
}

/* ---------------------------------------------------------------- execution contexts */

static void exec_context_begin(struct trms_exec_context *ctx)
{
    stack_take(ctx, stack_new(TRMS_FIRST_CAPACITY), TRMS_FIRST_CAPACITY, 0);
    ctx->stack[0] = (struct trms_activation){
        .slot = TRMS_NO_SLOT, .accumulator = &trms_accumulator_unmeasured, .stamp = BOTTOM_TIME};
    ctx->synced = BOTTOM_TIME; /* not 0, because the word of a cell without an access is 0 */
    trms_floor_set(ctx);
    ctx->stamp = (uint64_t)TRMS_NO_TOKEN << 32 | (BOTTOM_TIME + TRMS_TICK);
    trms_time_limit_set(ctx);
    trms_remembered_clear(ctx);
    trms_direct_shadow_none(ctx);
}

struct trms_exec_context *trms_exec_context_new(struct trms_world *world, uint32_t thread)
{
    struct trms_exec_context *ctx = host_alloc("aprof.trms.exec_context", sizeof(*ctx));
    ctx->world = world;
    ctx->thread = thread;
    exec_context_begin(ctx);
    trms_contexts_begin(ctx);
    ctx->edges = world->edges ? trms_edges_new() : NULL;
    if (world->exec_contexts)
        trms_world_share(world);
    ctx->careful = TRMS_SHARED;
    trms_lock(world);
    ctx->serial = ++world->serials;
    ctx->generation = ctx->settled = world->generation;
    ctx->next = world->exec_contexts;
    if (ctx->next)
        ctx->next->previous = ctx;
    world->exec_contexts = ctx;
    world->n_exec_contexts++;
    trms_unlock(world);
    if (!world->shared)
        trms_exec_context_be_exclusive(ctx);
    return ctx;
}

static struct profile *profile_of_thread(struct trms_world *world, uint32_t number)
{
    world->gathered = array_grow("aprof.trms.gathered", world->gathered, &world->n_gathered,
                                 number + 1, sizeof(*world->gathered));
    return &world->gathered[number];
}

/* Adds the measurements since the previous part to the world. */
static void gather(struct trms_exec_context *ctx, const struct trms_totals *now)
{
    struct trms_world *world = ctx->world;
    trms_accumulators_gather(ctx);
    trms_lock(world);
    profile_move(profile_of_thread(world, ctx->thread), &ctx->profile);
    trms_contexts_gather(ctx);
    trms_edges_gather(ctx);
    world->cost += now->cost - ctx->reported.cost;
    world->activations += ctx->activations;
    world->reads += now->reads - ctx->reported.reads;
    world->induced_thread += now->induced_thread - ctx->reported.induced_thread;
    world->induced_external += now->induced_external - ctx->reported.induced_external;
    trms_unlock(world);
    ctx->activations = 0;
}

/* Returns the totals: sums over all activations on the stack, including the bottom entry. */
static struct trms_totals totals_of(const struct trms_exec_context *ctx)
{
    struct trms_totals totals = {.cost = ctx->cost};
    for (size_t i = 0; i <= trms_depth(ctx); i++) {
        const struct trms_activation *a = &ctx->stack[i];
        totals.reads += (uint64_t)(a->rms + a->delta);
        totals.induced_thread += a->induced_thread;
        totals.induced_external += a->induced - a->induced_thread;
    }
    return totals;
}

void trms_exec_context_finish(struct trms_exec_context *ctx)
{
    struct trms_activation *bottom = ctx->stack;
    trms_floor_set(ctx); /* the thread may have been cancelled during a call */
    while (trms_is_pending(ctx))
        trms_exec_context_return(ctx);
    struct trms_totals totals = totals_of(ctx);
    gather(ctx, &totals);
    *bottom = (struct trms_activation){
        .slot = TRMS_NO_SLOT, .accumulator = bottom->accumulator, .stamp = bottom->stamp};
    ctx->reported = (struct trms_totals){.cost = ctx->cost};
}

static void exec_context_unlink(struct trms_exec_context *ctx)
{
    struct trms_world *world = ctx->world;
    trms_lock(world);
    if (ctx->next)
        ctx->next->previous = ctx->previous;
    if (ctx->previous)
        ctx->previous->next = ctx->next;
    else
        world->exec_contexts = ctx->next;
    world->n_exec_contexts--;
    trms_unlock(world);
}

static void exec_context_free(struct trms_exec_context *ctx)
{
    exec_context_unlink(ctx);
    stack_unmap(ctx->stack, ctx->capacity);
    trms_exec_context_unmap(ctx);
    trms_direct_shadow_unmap(ctx);
    trms_seen_versions_free(ctx);
    profile_free(&ctx->profile);
    trms_contexts_end(ctx);
    trms_accumulators_free(ctx);
    host_free(ctx->weights);
    trms_edges_free(ctx->edges);
    host_free(ctx);
}

void trms_exec_context_end(struct trms_exec_context *ctx)
{
    trms_exec_context_finish(ctx);
    exec_context_free(ctx);
}

/* ---------------------------------------------------------------- parts of the report */

/* Returns whether a signal handler has interrupted a hook, because this hook may be changing its
 * execution context. */
static bool is_inside_hook(const struct trms_exec_context *ctx)
{
    return ctx->is_handler && ctx->below_inside;
}

/* Other threads run between hooks, so the totals may grow before the copy is made. The copy and the
 * next part both use the totals that are stored here. */
bool trms_world_divide(struct trms_world *world)
{
    bool is_possible = true;
    trms_lock(world);
    for (struct trms_exec_context *ctx = world->exec_contexts; ctx; ctx = ctx->next) {
        is_possible &= !is_inside_hook(ctx);
        ctx->dividing = totals_of(ctx);
    }
    trms_unlock(world);
    return is_possible;
}

static bool *recorded_routines(struct trms_world *world, uint32_t n_routines)
{
    bool *is_recorded = host_alloc("aprof.trms.recorded", n_routines + 1);
    for (struct trms_exec_context *ctx = world->exec_contexts; ctx; ctx = ctx->next)
        profile_find_recorded(&ctx->profile, is_recorded);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_find_recorded(&world->gathered[i], is_recorded);
    return is_recorded;
}

void trms_world_finish_part(struct trms_world *world, uint32_t n_routines)
{
    for (struct trms_exec_context *ctx = world->exec_contexts; ctx; ctx = ctx->next)
        gather(ctx, &ctx->dividing);
    bool *is_recorded = recorded_routines(world, n_routines);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_forget_unrecorded(&world->gathered[i], is_recorded);
    host_free(is_recorded);
}

static void next_part(struct trms_exec_context *ctx, const bool *is_recorded)
{
    trms_accumulators_clear(ctx);
    profile_clear_recorded(&ctx->profile, is_recorded);
    if (ctx->edges)
        edge_table_clear(&ctx->edges->table);
    ctx->activations = 0;
    ctx->reported = ctx->dividing;
}

static void clear_totals(struct trms_world *world)
{
    world->cost = world->activations = world->reads = 0;
    world->induced_thread = world->induced_external = 0;
}

void trms_world_next_part(struct trms_world *world, uint32_t n_routines)
{
    trms_lock(world);
    bool *is_recorded = recorded_routines(world, n_routines);
    for (struct trms_exec_context *ctx = world->exec_contexts; ctx; ctx = ctx->next)
        next_part(ctx, is_recorded);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_clear_recorded(&world->gathered[i], is_recorded);
    if (world->edges)
        edge_table_clear(&world->edges->table);
    clear_totals(world);
    host_free(is_recorded);
    trms_unlock(world);
}

/* ---------------------------------------------------------------- the world */

void trms_world_init(struct trms_world *world, const struct trms_config *config)
{
    struct trms_tokens *tokens = &world->tokens;
    world->config = *config;
    world->collecting = true;
    world->edges = config->edges ? trms_edges_new() : NULL;
    APROF_ASSERT(config->token_bits <= TRMS_TOKEN_BITS);
    tokens->block_log2 = config->token_block_log2;
    tokens->n_blocks = (1u << (config->token_bits - config->token_block_log2)) - 1;
    tokens->next = 1;
    tokens->owners =
        host_map("aprof.trms.owners", pages_bytes(tokens->n_blocks * sizeof(uint64_t)));
    tokens->recycled =
        host_map("aprof.trms.recycled", pages_bytes(tokens->n_blocks * sizeof(uint32_t)));
    tokens->free = host_map("aprof.trms.free", pages_bytes(tokens->n_blocks * sizeof(uint32_t)));
}

void trms_world_free(struct trms_world *world)
{
    struct trms_tokens *tokens = &world->tokens;
    while (world->exec_contexts)
        exec_context_free(world->exec_contexts);
    trms_written_unmap(world);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_free(&world->gathered[i]);
    host_free(world->gathered);
    if (world->contexts)
        process_contexts_free(world->contexts);
    trms_edges_free(world->edges);
    host_free(world->ranges);
    host_unmap(tokens->owners, pages_bytes(tokens->n_blocks * sizeof(uint64_t)));
    host_unmap(tokens->recycled, pages_bytes(tokens->n_blocks * sizeof(uint32_t)));
    host_unmap(tokens->free, pages_bytes(tokens->n_blocks * sizeof(uint32_t)));
    memset(world, 0, sizeof(*world));
}

void trms_world_share(struct trms_world *world)
{
    struct trms_exec_context *only = world->exec_contexts;
    if (world->shared || world->sampled)
        return;
    if (only) {
        trms_words_share(only);
        trms_remembered_clear(only);
    }
    world->shared = true;
}

static void exec_context_restart(struct trms_exec_context *ctx)
{
    trms_exec_context_unmap(ctx);
    if (trms_has_direct_shadow(ctx))
        trms_direct_shadow_clear(ctx, 0, ~(uint64_t)0);
    trms_seen_versions_forget(ctx);
    profile_clear(&ctx->profile);
    trms_accumulators_clear(ctx);
    trms_weights_restart(ctx);
    trms_contexts_restart(ctx);
    if (ctx->edges)
        edge_table_clear(&ctx->edges->table);
    ctx->cost = ctx->activations = 0;
    ctx->reported = (struct trms_totals){0};
    for (size_t i = 0; i <= trms_depth(ctx); i++) {
        struct trms_activation *a = &ctx->stack[i];
        a->cost_before = a->cost_of_callees = a->induced = a->induced_thread = 0;
        a->rms = a->delta = a->delta_thread = 0;
    }
}

/* Returns whether `ctx` is a context that the handler interrupted, and must end instead of the
 * handler's context. The handler's context survives, because the handler's code may already have
 * loaded the address of its direct-mapped shadow. */
static bool is_interrupted(const struct trms_exec_context *ctx,
                           const struct trms_exec_context *survivor)
{
    while (survivor && survivor != ctx)
        survivor = survivor->below;
    return survivor;
}

/* Abandons data that a vanished thread may have been changing, because the data may be
 * inconsistent. A child shares the abandoned pages with its parent, so they take no memory.
 * Direct-mapped shadows take address space, so they are released. */
static void abandon(struct trms_world *world, struct trms_exec_context *survivor, bool torn)
{
    for (struct trms_exec_context *gone = torn ? NULL : world->exec_contexts; gone;
         gone = gone->next)
        if (!is_interrupted(gone, survivor))
            trms_direct_shadow_unmap(gone);
    world->exec_contexts = survivor;
    world->n_exec_contexts = survivor != NULL;
    if (survivor)
        survivor->next = survivor->previous = NULL;
    if (!torn)
        return;
    world->gathered = NULL;
    world->n_gathered = 0;
    world->n_ranges = world->n_files = 0;
    world->edges = world->edges ? trms_edges_new() : NULL;
}

void trms_world_restart(struct trms_world *world, struct trms_exec_context *survivor, bool torn)
{
    abandon(world, survivor, torn);
    if (survivor)
        exec_context_restart(survivor);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_clear(&world->gathered[i]);
    if (world->contexts && !torn)
        process_contexts_clear(world->contexts);
    if (world->edges)
        edge_table_clear(&world->edges->table);
    trms_written_unmap(world);
    world->shared = false;
    if (survivor)
        trms_exec_context_be_exclusive(survivor);
    clear_totals(world);
}
