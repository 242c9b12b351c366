/* Homes: a block's home is the routine for which its cost is counted in its own descriptor.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block's cost is charged to the routine in whose activation it runs (points/charges.h). That is
 * nearly always the one charged before, its home, so a charge is one addition to the descriptor,
 * which is being read anyway. Example: a block of f, by name, runs in activations of f: its home
 * becomes f when it first runs, and stays so. Code without a name may run in activations of
 * several: the home changes, and the counted cost moves to the table.
 *
 * Invariant: in its home, a block begins no activation. It is part of that routine, or in the
 * middle of code without a name. So the loop only compares the home.
 *
 * All blocks that have a home are chained by their routine. They leave the chain when their
 * descriptor is freed (EVENT_BLOCK_GONE), when their address turns out to be a routine of its own,
 * and when the engine has finished.
 */
#ifndef APROF_HOMES_H
#define APROF_HOMES_H

#include "aprof/events.h"
#include "points/charges.h"

/* All zero: no block has a home. */
struct homes {
    struct block **first; /* by the id of the blocks' routine */
    uint32_t n_routines;
    bool discard; /* the charges are not needed: blocks count them, and no table gets them */
};

/* Charges `cost` of a block, which is not at home, to `routine`, in whose activation it runs.
 * The block makes it its home if it `is_inside` of that. */
void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside);

/* The block has no home any more. */
void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block);

/* An address without a name was called: its code belongs to no other routine now. */
void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine);

/* Moves all counted cost to the table. */
void homes_settle(struct homes *homes, struct charge_table *charges);

void homes_free(struct homes *homes, struct charge_table *charges);

#endif
