/* Space Saving over a lazy priority queue (paper 002, section 4.2, Algorithm 2, Theorem 4.1).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * There are at most 1/epsilon counters. A context without a counter takes the counter with the
 * smallest count. The context inherits this count as the upper bound of its error. Counters have no
 * order. The operations are:
 *
 *     increment   adds to the node, nothing else
 *     find_least  continues the scan after the latest minimum. At the end of the array, it scans
 *                 all counters once for the next minimum. Amortised 2 counters per unit of weight.
 *
 * Invariant: the evicted counter is a true minimum. If each scan simply evicted its first counter,
 * a context with a third of the events would lose a tenth of its count.
 *
 * `known` saves most accesses to nodes: if a counter's known count is above the minimum, so is its
 * present count.
 *
 * Weighted streams would break the amortisation: if all counts are different, each search scans all
 * counters. Runs with weights therefore also use a binary heap ordered by `known`. The heap is also
 * lazy: if the count at the top has grown since it was last read, the top sinks. Sinking is
 * repeated until the count at the top is up to date and thus the minimum. Each step of sinking
 * corresponds to an arrival since the latest search, so the amortised cost is O(log 1/epsilon).
 *
 * A node's slot is the number of its counter + 1.
 */
#include "contexts/context_counters.h"
#include "ground/pages.h"

struct context_summary {
    struct context_counters counters;
    uint32_t limit;
    /* position after the latest minimum; all counters before this position have larger counts */
    uint32_t at;
    uint64_t least; /* the latest minimum */
    /* for weights: heap of counter numbers; NULL until there are `limit` counters */
    uint32_t *heap;
};

/* ---------------------------------------------------------------- the least, units */

static bool find_same(struct context_tree *tree, struct context_summary *summary)
{
    struct context_counter *all = summary->counters.all;
    uint32_t first = summary->at, at = first;
    for (; at < summary->counters.n; at++) {
        if (all[at].known > summary->least)
            continue;
        all[at].known = all[at].node->count;
        if (all[at].known == summary->least)
            break;
    }
    tree->steps += at - first + (at < summary->counters.n);
    summary->at = at;
    return at < summary->counters.n;
}

static void find_next(struct context_tree *tree, struct context_summary *summary)
{
    struct context_counter *all = summary->counters.all;
    uint64_t least = ~(uint64_t)0;
    for (uint32_t i = 0; i < summary->counters.n; i++) {
        if (all[i].known >= least)
            continue;
        all[i].known = all[i].node->count;
        if (all[i].known < least) {
            least = all[i].known;
            summary->at = i;
        }
    }
    tree->steps += summary->counters.n;
    summary->least = least;
}

/* Finds the counter with the smallest count. The next search starts after this counter, because its
 * count grows immediately. */
static uint32_t find_least(struct context_tree *tree, struct context_summary *summary)
{
    if (!find_same(tree, summary))
        find_next(tree, summary);
    return summary->at++;
}

/* ---------------------------------------------------------------- the least, weighted */

static size_t heap_bytes(const struct context_summary *summary)
{
    return pages_bytes(summary->limit * sizeof(*summary->heap));
}

static void sink(struct context_tree *tree, struct context_summary *summary, uint32_t at)
{
    const struct context_counter *all = summary->counters.all;
    uint32_t *heap = summary->heap, n = summary->counters.n;
    uint32_t moved = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        tree->steps++;
        if (child + 1 < n && all[heap[child + 1]].known < all[heap[child]].known)
            child++;
        if (all[moved].known <= all[heap[child]].known)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void build_heap(struct context_tree *tree, struct context_summary *summary)
{
    if (!summary->heap)
        summary->heap = host_map("aprof.contexts.heap", heap_bytes(summary));
    for (uint32_t i = 0; i < summary->counters.n; i++) {
        summary->heap[i] = i;
        summary->counters.all[i].known = summary->counters.all[i].node->count;
    }
    for (uint32_t i = summary->counters.n / 2; i-- > 0;)
        sink(tree, summary, i);
}

static uint32_t find_least_weighted(struct context_tree *tree, struct context_summary *summary)
{
    if (!summary->heap)
        build_heap(tree, summary);
    for (;;) {
        struct context_counter *top = &summary->counters.all[summary->heap[0]];
        tree->steps++;
        if (top->known == top->node->count)
            return summary->heap[0];
        top->known = top->node->count;
        sink(tree, summary, 0);
    }
}

/* ---------------------------------------------------------------- arrivals */

static void lazy_arrive(struct context_tree *tree, struct context_node *node, uint64_t weight)
{
    struct context_summary *summary = tree->summary;
    if (summary->counters.n < summary->limit) {
        context_counters_monitor(tree, &summary->counters, node, weight, 0);
        return;
    }
    uint32_t number =
        tree->config.weighted ? find_least_weighted(tree, summary) : find_least(tree, summary);
    struct context_counter *counter = &summary->counters.all[number];
    struct context_node *victim = counter->node;
    counter->node = node;
    counter->error = victim->count;
    context_tree_monitor(tree, node, (int32_t)number + 1, victim->count + weight);
    /* the victim is evicted last, because its eviction also removes unmonitored ancestors without
     * pins, and `node` could be one of these */
    context_tree_evict(tree, victim);
}

/* ---------------------------------------------------------------- merging */

static uint64_t lazy_floor(const struct context_tree *tree)
{
    const struct context_summary *summary = tree->summary;
    return summary->counters.n < summary->limit ? 0 : context_counters_least(&summary->counters);
}

static void lazy_raise(struct context_tree *into, const struct context_tree *from)
{
    context_counters_raise(&into->summary->counters, lazy_floor(from));
}

static void lazy_adopt(struct context_tree *tree, struct context_node *node, uint64_t count,
                       uint64_t error)
{
    context_counters_adopt(tree, &tree->summary->counters, node, count, error);
}

static void lazy_settle(struct context_tree *tree, uint64_t floor)
{
    struct context_summary *summary = tree->summary;
    struct context_counters *counters = &summary->counters;
    (void)floor; /* `floor` is not needed: it is at most the smallest of the counts that remain */
    context_counters_sort(counters);
    for (uint32_t i = 0; i < counters->n; i++) {
        counters->all[i].known = 0;
        counters->all[i].node->slot = (int32_t)i + 1;
    }
    while (counters->n > summary->limit)
        context_tree_evict(tree, counters->all[--counters->n].node);
    summary->at = counters->n; /* the next search scans all counters */
    if (summary->heap)
        build_heap(tree, summary);
}

/* ---------------------------------------------------------------- life */

static struct context_summary *lazy_make(struct context_tree *tree)
{
    struct context_summary *summary =
        host_alloc("aprof.contexts.lazy_space_saving", sizeof(*summary));
    summary->limit = context_counters_limit(tree);
    return summary;
}

static void lazy_free(struct context_tree *tree)
{
    struct context_summary *summary = tree->summary;
    context_counters_free(&summary->counters);
    if (summary->heap)
        host_unmap(summary->heap, heap_bytes(summary));
    host_free(summary);
}

static uint64_t lazy_error(const struct context_tree *tree, const struct context_node *node)
{
    return tree->summary->counters.all[node->slot - 1].error;
}

const struct context_summary_ops lazy_space_saving_ops = {
    .make = lazy_make,
    .free = lazy_free,
    .arrive = lazy_arrive,
    .error = lazy_error,
    .floor = lazy_floor,
    .raise = lazy_raise,
    .adopt = lazy_adopt,
    .settle = lazy_settle,
};
