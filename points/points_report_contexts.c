/* Writes the records of contexts, which follow the profiles in a report.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Contexts are written depth first: callers before callees, and callees in the order of their
 * routines' numbers. Callees are not in the order of their first calls, because this order would
 * differ between runs.
 */
#include "points/points_report_contexts.h"
#include "contexts/fraction.h"
#include "ground/host.h"
#include "ground/record_schema.h"
#include "ground/sort.h"

/* ---------------------------------------------------------------- lists */

static void count_context(void *closure, struct routine *routine,
                          const struct routine_profile *profile, uint64_t error, uint32_t id,
                          uint32_t parent)
{
    (void)routine, (void)profile, (void)error, (void)parent;
    *(uint32_t *)closure = id;
}

static void add_context(void *closure, struct routine *routine,
                        const struct routine_profile *profile, uint64_t error, uint32_t id,
                        uint32_t parent)
{
    struct points_tree *tree = closure;
    tree->all[id - 1] = (struct points_context){routine, profile, error, parent, 0};
}

struct points_tree *report_contexts_list(const struct process_contexts *contexts)
{
    uint32_t n = process_contexts_threads(contexts);
    struct points_tree *trees = host_alloc("aprof.report.trees", (n + 1) * sizeof(*trees));
    for (uint32_t t = 0; t < n; t++) {
        struct points_tree *tree = &trees[t];
        process_contexts_visit(contexts, t, count_context, &tree->n);
        if (!tree->n)
            continue;
        tree->all = host_alloc("aprof.report.contexts", tree->n * sizeof(*tree->all));
        process_contexts_visit(contexts, t, add_context, tree);
    }
    return trees;
}

void report_contexts_free(const struct process_contexts *contexts, struct points_tree *trees)
{
    for (uint32_t t = 0; t < process_contexts_threads(contexts); t++)
        host_free(trees[t].all);
    host_free(trees);
}

/* ---------------------------------------------------------------- order */

/* Sorts by parent, then by routine, so that the children of a context are adjacent. */
static int compare_contexts(const void *left, const void *right)
{
    const struct points_context *a = *(const struct points_context *const *)left;
    const struct points_context *b = *(const struct points_context *const *)right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The children and siblings of contexts. A context is represented by its position + 1; 0 represents
 * the parent of the outermost contexts. */
struct order {
    const struct points_context **pointers;
    uint32_t *child, *sibling;
    uint32_t *id; /* for each context, its id in the report, plus 1 */
};

static void make_order(struct order *order, const struct points_tree *tree)
{
    size_t n = tree->n + 1;
    const struct points_context **pointers =
        host_alloc("aprof.report.order", 2 * n * sizeof(*pointers));
    order->child = host_alloc("aprof.report.order", 3 * n * sizeof(*order->child));
    order->sibling = order->child + n;
    order->id = order->sibling + n;
    for (uint32_t i = 0; i < tree->n; i++)
        pointers[i] = &tree->all[i];
    order->pointers = pointers;
    const struct points_context **sorted =
        sort_merge(pointers, pointers + n, tree->n, sizeof(*pointers), compare_contexts);
    for (uint32_t i = tree->n; i-- > 0;) {
        uint32_t at = (uint32_t)(sorted[i] - tree->all) + 1;
        order->sibling[at] = order->child[sorted[i]->parent];
        order->child[sorted[i]->parent] = at;
    }
}

static void free_order(struct order *order)
{
    host_free(order->pointers);
    host_free(order->child);
}

/* Returns the next context in the order of the report that is not below `at` in the tree; 0 if
 * there is no such context. */
static uint32_t next_beside(const struct order *order, const struct points_tree *tree, uint32_t at)
{
    for (; at; at = tree->all[at - 1].parent)
        if (order->sibling[at])
            return order->sibling[at];
    return 0;
}

/* ---------------------------------------------------------------- records */

struct contexts_record {
    RECORD_CONTEXTS(RECORD_MEMBER)
};

static void put_head(struct record_writer *w, const struct contexts_config *config)
{
    char phi[FRACTION_CHARACTERS] = "0", epsilon[FRACTION_CHARACTERS] = "0";
    struct contexts_record record = {
        .kind = config->mode == CONTEXTS_HOT ? "hot" : "full",
        .phi = phi,
        .epsilon = epsilon,
        .weight = config->by_cost ? "cost" : "calls",
        .recursion = config->fold_recursion ? "folded" : "unfolded",
    };
    if (config->mode == CONTEXTS_HOT) {
        fraction_format(config->phi, phi);
        fraction_format(config->epsilon, epsilon);
    }
    RECORD_PUT(w, "contexts", RECORD_CONTEXTS, &record);
}

struct context_record {
    RECORD_CONTEXT(RECORD_MEMBER)
};

static void put_context(struct record_writer *w, const struct points_context *context, uint32_t id,
                        const struct order *order, unsigned metrics)
{
    const struct routine_profile *profile = context->profile;
    struct context_record record = {
        .caller = context->parent ? order->id[context->parent] - 1 : RECORD_NONE,
        .routine = context->number,
        .calls = profile ? profile->calls : 0,
        .cost_total = profile ? profile->cost_total : 0,
        .cost_self = profile ? profile->cost_self : 0,
        .error = context->error,
    };
    RECORD_PUT_NUMBERED(w, "context", id, RECORD_CONTEXT, &record);
    if (profile)
        points_put(w, profile, metrics);
}

struct tree_record {
    RECORD_TREE(RECORD_MEMBER)
};

static void put_tree(struct record_writer *w, const struct process_contexts *contexts,
                     uint32_t thread, const struct points_tree *tree, unsigned metrics)
{
    struct order order;
    uint32_t n = 0;
    struct tree_record record = {thread, process_contexts_total(contexts, thread), tree->n};
    RECORD_PUT(w, "tree", RECORD_TREE, &record);
    make_order(&order, tree);
    for (uint32_t at = order.child[0]; at;) {
        put_context(w, &tree->all[at - 1], n, &order, metrics);
        order.id[at] = ++n;
        at = order.child[at] ? order.child[at] : next_beside(&order, tree, at);
    }
    free_order(&order);
}

void report_contexts_put(struct record_writer *w, const struct process_contexts *contexts,
                         struct points_tree *trees, const uint32_t *number_of, unsigned metrics)
{
    put_head(w, process_contexts_config(contexts));
    for (uint32_t t = 0; t < process_contexts_threads(contexts); t++) {
        struct points_tree *tree = &trees[t];
        if (!tree->n)
            continue;
        for (uint32_t i = 0; i < tree->n; i++)
            tree->all[i].number = number_of[tree->all[i].routine->id] - 1;
        put_tree(w, contexts, t, tree, metrics);
    }
}
