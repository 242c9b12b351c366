/* A block's home is its owning routine: the block's descriptor counts the cost for this routine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block's cost is charged to the routine in whose activation it runs (points/charges.h). A block
 * nearly always runs in its owning routine, so a charge is one addition to the block's descriptor,
 * which is cached anyway. Example: a block of the named routine f runs in activations of f, so f is
 * its owning routine from the first run on. Code without a name may run in activations of several
 * routines. When the owning routine of a block changes, the counted cost moves to the table of
 * charges.
 *
 * Invariant: when a block runs in an activation of its owning routine, the block begins no
 * activation. The block is part of its owning routine, or in the middle of code without a name. So
 * the engine's loop only compares the block's owning routine with the current routine.
 *
 * All blocks with the same owning routine are chained. A block leaves its chain when its descriptor
 * is freed (EVENT_BLOCK_GONE), or when its address turns out to be another routine. All blocks
 * leave their chains when the engine finishes.
 */
#ifndef APROF_HOMES_H
#define APROF_HOMES_H

#include "aprof/events.h"
#include "points/charges.h"

/* If all bytes are zero, no block has an owning routine. */
struct homes {
    struct block **first; /* first block of each chain, by routine id */
    uint32_t n_routines;
    bool discard; /* charges are not needed: blocks count costs, but the table gets no charges */
};

/* Charges the `cost` of a block outside its owning routine to `routine`, in whose activation the
 * block runs. If `is_inside` is true, `routine` becomes the block's owning routine. */
void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside);

/* Removes the block's home. */
void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block);

/* Call this function when an address without a name was called: the code at this address no longer
 * belongs to another routine. */
void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine);

/* Moves all counted cost to the table of charges. */
void homes_settle(struct homes *homes, struct charge_table *charges);

void homes_free(struct homes *homes, struct charge_table *charges);

#endif
