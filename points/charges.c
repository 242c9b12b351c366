/* Charges; see charges.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/charges.h"
#include "ground/array.h"
#include "ground/host.h"

#define FIRST_CHARGES 1024

static uint32_t hash(const struct routine *routine, uint32_t span)
{
    uint64_t key = (uint64_t)routine->id << 32 ^ span;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

static void index_insert(struct charge_table *table, uint32_t position)
{
    const struct charge *charge = &table->charges[position];
    uint32_t slot = hash(charge->routine, charge->span) & table->index_mask;
    while (table->index[slot])
        slot = (slot + 1) & table->index_mask;
    table->index[slot] = position + 1;
}

static void table_grow(struct charge_table *table)
{
    table->charges =
        array_grow("aprof.charges", table->charges, &table->capacity,
                   table->capacity ? 2 * table->capacity : FIRST_CHARGES, sizeof(*table->charges));
    host_free(table->index);
    table->index = host_alloc("aprof.charges.index", 2 * table->capacity * sizeof(*table->index));
    table->index_mask = 2 * table->capacity - 1;
    for (uint32_t i = 0; i < table->n_charges; i++)
        index_insert(table, i);
}

/* Returns the charge; creates it if it does not exist. */
static struct charge *charge_get(struct charge_table *table, struct routine *routine, uint32_t span)
{
    if (table->n_charges == table->capacity)
        table_grow(table);
    uint32_t slot = hash(routine, span) & table->index_mask;
    for (; table->index[slot]; slot = (slot + 1) & table->index_mask) {
        struct charge *charge = &table->charges[table->index[slot] - 1];
        if (charge->routine == routine && charge->span == span)
            return charge;
    }
    table->charges[table->n_charges] = (struct charge){.routine = routine, .span = span};
    index_insert(table, table->n_charges);
    return &table->charges[table->n_charges++];
}

void charge_table_add(struct charge_table *table, struct routine *routine, uint32_t span,
                      uint64_t cost)
{
    if (cost)
        charge_get(table, routine, span)->cost += cost;
}

void charge_table_each(const struct charge_table *table,
                       void (*visit)(void *context, const struct charge *charge), void *context)
{
    for (uint32_t i = 0; i < table->n_charges; i++)
        if (table->charges[i].cost)
            visit(context, &table->charges[i]);
}

void charge_table_clear(struct charge_table *table)
{
    for (uint32_t i = 0; i < table->n_charges; i++)
        table->charges[i].cost = 0;
}

void charge_table_free(struct charge_table *table)
{
    host_free(table->charges);
    host_free(table->index);
}
