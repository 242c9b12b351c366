/* Execution contexts and the world they share: start, end, restart.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/core.h"
#include "native/trms/calls/edges.h"
#include "native/trms/shadow/sights.h"
#include "native/trms/calls/tallies.h"
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

static void stack_take(struct trms_strand *strand, struct trms_activation *stack, uint32_t capacity,
                       size_t depth)
{
    strand->capacity = capacity;
    strand->stack = strand->found = stack;
    strand->activation = stack + depth;
}

static void stack_unmap(struct trms_activation *stack, uint32_t capacity)
{
    host_unmap(stack - 1, stack_bytes(capacity));
}

/* A signal handler's first hook reads the latest activation of the interrupted code, and repairs the stack after
 * a jump. So signals are blocked while a larger stack replaces the old one, and the old one is freed last. */
APROF_NOINLINE void trms_stack_grow(struct trms_strand *strand)
{
    struct trms_activation *stack = strand->stack;
    uint32_t capacity = strand->capacity;
    struct trms_activation *larger = stack_new(2 * capacity);
    memcpy(larger, stack, capacity * sizeof(*stack));
    trms_lock(strand->world);
    stack_take(strand, larger, 2 * capacity, trms_depth(strand));
    trms_unlock(strand->world);
    stack_unmap(stack, capacity);
}

/* ---------------------------------------------------------------- strands */

static void strand_begin(struct trms_strand *strand)
{
    stack_take(strand, stack_new(TRMS_FIRST_CAPACITY), TRMS_FIRST_CAPACITY, 0);
    strand->stack[0] = (struct trms_activation){
        .slot = TRMS_NO_SLOT, .tally = &trms_tally_unmeasured, .stamp = BOTTOM_TIME};
    strand->synced = BOTTOM_TIME; /* not zero, unlike words of unknown cells */
    trms_floor_set(strand);
    strand->stamp = (uint64_t)TRMS_NO_TOKEN << 32 | (BOTTOM_TIME + TRMS_TICK);
    trms_time_limit_set(strand);
    trms_remembered_clear(strand);
    trms_window_none(strand);
}

struct trms_strand *trms_strand_new(struct trms_world *world, uint32_t thread)
{
    struct trms_strand *strand = host_alloc("aprof.trms.strand", sizeof(*strand));
    strand->world = world;
    strand->thread = thread;
    strand_begin(strand);
    trms_contexts_begin(strand);
    strand->edges = world->edges ? trms_edges_new() : NULL;
    if (world->strands)
        trms_world_share(world);
    strand->careful = TRMS_SHARED;
    trms_lock(world);
    strand->serial = ++world->serials;
    strand->generation = strand->settled = world->generation;
    strand->next = world->strands;
    if (strand->next)
        strand->next->previous = strand;
    world->strands = strand;
    world->n_strands++;
    trms_unlock(world);
    if (!world->shared)
        trms_strand_be_exclusive(strand);
    return strand;
}

static struct profile *profile_of_thread(struct trms_world *world, uint32_t number)
{
    world->gathered = array_grow("aprof.trms.gathered", world->gathered, &world->n_gathered,
                                 number + 1, sizeof(*world->gathered));
    return &world->gathered[number];
}

void trms_strand_finish(struct trms_strand *strand)
{
    struct trms_world *world = strand->world;
    struct trms_activation *bottom = strand->stack;
    trms_floor_set(strand); /* the thread may have been cancelled during a call */
    while (trms_is_pending(strand))
        trms_strand_return(strand);
    trms_tallies_gather(strand);
    trms_lock(world);
    profile_move(profile_of_thread(world, strand->thread), &strand->profile);
    trms_contexts_gather(strand);
    trms_edges_gather(strand);
    world->cost += strand->cost - strand->cost_at_start;
    world->activations += strand->activations;
    world->reads += (uint64_t)(bottom->rms + bottom->delta);
    world->induced_thread += bottom->induced_thread;
    world->induced_external += bottom->induced - bottom->induced_thread;
    trms_unlock(world);
    *bottom = (struct trms_activation){
        .slot = TRMS_NO_SLOT, .tally = bottom->tally, .stamp = bottom->stamp};
    strand->cost_at_start = strand->cost;
    strand->activations = 0;
}

static void strand_unlink(struct trms_strand *strand)
{
    struct trms_world *world = strand->world;
    trms_lock(world);
    if (strand->next)
        strand->next->previous = strand->previous;
    if (strand->previous)
        strand->previous->next = strand->next;
    else
        world->strands = strand->next;
    world->n_strands--;
    trms_unlock(world);
}

static void strand_free(struct trms_strand *strand)
{
    strand_unlink(strand);
    stack_unmap(strand->stack, strand->capacity);
    trms_strand_unmap(strand);
    trms_window_unmap(strand);
    trms_sights_free(strand);
    profile_free(&strand->profile);
    trms_contexts_end(strand);
    trms_tallies_free(strand);
    host_free(strand->weights);
    trms_edges_free(strand->edges);
    host_free(strand);
}

void trms_strand_end(struct trms_strand *strand)
{
    trms_strand_finish(strand);
    strand_free(strand);
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
    while (world->strands)
        strand_free(world->strands);
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
    struct trms_strand *only = world->strands;
    if (world->shared || world->sampled)
        return;
    if (only) {
        trms_words_share(only);
        trms_remembered_clear(only);
    }
    world->shared = true;
}

static void strand_restart(struct trms_strand *strand)
{
    trms_strand_unmap(strand);
    if (trms_has_window(strand))
        trms_window_clear(strand, 0, ~(uint64_t)0);
    trms_sights_forget(strand);
    profile_clear(&strand->profile);
    trms_tallies_clear(strand);
    trms_weights_restart(strand);
    trms_contexts_restart(strand);
    if (strand->edges)
        edge_table_clear(&strand->edges->table);
    strand->cost = strand->cost_at_start = strand->activations = 0;
    for (size_t i = 0; i <= trms_depth(strand); i++) {
        struct trms_activation *a = &strand->stack[i];
        a->cost_before = a->cost_of_callees = a->induced = a->induced_thread = 0;
        a->rms = a->delta = a->delta_thread = 0;
    }
}

/* The survivor is the signal handler, because its code may already have loaded the address of its direct-mapped
 * shadow. */
static bool is_interrupted(const struct trms_strand *strand, const struct trms_strand *survivor)
{
    while (survivor && survivor != strand)
        survivor = survivor->below;
    return survivor;
}

/* Abandons data that a vanished thread may have been changing, because they may be inconsistent. A child shares
 * their pages with its parent, so they take no memory. Direct-mapped shadows take address space, so they are
 * released. */
static void abandon(struct trms_world *world, struct trms_strand *survivor, bool torn)
{
    for (struct trms_strand *gone = torn ? NULL : world->strands; gone; gone = gone->next)
        if (!is_interrupted(gone, survivor))
            trms_window_unmap(gone);
    world->strands = survivor;
    world->n_strands = survivor != NULL;
    if (survivor)
        survivor->next = survivor->previous = NULL;
    if (!torn)
        return;
    world->gathered = NULL;
    world->n_gathered = 0;
    world->n_ranges = world->n_files = 0;
    world->edges = world->edges ? trms_edges_new() : NULL;
}

void trms_world_restart(struct trms_world *world, struct trms_strand *survivor, bool torn)
{
    abandon(world, survivor, torn);
    if (survivor)
        strand_restart(survivor);
    for (uint32_t i = 0; i < world->n_gathered; i++)
        profile_clear(&world->gathered[i]);
    if (world->contexts && !torn)
        process_contexts_clear(world->contexts);
    if (world->edges)
        edge_table_clear(&world->edges->table);
    trms_written_unmap(world);
    world->shared = false;
    if (survivor)
        trms_strand_be_exclusive(survivor);
    world->cost = world->activations = world->reads = 0;
    world->induced_thread = world->induced_external = 0;
}
