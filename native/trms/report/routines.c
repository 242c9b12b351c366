/* Routines, by the code address to which their entry hook returns.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each instrumented routine calls its entry hook from one address, so this address identifies the
 * routine while the program runs. Names are looked up when the report is written. The table never
 * moves, and look-ups take no lock. A new entry is published by storing its address (release order,
 * which pairs with the acquire load of the look-up).
 */
#include "native/trms/report/routines.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/report_output.h"

#define SLOTS_LOG2 20
#define SLOTS      (1u << SLOTS_LOG2)
#define MOST       (SLOTS - SLOTS / 4)

struct slot {
    uintptr_t pc;
    struct trms_routine *routine;
};

/* Regions by a hash of their names; changes are made under the world's lock. */
#define REGION_CHAINS 1024
static struct trms_routine *regions[REGION_CHAINS];

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

/* Returns the slot of this address; if the address is not in the table, the free slot in which to
 * store it. Neighbours in the code are neighbours in the table, so a look-up touches few pages. */
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
static struct trms_routine *routine_add(void)
{
    uint32_t id = n_routines < MOST ? n_routines++ : MOST - 1;
    routines[id].routine.id = id;
    return &routines[id];
}

static struct trms_routine *routine_make(uintptr_t pc)
{
    trms_lock(&trms_world);
    struct slot *slot = slot_of(pc);
    if (!slot->pc) {
        slot->routine = routine_add();
        slot->routine->code.pc = pc;
        if (slot->routine->routine.id < MOST - 1)
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
    /* Acquire order pairs with the release in routine_make; another thread may have filled the slot
     * after slot_of found it free. */
    bool is_made = __atomic_load_n(&slot->pc, __ATOMIC_ACQUIRE) == pc;
    struct trms_routine *routine = is_made ? slot->routine : routine_make(pc);
    if (routine->code.pc == pc && routine->routine.id + 1 == n_routines)
        /* the routine may be in a library that has just been loaded */
        trms_direct_shadow_check(ctx, pc, 1);
    known->pc = 0;
    known->profile = profile_get(&ctx->profile, &routine->routine);
    known->pc = pc;
    return known->profile;
}

/* ---------------------------------------------------------------- regions */

#define REGION_NAME_BYTES 256

/* Returns the FNV-1a hash of a region's name. The report uses the hash as the region's offset, as
 * the Valgrind tool does. */
static uint32_t region_hash(const char *name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; name[i] && i < REGION_NAME_BYTES - 1; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static struct trms_routine *region_make(const char *name, uint32_t hash)
{
    size_t n = 0;
    char *copy = host_alloc("aprof.trms.region_name", REGION_NAME_BYTES);
    native_text_append(copy, REGION_NAME_BYTES, &n, name);
    struct trms_routine *region = routine_add();
    region->routine.is_region = true;
    region->code = (struct trms_code){.offset = hash, .name = copy};
    region->next = regions[hash % REGION_CHAINS];
    regions[hash % REGION_CHAINS] = region;
    return region;
}

struct routine_profile *trms_region_profile(struct trms_exec_context *ctx, const char *name)
{
    name = name && *name ? name : "(unnamed)";
    uint32_t hash = region_hash(name);
    trms_lock(&trms_world);
    struct trms_routine *region = regions[hash % REGION_CHAINS];
    while (region && __builtin_strncmp(region->code.name, name, REGION_NAME_BYTES - 1) != 0)
        region = region->next;
    if (!region)
        region = region_make(name, hash);
    trms_unlock(&trms_world);
    return profile_get(&ctx->profile, &region->routine);
}
