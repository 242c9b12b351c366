/* Routines, found by the code address to which their entry hook returns.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each instrumented routine calls its entry hook from one address, so this address identifies the
 * routine while the program runs. Names are looked up when the report is written. The table is
 * never moved, and look-ups take no lock. A new entry is published by storing its address (release
 * order, which pairs with the acquire load of the look-up).
 */
#include "native/trms/report/routines.h"

#include "ground/host.h"
#include "ground/pages.h"

#define SLOTS_LOG2 20
#define SLOTS      (1u << SLOTS_LOG2)
#define MOST       (SLOTS - SLOTS / 4)

struct slot {
    uintptr_t pc;
    struct trms_routine *routine;
};

static struct slot *slots;
static struct trms_routine *routines; /* by id */
static uint32_t n_routines;

void trms_routines_init(void)
{
    slots = host_map("aprof.trms.routine_slots", SLOTS * sizeof(*slots));
    routines = host_map("aprof.trms.routines", pages_bytes(MOST * sizeof(*routines)));
}

uint32_t trms_routines_count(void)
{
    return n_routines;
}

struct trms_routine *trms_routines_get(uint32_t id)
{
    return &routines[id];
}

/* Returns the slot of this address, or the free slot for the address. Neighbours in the code are
 * neighbours in the table, so a look-up touches few pages. */
static struct slot *slot_of(uintptr_t pc)
{
    size_t at = (pc >> 3) % SLOTS;
    for (;; at = (at + 1) % SLOTS) {
        uintptr_t found = __atomic_load_n(&slots[at].pc, __ATOMIC_ACQUIRE);
        if (found == pc || !found)
            return &slots[at];
    }
}

/* After the first MOST routines, all further routines share one entry. */
static struct trms_routine *routine_make(uintptr_t pc)
{
    trms_lock(&trms_world);
    struct slot *slot = slot_of(pc);
    if (!slot->pc) {
        uint32_t id = n_routines < MOST ? n_routines++ : MOST - 1;
        routines[id].routine.id = id;
        routines[id].code.pc = pc;
        slot->routine = &routines[id];
        if (id < MOST - 1)
            __atomic_store_n(&slot->pc, pc, __ATOMIC_RELEASE);
    }
    struct trms_routine *routine = slot->pc == pc ? slot->routine : &routines[MOST - 1];
    trms_unlock(&trms_world);
    return routine;
}

APROF_NOINLINE struct routine_profile *trms_routine_profile(struct trms_exec_context *ctx,
                                                            uintptr_t pc)
{
    struct trms_known_routine *known = &ctx->known[trms_known_slot(pc)];
    const struct slot *slot = slot_of(pc);
    struct trms_routine *routine = slot->pc == pc ? slot->routine : routine_make(pc);
    if (routine->code.pc == pc && routine->routine.id + 1 == n_routines)
        /* the routine may be in a library that has just been loaded */
        trms_direct_shadow_check(ctx, pc, 1);
    known->pc = 0;
    known->profile = profile_get(&ctx->profile, &routine->routine);
    known->pc = pc;
    return known->profile;
}
