/* A block's home is its owning routine; the block's descriptor counts the cost for this routine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block's cost is charged to the routine of the activation in which the block runs
 * (points/charges.h). Nearly always, a block runs in an activation of its owning routine. In this
 * case a charge is one addition to the block's descriptor, which is in the processor's cache
 * anyway. Example: a block of the named routine f runs in activations of f, so f is its owning
 * routine from the first run on. Code without a name may run in activations of several routines.
 * When a block's owning routine changes, the counted cost moves to the table of charges.
 *
 * Invariant: when a block runs in an activation of its owning routine, the block begins no
 * activation. The reason is that such a block belongs to the code of its owning routine, or lies in
 * the middle of code without a name. So the engine's loop only compares the block's owning routine
 * with the current routine.
 *
 * All blocks of one owning routine form a chain. A block leaves its chain when its descriptor is
 * freed (EVENT_BLOCK_GONE), or when another routine turns out to begin at the block's address. All
 * blocks leave their chains when the engine finishes.
 */
#ifndef APROF_HOMES_H
#define APROF_HOMES_H

#include "aprof/events.h"
#include "points/charges.h"

/* If all bytes are zero, no block has an owning routine. */
struct homes {
    struct block **first; /* first block of each chain, by routine id */
    uint32_t n_routines;
    /* whether charges are not needed: blocks then count costs, but the table gets no charges */
    bool discard;
};

/* Charges the `cost` of a block that runs in an activation of `routine`, which does not own the
 * block. If `is_inside` is true, `routine` becomes the block's owning routine. */
void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside);

/* Removes the block's home. */
void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block);

/* Call this function when code without a name was called. The code from the called address on is
 * then a separate routine. */
void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine);

/* Moves all counted cost to the table of charges. */
void homes_settle(struct homes *homes, struct charge_table *charges);

void homes_free(struct homes *homes, struct charge_table *charges);

#endif
