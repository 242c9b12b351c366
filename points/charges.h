/* Charges: what each piece of code has cost, for each routine in whose activations it ran.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A span is a number of the front end's for a piece of code that runs as a whole. Mostly it is part
 * of one routine; code without a name, and what a routine shares with others by jumps, may run in
 * activations of several. The routine that was charged last is remembered for each span, so that a
 * charge costs one comparison and one addition; those of other routines wait in a table.
 */
#ifndef POINTS_CHARGES_H
#define POINTS_CHARGES_H

#include "points/routine.h"

struct charge {
    struct routine *routine;
    uint64_t cost;
    uint32_t span;
};

/* Of one span. */
struct charge_cell {
    struct routine *routine; /* NULL: none yet */
    uint64_t cost;
};

/* All zero is an empty table. */
struct charge_table {
    struct charge_cell *cells; /* by span */
    uint32_t n_cells;
    struct charge *others;
    uint32_t n_others, capacity;
    uint32_t *index; /* open addressing: position in `others` + 1, 0 = free */
    uint32_t index_mask;
};

void charge_table_free(struct charge_table *table);

/* Forgets what was charged. */
void charge_table_clear(struct charge_table *table);

/* Calls `visit` for each charge; there may be two of one routine and span. */
void charge_table_each(const struct charge_table *table,
                       void (*visit)(void *context, const struct charge *charge), void *context);

/* For charge_table_add. */
void charge_table_turn(struct charge_table *table, struct routine *routine, uint32_t span,
                       uint64_t cost);

APROF_INLINE void charge_table_add(struct charge_table *table, struct routine *routine,
                                   uint32_t span, uint64_t cost)
{
    if (LIKELY(span < table->n_cells && table->cells[span].routine == routine))
        table->cells[span].cost += cost;
    else
        charge_table_turn(table, routine, span, cost);
}

#endif
