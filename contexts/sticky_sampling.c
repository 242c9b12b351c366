/* Sticky Sampling (Manku and Motwani; paper 002, section 4), also for weighted streams.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each unit of weight of a context that is not monitored is sampled with probability 1/rate. From a
 * sampled unit on, the context is monitored, and its later units are counted exactly. Let t =
 * (1/epsilon) ln(1/(phi*delta)), where delta is the probability of failure. The rate is 1 for the
 * first 2t units, 2 for the next 2t units, 4 for the next 4t units, and so on. When the rate
 * doubles, each counter is changed as if the new rate had applied from the start. With probability
 * 1/2, a counter's sampled unit is dropped, together with all units before its next sampled unit.
 * (The original paper removes one unit for each unsuccessful flip of a fair coin, which keeps too
 * many units.) The rate doubles only when a context is about to be monitored, not at fixed times.
 *
 * Example with rate 4: the next sampled unit comes after a gap of 6 units. The arrivals a, b and a,
 * each with weight 2, reduce the gap to 0, so the next unit is sampled. The next arrival, c with
 * weight 3, is monitored with count 3.
 *
 * Gaps are geometrically distributed. The binary digits of a geometrically distributed number are
 * independent. Digit j is 1 with probability q/(1 + q), where q = (1 - 1/rate)^(2^j). So no
 * logarithm is needed; freestanding code has none.
 *
 * A node's slot is the number of its counter + 1.
 */
#include "contexts/context_counters.h"
#include "contexts/fraction.h"

#define LN2_MILLIONTHS 693148u /* rounded up */

struct context_summary {
    struct context_counters counters;
    uint64_t t;
    unsigned rate_log2;
    uint64_t gap; /* number of units before the next sampled unit */
    uint64_t random;
};

/* ---------------------------------------------------------------- chance */

/* splitmix64 */
static uint64_t draw(struct context_summary *summary)
{
    uint64_t z = summary->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns the upper half of the product. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* Returns true with probability q/(1 + q), where q is in units of 2^-64, by testing u*(1 + q) < q
 * for a random u. */
static bool odds(struct context_summary *summary, uint64_t q)
{
    uint64_t u = draw(summary);
    return u < q && multiply_high(u, q) < q - u;
}

/* Returns a random number of failures before a success of probability 2^-rate_log2. */
static uint64_t draw_gap(struct context_summary *summary)
{
    uint64_t gap = 0;
    if (summary->rate_log2 == 0)
        return 0;
    uint64_t q = 0 - ((uint64_t)1 << (64 - summary->rate_log2));
    for (unsigned digit = 0; q && digit < 63; digit++) {
        gap |= (uint64_t)odds(summary, q) << digit;
        q = multiply_high(q, q);
    }
    return gap;
}

/* ---------------------------------------------------------------- rates */

static void double_rate(struct context_tree *tree)
{
    struct context_summary *summary = tree->summary;
    summary->rate_log2++;
    for (uint32_t i = summary->counters.n; i-- > 0;) {
        struct context_node *node = summary->counters.all[i].node;
        if (draw(summary) >> 63)
            continue;
        uint64_t lost = draw_gap(summary) + 1;
        if (lost < node->count)
            node->count -= lost;
        else
            context_counters_evict(tree, &summary->counters, i);
    }
    summary->gap = draw_gap(summary);
}

static bool is_rate_due(const struct context_summary *summary, uint64_t total)
{
    unsigned shift = summary->rate_log2 + 1;
    return summary->t <= ~(uint64_t)0 >> shift && total > summary->t << shift;
}

/* ---------------------------------------------------------------- arrivals */

static void sticky_arrive(struct context_tree *tree, struct context_node *node, uint64_t weight)
{
    struct context_summary *summary = tree->summary;
    /* `node` gets a pin, because it is not monitored yet, and could be removed together with a leaf
     * below it */
    node->holds++;
    while (is_rate_due(summary, tree->total))
        double_rate(tree);
    node->holds--;
    if (summary->gap >= weight) {
        summary->gap -= weight;
        context_tree_prune(tree, node);
        return;
    }
    context_counters_monitor(tree, &summary->counters, node, weight - summary->gap, 0);
    summary->gap = draw_gap(summary);
}

/* ---------------------------------------------------------------- merging */

static uint64_t sticky_floor(const struct context_tree *tree)
{
    (void)tree;
    return 0;
}

/* Raises the rate. With a rate that is too high for a stream, the counts would miss too much of the
 * stream's weight. A rate that is too low does no harm. */
static void sticky_raise(struct context_tree *into, const struct context_tree *from)
{
    while (into->summary->rate_log2 < from->summary->rate_log2)
        double_rate(into);
}

static void sticky_adopt(struct context_tree *tree, struct context_node *node, uint64_t count,
                         uint64_t error)
{
    context_counters_adopt(tree, &tree->summary->counters, node, count, error);
}

/* In each stream, a context has lost at most the fraction epsilon of the stream's weight. */
static void sticky_settle(struct context_tree *tree, uint64_t floor)
{
    (void)floor;
    while (is_rate_due(tree->summary, tree->total))
        double_rate(tree);
}

/* ---------------------------------------------------------------- life */

static unsigned log2_above(uint64_t value)
{
    unsigned log2 = 0;
    while (log2 < 63 && (uint64_t)1 << log2 < value)
        log2++;
    return log2;
}

static struct context_summary *sticky_make(struct context_tree *tree)
{
    struct context_summary *summary =
        host_alloc("aprof.contexts.sticky_sampling", sizeof(*summary));
    uint32_t phi = tree->config.phi ? tree->config.phi : tree->config.epsilon;
    unsigned bits = log2_above(FRACTION_ONE / phi + 1) + CONTEXT_FAILURE_LOG2;
    summary->t = (uint64_t)context_counters_limit(tree) * bits * LN2_MILLIONTHS / 1000000 + 1;
    summary->random = tree->config.seed;
    return summary;
}

static void sticky_free(struct context_tree *tree)
{
    context_counters_free(&tree->summary->counters);
    host_free(tree->summary);
}

static uint64_t sticky_error(const struct context_tree *tree, const struct context_node *node)
{
    (void)tree;
    (void)node;
    return 0;
}

const struct context_summary_ops sticky_sampling_ops = {
    .make = sticky_make,
    .free = sticky_free,
    .arrive = sticky_arrive,
    .error = sticky_error,
    .floor = sticky_floor,
    .raise = sticky_raise,
    .adopt = sticky_adopt,
    .settle = sticky_settle,
};
