/* Owning routines of blocks; see homes.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/homes.h"
#include "ground/array.h"
#include "ground/host.h"

static void settle(const struct homes *homes, struct charge_table *charges, struct block *block)
{
    if (!homes->discard)
        charge_table_add(charges, block->home, block->span, block->charged);
    block->charged = 0;
}

static void move_in(struct homes *homes, struct routine *routine, struct block *block)
{
    uint32_t id = block->routine->id;
    block->home = routine;
    homes->first =
        array_grow("aprof.homes", homes->first, &homes->n_routines, id + 1, sizeof(struct block *));
    block->alike_before = NULL;
    block->alike_behind = homes->first[id];
    if (block->alike_behind)
        block->alike_behind->alike_before = block;
    homes->first[id] = block;
}

void homes_charge(struct homes *homes, struct charge_table *charges, struct routine *routine,
                  struct block *block, uint32_t cost, bool is_inside)
{
    if (!is_inside) {
        if (!homes->discard)
            charge_table_add(charges, routine, block->span, cost);
        return;
    }
    settle(homes, charges, block);
    if (block->home)
        block->home = routine;
    else
        move_in(homes, routine, block);
    block->charged = cost;
}

void homes_leave(struct homes *homes, struct charge_table *charges, struct block *block)
{
    if (!block->home)
        return;
    settle(homes, charges, block);
    block->home = NULL;
    if (block->alike_behind)
        block->alike_behind->alike_before = block->alike_before;
    if (block->alike_before)
        block->alike_before->alike_behind = block->alike_behind;
    else
        homes->first[block->routine->id] = block->alike_behind;
}

void homes_part(struct homes *homes, struct charge_table *charges, const struct routine *routine)
{
    while (routine->id < homes->n_routines && homes->first[routine->id])
        homes_leave(homes, charges, homes->first[routine->id]);
}

void homes_settle(struct homes *homes, struct charge_table *charges)
{
    for (uint32_t i = 0; i < homes->n_routines; i++)
        for (struct block *block = homes->first[i]; block; block = block->alike_behind)
            settle(homes, charges, block);
}

void homes_free(struct homes *homes, struct charge_table *charges)
{
    for (uint32_t i = 0; i < homes->n_routines; i++)
        while (homes->first[i])
            homes_leave(homes, charges, homes->first[i]);
    host_free(homes->first);
    homes->first = NULL;
    homes->n_routines = 0;
}
