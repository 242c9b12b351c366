/* Charges: the cost of each piece of code, separately for each routine that has executed the code.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A span is the front end's number for a piece of code that runs as a whole. Most spans belong to
 * one routine. Unnamed code, and code to which several routines jump, may run in activations of
 * several routines. Each addition of cost needs a search in a hash table. So the engine of the
 * Valgrind tool, which adds costs often, first adds them up in its descriptors (aprof/homes.h).
 */
#ifndef POINTS_CHARGES_H
#define POINTS_CHARGES_H

#include "points/routine.h"

struct charge {
    struct routine *routine;
    uint64_t cost;
    uint32_t span;
};

/* A table with all bytes zero is empty. */
struct charge_table {
    struct charge *charges;
    uint32_t n_charges, capacity;
    uint32_t *index; /* hash index, open addressing: position in `charges` + 1, 0 = free */
    uint32_t index_mask;
};

void charge_table_free(struct charge_table *table);

/* Removes all charges. */
void charge_table_clear(struct charge_table *table);

/* Calls `visit` once for each charge. */
void charge_table_each(const struct charge_table *table,
                       void (*visit)(void *context, const struct charge *charge), void *context);

void charge_table_add(struct charge_table *table, struct routine *routine, uint32_t span,
                      uint64_t cost);

#endif
