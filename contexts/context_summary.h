/* Stream summaries decide which contexts are monitored and evicted (paper 002, section 3.3).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A summary processes a stream of pairs (context, weight); N is the sum of the weights. A summary
 * has counters for a few of the contexts. At any time, a summary guarantees for a context of true
 * weight f:
 *
 *     space saving (lazy or with buckets)   at most 1/epsilon counters; COUNT - ERROR <= f <= COUNT
 *                                           and ERROR <= epsilon*N; not monitored: f <= epsilon*N
 *     lossy counting                        the same guarantees; (1/epsilon) log(epsilon*N)
 *                                           counters, in practice fewer than 1/epsilon
 *     sticky sampling                       f - epsilon*N <= COUNT <= f, except with a probability
 *                                           of 2^-CONTEXT_FAILURE_LOG2; ERROR is 0
 *
 * COUNT is the node's `count`. Therefore all contexts with f >= phi*N have COUNT >=
 * context_tree_threshold(). No context with at least this COUNT has f < (phi - epsilon)*N.
 *
 * It is often sufficient to increment the node's counter. context_tree_count tests node->slot,
 * which shows whether the summary must be called.
 */
#ifndef CONTEXTS_CONTEXT_SUMMARY_H
#define CONTEXTS_CONTEXT_SUMMARY_H

#include "ground/host.h"

struct context_node;
struct context_tree;
struct context_summary; /* each kind of summary defines this struct */

enum context_summary_kind {
    CONTEXTS_ALL, /* no summary: every context is kept, counts are exact (the full CCT) */
    CONTEXTS_LAZY_SPACE_SAVING,
    CONTEXTS_SPACE_SAVING,
    CONTEXTS_LOSSY_COUNTING,
    CONTEXTS_STICKY_SAMPLING,
    CONTEXT_SUMMARY_KINDS
};

/* Sticky sampling may miss contexts with f >= phi*N; the probability that it misses any is at most
 * 1/2^CONTEXT_FAILURE_LOG2. */
#define CONTEXT_FAILURE_LOG2 20

/* The functions of a kind of summary. The first argument is always the tree. */
struct context_summary_ops {
    struct context_summary *(*make)(struct context_tree *tree);
    void (*free)(struct context_tree *tree);

    /* Adds `weight` to `node`. The function is called only if the node's slot is at most 0, because
     * the node is not monitored (0), or because the summary must process each arrival (below 0).
     * The function may evict (context_tree_evict) any node, including `node`. */
    void (*arrive)(struct context_tree *tree, struct context_node *node, uint64_t weight);

    /* Returns an upper bound of the error of a monitored node's count. */
    uint64_t (*error)(const struct context_tree *tree, const struct context_node *node);

    /* Returns the initial count of a newly monitored context: the largest weight that the summary
     * may have missed. Sticky sampling does not add missed weight, and returns 0. */
    uint64_t (*floor)(const struct context_tree *tree);

    /* context_tree_merge calls these functions. First, `raise` adds floor(from) to the count and
     * error of all monitored contexts. Next, `adopt` gives a node a counter or adds to its counter,
     * without evicting any node. Finally, `settle` restores the bound on the number of counters;
     * `floor` is the sum of both trees' floors. */
    void (*raise)(struct context_tree *into, const struct context_tree *from);
    void (*adopt)(struct context_tree *into, struct context_node *node, uint64_t count,
                  uint64_t error);
    void (*settle)(struct context_tree *into, uint64_t floor);
};

/* The kinds of summaries in this build: the default one (contexts/summaries.c), or all summaries of
 * the paper (contexts/summaries_papers.c). A kind that is not in the build has the name NULL. */
extern const struct context_summary_entry {
    const char *name;                      /* name in reports: "-", "lazy-space-saving" ... */
    const struct context_summary_ops *ops; /* functions of the summary; NULL: a full tree */
} context_summaries[CONTEXT_SUMMARY_KINDS];

/* The names of summaries in options, from CONTEXTS_LAZY_SPACE_SAVING on; the list ends with
 * NULL. */
extern const char *const context_summary_options[];

extern const struct context_summary_ops lazy_space_saving_ops;
extern const struct context_summary_ops space_saving_ops;
extern const struct context_summary_ops lossy_counting_ops;
extern const struct context_summary_ops sticky_sampling_ops;

#endif
