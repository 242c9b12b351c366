/* Calling context trees, full (CCT) or hot (HCCT, in bounded space), with constant-time look-ups.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper 002, sections 2.1, 3 and 4.1. A node is a context: a routine, the call site from which it
 * was called, and its caller's context. The root is the empty context. Routines and sites are words
 * that only the caller interprets: addresses, or ids.
 *
 *     struct context_tree *tree = context_tree_new(&config);
 *     node = context_tree_child(tree, parent, routine, site);      find it, or make it
 *     context_tree_pin(tree, node);                                it is on somebody's stack
 *     context_tree_count(tree, node, 1);                           it was called; or: it cost so
 *     ...
 *     context_tree_unpin(tree, node);                              left
 *
 * context_cursor.h does this for one stack of calls. Several stacks may share a tree (the engine's
 * execution contexts do); one caller at a time.
 *
 * Hot trees. The summary (context_summary.h) monitors some of the nodes. A node that loses its
 * counter is removed if it is an unpinned leaf, and so are its ancestors that become unmonitored
 * unpinned leaves (Algorithm 1). Pins correspond to the paper's cursor: contexts on a stack stay.
 * An unmonitored leaf is removed with its last pin. Without this rule, nodes that were evicted
 * while they ran, or never monitored (sticky sampling), would never be removed.
 *
 * Search. A direct-mapped cache of 4096 nodes by (parent, routine, site), then the chains of a hash
 * table with this key, which grows with the tree. Lists of siblings are never searched, so the
 * number of children has no effect.
 *
 * Recursion. With recursion_limit = n no context contains a routine more than n times: a further
 * call of the routine leads to its deepest occurrence, from any site. n = 1 folds recursion
 * entirely.
 */
#ifndef CONTEXTS_CONTEXT_TREE_H
#define CONTEXTS_CONTEXT_TREE_H

#include "contexts/context_summary.h"

#define CONTEXT_CACHE 4096 /* entries: 32 KiB on 64 bit, the size of a first-level cache */

/* 48 bytes on 64 bit, 36 on 32 bit. The paper has 20, or 24 with a pointer to the parent, on 32
 * bit. The paper counts in 32 bits (here 64: a minute of calls overflows 32). The paper stores
 * first child and next sibling instead of the hash chain and the number of children. With words of
 * 8 bytes a node would have 64 bytes, so members other than addresses and counts are indices of 4
 * bytes. */
struct context_node {
    struct context_node *parent; /* NULL: the root */
    uintptr_t routine;
    uintptr_t site; /* 0 where sites are off */
    uint64_t count; /* the summary's count; exact in a full tree; 0 if not monitored */
    uint32_t chain; /* index of the next node with this hash; 0: none */
    uint32_t holds; /* children, and pins */
    int32_t slot;   /* > 0: monitored, counted here; < 0: monitored, counted by the summary; 0: not
                     * monitored */
    uint32_t index; /* dense, reused after removal; the root is 0 */
};
_Static_assert(sizeof(struct context_node) == 24 + 3 * sizeof(void *), "size of a context's node");

struct context_tree_config {
    enum context_summary_kind summary;
    uint32_t epsilon;         /* fraction.h; not used by CONTEXTS_ALL */
    uint32_t phi;             /* the smallest phi that will be requested; > epsilon */
    bool weighted;            /* weights other than 1 will arrive */
    bool call_sites;          /* call sites distinguish contexts, too */
    uint32_t recursion_limit; /* 0: none */
    uint64_t seed;            /* of sticky sampling */

    /* Called, if not NULL, when a node loses its counter and before it may be removed. The caller
     * can then free its data for the node's index. Must not touch the tree. */
    void (*evicted)(void *closure, struct context_node *node);
    void *closure;
};

struct context_tree {
    uint64_t total;                            /* N: weight counted */
    uintptr_t site_mask;                       /* 0 where sites are off */
    bool hot;                                  /* nodes may be removed */
    struct context_node *cache[CONTEXT_CACHE]; /* never NULL: the root is an empty entry */

    struct context_node *root;
    struct context_node **pages; /* of CONTEXT_PAGE nodes each */
    uint32_t n_pages;
    size_t pages_capacity;
    uint32_t n_used;    /* number of indices handed out so far */
    uint32_t free_list; /* removed nodes, by `chain`; 0: none */
    uint32_t n_nodes;   /* current nodes, the root included */
    uint32_t most_nodes;

    uint32_t *heads; /* of the chains, by the hash's upper bits */
    unsigned heads_log2;

    const struct context_summary_ops *ops; /* NULL: full */
    struct context_summary *summary;
    uint32_t n_monitored;
    uint32_t most_monitored;
    uint64_t steps; /* counters that the summary examined for the smallest one (Theorem 4.1) */
    struct context_tree_config config;
};

/* ---------------------------------------------------------------- hot path */

/* Multiplication by the golden ratio spreads differences in low bits over the high bits, which
 * choose the cache's entry and the chain. The parent is hashed by its dense index, because the
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

/* The context of `routine` called at `site` from `parent`; made if it does not exist. A new node is
 * neither monitored nor pinned: pin or count it before anything else happens to the tree. */
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

/* Adds `weight` to the context; 0 does nothing. A node that is not pinned may have been removed
 * afterwards.
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

/* A new tree, owned by the caller. `config` is copied. */
struct context_tree *context_tree_new(const struct context_tree_config *config);
void context_tree_free(struct context_tree *tree);

/* Removes everything except pinned nodes; total is 0 again, no context is monitored. In a full
 * tree, which has no pins, all nodes stay with count 0 so that cursors stay valid. */
void context_tree_clear(struct context_tree *tree);

/* Adds the counts of `from` to `into`, which was made with an equal configuration. The guarantees
 * of the summary then hold for the two streams together. `from` is unchanged. */
void context_tree_merge(struct context_tree *into, const struct context_tree *from);

/* ---------------------------------------------------------------- queries, at any moment */

/* The least COUNT with which a node is hot at `phi`: floor(phi*N), but floor((phi - epsilon)*N) for
 * sticky sampling, which counts too low. At least 1. */
uint64_t context_tree_threshold(const struct context_tree *tree, uint32_t phi);

/* Upper bound of the error of node->count. 0 if not monitored. */
uint64_t context_tree_error(const struct context_tree *tree, const struct context_node *node);

/* Visits the root, then parents before children, depth first in order of node->index among
 * siblings. If `least` is 0, visits all nodes. If not, visits the monitored nodes with a count of
 * at least `least`, and their ancestors (the HCCT at phi, if `least` is
 * context_tree_threshold(tree, phi)). `id` counts from 0 in order of visit, `parent` is the
 * parent's (0 for the root). `visit` must not change the tree. Returns the number of visits. Takes
 * 13 bytes per node of temporary memory. */
uint32_t context_tree_visit(const struct context_tree *tree, uint64_t least,
                            void (*visit)(void *closure, const struct context_node *node,
                                          uint32_t id, uint32_t parent),
                            void *closure);

/* Panics unless the tree is connected, chains, pool, counts of children and slots agree, and every
 * unpinned leaf of a hot tree is monitored. `pins` is the sum of all pins. Check for tests. */
void context_tree_check(const struct context_tree *tree, uint64_t pins);

/* ---------------------------------------------------------------- for the parts of contexts/ */

/* Creates and destroys pool, chains and root of a tree whose `hot` is set. */
void context_tree_start(struct context_tree *tree);
void context_tree_end(struct context_tree *tree);

/* Removes an unmonitored leaf without holds. */
void context_tree_remove(struct context_tree *tree, struct context_node *node);

/* Called when `node` loses its counter: sets slot and count to 0, and prunes it if it has no
 * holds. */
void context_tree_evict(struct context_tree *tree, struct context_node *node);

/* Called when `node` gets a counter. */
void context_tree_monitor(struct context_tree *tree, struct context_node *node, int32_t slot,
                          uint64_t count);

#define CONTEXT_PAGE_LOG2 10
#define CONTEXT_PAGE      (1u << CONTEXT_PAGE_LOG2)
APROF_INLINE struct context_node *context_tree_at(const struct context_tree *tree, uint32_t index)
{
    return &tree->pages[index >> CONTEXT_PAGE_LOG2][index & (CONTEXT_PAGE - 1)];
}

#endif
