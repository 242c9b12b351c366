/* Aligns the contexts of several trees; see contexts_align.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_align.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

#define SLOTS_FIRST 1024

/* Texts to ids --------------------------------------------------------------------------------- */

struct interned {
    const char *text;
    uint32_t id;
};

struct interner {
    struct arena strings;
    struct interned *slots;
    size_t count, slot_count;
};

static size_t text_slot(const char *text, size_t slot_count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32) & (slot_count - 1);
}

static struct interned *interner_find(struct interner *in, const char *text)
{
    size_t slot = text_slot(text, in->slot_count);
    while (in->slots[slot].text && strcmp(in->slots[slot].text, text) != 0)
        slot = (slot + 1) & (in->slot_count - 1);
    return &in->slots[slot];
}

static void interner_grow(struct interner *in)
{
    struct interner bigger = {.slot_count = in->slot_count ? 2 * in->slot_count : SLOTS_FIRST};
    bigger.slots = memory_get_zeroed(bigger.slot_count, sizeof *bigger.slots);
    for (size_t i = 0; i < in->slot_count; i++) {
        if (in->slots[i].text)
            *interner_find(&bigger, in->slots[i].text) = in->slots[i];
    }
    free(in->slots);
    in->slots = bigger.slots;
    in->slot_count = bigger.slot_count;
}

/* Returns the entry for the text; a new entry gets the id `new_id`. */
static struct interned *interner_get(struct interner *in, const char *text, uint32_t new_id)
{
    if (in->count >= in->slot_count / 2)
        interner_grow(in);
    struct interned *entry = interner_find(in, text);
    if (!entry->text) {
        *entry = (struct interned){arena_copy(&in->strings, text, strlen(text)), new_id};
        in->count++;
    }
    return entry;
}

static void interner_free(struct interner *in)
{
    arena_free(&in->strings);
    free(in->slots);
}

/* Identities ----------------------------------------------------------------------------------- */

/* Counts the profiles that contain a text. */
struct presence {
    uint32_t profiles;
    size_t latest; /* number of the last counted profile; the first profile has the number 1 */
};

struct presences {
    struct interner texts;
    VECTOR(struct presence) all;
};

static struct presence *presence_get(struct presences *p, const char *text)
{
    uint32_t id = interner_get(&p->texts, text, (uint32_t)p->all.count)->id;
    if (id == p->all.count) {
        struct presence none = {0};
        vector_push(&p->all, none);
    }
    return &p->all.at[id];
}

static void presence_count(struct presences *p, const char *text, size_t profile)
{
    struct presence *presence = presence_get(p, text);
    presence->profiles += presence->latest != profile + 1;
    presence->latest = profile + 1;
}

static void presences_free(struct presences *p)
{
    interner_free(&p->texts);
    vector_free(&p->all);
}

static char *build_key(const struct context_object *object)
{
    return memory_format("%s\t%s", object->build_id, short_path(object->path));
}

/* The key of a routine or call site, if its object has the same addresses in all profiles. */
static char *place_key(const struct context_object *object, uint64_t offset)
{
    return memory_format("%s\t%s\t0x%" PRIx64, short_path(object->path), object->build_id, offset);
}

static char *name_key(const struct context_object *object, const struct report_routine *routine)
{
    const char *name = short_path(object->path);
    if (!*routine->symbol)
        return memory_format("%s\t+0x%" PRIx64, name, routine->offset);
    return memory_format("%s\t%s\t%s", name, routine->symbol, short_path(routine->file));
}

/* Data that are needed only to start an alignment. */
struct identities {
    struct context_alignment *a;
    struct interner objects, routines, sites;
    struct interner names; /* number of occurrences of each name in one profile */
    struct presences object_names, object_builds;
};

static void count_objects(struct identities *x, size_t profile)
{
    const struct context_profile *p = x->a->profiles[profile];
    for (size_t i = 0; i < p->objects.count; i++) {
        char *build = build_key(&p->objects.at[i]);
        presence_count(&x->object_names, short_path(p->objects.at[i].path), profile);
        presence_count(&x->object_builds, build, profile);
        free(build);
    }
}

/* Whether addresses in the object have the same meaning in all profiles, because all of them have
 * the same build of the object. */
static bool is_exact(struct identities *x, const struct context_object *object)
{
    char *build = build_key(object);
    bool exact =
        *object->build_id && presence_get(&x->object_names, short_path(object->path))->profiles ==
                                 presence_get(&x->object_builds, build)->profiles;
    free(build);
    return exact;
}

static uint32_t sum_object(struct identities *x, const struct context_object *object)
{
    struct context_profile *sum = &x->a->sum;
    char *key = memory_format("%s\t%s", object->path, object->build_id);
    uint32_t id = interner_get(&x->objects, key, (uint32_t)sum->objects.count)->id;
    free(key);
    if (id == sum->objects.count) {
        struct context_object copy = {contexts_keep(sum, object->path),
                                      contexts_keep(sum, object->build_id)};
        vector_push(&sum->objects, copy);
    }
    return id;
}

/* If a profile has several routines of one name, adds a number to the key of each routine except
 * the first. */
static char *numbered_key(struct identities *x, char *key)
{
    struct interned *seen = interner_get(&x->names, key, 0);
    if (seen->id++ == 0)
        return key;
    char *numbered = memory_format("%s\t%" PRIu32, key, seen->id);
    free(key);
    return numbered;
}

static uint32_t sum_routine(struct identities *x, const struct context_profile *p, bool exact,
                            const struct report_routine *routine)
{
    struct context_profile *sum = &x->a->sum;
    const struct context_object *object = &p->objects.at[routine->object];
    char *key =
        exact ? place_key(object, routine->offset) : numbered_key(x, name_key(object, routine));
    uint32_t id = interner_get(&x->routines, key, (uint32_t)sum->routines.count)->id;
    free(key);
    if (id == sum->routines.count) {
        struct report_routine copy = *routine;
        copy.object = sum_object(x, object);
        copy.symbol = contexts_keep(sum, routine->symbol);
        copy.file = contexts_keep(sum, routine->file);
        copy.name = NULL;
        vector_push(&sum->routines, copy);
    }
    return id;
}

static uint32_t sum_site(struct identities *x, const struct context_profile *p,
                         const struct context_site *site)
{
    struct context_profile *sum = &x->a->sum;
    const struct context_object *object = &p->objects.at[site->object];
    char *key = place_key(object, site->offset);
    uint32_t id = interner_get(&x->sites, key, (uint32_t)sum->sites.count)->id;
    free(key);
    if (id == sum->sites.count) {
        struct context_site copy = *site;
        copy.object = sum_object(x, object);
        copy.file = contexts_keep(sum, site->file);
        vector_push(&sum->sites, copy);
    }
    return id;
}

static void map_profile(struct identities *x, size_t index, bool sites)
{
    struct context_alignment *a = x->a;
    const struct context_profile *p = a->profiles[index];
    bool *exact = memory_get_zeroed(p->objects.count + 1, sizeof *exact);
    uint32_t *routines = memory_get_zeroed(p->routines.count + 1, sizeof *routines);
    uint32_t *places = memory_get_zeroed(p->sites.count + 1, sizeof *places);
    for (size_t i = 0; i < p->objects.count; i++)
        exact[i] = is_exact(x, &p->objects.at[i]);
    for (size_t i = 0; i < p->routines.count; i++) {
        const struct report_routine *routine = &p->routines.at[i];
        routines[i] = sum_routine(x, p, exact[routine->object], routine);
    }
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct context_site *site = &p->sites.at[i];
        places[i] = sites && exact[site->object] ? sum_site(x, p, site) : CONTEXTS_NONE;
    }
    free(exact);
    interner_free(&x->names);
    x->names = (struct interner){0};
    a->routine_maps[index] = routines;
    a->site_maps[index] = places;
}

/* Aligning ------------------------------------------------------------------------------------- */

void contexts_align_start(struct context_alignment *a,
                          const struct context_profile *const *profiles, size_t count, bool sites)
{
    struct identities x = {.a = a};
    *a = (struct context_alignment){.profiles = profiles, .profile_count = count};
    a->routine_maps = memory_get_zeroed(count, sizeof *a->routine_maps);
    a->site_maps = memory_get_zeroed(count, sizeof *a->site_maps);
    for (size_t i = 0; i < count; i++)
        sites = sites && profiles[i]->sites.count > 0;
    for (size_t i = 0; i < count; i++)
        count_objects(&x, i);
    for (size_t i = 0; i < count; i++)
        map_profile(&x, i, sites);
    presences_free(&x.object_names);
    presences_free(&x.object_builds);
    interner_free(&x.objects);
    interner_free(&x.routines);
    interner_free(&x.sites);
    context_builder_start(&a->builder);
}

uint32_t *contexts_align_tree(struct context_alignment *a, size_t profile,
                              const struct contexts_tree *tree)
{
    const struct context *contexts = a->profiles[profile]->contexts.at + tree->first;
    const uint32_t *routines = a->routine_maps[profile], *sites = a->site_maps[profile];
    uint32_t *map = memory_resize(NULL, tree->count + 1, sizeof *map);
    map[0] = 0;
    for (size_t i = 1; i < tree->count; i++) {
        const struct context *c = &contexts[i];
        uint32_t site = c->site == CONTEXTS_NONE ? CONTEXTS_NONE : sites[c->site];
        map[i] = context_builder_child(&a->builder, map[c->parent], routines[c->routine], site);
    }
    return map;
}

void contexts_align_finish(struct context_alignment *a, struct context_profile *sum)
{
    for (size_t i = 0; i < a->profile_count; i++) {
        free(a->routine_maps[i]);
        free(a->site_maps[i]);
    }
    free(a->routine_maps);
    free(a->site_maps);
    *sum = a->sum;
    sum->contexts = context_builder_finish(&a->builder);
    contexts_name_routines(sum);
}
