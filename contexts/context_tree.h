/* Calling context trees, full (CCT) or hot in bounded space (HCCT), with constant-time look-ups.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The trees are described in sections 2.1, 3 and 4.1 of paper 002. A node is a context: a routine,
 * the call site from which it was called, and its caller's context. The root is the empty context.
 * Routines and sites are words that only the caller interprets: addresses, or ids.
 *
 *     struct context_tree *tree = context_tree_new(&config);
 *     node = context_tree_child(tree, parent, routine, site);      find it, or make it
 *     context_tree_pin(tree, node);                                it is on a stack
 *     context_tree_count(tree, node, 1);                           it was called; or: it cost so
 *     ...
 *     context_tree_unpin(tree, node);                              left
 *
 * context_cursor.h calls the functions of this header for one stack of calls. Several stacks, such
 * as the engine's execution contexts, may share a tree; only one thread at a time may use the tree.
 *
 * Hot trees. The summary (context_summary.h) monitors some of the nodes. A node that loses its
 * counter is removed if it is an unpinned leaf. Then its ancestors are removed as long as they are
 * unmonitored, unpinned leaves (Algorithm 1). Pins correspond to the paper's cursor: contexts on a
 * stack stay in the tree. An unmonitored leaf is also removed when it loses its last pin. So nodes
 * that were evicted while pinned, or never monitored (sticky sampling), do not stay in the tree.
 *
 * Search. The key of a node is (parent, routine, site). A look-up first searches a direct-mapped
 * cache of 4096 nodes, then a chain of a hash table, which grows with the tree. Lists of siblings
 * are never searched, so a search takes the same time for any number of children.
 *
 * Recursion. With recursion_limit = n, no context contains a routine more than n times. A further
 * call of the routine, from any site, leads to the routine's deepest context on the path. With n =
 * 1, all recursion is folded.
 */
#ifndef CONTEXTS_CONTEXT_TREE_H
#define CONTEXTS_CONTEXT_TREE_H

#include "contexts/context_summary.h"

/* number of cache entries, which take 32 KiB on 64 bit, the size of a first-level cache */
#define CONTEXT_CACHE 4096

/* A node has 48 bytes on 64 bit, and 36 bytes on 32 bit. The paper's node has 20 bytes on 32 bit,
 * or 24 bytes with a pointer to the parent. The paper's counts have 32 bits, and overflow after a
 * minute of calls; in this implementation, counts have 64 bits. The paper stores first child and
 * next sibling instead of the hash chain and the number of children. If all members had 8 bytes, a
 * node would have 64 bytes. Therefore members other than addresses and counts are indices of 4
 * bytes. */
struct context_node {
    struct context_node *parent; /* NULL: the root */
    uintptr_t routine;
    uintptr_t site; /* call site; 0 if call sites are off */
    uint64_t count; /* count of the summary; exact in a full tree; 0 if not monitored */
    uint32_t chain; /* index of the next node in the same chain; 0: none */
    uint32_t holds; /* number of children plus number of pins */
    /* > 0: monitored, counted in the node; < 0: monitored, counted by the summary; 0: not
     * monitored */
    int32_t slot;
    uint32_t index; /* index of the node: dense, reused after removal; the root has 0 */
};
_Static_assert(sizeof(struct context_node) == 24 + 3 * sizeof(void *), "size of a context's node");

struct context_tree_config {
    enum context_summary_kind summary;
    /* relative bound of count errors, in billionths (fraction.h); not used by CONTEXTS_ALL */
    uint32_t epsilon;
    uint32_t phi;             /* the smallest phi that will be requested; more than epsilon */
    bool weighted;            /* whether weights other than 1 will arrive */
    bool call_sites;          /* whether calls from different sites have different contexts */
    uint32_t recursion_limit; /* 0: none */
    uint64_t seed;            /* seed of sticky sampling */

    /* If not NULL, this function is called when a node loses its counter, before the node may be
     * removed. The function can free data for the node's index; it must not touch the tree. */
    void (*evicted)(void *closure, struct context_node *node);
    void *closure;
};

struct context_tree {
    uint64_t total;      /* N: the total weight so far */
    uintptr_t site_mask; /* mask of call sites; 0 if call sites are off */
    bool hot;            /* whether nodes may be removed */
    /* cache entries are never NULL: an empty entry points to the root */
    struct context_node *cache[CONTEXT_CACHE];

    struct context_node *root;
    struct context_node **pages; /* pages of CONTEXT_PAGE nodes each */
    uint32_t n_pages;
    size_t pages_capacity;
    uint32_t n_used;    /* number of indices handed out so far */
    uint32_t free_list; /* first removed node; removed nodes are linked by `chain`; 0: none */
    uint32_t n_nodes;   /* number of nodes that exist now, including the root */
    uint32_t most_nodes;

    uint32_t *heads; /* heads of the chains, by the hash's upper bits */
    unsigned heads_log2;

    const struct context_summary_ops *ops; /* NULL: full */
    struct context_summary *summary;
    uint32_t n_monitored;
    uint32_t most_monitored;
    /* number of counters that the summary examined to find the smallest (Theorem 4.1) */
    uint64_t steps;
    struct context_tree_config config;
};

/* ---------------------------------------------------------------- hot path */

/* Multiplication by the golden ratio spreads differences in the low bits over the high bits, which
 * select the cache entry and the chain. The hash uses the dense index of the parent, because
 * addresses of nodes differ in few bits. The hash takes one multiplication: 3 to 4 cycles. */
APROF_INLINE uint64_t context_tree_hash(const struct context_node *parent, uintptr_t routine,
                                        uintptr_t site)
{
    uint64_t key = (uint64_t)routine + ((uint64_t)site << 24) + (uint64_t)site * 3;
    return (key ^ ((uint64_t)parent->index << 40) ^ parent->index) * 0x9e3779b97f4a7c15u;
}

APROF_INLINE bool context_tree_is(const struct context_node *node,
                                  const struct context_node *parent, uintptr_t routine,
                                  uintptr_t site)
{
    return node->parent == parent && node->routine == routine && node->site == site;
}

struct context_node *context_tree_find(struct context_tree *tree, struct context_node *parent,
                                       uintptr_t routine, uintptr_t site);

/* Returns the context of `routine` called at `site` from `parent`; creates it if it does not exist.
 * A new node is neither monitored nor pinned: the caller must pin or count the node before any
 * other change of the tree. */
APROF_INLINE struct context_node *context_tree_child(struct context_tree *tree,
                                                     struct context_node *parent, uintptr_t routine,
                                                     uintptr_t site)
{
    site &= tree->site_mask;
    struct context_node *node =
        tree->cache[context_tree_hash(parent, routine, site) >> 52 & (CONTEXT_CACHE - 1)];
    if (LIKELY(context_tree_is(node, parent, routine, site)))
        return node;
    return context_tree_find(tree, parent, routine, site);
}

void context_tree_arrive(struct context_tree *tree, struct context_node *node, uint64_t weight);

/* Adds `weight` to the context; does nothing if the weight is 0. The call may remove nodes without
 * pins.
 */
APROF_INLINE void context_tree_count(struct context_tree *tree, struct context_node *node,
                                     uint64_t weight)
{
    tree->total += weight;
    if (LIKELY(node->slot > 0))
        node->count += weight;
    else
        context_tree_arrive(tree, node, weight);
}

/* A node with pins is not removed. Pins nest. In a full tree, nodes are never removed. */
APROF_INLINE void context_tree_pin(struct context_tree *tree, struct context_node *node)
{
    node->holds += tree->hot;
}

void context_tree_prune(struct context_tree *tree, struct context_node *node);

APROF_INLINE void context_tree_unpin(struct context_tree *tree, struct context_node *node)
{
    if (tree->hot && UNLIKELY((--node->holds | (uint32_t)node->slot) == 0))
        context_tree_prune(tree, node);
}

/* ---------------------------------------------------------------- life */

/* Returns a new tree, owned by the caller. `config` is copied. */
struct context_tree *context_tree_new(const struct context_tree_config *config);
void context_tree_free(struct context_tree *tree);

/* Removes all nodes except pinned ones. After the call, the total is 0 and no context is monitored.
 * In a full tree, which does not use pins, all nodes are kept with count 0, so that cursors remain
 * valid. */
void context_tree_clear(struct context_tree *tree);

/* Adds the counts of `from` to `into`; both trees must have the same configuration. After the
 * merge, the guarantees of the summary hold for the two streams together. `from` is unchanged. */
void context_tree_merge(struct context_tree *into, const struct context_tree *from);

/* ---------------------------------------------------------------- queries, at any moment */

/* Returns the smallest COUNT (at least 1) of a node that is hot at `phi`. The threshold is
 * floor(phi*N). For sticky sampling, which underestimates counts, the threshold is floor((phi -
 * epsilon)*N). */
uint64_t context_tree_threshold(const struct context_tree *tree, uint32_t phi);

/* Returns an upper bound of the error of node->count; 0 if the node is not monitored. */
uint64_t context_tree_error(const struct context_tree *tree, const struct context_node *node);

/* Visits nodes depth first, parents before children, and siblings in order of node->index. If
 * `least` is 0, visits all nodes. If `least` is positive, visits the monitored nodes with a count
 * of at least `least`, and their ancestors. With context_tree_threshold(tree, phi) as `least`, the
 * visited nodes are the HCCT at phi. `id` counts visits from 0; `parent` is the parent's id (0 for
 * the root). `visit` must not change the tree. Returns the number of visits. The function uses 13
 * bytes of temporary memory per node. */
uint32_t context_tree_visit(const struct context_tree *tree, uint64_t least,
                            void (*visit)(void *closure, const struct context_node *node,
                                          uint32_t id, uint32_t parent),
                            void *closure);

/* A check for tests: panics unless the tree is connected, and its chains, pool, slots
 * and numbers of children are consistent with each other. Every unpinned leaf of a hot tree must be
 * monitored. `pins` is the sum of the pins of all nodes. */
void context_tree_check(const struct context_tree *tree, uint64_t pins);

/* ---------------------------------------------------------------- for the parts of contexts/ */

/* Create and destroy the pool, chains and root of a tree whose member `hot` is already set. */
void context_tree_start(struct context_tree *tree);
void context_tree_end(struct context_tree *tree);

/* Removes a node that is not monitored, and has neither children nor pins. */
void context_tree_remove(struct context_tree *tree, struct context_node *node);

/* This function is called when `node` loses its counter. Sets the node's slot and count to 0, and
 * removes the node if it has neither children nor pins. */
void context_tree_evict(struct context_tree *tree, struct context_node *node);

/* This function is called when `node` gets a counter. */
void context_tree_monitor(struct context_tree *tree, struct context_node *node, int32_t slot,
                          uint64_t count);

#define CONTEXT_PAGE_LOG2 10
#define CONTEXT_PAGE      (1u << CONTEXT_PAGE_LOG2)
APROF_INLINE struct context_node *context_tree_at(const struct context_tree *tree, uint32_t index)
{
    return &tree->pages[index >> CONTEXT_PAGE_LOG2][index & (CONTEXT_PAGE - 1)];
}

#endif
