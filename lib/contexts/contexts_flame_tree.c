/* Builds the tree of a flame graph; see contexts_flame_tree.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_flame_tree.h"
#include "lib/contexts/contexts_invert.h"
#include "lib/base/short_name.h"
#include "lib/report/select.h"

#include <string.h>

/* Routines of two builds ----------------------------------------------------------------------- */

/* A routine of the profile. Routines of one name are in the order of their files. */
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
    /* the list has pointers to routines, which the following calls of vector_push may move */
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

/* The context of the routine on the path to `id`; CONTEXTS_NONE: the routine is not on the path. */
static uint32_t pending(const context_list *list, uint32_t id, uint32_t routine)
{
    while (id != 0 && list->at[id].routine != routine)
        id = list->at[id].parent;
    return id == 0 ? CONTEXTS_NONE : id;
}

static uint32_t place_of(struct context_builder *b, const struct contexts_flame *flame, uint32_t up,
                         uint32_t routine, uint32_t site)
{
    uint32_t outer = flame->folded ? pending(&b->contexts, up, routine) : CONTEXTS_NONE;
    if (outer != CONTEXTS_NONE)
        return outer;
    return context_builder_child(b, up, routine,
                                 flame->base || flame->folded ? CONTEXTS_NONE : site);
}

static void add_count(struct context *to, uint64_t count)
{
    to->count = u64_add(to->count, count);
    to->monitored = true;
}

/* Builds the first tree of a profile. The routines get the given numbers, or keep their own numbers
 * if the list is NULL. */
static context_list shape(const struct context_profile *p, const uint32_t *numbers,
                          const struct contexts_flame *flame)
{
    const struct contexts_tree *tree = &p->trees.at[0];
    const struct context *from = p->contexts.at + tree->first;
    uint32_t *to = memory_get_zeroed(tree->count + 1, sizeof *to);
    struct context_builder b;
    context_builder_start(&b);
    b.contexts.at[0].monitored = true;
    for (size_t i = 0; i < tree->count; i++) {
        uint32_t up = i > 0 ? to[from[i].parent] : flame->focus ? CONTEXTS_NONE : 0;
        bool begins = up == CONTEXTS_NONE && i > 0 &&
                      select_matches(&p->routines.at[from[i].routine], flame->focus);
        to[i] = up;
        if (i > 0 && (begins || up != CONTEXTS_NONE))
            to[i] = place_of(&b, flame, begins ? 0 : up,
                             numbers ? numbers[from[i].routine] : from[i].routine, from[i].site);
        if (to[i] != CONTEXTS_NONE)
            add_count(&b.contexts.at[to[i]], context_count(&from[i]));
    }
    free(to);
    context_list shaped = context_builder_finish(&b);
    if (!flame->inverted)
        return shaped;
    uint64_t least = (uint64_t)(flame->least * (double)tree->total) + 1;
    context_list inverted = contexts_invert(shaped.at, shaped.count, least, flame->depth_max);
    vector_free(&shaped);
    return inverted;
}

/* Two trees ------------------------------------------------------------------------------------ */

/* Adds the contexts of `from`. Returns the number of each context in the resulting tree. The caller
 * frees the list. */
static uint32_t *merge_into(struct context_builder *b, const context_list *from)
{
    uint32_t *to = memory_get_zeroed(from->count + 1, sizeof *to);
    for (size_t i = 1; i < from->count; i++) {
        const struct context *c = &from->at[i];
        to[i] = context_builder_child(b, to[c->parent], c->routine, c->site);
    }
    return to;
}

static void merge_base(struct flame_tree *tree, const context_list *base)
{
    struct context_builder b;
    context_builder_start(&b);
    uint32_t *of_new = merge_into(&b, &tree->contexts), *of_base = merge_into(&b, base);
    context_list merged = context_builder_finish(&b), before = {0};
    for (size_t i = 0; i < merged.count; i++) {
        merged.at[i].monitored = true;
        vector_push(&before, merged.at[i]);
    }
    for (size_t i = 0; i < tree->contexts.count; i++)
        add_count(&merged.at[of_new[i]], context_count(&tree->contexts.at[i]));
    for (size_t i = 0; i < base->count; i++)
        add_count(&before.at[of_base[i]], context_count(&base->at[i]));
    tree->before = contexts_sum_subtrees(before.at, before.count);
    vector_free(&tree->contexts);
    vector_free(&before);
    tree->contexts = merged;
    free(of_new);
    free(of_base);
}

struct flame_tree flame_tree_make(const struct context_profile *p,
                                  const struct contexts_flame *flame)
{
    struct flame_tree tree = {.contexts = shape(p, NULL, flame)};
    for (size_t i = 0; i < p->routines.count; i++)
        vector_push(&tree.routines, p->routines.at[i]);
    if (!flame->base)
        return tree;
    uint32_t *numbers = number_base(flame->base, &tree.routines);
    context_list base = shape(flame->base, numbers, flame);
    merge_base(&tree, &base);
    vector_free(&base);
    free(numbers);
    return tree;
}

void flame_tree_free(struct flame_tree *tree)
{
    vector_free(&tree->contexts);
    vector_free(&tree->routines);
    free(tree->before);
}
