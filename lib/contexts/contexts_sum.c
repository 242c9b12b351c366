/* Adds trees of calling contexts, and sorts them; see contexts_sum.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_sum.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Sorting -------------------------------------------------------------------------------------- */

static int compare_objects(const void *left, const void *right, void *user)
{
    const struct context_profile *p = user;
    const struct context_object *a = &p->objects.at[*(const uint32_t *)left];
    const struct context_object *b = &p->objects.at[*(const uint32_t *)right];
    int order = strcmp(a->path, b->path);
    return order ? order : strcmp(a->build_id, b->build_id);
}

/* The objects are already sorted, so routines can be compared by the ids of their objects. */
static int compare_routines(const void *left, const void *right, void *user)
{
    const struct context_profile *p = user;
    const struct report_routine *a = &p->routines.at[*(const uint32_t *)left];
    const struct report_routine *b = &p->routines.at[*(const uint32_t *)right];
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return strcmp(a->symbol, b->symbol);
}

static int compare_sites(const void *left, const void *right, void *user)
{
    const struct context_profile *p = user;
    const struct context_site *a = &p->sites.at[*(const uint32_t *)left];
    const struct context_site *b = &p->sites.at[*(const uint32_t *)right];
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_contexts(const void *left, const void *right, void *user)
{
    const struct context *contexts = user;
    const struct context *a = &contexts[*(const uint32_t *)left];
    const struct context *b = &contexts[*(const uint32_t *)right];
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

/* Returns the ids in their new order; `places` receives the new id for each old id. The caller
 * frees both arrays. */
static uint32_t *sorted_ids(size_t count, context_order *order, void *user, uint32_t **places)
{
    uint32_t *ids = memory_resize(NULL, count + 1, sizeof *ids);
    *places = memory_resize(NULL, count + 1, sizeof **places);
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint32_t)i;
    qsort_r(ids, count, sizeof *ids, order, user);
    for (size_t i = 0; i < count; i++)
        (*places)[ids[i]] = (uint32_t)i;
    return ids;
}

/* Sorts a list, and stores in `places` the new id for each old id. */
#define SORT_LIST(list, order, user, places)                                                       \
    do {                                                                                           \
        uint32_t *ids_ = sorted_ids((list)->count, order, user, &(places));                        \
        void *old_ = memory_resize(NULL, (list)->count + 1, sizeof *(list)->at);                   \
        if ((list)->count)                                                                         \
            memcpy(old_, (list)->at, (list)->count * sizeof *(list)->at);                          \
        for (size_t i_ = 0; i_ < (list)->count; i_++)                                              \
            memcpy(&(list)->at[i_], (char *)old_ + ids_[i_] * sizeof *(list)->at,                  \
                   sizeof *(list)->at);                                                            \
        free(old_);                                                                                \
        free(ids_);                                                                                \
    } while (0)

static void sort_tables(struct context_profile *p, uint32_t **routines, uint32_t **sites)
{
    uint32_t *objects;
    SORT_LIST(&p->objects, compare_objects, p, objects);
    for (size_t i = 0; i < p->routines.count; i++)
        p->routines.at[i].object = objects[p->routines.at[i].object];
    for (size_t i = 0; i < p->sites.count; i++)
        p->sites.at[i].object = objects[p->sites.at[i].object];
    free(objects);
    SORT_LIST(&p->routines, compare_routines, p, *routines);
    SORT_LIST(&p->sites, compare_sites, p, *sites);
}

static void sort_tree(struct context *contexts, size_t count)
{
    struct context_children children =
        contexts_children(contexts, count, compare_contexts, contexts);
    uint32_t *order = contexts_preorder(&children, count);
    uint32_t *places = memory_resize(NULL, count + 1, sizeof *places);
    struct context *old = memory_resize(NULL, count + 1, sizeof *old);
    memcpy(old, contexts, count * sizeof *old);
    for (size_t i = 0; i < count; i++)
        places[order[i]] = (uint32_t)i;
    for (size_t i = 0; i < count; i++) {
        contexts[i] = old[order[i]];
        if (i > 0)
            contexts[i].parent = places[contexts[i].parent];
    }
    contexts_children_free(&children);
    free(order);
    free(places);
    free(old);
}

static void sort_profile(struct context_profile *p)
{
    uint32_t *routines, *sites;
    sort_tables(p, &routines, &sites);
    for (size_t i = 0; i < p->contexts.count; i++) {
        struct context *c = &p->contexts.at[i];
        if (c->routine != CONTEXTS_NONE)
            c->routine = routines[c->routine];
        if (c->site != CONTEXTS_NONE)
            c->site = sites[c->site];
    }
    free(routines);
    free(sites);
    for (size_t t = 0; t < p->trees.count; t++)
        sort_tree(p->contexts.at + p->trees.at[t].first, p->trees.at[t].count);
}

/* Adding --------------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void contexts_add_tree(context_list *to, struct contexts_tree *total,
                       const struct context_profile *from, const struct contexts_tree *tree,
                       const uint32_t *map)
{
    for (size_t i = 0; i < tree->count; i++) {
        const struct context *c = &from->contexts.at[tree->first + i];
        struct context *sum = &to->at[map[i]];
        if (!c->monitored)
            continue;
        sum->count = add(sum->count, c->count);
        sum->error = add(sum->error, c->error);
        sum->monitored = true;
    }
    total->total = add(total->total, tree->total);
    total->calls = add(total->calls, tree->calls);
    if (total->deepest < tree->deepest)
        total->deepest = tree->deepest;
}

static bool same_words(const string_list *a, const string_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

/* The text, if it is the same in all profiles; otherwise `other`. */
static const char *common_text(struct context_profile *sum,
                               const struct context_profile *const *profiles, size_t count,
                               size_t offset, const char *other)
{
#define TEXT_AT(p) (*(const char *const *)((const char *)(p) + offset))
    for (size_t i = 1; i < count; i++) {
        if (strcmp(TEXT_AT(profiles[0]), TEXT_AT(profiles[i])) != 0)
            return other;
    }
    return contexts_keep(sum, TEXT_AT(profiles[0]));
#undef TEXT_AT
}

/* The words, if they are the same in all profiles; otherwise three dots. */
static void common_words(struct context_profile *sum, const struct context_profile *const *profiles,
                         size_t count, size_t offset, string_list *to)
{
#define WORDS_AT(p) ((const string_list *)((const char *)(p) + offset))
    const string_list *words = WORDS_AT(profiles[0]);
    for (size_t i = 1; i < count; i++) {
        if (!same_words(words, WORDS_AT(profiles[i]))) {
            vector_push(to, "...");
            return;
        }
    }
    for (size_t i = 0; i < words->count; i++)
        vector_push(to, contexts_keep(sum, words->at[i]));
#undef WORDS_AT
}

/* Returns the number of files that were added up in the profile. */
static uint64_t merged_files(const struct context_profile *p)
{
    if (p->process.count == 2 && strcmp(p->process.at[0], "merged") == 0)
        return strtoull(p->process.at[1], NULL, 10);
    return 1;
}

static void sum_process(struct context_profile *sum, const struct context_profile *const *profiles,
                        size_t count)
{
    uint64_t files = 0;
    for (size_t i = 0; i < count; i++)
        files = add(files, merged_files(profiles[i]));
    if (count == 1) {
        common_words(sum, profiles, 1, offsetof(struct context_profile, process), &sum->process);
        return;
    }
    char *number = memory_format("%" PRIu64, files);
    vector_push(&sum->process, "merged");
    vector_push(&sum->process, contexts_keep(sum, number));
    free(number);
}

/* Each context that is not in the profile has at most the returned share of the total weight. */
static double absent_share(const struct context_profile *p)
{
    double share = strtod(p->epsilon, NULL);
    for (size_t i = 0; i < p->options.count; i++) {
        const char *option = p->options.at[i];
        if (strncmp(option, CONTEXTS_PRUNED, strlen(CONTEXTS_PRUNED)) == 0)
            share = fmax(share, strtod(option + strlen(CONTEXTS_PRUNED), NULL));
    }
    return share;
}

/* Sets the sum's error bounds to the largest phi and epsilon of all profiles. */
static void sum_guarantee(struct context_profile *sum,
                          const struct context_profile *const *profiles, size_t count,
                          bool several_trees)
{
    double phi = 0, epsilon = 0;
    for (size_t i = 0; i < count; i++) {
        phi = fmax(phi, strtod(profiles[i]->phi, NULL));
        epsilon = fmax(epsilon, absent_share(profiles[i]));
    }
    if (!contexts_is_hot_tree(sum) || !several_trees) {
        sum->phi = contexts_keep(sum, profiles[0]->phi);
        sum->epsilon = contexts_keep(sum, profiles[0]->epsilon);
        return;
    }
    char *phi_words = memory_format("%g", phi), *epsilon_words = memory_format("%g", epsilon);
    sum->phi = contexts_keep(sum, phi_words);
    sum->epsilon = contexts_keep(sum, epsilon_words);
    free(phi_words);
    free(epsilon_words);
}

static void sum_heads(struct context_profile *sum, const struct context_profile *const *profiles,
                      size_t count, bool several_trees)
{
#define MEMBER(name) offsetof(struct context_profile, name)
    sum->path = memory_copy_string(profiles[0]->path);
    sum->creator = common_text(sum, profiles, count, MEMBER(creator), "aprof");
    sum->technique = common_text(sum, profiles, count, MEMBER(technique), "hcct");
    sum->summary = common_text(sum, profiles, count, MEMBER(summary), "several");
    sum->weight = contexts_keep(sum, profiles[0]->weight);
    sum->burst = common_text(sum, profiles, count, MEMBER(burst), "several");
    sum->end_reason = common_text(sum, profiles, count, MEMBER(end_reason), "several");
    sum_guarantee(sum, profiles, count, several_trees);
    common_words(sum, profiles, count, MEMBER(command), &sum->command);
    common_words(sum, profiles, count, MEMBER(options), &sum->options);
    sum_process(sum, profiles, count);
#undef MEMBER
}

static bool check_weights(const struct context_profile *const *profiles, size_t count,
                          struct failure *why)
{
    for (size_t i = 1; i < count; i++) {
        if (strcmp(profiles[0]->weight, profiles[i]->weight) != 0)
            return failure_set(why, "%s and %s cannot be combined: different weights, %s and %s",
                               profiles[0]->path, profiles[i]->path, profiles[0]->weight,
                               profiles[i]->weight);
    }
    return true;
}

bool contexts_sum(const struct context_profile *const *profiles, size_t count, uint32_t thread,
                  bool sites, struct context_profile *sum, struct failure *why)
{
    struct context_alignment a;
    struct contexts_tree total = {.thread = thread};
    size_t trees = 0;
    memset(sum, 0, sizeof *sum);
    if (!check_weights(profiles, count, why))
        return false;
    contexts_align_start(&a, profiles, count, sites);
    for (size_t i = 0; i < count; i++) {
        const struct context_profile *p = profiles[i];
        for (size_t t = 0; t < p->trees.count; t++) {
            const struct contexts_tree *tree = &p->trees.at[t];
            if (thread != CONTEXTS_MERGED && tree->thread != thread)
                continue;
            uint32_t *map = contexts_align_tree(&a, i, tree);
            contexts_add_tree(&a.builder.contexts, &total, p, tree, map);
            free(map);
            total.thread = ++trees == 1 ? tree->thread : CONTEXTS_MERGED;
        }
    }
    contexts_align_finish(&a, sum);
    sum_heads(sum, profiles, count, trees > 1);
    total.count = sum->contexts.count;
    vector_push(&sum->trees, total);
    if (trees == 0) {
        failure_set(why, "%s: has no such thread", profiles[0]->path);
        contexts_free(sum);
        return false;
    }
    sort_profile(sum);
    return true;
}
