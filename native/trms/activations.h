/* HOT: a call and a return of a strand, for the hooks to have them in their own code.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The commonest return is of an activation that has induced nothing and has the input size of the
 * routine's latest one: it needs no table, and calls nothing. The sums of places on the stack above
 * the top are zero, so that neither a call nor a return has to clear what was not used.
 */
#ifndef NATIVE_TRMS_ACTIVATIONS_H
#define NATIVE_TRMS_ACTIVATIONS_H

#include "native/trms/core.h"
#include "native/trms/edges.h"

/* activations.c: time has run out; all that is not the commonest; what it has induced goes to its
 * caller, and is zero. */
void trms_time_renumber(struct trms_strand *strand);
void trms_activation_collect(struct trms_strand *strand, struct trms_activation *top,
                             uint64_t cost);
void trms_activation_pass(struct trms_activation *top, struct trms_activation *parent);

APROF_INLINE void trms_time_tick(struct trms_strand *strand)
{
    if (UNLIKELY((uint32_t)strand->stamp >= strand->time_limit))
        trms_time_renumber(strand);
    strand->stamp += TRMS_TICK;
}

/* The stack is whole at every moment, for a signal handler's hooks may use this strand too if
 * nobody has told us of the handler. */
APROF_INLINE void trms_activation_begin(struct trms_strand *strand, struct routine_profile *profile,
                                        uintptr_t slot, uintptr_t caller)
{
    trms_time_tick(strand);
    size_t top = strand->top + 1;
    if (UNLIKELY(top == strand->capacity))
        trms_stack_grow(strand);
    bool measured = strand->world->collecting;
    uint32_t edge = strand->edges ? trms_edge_of_call(strand, profile, caller) : EDGE_NONE;
    uint32_t now = (uint32_t)strand->stamp;
    struct trms_activation *called = strand->activation + 1;
    called->profile = profile;
    called->slot = slot;
    called->caller = caller;
    called->cost_before = strand->cost;
    called->measured = measured;
    called->edge = edge;
    strand->stamps[top] = now;
    strand->activation = called;
    strand->top = top;
    strand->parent_stamp = strand->top_stamp;
    trms_later_set(strand, &strand->near, strand->top_stamp);
    strand->top_stamp = strand->floor = now; /* nothing was accessed at this time */
    profile->pending += measured;
    if (UNLIKELY(strand->contexts))
        trms_contexts_call(strand, profile, measured);
}

APROF_INLINE void trms_activation_end(struct trms_strand *strand)
{
    struct trms_activation *top = strand->activation, *parent = top - 1;
    uint64_t cost = strand->cost - top->cost_before, self = cost - top->cost_of_callees;
    uint64_t input = (uint64_t)top->rms;
    uint64_t induced = (uint64_t)top->delta | top->induced_thread | top->induced_external;
    if (LIKELY(top->measured && !induced && !strand->contexts &&
               strand->world->config.metrics == BOTH_METRICS &&
               profile_add_again(top->profile, input, cost, self))) {
        bool is_outermost = --top->profile->pending == 0;
        if (is_outermost)
            top->profile->cost_total += cost;
        if (LIKELY(strand->edges))
            trms_edge_count(strand, top->edge, is_outermost ? cost : 0, input);
        strand->activations++;
    } else {
        trms_activation_collect(strand, top, cost);
    }
    if (UNLIKELY(induced))
        trms_activation_pass(top, parent);
    parent->rms += (int64_t)input;
    parent->cost_of_callees += cost;
    top->rms = 0;
    top->cost_of_callees = 0;
    strand->activation = parent;
    strand->top--;
    strand->top_stamp = strand->parent_stamp;
    strand->parent_stamp = strand->stamps[strand->top ? strand->top - 1 : 0];
    trms_floor_set(strand);
}

#endif
