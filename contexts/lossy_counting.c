/* Lossy Counting (Manku and Motwani; paper 002, section 4) with counts that are upper bounds.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stream is divided into buckets of weight 1/epsilon. After b buckets, contexts with a count of
 * at most b are evicted. A context may have been evicted before it is monitored again. So a new
 * counter starts with b, the number of complete buckets at the latest pruning. This value is also
 * the upper bound of its error.
 *
 * Example with epsilon = 1/4: a a b a | a a c ... When c arrives, one bucket is complete. b has the
 * count 1 and is evicted; a has the count 5. c starts with the count 1, and the arrival of c adds
 * 1, so c has the count 2 with the error 1.
 *
 * Counters are pruned when a counter is needed, not at the end of each bucket. The next pruning
 * waits until the number of counters has at least doubled since the latest pruning. So the
 * amortised cost of a step is constant, even if one heavy arrival fills several buckets. Delayed
 * pruning takes at most twice the space. b never exceeds epsilon*N.
 *
 * A node's slot is the number of its counter + 1.
 */
#include "contexts/context_counters.h"

#define SELDOM 64 /* least number of counters added between two prunings */

struct context_summary {
    struct context_counters counters;
    uint32_t width;  /* width of a bucket: 1/epsilon */
    uint64_t pruned; /* number b of complete buckets at the latest pruning */
    uint32_t added;  /* number of counters added since the latest pruning */
    uint32_t left;   /* number of counters left by the latest pruning */
};

static void prune_counters(struct context_tree *tree, uint64_t buckets)
{
    struct context_summary *summary = tree->summary;
    struct context_counters *counters = &summary->counters;
    summary->pruned = buckets;
    for (uint32_t i = counters->n; i-- > 0;)
        if (counters->all[i].node->count <= buckets)
            context_counters_evict(tree, counters, i);
    summary->added = 0;
    summary->left = counters->n;
}

static void lossy_arrive(struct context_tree *tree, struct context_node *node, uint64_t weight)
{
    struct context_summary *summary = tree->summary;
    uint64_t buckets = tree->total / summary->width;
    context_counters_monitor(tree, &summary->counters, node, summary->pruned + weight,
                             summary->pruned);
    summary->added++;
    if (buckets > summary->pruned && summary->added >= SELDOM && summary->added >= summary->left)
        prune_counters(tree, buckets);
}

/* ---------------------------------------------------------------- merging */

static uint64_t lossy_floor(const struct context_tree *tree)
{
    return tree->summary->pruned;
}

static void lossy_raise(struct context_tree *into, const struct context_tree *from)
{
    context_counters_raise(&into->summary->counters, lossy_floor(from));
}

static void lossy_adopt(struct context_tree *tree, struct context_node *node, uint64_t count,
                        uint64_t error)
{
    context_counters_adopt(tree, &tree->summary->counters, node, count, error);
}

static void lossy_settle(struct context_tree *tree, uint64_t floor)
{
    prune_counters(tree, floor);
}

/* ---------------------------------------------------------------- life */

static struct context_summary *lossy_make(struct context_tree *tree)
{
    struct context_summary *summary = host_alloc("aprof.contexts.lossy_counting", sizeof(*summary));
    summary->width = context_counters_limit(tree);
    return summary;
}

static void lossy_free(struct context_tree *tree)
{
    context_counters_free(&tree->summary->counters);
    host_free(tree->summary);
}

static uint64_t lossy_error(const struct context_tree *tree, const struct context_node *node)
{
    return tree->summary->counters.all[node->slot - 1].error;
}

const struct context_summary_ops lossy_counting_ops = {
    .make = lossy_make,
    .free = lossy_free,
    .arrive = lossy_arrive,
    .error = lossy_error,
    .floor = lossy_floor,
    .raise = lossy_raise,
    .adopt = lossy_adopt,
    .settle = lossy_settle,
};
