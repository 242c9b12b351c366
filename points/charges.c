/* Charges; see charges.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/charges.h"
#include "ground/array.h"
#include "ground/host.h"

#define FIRST_CELLS  1024
#define FIRST_OTHERS 64

static uint32_t hash(const struct routine *routine, uint32_t span)
{
    uint64_t key = (uint64_t)routine->id << 32 ^ span;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

static void index_insert(struct charge_table *table, uint32_t position)
{
    const struct charge *charge = &table->others[position];
    uint32_t slot = hash(charge->routine, charge->span) & table->index_mask;
    while (table->index[slot])
        slot = (slot + 1) & table->index_mask;
    table->index[slot] = position + 1;
}

static void others_grow(struct charge_table *table)
{
    table->others =
        array_grow("aprof.charges.others", table->others, &table->capacity,
                   table->capacity ? 2 * table->capacity : FIRST_OTHERS, sizeof(*table->others));
    host_free(table->index);
    table->index = host_alloc("aprof.charges.index", 2 * table->capacity * sizeof(*table->index));
    table->index_mask = 2 * table->capacity - 1;
    for (uint32_t i = 0; i < table->n_others; i++)
        index_insert(table, i);
}

/* The position of the routine's charge in `others`, made if it is new. */
static struct charge *other_get(struct charge_table *table, struct routine *routine, uint32_t span)
{
    if (table->n_others == table->capacity)
        others_grow(table);
    uint32_t slot = hash(routine, span) & table->index_mask;
    for (; table->index[slot]; slot = (slot + 1) & table->index_mask) {
        struct charge *charge = &table->others[table->index[slot] - 1];
        if (charge->routine == routine && charge->span == span)
            return charge;
    }
    table->others[table->n_others] = (struct charge){.routine = routine, .span = span};
    index_insert(table, table->n_others);
    return &table->others[table->n_others++];
}

APROF_NOINLINE void charge_table_turn(struct charge_table *table, struct routine *routine,
                                      uint32_t span, uint64_t cost)
{
    uint32_t wanted = span < FIRST_CELLS ? FIRST_CELLS : span + 1;
    table->cells = array_grow("aprof.charges.cells", table->cells, &table->n_cells, wanted,
                              sizeof(*table->cells));
    struct charge_cell *cell = &table->cells[span];
    if (cell->cost)
        other_get(table, cell->routine, span)->cost += cell->cost;
    *cell = (struct charge_cell){.routine = routine, .cost = cost};
}

void charge_table_each(const struct charge_table *table,
                       void (*visit)(void *context, const struct charge *charge), void *context)
{
    for (uint32_t i = 0; i < table->n_cells; i++) {
        const struct charge_cell *cell = &table->cells[i];
        struct charge charge = {.routine = cell->routine, .span = i, .cost = cell->cost};
        if (charge.cost)
            visit(context, &charge);
    }
    for (uint32_t i = 0; i < table->n_others; i++)
        if (table->others[i].cost)
            visit(context, &table->others[i]);
}

void charge_table_clear(struct charge_table *table)
{
    for (uint32_t i = 0; i < table->n_cells; i++)
        table->cells[i].cost = 0;
    for (uint32_t i = 0; i < table->n_others; i++)
        table->others[i].cost = 0;
}

void charge_table_free(struct charge_table *table)
{
    host_free(table->cells);
    host_free(table->others);
    host_free(table->index);
}
