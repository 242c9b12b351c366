/* Tallies: what has been measured of the calls by one edge, not yet in the routine's points.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls from one place have few input sizes, again and again. So a call looks once for who calls whom
 * from where, in a table of those that called before, and its return adds to the tally's point of its
 * size; the routine's point, its sums and the edge's get that at the end, or when another size takes
 * its place. A tally has one point at first, and more where sizes take turns, each at the place that
 * its lowest bits say. What finds its place taken goes to the routine's points itself, but at times
 * takes over.
 *
 * Of edges that are not kept, a routine has one tally. An activation that no routine has called, and one
 * that is not measured, has none (trms_tally_apart, trms_tally_unmeasured).
 */
#ifndef NATIVE_TRMS_TALLIES_H
#define NATIVE_TRMS_TALLIES_H

#include "native/trms/state.h"

#define TRMS_TALLY_NO_INPUT (~(uint64_t)0)

/* Where a point of the profile has 96 bytes, 64: one place is found by a shift, and often one line of
 * the cache. */
struct trms_tally_point {
    uint64_t input, calls, self_sum;
    struct wide cost_sum, cost_squares;
    uint32_t cost_min, cost_max; /* of activations that cost more, a tally has none */
};
_Static_assert(sizeof(struct trms_tally_point) == 64, "a power of two");

struct trms_tally {
    struct trms_tally_point
        *points; /* at (input & mask); of TRMS_TALLY_NO_INPUT: no return adds anything */
    uint64_t mask;
    uint64_t outermost; /* cost of the activations below which none of the routine was pending */
    struct routine_profile *profile;
    uint32_t edge;                 /* of the strand's */
    uint32_t conflicts;            /* how often a size has found another one at its place */
    struct trms_tally_point first; /* all that it has at first */
};

extern struct trms_tally trms_tally_apart, trms_tally_unmeasured;

/* The tally of a call by this edge. */
struct trms_tally *trms_tally_get(struct trms_strand *strand, struct routine_profile *profile,
                                  uint32_t edge);

/* An activation of an input size that the tally does not have has ended, and nothing was induced.
 * True: the tally has it now. */
bool trms_tally_turn(struct trms_strand *strand, struct trms_tally *tally, uint64_t input);

/* Moves what all tallies of the strand have to its profile and its edges; and forgets it. */
void trms_tallies_gather(struct trms_strand *strand);
void trms_tallies_clear(struct trms_strand *strand);
void trms_tallies_free(struct trms_strand *strand);

/* HOT */
APROF_INLINE void trms_tally_point_add(struct trms_tally_point *point, uint32_t cost, uint64_t self)
{
    point->calls++;
    wide_add_word(&point->cost_sum, cost);
    if (cost < point->cost_min)
        point->cost_min = cost;
    if (cost > point->cost_max)
        point->cost_max = cost;
    point->self_sum += self;
    wide_add_word(&point->cost_squares, (uint64_t)cost * cost);
}

APROF_INLINE struct trms_known_call *trms_known_call_at(struct trms_strand *strand, uintptr_t site,
                                                        uintptr_t pc)
{
    return &strand->known_calls[(site + pc) % TRMS_KNOWN_CALLS];
}

#endif
