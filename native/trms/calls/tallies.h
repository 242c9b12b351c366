/* Accumulators (`tally` in names): measurements of the calls by one edge that are not yet in the routine's points.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls from one place have few input sizes, which repeat. So a call makes one look-up of caller, callee and site
 * in a table of known calls, and its return adds to the accumulator's point for its size. The routine's point, its
 * sums and the edge's get these sums at the end, or when another size replaces it. An accumulator has one point at
 * first, and more if sizes alternate, each in the slot given by its lowest bits. A size whose slot is taken goes
 * directly to the routine's points, and replaces the other after some conflicts.
 *
 * If edges are not kept, a routine has one accumulator. An activation without a calling routine, and one that is
 * not measured, have none (trms_tally_apart, trms_tally_unmeasured).
 *
 * A return asks its tally's point for its size, and for nothing else that is rare: what is unusual about
 * an activation is said by another tally, which has no points (`aside`), so that its return asks no further
 * and goes the long way. Of calls that read as much most cost as much, too: only where one costs something
 * else than the one before it, the least and the most are asked for, and its cost is squared. Sums are words,
 * and no addition asks for a carry: an activation that costs TRMS_TALLY_COSTS or more goes the long way, and
 * trms_tallies_fold comes often enough. Worked example: calls of f from one place that read 3 cells and
 * cost 10, 10 and 14, of which callees 0, 0 and 6, leave
 *
 *     input 3, calls 3, cost 14, square 196, costs 34, costs_of_callees 6, squares 396, cost_min 10, cost_max 14
 *
 * The cost of the routine while none of its activations was pending is `costs` minus `inside`, so only recursion
 * writes a word for it.
 */
#ifndef NATIVE_TRMS_CALLS_TALLIES_H
#define NATIVE_TRMS_CALLS_TALLIES_H

#include "native/trms/state.h"

#define TRMS_TALLY_NO_INPUT (~(uint64_t)0)

/* Upper limit of the cost of activations in an accumulator: 2^30 of them, more than the times between two folds,
 * have a sum of squares below 2^62. */
#define TRMS_TALLY_COSTS ((uint64_t)1 << 16)

/* Squares that are carried into squares_high. */
#define TRMS_TALLY_SQUARES ((uint64_t)1 << 63)

/* 64 bytes, where a point of the profile has 96: a slot is found by a shift, and is often in one cache line. */
struct trms_tally_point {
    uint64_t input, calls;
    uint64_t cost, square; /* of the latest activation; TRMS_TALLY_NO_COST: there is none */
    uint64_t costs, costs_of_callees, squares;
    uint32_t squares_high;
    uint16_t cost_min, cost_max;
};
_Static_assert(sizeof(struct trms_tally_point) == 64, "a power of two");
#define TRMS_TALLY_NO_COST ((uint64_t)1 << 32)

struct trms_tally {
    struct trms_tally_point
        *points; /* at (input & mask); with TRMS_TALLY_NO_INPUT no return adds anything */
    uint64_t mask;
    uint64_t inside; /* of `costs`: of the activations below which one of the routine was pending */
    uint64_t costs;  /* of activations that have been moved out of its points */
    struct routine_profile *profile;
    struct trms_tally
        *aside; /* the slow-path accumulator for unusual activations; its own is itself */
    struct trms_tally *whole;      /* the one with points; for one without these: itself */
    uint32_t edge;                 /* of the strand's */
    uint32_t conflicts;            /* how often a size has found another one at its place */
    struct trms_tally_point first; /* all points that it has at first */
};

extern struct trms_tally trms_tally_apart, trms_tally_unmeasured;

/* The accumulator of a call by this edge. */
struct trms_tally *trms_tally_get(struct trms_strand *strand, struct routine_profile *profile,
                                  uint32_t edge);

/* An activation with an input size that the accumulator does not have has ended, without induced input. True:
 * the accumulator has it now. */
bool trms_tally_turn(struct trms_strand *strand, struct trms_tally *tally, uint64_t input);

/* To be called whenever time is renumbered. */
void trms_tallies_fold(struct trms_strand *strand);

/* Moves the sums of all accumulators of the execution context to its profile and its edges, and clears them. */
void trms_tallies_gather(struct trms_strand *strand);
void trms_tallies_clear(struct trms_strand *strand);
void trms_tallies_free(struct trms_strand *strand);

/* HOT: an activation ends with another cost than the latest one. The square is stored before the cost: there is
 * none in between, because a signal handler may jump away. */
APROF_INLINE bool trms_tally_point_turn(struct trms_tally_point *point, uint64_t cost)
{
    if (cost >= TRMS_TALLY_COSTS)
        return false;
    point->cost = TRMS_TALLY_NO_COST;
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

/* False: the cost is not that of the point's latest activation, and nothing was done. */
APROF_INLINE bool trms_tally_point_add(struct trms_tally_point *point, uint64_t cost,
                                       uint64_t cost_of_callees)
{
    if (UNLIKELY(cost != point->cost) && UNLIKELY(!trms_tally_point_turn(point, cost)))
        return false;
    point->calls++;
    point->costs += cost;
    point->costs_of_callees += cost_of_callees;
    point->squares += point->square;
    return true;
}

/* Sites that are 4 bytes apart, as calls are, and within a kilobyte, have different slots. */
APROF_INLINE struct trms_known_call *trms_known_call_at(struct trms_strand *strand, uintptr_t site,
                                                        uintptr_t pc)
{
    uintptr_t most = (TRMS_KNOWN_CALLS - 1) * sizeof(struct trms_known_call);
    return (struct trms_known_call *)((uintptr_t)strand->known_calls + ((8 * site + pc) & most));
}

#endif
