/* Walks over a tree of contexts, parents before children, and checks the tree's structure.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes point only to their parents. A walk first links the wanted nodes into lists of children, in
 * its own memory. It then follows the lists without recursion, because a tree may be a million
 * levels deep.
 */
#include "contexts/context_tree.h"
#include "ground/pages.h"

#define WANTED 1

struct walk {
    const struct context_tree *tree;
    uint32_t *child;   /* index of the first child; 0: none */
    uint32_t *sibling; /* next sibling */
    uint32_t *id;
    unsigned char *wanted;
    size_t bytes;
};

static void start_walk(struct walk *walk, const struct context_tree *tree)
{
    size_t n = tree->n_used;
    walk->tree = tree;
    walk->bytes = pages_bytes(n * (3 * sizeof(uint32_t) + 1));
    walk->child = host_map("aprof.contexts.walk", walk->bytes);
    walk->sibling = walk->child + n;
    walk->id = walk->sibling + n;
    walk->wanted = (unsigned char *)(walk->id + n);
}

static void want_path(struct walk *walk, const struct context_node *node)
{
    for (; node && !walk->wanted[node->index]; node = node->parent)
        walk->wanted[node->index] = WANTED;
}

static void want_nodes(struct walk *walk, uint64_t least)
{
    want_path(walk, walk->tree->root);
    for (uint32_t i = 1; i < walk->tree->n_used; i++) {
        const struct context_node *node = context_tree_at(walk->tree, i);
        if (node->parent && (least == 0 || (node->slot && node->count >= least)))
            want_path(walk, node);
    }
}

/* Links children from the last index down to the first, so that each list is sorted by index. */
static void thread_children(struct walk *walk)
{
    for (uint32_t i = walk->tree->n_used; --i > 0;) {
        if (!walk->wanted[i])
            continue;
        uint32_t parent = context_tree_at(walk->tree, i)->parent->index;
        walk->sibling[i] = walk->child[parent];
        walk->child[parent] = i;
    }
}

/* Returns the next node that is not below `node`; NULL if there is no further node. */
static const struct context_node *next_beside(const struct walk *walk,
                                              const struct context_node *node)
{
    for (; node->parent; node = node->parent)
        if (walk->sibling[node->index])
            return context_tree_at(walk->tree, walk->sibling[node->index]);
    return NULL;
}

uint32_t context_tree_visit(const struct context_tree *tree, uint64_t least,
                            void (*visit)(void *closure, const struct context_node *node,
                                          uint32_t id, uint32_t parent),
                            void *closure)
{
    struct walk walk;
    uint32_t visits = 0;
    const struct context_node *node = tree->root;
    start_walk(&walk, tree);
    want_nodes(&walk, least);
    thread_children(&walk);
    while (node) {
        uint32_t child = walk.child[node->index];
        walk.id[node->index] = visits;
        visit(closure, node, visits, node->parent ? walk.id[node->parent->index] : 0);
        visits++;
        node = child ? context_tree_at(tree, child) : next_beside(&walk, node);
    }
    host_unmap(walk.child, walk.bytes);
    return visits;
}

/* ---------------------------------------------------------------- check */

static uint32_t check_chains(const struct context_tree *tree)
{
    uint32_t linked = 0;
    for (uint32_t i = 0; i < 1u << tree->heads_log2; i++)
        for (uint32_t at = tree->heads[i]; at; at = context_tree_at(tree, at)->chain) {
            const struct context_node *node = context_tree_at(tree, at);
            uint64_t hash = context_tree_hash(node->parent, node->routine, node->site);
            APROF_ASSERT(hash >> (64 - tree->heads_log2) == i);
            APROF_ASSERT(++linked < tree->n_nodes);
        }
    return linked;
}

static uint32_t check_nodes(const struct context_tree *tree, uint64_t *holds)
{
    uint32_t monitored = 0;
    for (uint32_t i = 1; i < tree->n_used; i++) {
        const struct context_node *node = context_tree_at(tree, i);
        APROF_ASSERT(node->index == i);
        if (!node->parent)
            continue;
        APROF_ASSERT(node->parent == tree->root || node->parent->parent);
        APROF_ASSERT(node->holds || node->slot);
        APROF_ASSERT(tree->hot ? node->slot || !node->count : node->slot == 1);
        monitored += node->slot != 0;
        *holds += node->holds;
    }
    return monitored + (tree->root->slot != 0);
}

static void check_cache(const struct context_tree *tree)
{
    for (uint32_t i = 0; i < CONTEXT_CACHE; i++)
        APROF_ASSERT(tree->cache[i] == tree->root || tree->cache[i]->parent);
}

static void count_visit(void *closure, const struct context_node *node, uint32_t id,
                        uint32_t parent)
{
    (void)node;
    APROF_ASSERT(id == 0 || parent < id);
    ++*(uint32_t *)closure;
}

void context_tree_check(const struct context_tree *tree, uint64_t pins)
{
    uint64_t holds = tree->root->holds - 1;
    uint32_t free_nodes = 0, reached = 0;
    for (uint32_t at = tree->free_list; at; at = context_tree_at(tree, at)->chain)
        free_nodes++;
    APROF_ASSERT(tree->n_nodes + free_nodes == tree->n_used);
    APROF_ASSERT(check_chains(tree) == tree->n_nodes - 1);
    uint32_t monitored = check_nodes(tree, &holds);
    APROF_ASSERT(!tree->hot || monitored == tree->n_monitored);
    APROF_ASSERT(holds == tree->n_nodes - 1 + pins);
    check_cache(tree);
    context_tree_visit(tree, 0, count_visit, &reached);
    APROF_ASSERT(reached == tree->n_nodes);
}
