/* The counters of a stream summary: a growing array of monitored contexts.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The counts themselves are in the nodes of the tree, where the hot path increments them (paper
 * 002, 4.2).
 */
#ifndef CONTEXTS_CONTEXT_COUNTERS_H
#define CONTEXTS_CONTEXT_COUNTERS_H

#include "contexts/context_tree.h"

struct context_counter {
    struct context_node *node;
    uint64_t error; /* the count exceeds the true count by at most this number */
    /* the count when it was last read: a lower bound of the present count */
    uint64_t known;
};

struct context_counters {
    struct context_counter *all;
    uint32_t n;
    size_t capacity;
};

/* Appends a counter and returns its number (its index). */
uint32_t context_counters_add(struct context_counters *counters, struct context_node *node,
                              uint64_t error);

/* Adds a counter for a node that is not monitored. The node's slot becomes the counter's number +
 * 1. */
void context_counters_monitor(struct context_tree *tree, struct context_counters *counters,
                              struct context_node *node, uint64_t count, uint64_t error);

/* Evicts the counter's node. The last counter gets the freed number. Each node's slot must be the
 * number of its counter + 1, as set by context_counters_monitor. */
void context_counters_evict(struct context_tree *tree, struct context_counters *counters,
                            uint32_t number);

/* Parts of context_tree_merge, for summaries in which each node's slot is the number of its counter
 * + 1. */
void context_counters_raise(struct context_counters *counters, uint64_t by);
void context_counters_adopt(struct context_tree *tree, struct context_counters *counters,
                            struct context_node *node, uint64_t count, uint64_t error);

/* Sorts counters by decreasing count, and equal counts by the indices of their nodes. */
void context_counters_sort(struct context_counters *counters);

/* Returns the smallest count; 0 if there are no counters. */
uint64_t context_counters_least(const struct context_counters *counters);

void context_counters_free(struct context_counters *counters);

/* Returns ceil(1/epsilon): the number of counters of space saving, and the length of a bucket of
 * lossy counting. */
uint32_t context_counters_limit(const struct context_tree *tree);

#endif
