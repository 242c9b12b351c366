/* Homes: the routine for which a block counts in its own descriptor what it costs.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a block costs is charged to the routine in whose activation it runs (points/charges.h). That
 * is nearly always the one that it was charged to before, its home, so that a charge is one
 * addition to the descriptor, which is being looked at anyway. Example: a block of f, which is f's
 * by name, runs in activations of f: its home becomes f when it first runs, and stays that. Code
 * without a name may run in activations of several: the home follows, and what was counted goes to
 * the table.
 *
 * In its home a block goes on and begins nothing: it is part of that routine, or in the midst of
 * code that has no name. So the loop need not look at more than the home.
 *
 * All blocks that have a home are chained by their routine. They leave the chain when their
 * descriptor goes (EVENT_BLOCK_GONE), when their address turns out to be a routine of its own, and
 * when the engine has finished.
 */
#ifndef APROF_HOMES_H
#define APROF_HOMES_H

#include "aprof/events.h"
#include "points/charges.h"

/* All zero: no block has a home. */
struct homes {
    struct block **first; /* by the id of the blocks' routine */
    uint32_t n_routines;
    bool discard; /* nobody wants the charges: blocks count them, and no table gets them */
};

/* Charges `cost` of a block, which is not at home, to `routine`, in whose activation it runs. It
 * moves in if it `is_inside` of that. */
void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside);

/* The block has no home any more. */
void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block);

/* An address without a name was called: what runs there is inside of nothing else now. */
void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine);

/* Brings all that was counted to the table. */
void homes_settle(struct homes *homes, struct charge_table *charges);

void homes_free(struct homes *homes, struct charge_table *charges);

#endif
