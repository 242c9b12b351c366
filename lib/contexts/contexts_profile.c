/* Calling context trees in memory; see contexts_profile.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_profile.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-12 /* relative rounding tolerance: the floor of 0.0003 * 10000 must be 3 */

#define SLOTS_FIRST 1024

void contexts_free(struct context_profile *p)
{
    for (size_t i = 0; i < p->routines.count; i++)
        free((char *)(uintptr_t)p->routines.at[i].name);
    free(p->path);
    arena_free(&p->strings);
    vector_free(&p->command);
    vector_free(&p->process);
    vector_free(&p->options);
    vector_free(&p->objects);
    vector_free(&p->routines);
    vector_free(&p->sites);
    vector_free(&p->trees);
    vector_free(&p->contexts);
    memset(p, 0, sizeof *p);
}

void contexts_name_routines(struct context_profile *p)
{
    for (size_t i = 0; i < p->routines.count; i++) {
        struct report_routine *routine = &p->routines.at[i];
        free((char *)(uintptr_t)routine->name);
        routine->name = routine_display_name(routine, p->objects.at[routine->object].path);
    }
}

const char *contexts_keep(struct context_profile *p, const char *text)
{
    return arena_copy(&p->strings, text, strlen(text));
}

const char *contexts_routine_name(const struct context_profile *p, uint32_t routine)
{
    return routine == CONTEXTS_NONE ? "(all)" : p->routines.at[routine].name;
}

const char *contexts_program(const struct context_profile *p)
{
    const char *slash = strrchr(p->command.at[0], '/');
    return slash ? slash + 1 : p->command.at[0];
}

/* Hot contexts --------------------------------------------------------------------------------- */

static bool has_word(const string_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->at[i], word) == 0)
            return true;
    }
    return false;
}

/* Whether counts may be too low, because the command has added up several hot trees. Counts from
 * the runtime are never too low, because the runtime adds the weight that its summaries may have
 * missed. */
static bool may_count_too_low(const struct context_profile *p, const struct contexts_tree *tree)
{
    if (!contexts_is_hot_tree(p) || tree->thread != CONTEXTS_MERGED)
        return false;
    bool by_tool = p->process.count > 0 && strcmp(p->process.at[0], "merged") == 0;
    return by_tool || !has_word(&p->options, "threads=merged");
}

uint64_t contexts_threshold(const struct context_profile *p, const struct contexts_tree *tree,
                            double phi)
{
    if (may_count_too_low(p, tree))
        phi -= strtod(p->epsilon, NULL);
    double least = floor(phi * (double)tree->total * (1 + ROUNDING));
    return least > 1 ? (uint64_t)least : 1;
}

void contexts_keep_ancestors(const struct context *contexts, size_t count, unsigned char *marks)
{
    if (count)
        marks[0] |= CONTEXT_KEPT;
    for (size_t i = count; i-- > 1;) {
        if (marks[i] & CONTEXT_KEPT)
            marks[contexts[i].parent] |= CONTEXT_KEPT;
    }
}

size_t contexts_mark_hot(const struct context *contexts, size_t count, uint64_t threshold,
                         unsigned char *marks)
{
    size_t hot = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_hot = i > 0 && context_count(&contexts[i]) >= threshold;
        marks[i] = is_hot ? CONTEXT_KEPT | CONTEXT_HOT : 0;
        hot += is_hot;
    }
    contexts_keep_ancestors(contexts, count, marks);
    return hot;
}

/* Moves the kept contexts of one tree to the current end of the output; returns the number of kept
 * contexts. */
static size_t remove_from_tree(struct context *to, const struct context *from, size_t count,
                               const unsigned char *marks, uint32_t *renumbered)
{
    uint32_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(marks[i] & CONTEXT_KEPT))
            continue;
        struct context context = from[i];
        if (i > 0)
            context.parent = renumbered[context.parent];
        renumbered[i] = kept;
        to[kept++] = context;
    }
    return kept;
}

void contexts_remove_unkept(struct context_profile *p, const unsigned char *marks)
{
    uint32_t *renumbered = memory_resize(NULL, p->contexts.count + 1, sizeof *renumbered);
    size_t end = 0;
    for (size_t t = 0; t < p->trees.count; t++) {
        struct contexts_tree *tree = &p->trees.at[t];
        size_t kept = remove_from_tree(p->contexts.at + end, p->contexts.at + tree->first,
                                       tree->count, marks + tree->first, renumbered);
        tree->first = end;
        tree->count = kept;
        end += kept;
    }
    p->contexts.count = end;
    free(renumbered);
}

/* Shapes --------------------------------------------------------------------------------------- */

uint64_t *contexts_sum_subtrees(const struct context *contexts, size_t count)
{
    uint64_t *sums = memory_resize(NULL, count + 1, sizeof *sums);
    for (size_t i = 0; i < count; i++)
        sums[i] = context_count(&contexts[i]);
    for (size_t i = count; i-- > 1;)
        sums[contexts[i].parent] += sums[i];
    return sums;
}

uint32_t *contexts_depths(const struct context *contexts, size_t count)
{
    uint32_t *depths = memory_get_zeroed(count + 1, sizeof *depths);
    for (size_t i = 1; i < count; i++)
        depths[i] = depths[contexts[i].parent] + 1;
    return depths;
}

struct context_children contexts_children(const struct context *contexts, size_t count,
                                          context_order *order, void *user)
{
    struct context_children c = {memory_get_zeroed(count + 2, sizeof *c.first),
                                 memory_resize(NULL, count + 1, sizeof *c.ids)};
    for (size_t i = 1; i < count; i++)
        c.first[contexts[i].parent + 2]++;
    for (size_t i = 2; i < count + 2; i++)
        c.first[i] += c.first[i - 1];
    for (size_t i = 1; i < count; i++)
        c.ids[c.first[contexts[i].parent + 1]++] = (uint32_t)i;
    for (size_t i = 0; order && i < count; i++) {
        size_t children = c.first[i + 1] - c.first[i];
        if (children > 1)
            qsort_r(c.ids + c.first[i], children, sizeof *c.ids, order, user);
    }
    return c;
}

void contexts_children_free(struct context_children *c)
{
    free(c->first);
    free(c->ids);
}

uint32_t *contexts_preorder(const struct context_children *c, size_t count)
{
    uint32_t *order = memory_resize(NULL, count + 1, sizeof *order);
    uint32_t *stack = memory_resize(NULL, count + 1, sizeof *stack);
    size_t filled = 0, top = 0;
    if (count)
        stack[top++] = 0;
    while (top > 0) {
        uint32_t id = order[filled++] = stack[--top];
        for (uint32_t i = c->first[id + 1]; i > c->first[id]; i--)
            stack[top++] = c->ids[i - 1];
    }
    free(stack);
    return order;
}

/* Trees that grow ------------------------------------------------------------------------------ */

static size_t slot_of(uint32_t parent, uint32_t routine, uint32_t site, size_t slot_count)
{
    uint64_t hash = parent * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ routine) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 29 ^ site) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash >> 20) & (slot_count - 1);
}

static void builder_rehash(struct context_builder *b, size_t slot_count)
{
    free(b->slots);
    b->slot_count = slot_count;
    b->slots = memory_get_zeroed(slot_count, sizeof *b->slots);
    for (size_t i = 1; i < b->contexts.count; i++) {
        const struct context *c = &b->contexts.at[i];
        size_t slot = slot_of(c->parent, c->routine, c->site, slot_count);
        while (b->slots[slot])
            slot = (slot + 1) & (slot_count - 1);
        b->slots[slot] = (uint32_t)i + 1;
    }
}

void context_builder_start(struct context_builder *b)
{
    struct context root = {
        .parent = CONTEXTS_NONE, .routine = CONTEXTS_NONE, .site = CONTEXTS_NONE};
    *b = (struct context_builder){0};
    vector_push(&b->contexts, root);
    builder_rehash(b, SLOTS_FIRST);
}

uint32_t context_builder_child(struct context_builder *b, uint32_t parent, uint32_t routine,
                               uint32_t site)
{
    if (b->contexts.count >= b->slot_count / 2)
        builder_rehash(b, 2 * b->slot_count);
    size_t slot = slot_of(parent, routine, site, b->slot_count);
    for (; b->slots[slot]; slot = (slot + 1) & (b->slot_count - 1)) {
        const struct context *c = &b->contexts.at[b->slots[slot] - 1];
        if (c->parent == parent && c->routine == routine && c->site == site)
            return b->slots[slot] - 1;
    }
    struct context child = {.parent = parent, .routine = routine, .site = site};
    vector_push(&b->contexts, child);
    b->slots[slot] = (uint32_t)b->contexts.count;
    return b->slots[slot] - 1;
}

context_list context_builder_finish(struct context_builder *b)
{
    context_list contexts = b->contexts;
    free(b->slots);
    *b = (struct context_builder){0};
    return contexts;
}
