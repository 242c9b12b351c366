/* HOT: how an activation begins and ends, for trms.c and, inline, for the loop over the stream.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tenth of all blocks call or return, and the loop has in registers what these need: out of line
 * they took 7 % more instructions in a program that does little but call. Who is in no hurry takes
 * trms_call and trms_return, which are the same.
 */
#ifndef APROF_ACTIVATION_H
#define APROF_ACTIVATION_H

#include "aprof/state.h"
#include "aprof/strand_contexts.h"
#include "ground/host.h"

APROF_INLINE void activation_tick(struct engine *engine)
{
    engine->now += 1u << 1;
    if (UNLIKELY(engine->now >= engine->limit))
        overflow_renumber(engine);
}

/* By which the activation that begins was called; its caller is the top. */
APROF_INLINE uint32_t edge_of_call(struct engine *engine, struct strand *strand,
                                   struct routine *routine)
{
    if (UNLIKELY(!engine->config.edges || !strand->routine))
        return EDGE_NONE;
    return edge_table_get(&engine->edges, strand->routine, routine, strand->span);
}

/* Counts what the top activation, which ends, has cost where it was called from. */
APROF_INLINE void edge_count(struct engine *engine, const struct activation *top,
                             const struct measurement *m, bool is_outermost)
{
    struct call_edge *edge = &engine->edges.edges[top->edge];
    edge->calls++;
    edge->cost += is_outermost ? m->cost : 0;
    edge->input += m->input[engine->metrics & 1u << METRIC_TRMS ? METRIC_TRMS : METRIC_RMS];
}

/* What induced accesses have added to the activation at `at`, to be changed. */
APROF_INLINE struct induced *activation_induced(struct strand *strand, size_t at)
{
    struct induced *induced = &strand->induced[at];
    if (!strand->stack[at].is_induced) {
        strand->stack[at].is_induced = 1;
        *induced = (struct induced){0};
    }
    return induced;
}

APROF_INLINE void activation_begin(struct engine *engine, struct strand *strand,
                                   struct routine *routine, aprof_word slot)
{
    uint32_t edge = edge_of_call(engine, strand, routine);
    activation_tick(engine);
    if (UNLIKELY(++strand->top == strand->capacity))
        strand_grow_stack(strand);
    struct routine_profile *profile = profile_get(&strand->profile, routine);
    strand->routine = routine;
    strand->toggles += routine->toggles;
    bool measured = !strand_is_silent(engine, strand);
    strand->stamps[strand->top] = engine->now;
    strand->stack[strand->top] = (struct activation){
        .profile = profile,
        .slot = slot,
        .cost_before = strand->cost,
        .edge = edge,
        .measured = measured,
    };
    profile->pending += measured;
    if (slot < strand->deepest_slot)
        strand->deepest_slot = slot;
    if (UNLIKELY(strand->top > engine->stats.deepest))
        engine->stats.deepest = strand->top;
    if (UNLIKELY(engine->contexts))
        strand_contexts_call(engine, strand);
}

/* Collects the top activation and adds its partials to its parent's: Invariant 2. */
APROF_INLINE void activation_end(struct engine *engine, struct strand *strand)
{
    struct activation *top = &strand->stack[strand->top], *parent = top - 1;
    struct routine_profile *profile = top->profile;
    struct induced induced = {0};
    uint64_t cost = strand->cost - top->cost_before;
    APROF_ASSERT(strand->top > 0);
    if (UNLIKELY(top->is_induced)) {
        induced = strand->induced[strand->top];
        trms_hand_induced_down(strand);
    }
    if (LIKELY(top->measured)) {
        if (--profile->pending == 0)
            profile->cost_total += cost;
        struct measurement m = {
            .input = {(uint64_t)(top->rms + induced.delta), (uint64_t)top->rms},
            .cost = cost,
            .self = cost - top->cost_of_callees,
            .thread_again = (uint64_t)induced.delta_thread,
            .induced_thread = induced.thread,
            .induced_external = induced.external,
        };
        profile_add(profile, &m, engine->metrics);
        edge_count(engine, top, &m, profile->pending == 0);
        engine->activations++;
        if (UNLIKELY(engine->contexts))
            strand_contexts_return(engine, strand, &m);
    } else if (engine->contexts) {
        strand_contexts_return(engine, strand, NULL);
    }
    parent->rms += top->rms;
    parent->cost_of_callees += cost;
    strand->top--;
    strand->toggles -= profile->routine->toggles;
    strand->routine = parent->profile ? parent->profile->routine : NULL;
    if (UNLIKELY(top->slot - strand->deepest_slot > DEAD_STACK_BYTES) && top->slot != NO_SLOT)
        memory_release_dead_stack(engine, strand, top->slot);
}

#endif
