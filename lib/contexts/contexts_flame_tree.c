/* Builds the tree of a flame graph; see contexts_flame_tree.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_flame_tree.h"
#include "lib/contexts/contexts_invert.h"
#include "lib/base/short_name.h"
#include "lib/report/select.h"

#include <string.h>

/* Routines of two builds ----------------------------------------------------------------------- */

/* A routine of the profile. Routines with the same name are sorted by their files. */
struct named {
    const struct report_routine *routine;
    uint32_t number;
};

static int by_name_and_file(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    int order = strcmp(left->routine->name, right->routine->name);
    return order ? order
                 : strcmp(short_path(left->routine->file), short_path(right->routine->file));
}

static int by_name_only(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    return strcmp(left->routine->name, right->routine->name);
}

/* For each routine of the base, its number in the tree. Routines are identified by name and file,
 * or by name alone if the code was moved. The caller frees the list. */
static uint32_t *number_base(const struct context_profile *base, flame_routines *routines)
{
    size_t count = routines->count;
    struct named *sorted = memory_get_zeroed(count + 1, sizeof *sorted);
    uint32_t *numbers = memory_get_zeroed(base->routines.count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct named){&routines->at[i], (uint32_t)i};
    qsort(sorted, count, sizeof *sorted, by_name_and_file);
    for (size_t i = 0; i < base->routines.count; i++) {
        struct named wanted = {&base->routines.at[i], 0};
        const struct named *found =
            bsearch(&wanted, sorted, count, sizeof wanted, by_name_and_file);
        if (!found)
            found = bsearch(&wanted, sorted, count, sizeof wanted, by_name_only);
        numbers[i] = found ? found->number : UINT32_MAX;
    }
    /* the list points to routines, which later calls of vector_push may move */
    free(sorted);
    for (size_t i = 0; i < base->routines.count; i++) {
        if (numbers[i] != UINT32_MAX)
            continue;
        numbers[i] = (uint32_t)routines->count;
        vector_push(routines, base->routines.at[i]);
    }
    return numbers;
}

/* Shapes --------------------------------------------------------------------------------------- */

static void add_count(struct context *to, uint64_t count)
{
    to->count = u64_add(to->count, count);
    to->monitored = true;
}

/* A tree that is built from the contexts of several trees. */
struct shape {
    struct context_builder builder;
    VECTOR(uint64_t) before;
};

static void shape_start(struct shape *shape)
{
    *shape = (struct shape){0};
    context_builder_start(&shape->builder);
    vector_push(&shape->before, 0);
}

static void shape_add(struct shape *shape, uint32_t id, uint64_t count, uint64_t before)
{
    while (shape->before.count < shape->builder.contexts.count)
        vector_push(&shape->before, 0);
    add_count(&shape->builder.contexts.at[id], count);
    shape->before.at[id] = u64_add(shape->before.at[id], before);
}

/* Adds the first tree of a profile; if there is a focus, adds only the calls of the routines that
 * match it. `numbers` has the new number of each routine; if it is NULL, routines keep their
 * numbers. */
static void shape_add_profile(struct shape *shape, const struct context_profile *p,
                              const uint32_t *numbers, const char *focus)
{
    const struct contexts_tree *tree = &p->trees.at[0];
    const struct context *from = p->contexts.at + tree->first;
    uint32_t *to = memory_get_zeroed(tree->count + 1, sizeof *to);
    for (size_t i = 0; i < tree->count; i++) {
        uint32_t up = i > 0 ? to[from[i].parent] : focus ? CONTEXTS_NONE : 0;
        bool begins =
            up == CONTEXTS_NONE && i > 0 && select_matches(&p->routines.at[from[i].routine], focus);
        uint64_t count = context_count(&from[i]);
        to[i] = begins ? 0 : up;
        if (to[i] == CONTEXTS_NONE)
            continue;
        if (i > 0)
            to[i] = context_builder_child(&shape->builder, to[i],
                                          numbers ? numbers[from[i].routine] : from[i].routine,
                                          CONTEXTS_NONE);
        shape_add(shape, to[i], numbers ? 0 : count, numbers ? count : 0);
    }
    free(to);
}

/* Returns the tree's contexts. Stores the counts of the base in `*before`, or frees them if
 * `before` is NULL. */
static context_list shape_finish(struct shape *shape, uint64_t **before)
{
    if (before)
        *before = shape->before.at;
    else
        vector_free(&shape->before);
    return context_builder_finish(&shape->builder);
}

/* The context that has the given routine and is on the path to `id`; CONTEXTS_NONE if no context on
 * the path has this routine. */
static uint32_t pending(const context_list *list, uint32_t id, uint32_t routine)
{
    while (id != 0 && list->at[id].routine != routine)
        id = list->at[id].parent;
    return id == 0 ? CONTEXTS_NONE : id;
}

static void fold(struct flame_tree *tree)
{
    const context_list *from = &tree->contexts;
    uint32_t *to = memory_get_zeroed(from->count + 1, sizeof *to);
    struct shape shape;
    shape_start(&shape);
    for (size_t i = 0; i < from->count; i++) {
        const struct context *c = &from->at[i];
        if (i > 0) {
            to[i] = pending(&shape.builder.contexts, to[c->parent], c->routine);
            if (to[i] == CONTEXTS_NONE)
                to[i] =
                    context_builder_child(&shape.builder, to[c->parent], c->routine, CONTEXTS_NONE);
        }
        shape_add(&shape, to[i], context_count(c), tree->before ? tree->before[i] : 0);
    }
    free(to);
    uint64_t **before = tree->before ? &tree->before : NULL;
    free(tree->before);
    vector_free(&tree->contexts);
    tree->contexts = shape_finish(&shape, before);
}

/* The root of the inverted tree gets the own count of the old root, so that shares still refer to
 * the whole. */
static void invert(struct flame_tree *tree, const struct contexts_flame *flame)
{
    context_list from = tree->contexts;
    uint64_t *before = tree->before, *sums = contexts_sum_subtrees(from.at, from.count);
    uint64_t least = flame_least(flame, sums[0]);
    tree->contexts =
        contexts_invert_both(from.at, &tree->before, from.count, least, flame->depth_max);
    add_count(&tree->contexts.at[0], context_count(&from.at[0]));
    if (before) {
        tree->before[0] = u64_add(tree->before[0], before[0]);
    } else {
        free(tree->before);
        tree->before = NULL;
    }
    free(before);
    free(sums);
    vector_free(&from);
}

struct flame_tree flame_tree_make(const struct context_profile *p,
                                  const struct contexts_flame *flame)
{
    struct flame_tree tree = {0};
    struct shape shape;
    shape_start(&shape);
    shape_add_profile(&shape, p, NULL, flame->focus);
    for (size_t i = 0; i < p->routines.count; i++)
        vector_push(&tree.routines, p->routines.at[i]);
    if (flame->base) {
        uint32_t *numbers = number_base(flame->base, &tree.routines);
        shape_add_profile(&shape, flame->base, numbers, flame->focus);
        free(numbers);
    }
    tree.contexts = shape_finish(&shape, flame->base ? &tree.before : NULL);
    return tree;
}

uint64_t flame_least(const struct contexts_flame *flame, uint64_t whole)
{
    return (uint64_t)(flame->least * (double)whole) + 1;
}

void flame_tree_form(struct flame_tree *tree, const struct contexts_flame *flame)
{
    if (flame->folded)
        fold(tree);
    if (flame->inverted)
        invert(tree, flame);
}

void flame_tree_free(struct flame_tree *tree)
{
    vector_free(&tree->contexts);
    vector_free(&tree->routines);
    free(tree->before);
}
