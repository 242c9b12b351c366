/* Charges: what each piece of code has cost, for each routine in whose activations it ran.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A span is a number of the front end's for a piece of code that runs as a whole. Mostly it is part
 * of one routine; code without a name, and what a routine shares with others by jumps, may run in
 * activations of several. An addition is a search in a hash table: who makes many keeps sums of its
 * own, as the engine of the Valgrind tool does in its descriptors (aprof/homes.h).
 */
#ifndef POINTS_CHARGES_H
#define POINTS_CHARGES_H

#include "points/routine.h"

struct charge {
    struct routine *routine;
    uint64_t cost;
    uint32_t span;
};

/* All zero is an empty table. */
struct charge_table {
    struct charge *charges;
    uint32_t n_charges, capacity;
    uint32_t *index; /* open addressing: position in `charges` + 1, 0 = free */
    uint32_t index_mask;
};

void charge_table_free(struct charge_table *table);

/* Forgets what was charged. */
void charge_table_clear(struct charge_table *table);

/* Calls `visit` for each charge. */
void charge_table_each(const struct charge_table *table,
                       void (*visit)(void *context, const struct charge *charge), void *context);

void charge_table_add(struct charge_table *table, struct routine *routine, uint32_t span,
                      uint64_t cost);

#endif
