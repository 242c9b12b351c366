/* The hot calling context tree: the tree is pruned online when the summary evicts (paper 002, 3.3).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Algorithm 1: an evicted leaf is removed, together with ancestors that then become unmonitored
 * leaves. Nodes of contexts on a stack are pinned, and pinned nodes are not removed.
 *
 * Example with two counters: main calls a, a calls b, a and b return, main calls c and then d.
 * main:1 and a:1 are monitored until b is called. Then b takes the counter of main, which stays in
 * the tree as b's ancestor. Next, c takes the counter of a, which stays as b's parent. Finally, d
 * takes the counter of b: b is removed, and then a, because a is now an unmonitored leaf.
 */
#include "contexts/context_tree.h"
#include "contexts/fraction.h"
#include "ground/pages.h"

APROF_NOINLINE void context_tree_prune(struct context_tree *tree, struct context_node *node)
{
    while (node->holds == 0 && node->slot == 0) {
        struct context_node *parent = node->parent;
        context_tree_remove(tree, node);
        node = parent;
    }
}

APROF_NOINLINE void context_tree_arrive(struct context_tree *tree, struct context_node *node,
                                        uint64_t weight)
{
    if (weight)
        tree->ops->arrive(tree, node, weight);
}

void context_tree_monitor(struct context_tree *tree, struct context_node *node, int32_t slot,
                          uint64_t count)
{
    node->slot = slot;
    node->count = count;
    if (++tree->n_monitored > tree->most_monitored)
        tree->most_monitored = tree->n_monitored;
}

static void drop_counter(struct context_tree *tree, struct context_node *node)
{
    if (tree->config.evicted)
        tree->config.evicted(tree->config.closure, node);
    node->slot = 0;
    node->count = 0;
    tree->n_monitored--;
}

void context_tree_evict(struct context_tree *tree, struct context_node *node)
{
    drop_counter(tree, node);
    context_tree_prune(tree, node);
}

static bool is_in_use(const struct context_node *node)
{
    return node->parent || node->index == 0;
}

static void clear_hot(struct context_tree *tree)
{
    tree->ops->free(tree);
    for (uint32_t i = 0; i < tree->n_used; i++) {
        struct context_node *node = context_tree_at(tree, i);
        if (node->slot)
            drop_counter(tree, node);
    }
    for (uint32_t i = 0; i < tree->n_used; i++)
        if (is_in_use(context_tree_at(tree, i)))
            context_tree_prune(tree, context_tree_at(tree, i));
    tree->summary = tree->ops->make(tree);
}

void context_tree_clear(struct context_tree *tree)
{
    tree->total = 0;
    if (tree->hot) {
        clear_hot(tree);
        return;
    }
    for (uint32_t i = 0; i < tree->n_used; i++)
        context_tree_at(tree, i)->count = 0;
}

/* ---------------------------------------------------------------- queries */

uint64_t context_tree_threshold(const struct context_tree *tree, uint32_t phi)
{
    if (tree->config.summary == CONTEXTS_STICKY_SAMPLING)
        phi = phi > tree->config.epsilon ? phi - tree->config.epsilon : 0;
    uint64_t least = fraction_of(phi, tree->total);
    return least ? least : 1;
}

uint64_t context_tree_error(const struct context_tree *tree, const struct context_node *node)
{
    return tree->hot && node->slot ? tree->ops->error(tree, node) : 0;
}

/* ---------------------------------------------------------------- merging */

struct merge {
    struct context_tree *into;
    const struct context_tree *from;
    struct context_node **nodes; /* nodes of `into`, by id of the visit */
    uint64_t from_floor, into_floor;
};

/* Adds the count of a node in `from` to `into`. All counters of `into` have been raised by the
 * weight that `from` may have missed. If `from` has a counter for a node, the count in `from`
 * replaces the weight by which the node's counter in `into` was raised. If the node has no counter
 * in `into`, its new counter also includes the weight that `into` may have missed. */
static void adopt_node(struct merge *merge, const struct context_node *from,
                       struct context_node *node)
{
    uint64_t missed = node->slot ? 0 - merge->from_floor : merge->into_floor;
    merge->into->ops->adopt(merge->into, node, from->count + missed,
                            context_tree_error(merge->from, from) + missed);
}

static void merge_node(void *closure, const struct context_node *from, uint32_t id, uint32_t parent)
{
    struct merge *merge = closure;
    struct context_node *node = merge->into->root;
    if (id)
        node = context_tree_child(merge->into, merge->nodes[parent], from->routine, from->site);
    merge->nodes[id] = node;
    if (!merge->into->hot)
        node->count += from->count;
    else if (from->slot)
        adopt_node(merge, from, node);
}

void context_tree_merge(struct context_tree *into, const struct context_tree *from)
{
    size_t bytes = pages_bytes(from->n_nodes * sizeof(struct context_node *));
    struct merge merge = {.into = into, .from = from};
    merge.nodes = host_map("aprof.contexts.merge", bytes);
    if (into->hot) {
        merge.from_floor = from->ops->floor(from);
        merge.into_floor = into->ops->floor(into);
        into->ops->raise(into, from);
    }
    context_tree_visit(from, 1, merge_node, &merge);
    into->total += from->total;
    if (into->hot)
        into->ops->settle(into, merge.into_floor + merge.from_floor);
    host_unmap(merge.nodes, bytes);
}
