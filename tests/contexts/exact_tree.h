/* Counts contexts exactly, in the simplest way, as a reference for trees and summaries.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_CONTEXTS_EXACT_TREE_H
#define TESTS_CONTEXTS_EXACT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exact_node {
    uint32_t parent, routine, site;
    uint32_t next; /* next node with the same hash; 0: none */
    uint64_t weight;

    uint64_t count, error; /* values of the tree under test, at `seen` */
    unsigned seen;
    bool monitored;
};

#define EXACT_BUCKETS 4096

/* Node 0 is the root. */
struct exact_tree {
    struct exact_node *nodes;
    uint32_t n_nodes, room;
    uint32_t buckets[EXACT_BUCKETS];
    uint64_t total;
    bool sites;
    uint32_t recursion_limit;

    uint32_t *stack; /* nodes of the pending calls; [0] is the root */
    size_t depth, stack_room;
};

void exact_tree_start(struct exact_tree *tree, bool sites, uint32_t recursion_limit);
void exact_tree_end(struct exact_tree *tree);

/* Clears all weights, but keeps the pending calls. */
void exact_tree_clear(struct exact_tree *tree);

void exact_tree_enter(struct exact_tree *tree, uint32_t routine, uint32_t site);
void exact_tree_leave(struct exact_tree *tree);
void exact_tree_count(struct exact_tree *tree, uint64_t weight);
uint32_t exact_tree_now(const struct exact_tree *tree);

/* The existing child, or 0. */
uint32_t exact_tree_find(const struct exact_tree *tree, uint32_t parent, uint32_t routine,
                         uint32_t site);

/* Adds the weights of `from`. */
void exact_tree_add(struct exact_tree *to, const struct exact_tree *from);

#endif
