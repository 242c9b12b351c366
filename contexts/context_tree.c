/* The calling context tree: a pool of nodes, found by (parent, routine, site) (paper 002, 4.1).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nodes are stored in pages of 1024 and never move; indices of removed nodes are reused first. A
 * node is found in the direct-mapped cache (context_tree_child), or in its hash chain. The search
 * moves the found node to the front of the chain. The table of chains doubles when there are more
 * nodes than chains. When a node is removed, its cache entry is set to the root: the root has no
 * parent, so no search matches it.
 */
#include "contexts/context_tree.h"
#include "ground/pages.h"

/* log2 of the initial number of chains, whose heads fill one page of memory */
#define FIRST_HEADS_LOG2 10

static uint32_t *head_of(const struct context_tree *tree, uint64_t hash)
{
    return &tree->heads[hash >> (64 - tree->heads_log2)];
}

static struct context_node **cache_of(struct context_tree *tree, uint64_t hash)
{
    return &tree->cache[hash >> 52 & (CONTEXT_CACHE - 1)];
}

static uint64_t hash_of(const struct context_node *node)
{
    return context_tree_hash(node->parent, node->routine, node->site);
}

/* ---------------------------------------------------------------- pool */

static struct context_node *take_node(struct context_tree *tree)
{
    struct context_node *node;
    if (++tree->n_nodes > tree->most_nodes)
        tree->most_nodes = tree->n_nodes;
    if (tree->free_list) {
        node = context_tree_at(tree, tree->free_list);
        tree->free_list = node->chain;
        return node;
    }
    if (tree->n_used == tree->n_pages << CONTEXT_PAGE_LOG2) {
        APROF_ASSERT(tree->n_pages < (~0u >> CONTEXT_PAGE_LOG2));
        tree->pages = pages_grow("aprof.contexts.directory", tree->pages, &tree->pages_capacity,
                                 tree->n_pages + 1, sizeof(*tree->pages));
        tree->pages[tree->n_pages++] =
            host_map("aprof.contexts.nodes", CONTEXT_PAGE * sizeof(struct context_node));
    }
    node = context_tree_at(tree, tree->n_used);
    node->index = tree->n_used++;
    return node;
}

/* ---------------------------------------------------------------- chains */

static uint32_t *map_heads(unsigned log2)
{
    return host_map("aprof.contexts.chains", sizeof(uint32_t) << log2);
}

static void link_node(struct context_tree *tree, struct context_node *node, uint64_t hash)
{
    uint32_t *head = head_of(tree, hash);
    node->chain = *head;
    *head = node->index;
}

static void grow_heads(struct context_tree *tree)
{
    uint32_t *old = tree->heads;
    uint32_t n_old = 1u << tree->heads_log2;
    tree->heads = map_heads(++tree->heads_log2);
    for (uint32_t i = 0; i < n_old; i++)
        for (uint32_t at = old[i], next; at; at = next) {
            struct context_node *node = context_tree_at(tree, at);
            next = node->chain;
            link_node(tree, node, hash_of(node));
        }
    host_unmap(old, n_old * sizeof(*old));
}

static void unlink_node(struct context_tree *tree, struct context_node *node, uint64_t hash)
{
    uint32_t *at = head_of(tree, hash);
    while (*at != node->index)
        at = &context_tree_at(tree, *at)->chain;
    *at = node->chain;
}

/* ---------------------------------------------------------------- finding */

static struct context_node *find_in_chain(struct context_tree *tree,
                                          const struct context_node *parent, uintptr_t routine,
                                          uintptr_t site, uint64_t hash)
{
    uint32_t *head = head_of(tree, hash);
    for (uint32_t *at = head; *at;) {
        struct context_node *node = context_tree_at(tree, *at);
        if (context_tree_is(node, parent, routine, site)) {
            *at = node->chain;
            node->chain = *head;
            *head = node->index;
            return node;
        }
        at = &node->chain;
    }
    return NULL;
}

/* Returns the deepest occurrence of `routine` on the path that ends in `at`, if the path has
 * recursion_limit occurrences; otherwise NULL. A path contains each routine at most recursion_limit
 * times, so the length of this walk is bounded. */
static struct context_node *fold(const struct context_tree *tree, struct context_node *at,
                                 uintptr_t routine)
{
    struct context_node *deepest = NULL;
    uint32_t occurrences = 0;
    for (; at->parent; at = at->parent)
        if (at->routine == routine) {
            deepest = deepest ? deepest : at;
            if (++occurrences == tree->config.recursion_limit)
                return deepest;
        }
    return NULL;
}

static struct context_node *make_node(struct context_tree *tree, struct context_node *parent,
                                      uintptr_t routine, uintptr_t site, uint64_t hash)
{
    struct context_node *node = take_node(tree);
    node->parent = parent;
    node->routine = routine;
    node->site = site;
    node->count = 0;
    node->holds = 0;
    node->slot = !tree->hot; /* in a full tree, all nodes are monitored */
    parent->holds++;
    if (tree->n_nodes > 1u << tree->heads_log2)
        grow_heads(tree);
    link_node(tree, node, hash);
    return node;
}

APROF_NOINLINE struct context_node *context_tree_find(struct context_tree *tree,
                                                      struct context_node *parent,
                                                      uintptr_t routine, uintptr_t site)
{
    uint64_t hash = context_tree_hash(parent, routine, site);
    struct context_node *node = find_in_chain(tree, parent, routine, site, hash);
    if (!node && tree->config.recursion_limit) {
        node = fold(tree, parent, routine);
        if (node)
            return node;
    }
    if (!node)
        node = make_node(tree, parent, routine, site, hash);
    *cache_of(tree, hash) = node;
    return node;
}

/* ---------------------------------------------------------------- removal */

/* Removes `node`, a leaf without pins. */
void context_tree_remove(struct context_tree *tree, struct context_node *node)
{
    uint64_t hash = hash_of(node);
    struct context_node **cached = cache_of(tree, hash);
    if (*cached == node)
        *cached = tree->root;
    unlink_node(tree, node, hash);
    node->parent->holds--;
    node->parent = NULL;
    node->chain = tree->free_list;
    tree->free_list = node->index;
    tree->n_nodes--;
}

/* ---------------------------------------------------------------- life */

void context_tree_start(struct context_tree *tree)
{
    tree->heads_log2 = FIRST_HEADS_LOG2;
    tree->heads = map_heads(FIRST_HEADS_LOG2);
    struct context_node *root = take_node(tree);
    root->holds = 1; /* a permanent pin, so that the root is never removed */
    root->slot = !tree->hot;
    tree->root = root;
    for (uint32_t i = 0; i < CONTEXT_CACHE; i++)
        tree->cache[i] = root;
}

void context_tree_end(struct context_tree *tree)
{
    for (uint32_t i = 0; i < tree->n_pages; i++)
        host_unmap(tree->pages[i], CONTEXT_PAGE * sizeof(struct context_node));
    host_unmap(tree->pages, pages_bytes(tree->pages_capacity * sizeof(*tree->pages)));
    host_unmap(tree->heads, sizeof(uint32_t) << tree->heads_log2);
}
