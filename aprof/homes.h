/* A block's home is the routine for which the block's cost is counted in the block's descriptor.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block's cost is charged to the routine in whose activation it runs (points/charges.h). The
 * routine is nearly always the block's home, so a charge is one addition to the block's descriptor,
 * which is in the processor's cache anyway. Example: a block of the named routine f runs in
 * activations of f, so f is its home from the first time on. Code without a name may run in
 * activations of several routines. When the home of a block changes, the counted cost moves to the
 * table of charges.
 *
 * Invariant: when a block runs in its home, it begins no activation. The block is part of its home,
 * or in the middle of code without a name. So the engine's loop only compares the block's home with
 * the current routine.
 *
 * All blocks that have a home are chained by their routine. A block is removed from its chain when
 * its descriptor is freed (EVENT_BLOCK_GONE), and when its address turns out to be another routine.
 * All blocks are removed when the engine finishes.
 */
#ifndef APROF_HOMES_H
#define APROF_HOMES_H

#include "aprof/events.h"
#include "points/charges.h"

/* If all bytes are zero, no block has a home. */
struct homes {
    struct block **first; /* first block of each chain, by routine id */
    uint32_t n_routines;
    bool discard; /* charges are not needed: blocks count costs, but the table gets no charges */
};

/* Charges the `cost` of a block outside its home to `routine`, in whose activation it runs. If the
 * block `is_inside` the routine, the routine becomes the block's home. */
void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside);

/* Removes the block's home. */
void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block);

/* Call this function when an address without a name was called: the code at the address then no
 * longer belongs to another routine. */
void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine);

/* Moves all counted cost to the table of charges. */
void homes_settle(struct homes *homes, struct charge_table *charges);

void homes_free(struct homes *homes, struct charge_table *charges);

#endif
