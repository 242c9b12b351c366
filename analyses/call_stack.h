/* The stack of activations, reconstructed from a thread's enter and leave events.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * After a gap in sampled events, the stack is known only from the next enter event on; older
 * activations are unknown. `whole` is true if no activation lies below the known part.
 */
#ifndef ANALYSES_CALL_STACK_H
#define ANALYSES_CALL_STACK_H

#include "ground/pages.h"
#include "analyses/analysis.h"

struct call_frame {
    uint64_t routine;
    uint64_t data; /* data of the analysis; 0 when the activation is pushed */
};

struct call_stack {
    struct call_frame *activations;
    size_t depth, capacity;
    bool whole;
};

APROF_NOINLINE static void call_stack_grow(struct call_stack *stack)
{
    stack->activations = pages_grow("analyses.call_stack", stack->activations, &stack->capacity,
                                    stack->depth + 1, sizeof(*stack->activations));
}

APROF_INLINE void call_stack_push(struct call_stack *stack, uint64_t routine)
{
    if (UNLIKELY(stack->depth == stack->capacity))
        call_stack_grow(stack);
    stack->activations[stack->depth++] = (struct call_frame){routine, 0};
}

APROF_INLINE struct call_frame *call_stack_top(const struct call_stack *stack)
{
    return stack->depth ? &stack->activations[stack->depth - 1] : NULL;
}

/* Handles a leave event of `routine`: the routine's latest activation ends, and all activations
 * above this activation end, too. Returns the new depth of the stack. If no known activation
 * belongs to the routine, and older activations are unknown, all known activations end. If no known
 * activation belongs to the routine, and all activations are known, the leave event is spurious and
 * ends no activation. */
APROF_INLINE size_t call_stack_depth_after(const struct call_stack *stack, uint64_t routine)
{
    for (size_t depth = stack->depth; depth > 0; depth--)
        if (stack->activations[depth - 1].routine == routine)
            return depth - 1;
    return stack->whole ? stack->depth : 0;
}

APROF_INLINE void call_stack_forget(struct call_stack *stack)
{
    stack->depth = 0;
    stack->whole = false;
}

APROF_INLINE void call_stack_release(struct call_stack *stack)
{
    pages_free(stack->activations, stack->capacity, sizeof(*stack->activations));
    stack->activations = NULL;
    stack->depth = stack->capacity = 0;
}

#endif
