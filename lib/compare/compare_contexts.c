/* The calling context in which a routine's self cost rose most; see compare.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two contexts are equal if the routines on their paths have the same names. Each path of the two
 * reports has a number. The numbers are in a hash table; the key of a path has the number of the
 * caller's path, and the name of the path's last routine. Paths stored as text would need space
 * quadratic in the depth.
 */
#include "lib/compare/compare.h"
#include "lib/report/report_contexts.h"
#include "ground/record_writer.h"

#include <stdlib.h>
#include <string.h>

struct path {
    uint32_t above; /* 0: none */
    const char *name;
    const struct report_context *context; /* the routine's first context in the new report */
    uint64_t base, new;                   /* self cost in all contexts with this path */
};

/* The paths by number, from 1, and a hash table of the paths. */
struct paths {
    struct path *at;
    uint32_t count;
    uint32_t *slots;
    size_t slot_count; /* number of slots, a power of two; at least half of the slots are free */
};

static struct paths paths_new(size_t most)
{
    struct paths paths = {.slot_count = 2};
    while (paths.slot_count < 2 * most)
        paths.slot_count *= 2;
    paths.at = memory_get_zeroed(most + 1, sizeof *paths.at);
    paths.slots = memory_get_zeroed(paths.slot_count, sizeof *paths.slots);
    return paths;
}

static void paths_free(struct paths *paths)
{
    free(paths->at);
    free(paths->slots);
}

static bool is_path(const struct path *path, uint32_t above, const char *name)
{
    return path->above == above && strcmp(path->name, name) == 0;
}

static uint32_t path_number(struct paths *paths, uint32_t above, const char *name)
{
    uint64_t hash = record_hash(RECORD_HASH_START, &above, sizeof above);
    size_t slot = record_hash(hash, name, strlen(name)) & (paths->slot_count - 1);
    while (paths->slots[slot] && !is_path(&paths->at[paths->slots[slot]], above, name))
        slot = (slot + 1) & (paths->slot_count - 1);
    if (!paths->slots[slot]) {
        paths->slots[slot] = ++paths->count;
        paths->at[paths->count] = (struct path){.above = above, .name = name};
    }
    return paths->slots[slot];
}

/* Callers come before callees. */
static void add_contexts(struct paths *paths, const struct report *r,
                         const struct report_routine *routine, bool is_new)
{
    size_t count = r->contexts.all.count;
    uint32_t *numbers = memory_get_zeroed(count + 1, sizeof *numbers);
    for (size_t i = 0; routine && i < count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        const struct report_routine *own = &r->routines.at[context->profile.routine];
        uint32_t above = context->caller == CONTEXT_NO_CALLER ? 0 : numbers[context->caller];
        numbers[i] = path_number(paths, above, own->name);
        struct path *path = &paths->at[numbers[i]];
        if (own != routine)
            continue;
        *(is_new ? &path->new : &path->base) += context->profile.cost_self;
        if (is_new && !path->context)
            path->context = context;
    }
    free(numbers);
}

struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c)
{
    struct compare_context most = {0};
    if (!report_has_contexts(base) || !report_has_contexts(new))
        return most;
    struct paths paths = paths_new(base->contexts.all.count + new->contexts.all.count);
    add_contexts(&paths, base, c->base.routine, false);
    add_contexts(&paths, new, c->new.routine, true);
    for (uint32_t i = 1; i <= paths.count; i++) {
        const struct path *path = &paths.at[i];
        if (path->new > path->base && path->new - path->base > most.new - most.base)
            most = (struct compare_context){path->context, path->base, path->new};
    }
    paths_free(&paths);
    return most;
}
