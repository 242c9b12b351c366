/* An accumulator collects measurements of an edge's calls, before they enter the points.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls from one site have few different input sizes, so one small accumulator for each caller,
 * callee and site suffices. Each call makes one search for its accumulator, in a cache of known
 * calls. The return adds the call's costs to the accumulator's point for the call's input size. An
 * accumulator's sums move to the routine's points and to the edge when measurements are gathered.
 * The sums of a point also move when the point is reused for another size.
 *
 * An accumulator begins with one point, and gets more points if sizes alternate. The lowest bits of
 * a size select its slot. If another size occupies this slot, the activation is added directly to
 * the routine's points. After some conflicts, the new size replaces the old size.
 *
 * If edges are not kept, a routine has one accumulator. There are two special accumulators without
 * points: trms_accumulator_apart for sampled activations and activations without a calling routine,
 * and trms_accumulator_unmeasured for unmeasured activations.
 *
 * A return makes only one comparison: the activation's input size with the size of the
 * accumulator's point. Activations that need special treatment get another accumulator (`aside`).
 * That accumulator has no points, so the comparison fails and the return takes the slow path.
 *
 * Calls with equal input sizes mostly have equal costs. So a cost is squared, and compared with the
 * minimum and the maximum, only if it differs from the previous cost. Sums have 64 bits and are not
 * checked for overflow. The sums cannot overflow, because activations that cost
 * TRMS_ACCUMULATOR_COSTS or more take the slow path, and each renumbering of times calls
 * trms_accumulators_fold.
 *
 * Worked example. Three calls of f from one site read 3 cells each. The calls cost 10, 10 and 14,
 * including their callees, which cost 0, 0 and 6:
 *
 *     input 3, calls 3, cost 14, square 196, costs 34, costs_of_callees 6, squares 396,
 *     cost_min 10, cost_max 14
 *
 * The routine's total cost is `costs` minus `inside`: recursive calls are not counted twice. Only
 * recursive calls store to `inside`.
 */
#ifndef NATIVE_TRMS_CALLS_ACCUMULATORS_H
#define NATIVE_TRMS_CALLS_ACCUMULATORS_H

#include "native/trms/state.h"

#define TRMS_ACCUMULATOR_NO_INPUT (~(uint64_t)0)

/* Upper limit of the cost of an activation in an accumulator. 2^30 costs below this limit have a
 * sum of squares below 2^62, and fewer than 2^30 activations end between two calls of
 * trms_accumulators_fold. */
#define TRMS_ACCUMULATOR_COSTS ((uint64_t)1 << 16)

/* When a sum of squares reaches this value, it is carried into squares_high. */
#define TRMS_ACCUMULATOR_SQUARES ((uint64_t)1 << 63)

/* A point has 64 bytes (a point of the profile has 96). Therefore a shift computes the address of a
 * slot, and a slot mostly lies in one cache line. */
struct trms_accumulator_point {
    uint64_t input, calls;
    /* cost of the previous activation, and the square of this cost; TRMS_ACCUMULATOR_NO_COST:
     * unknown */
    uint64_t cost, square;
    uint64_t costs, costs_of_callees, squares;
    uint32_t squares_high;
    uint16_t cost_min, cost_max;
};
_Static_assert(sizeof(struct trms_accumulator_point) == 64, "a power of two");
#define TRMS_ACCUMULATOR_NO_COST ((uint64_t)1 << 32)

struct trms_accumulator {
    /* points by (input & mask); a point with TRMS_ACCUMULATOR_NO_INPUT matches no return */
    struct trms_accumulator_point *points;
    uint64_t mask;
    uint64_t inside; /* part of `costs` spent in recursive calls of the routine */
    uint64_t costs;  /* sum of the costs of activations that have left the points */
    struct routine_profile *profile;
    /* slow-path accumulator; a slow-path accumulator points to itself */
    struct trms_accumulator *aside;
    /* accumulator with points; a special accumulator points to itself */
    struct trms_accumulator *whole;
    uint32_t edge;      /* index of the call edge in the execution context's table */
    uint32_t conflicts; /* number of activations whose slot had another size */
    struct trms_accumulator_point first; /* initial point of the accumulator */
};

extern struct trms_accumulator trms_accumulator_apart, trms_accumulator_unmeasured;

/* Returns the accumulator of calls through this edge. */
struct trms_accumulator *trms_accumulator_get(struct trms_exec_context *ctx,
                                              struct routine_profile *profile, uint32_t edge);

/* The slow path of a return without induced input: the accumulator has no point for the
 * activation's input size. Returns true if the function has made a point for this size. */
bool trms_accumulator_turn(struct trms_exec_context *ctx, struct trms_accumulator *accumulator,
                           uint64_t input);

/* Call this function whenever times are renumbered. */
void trms_accumulators_fold(struct trms_exec_context *ctx);

/* Moves the sums of all accumulators of the execution context to its profile and its edges, and
 * clears the sums. */
void trms_accumulators_gather(struct trms_exec_context *ctx);
void trms_accumulators_clear(struct trms_exec_context *ctx);
void trms_accumulators_free(struct trms_exec_context *ctx);

/* HOT: sets the point's latest cost and its square when the cost has changed. A signal handler may
 * interrupt this function at any instruction and leave by longjmp, so `cost` is set last, and is
 * invalid while other fields change. */
APROF_INLINE bool trms_accumulator_point_turn(struct trms_accumulator_point *point, uint64_t cost)
{
    if (cost >= TRMS_ACCUMULATOR_COSTS)
        return false;
    point->cost = TRMS_ACCUMULATOR_NO_COST;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (cost < point->cost_min)
        point->cost_min = (uint16_t)cost;
    if (cost > point->cost_max)
        point->cost_max = (uint16_t)cost;
    point->square = cost * cost;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    point->cost = cost;
    return true;
}

/* Adds an activation to the point. Returns false and does nothing if the cost is too large for a
 * point. */
APROF_INLINE bool trms_accumulator_point_add(struct trms_accumulator_point *point, uint64_t cost,
                                             uint64_t cost_of_callees)
{
    if (UNLIKELY(cost != point->cost) && UNLIKELY(!trms_accumulator_point_turn(point, cost)))
        return false;
    point->calls++;
    point->costs += cost;
    point->costs_of_callees += cost_of_callees;
    point->squares += point->square;
    return true;
}

/* Selects an entry of `known_calls` by return address and routine. Return addresses are at least 4
 * bytes apart. So return addresses in one routine use different entries if they are less than a
 * kilobyte apart. */
APROF_INLINE struct trms_known_call *trms_known_call_slot(struct trms_exec_context *ctx,
                                                          uintptr_t site, uintptr_t pc)
{
    uintptr_t most = (TRMS_KNOWN - 1) * sizeof(struct trms_known_call);
    return (struct trms_known_call *)((uintptr_t)ctx->known_calls + ((8 * site + pc) & most));
}

#endif
