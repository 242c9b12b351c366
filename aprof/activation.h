/* HOT: how an activation begins and ends, for trms.c and, inline, for the loop over the stream.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tenth of all blocks call or return, and the loop has in registers what these need: out of line
 * they took 7 % more instructions in a program that does little but call. Who is in no hurry takes
 * trms_call and trms_return, which
 * are the same.
 */
#ifndef APROF_ACTIVATION_H
#define APROF_ACTIVATION_H

#include "aprof/state.h"
#include "aprof/strand_contexts.h"
#include "ground/host.h"

/* False: it is time to renumber, and nothing was done. */
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

/* Counts `n` first accesses to cells that were accessed at the same time, or never; most likely by the
 * caller or by its caller. The zeros below the bottom are nobody's: one less, and they are later than
 * any access. */
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

/* By which the activation that begins was called from `site`; its caller is the top. */
APROF_INLINE uint32_t edge_of_call(struct engine *engine, struct strand *strand,
                                   struct routine *routine, uint32_t site)
{
    if (UNLIKELY(!engine->config.edges || !strand->routine))
        return EDGE_NONE;
    return edge_table_get(&engine->edges, strand->routine, routine, site);
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

APROF_INLINE void activation_fill(struct strand *strand, struct activation *top,
                                  struct routine_profile *profile, aprof_word slot, uint32_t edge,
                                  bool measured)
{
    *top = (struct activation){
        .profile = profile,
        .slot = slot,
        .cost_before = strand->cost,
        .edge = edge,
        .measured = measured,
    };
    profile->pending += measured;
    if (slot < strand->deepest_slot)
        strand->deepest_slot = slot;
}

/* Of a routine that does not switch collection. */
APROF_INLINE void activation_push(struct engine *engine, struct strand *strand,
                                  struct routine *routine, aprof_word slot, uint32_t site,
                                  bool measured)
{
    uint32_t edge = edge_of_call(engine, strand, routine, site);
    activation_tick(engine);
    if (UNLIKELY(++strand->top == strand->capacity))
        strand_grow_stack(strand);
    struct routine_profile *profile = profile_get(&strand->profile, routine);
    struct call_edge *latest = &engine->edges.edges[edge];
    latest->strand = strand->number;
    latest->profile = profile;
    strand->routine = routine;
    strand->stamps[strand->top] = engine->now;
    activation_fill(strand, &strand->stack[strand->top], profile, slot, edge, measured);
    if (UNLIKELY(strand->top > strand->known_depth))
        strand_note_depth(engine, strand);
    if (UNLIKELY(engine->contexts))
        strand_contexts_call(engine, strand);
}

/* Counts the activation, which ends, for its edge, and the cost of it for its routine. */
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

/* Adds the partials of one that ends to its parent's: Invariant 2. */
APROF_INLINE void activation_hand_down(struct activation *parent, const struct activation *top,
                                       uint64_t cost)
{
    parent->rms += top->rms;
    parent->cost_of_callees += cost;
}

/* Counts the top activation, which ends, and was measured. */
APROF_INLINE void activation_count(struct engine *engine, struct strand *strand, uint64_t cost)
{
    const struct activation *top = &strand->stack[strand->top];
    uint64_t input = (uint64_t)top->rms;
    if (UNLIKELY(!engine->plain) || UNLIKELY(top->is_induced) ||
        UNLIKELY(!profile_add_again(top->profile, input, cost, cost - top->cost_of_callees)))
        input = trms_measure(engine, strand, cost);
    activation_count_edge(engine, top, cost, input);
}

/* Collects the top activation. */
APROF_INLINE void activation_pop(struct engine *engine, struct strand *strand)
{
    const struct activation *top = &strand->stack[strand->top];
    struct activation *parent = &strand->stack[strand->top - 1];
    uint64_t cost = strand->cost - top->cost_before;
    APROF_ASSERT(strand->top > 0);
    if (LIKELY(top->measured))
        activation_count(engine, strand, cost);
    else if (engine->contexts)
        strand_contexts_return(engine, strand, NULL);
    if (UNLIKELY(top->is_induced))
        trms_hand_induced_down(strand);
    activation_hand_down(parent, top, cost);
    strand->top--;
    strand->routine = parent->profile ? parent->profile->routine : NULL;
    if (UNLIKELY(top->slot - strand->deepest_slot > DEAD_STACK_BYTES) && top->slot != NO_SLOT)
        memory_release_dead_stack(engine, strand, top->slot);
}

#endif
