/* Space Saving over an ordered list of buckets (Metwally et al.; paper 002, section 4.2).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This summary has the same guarantees as lazy_space_saving.c, and serves as a reference for the
 * lazy queue. It has the data structure that the
 * authors of Space Saving published. A bucket holds all counters with
 * the same count, and buckets are sorted by count. The first counter of the first bucket is
 * evicted. An increment by one moves a counter to the next bucket, in constant time. With a larger
 * weight, the counter must pass all buckets between the old and the new count, so this summary is
 * slow for weighted streams.
 *
 * A node's slot is -(number of its counter + 1), so that the tree passes each arrival to the
 * summary. Item n is counter n - 1; item 0 is no counter. Bucket 0 is the head of the ring of
 * buckets, before the first bucket and after the last bucket.
 */
#include "contexts/context_counters.h"
#include "ground/pages.h"

struct bucket {
    uint64_t count;
    uint32_t first;          /* item */
    uint32_t previous, next; /* buckets */
};

struct item {
    uint32_t bucket;
    uint32_t previous, next; /* neighbouring items of the same bucket */
};

struct context_summary {
    struct context_counters counters;
    uint32_t limit;
    struct bucket *buckets;
    struct item *items;
    uint32_t n_buckets;   /* number of buckets ever used, including the head */
    uint32_t free_bucket; /* first free bucket; `next` links the free buckets; 0: none is free */
};

/* ---------------------------------------------------------------- buckets */

static uint32_t insert_bucket(struct context_summary *summary, uint32_t after, uint64_t count)
{
    uint32_t number = summary->free_bucket;
    if (number)
        summary->free_bucket = summary->buckets[number].next;
    else
        number = summary->n_buckets++;
    struct bucket *bucket = &summary->buckets[number];
    bucket->count = count;
    bucket->first = 0;
    bucket->previous = after;
    bucket->next = summary->buckets[after].next;
    summary->buckets[bucket->next].previous = number;
    summary->buckets[after].next = number;
    return number;
}

static void remove_bucket(struct context_summary *summary, uint32_t number)
{
    struct bucket *bucket = &summary->buckets[number];
    summary->buckets[bucket->previous].next = bucket->next;
    summary->buckets[bucket->next].previous = bucket->previous;
    bucket->next = summary->free_bucket;
    summary->free_bucket = number;
}

static void detach(struct context_summary *summary, uint32_t number)
{
    struct item *item = &summary->items[number];
    if (item->next)
        summary->items[item->next].previous = item->previous;
    if (item->previous)
        summary->items[item->previous].next = item->next;
    else
        summary->buckets[item->bucket].first = item->next;
}

static void attach(struct context_summary *summary, uint32_t number, uint32_t bucket)
{
    struct item *item = &summary->items[number];
    item->bucket = bucket;
    item->previous = 0;
    item->next = summary->buckets[bucket].first;
    if (item->next)
        summary->items[item->next].previous = number;
    summary->buckets[bucket].first = number;
}

/* Puts an item into the bucket for `count`. The item must not be in any bucket; the search begins
 * after bucket `from`. */
static void place(struct context_tree *tree, uint32_t number, uint32_t from, uint64_t count)
{
    struct context_summary *summary = tree->summary;
    uint32_t at = summary->buckets[from].next;
    for (tree->steps++; at && summary->buckets[at].count < count; tree->steps++) {
        from = at;
        at = summary->buckets[at].next;
    }
    if (!at || summary->buckets[at].count != count)
        at = insert_bucket(summary, from, count);
    attach(summary, number, at);
}

static void increment(struct context_tree *tree, uint32_t number, uint64_t weight)
{
    struct context_summary *summary = tree->summary;
    uint32_t old = summary->items[number].bucket;
    struct context_node *node = summary->counters.all[number - 1].node;
    node->count += weight;
    detach(summary, number);
    place(tree, number, old, node->count);
    if (!summary->buckets[old].first)
        remove_bucket(summary, old);
}

/* ---------------------------------------------------------------- arrivals */

static void monitor(struct context_tree *tree, struct context_node *node, uint64_t count,
                    uint64_t error)
{
    uint32_t number = context_counters_add(&tree->summary->counters, node, error) + 1;
    context_tree_monitor(tree, node, -(int32_t)number, count);
}

static void buckets_arrive(struct context_tree *tree, struct context_node *node, uint64_t weight)
{
    struct context_summary *summary = tree->summary;
    if (node->slot) {
        increment(tree, (uint32_t)-node->slot, weight);
        return;
    }
    if (summary->counters.n < summary->limit) {
        monitor(tree, node, weight, 0);
        place(tree, summary->counters.n, 0, weight);
        return;
    }
    uint32_t number = summary->buckets[summary->buckets[0].next].first;
    struct context_counter *counter = &summary->counters.all[number - 1];
    struct context_node *victim = counter->node;
    counter->node = node;
    counter->error = victim->count;
    context_tree_monitor(tree, node, -(int32_t)number, victim->count);
    increment(tree, number, weight);
    /* the victim is evicted last, because its eviction also removes unmonitored ancestors without
     * pins, and `node` could be one of these */
    context_tree_evict(tree, victim);
}

/* ---------------------------------------------------------------- merging */

static uint64_t buckets_floor(const struct context_tree *tree)
{
    const struct context_summary *summary = tree->summary;
    return summary->counters.n < summary->limit ? 0
                                                : summary->buckets[summary->buckets[0].next].count;
}

static void buckets_raise(struct context_tree *into, const struct context_tree *from)
{
    context_counters_raise(&into->summary->counters, buckets_floor(from));
}

static void buckets_adopt(struct context_tree *tree, struct context_node *node, uint64_t count,
                          uint64_t error)
{
    if (!node->slot) {
        monitor(tree, node, count, error);
        return;
    }
    node->count += count;
    tree->summary->counters.all[-node->slot - 1].error += error;
}

/* Rebuilds the buckets from the largest count to the smallest; each new bucket becomes the head's
 * neighbour. */
static void buckets_settle(struct context_tree *tree, uint64_t floor)
{
    struct context_summary *summary = tree->summary;
    struct context_counters *counters = &summary->counters;
    (void)floor; /* `floor` is not needed: it is at most the smallest of the counts that remain */
    context_counters_sort(counters);
    while (counters->n > summary->limit)
        context_tree_evict(tree, counters->all[--counters->n].node);
    summary->n_buckets = 1;
    summary->free_bucket = 0;
    summary->buckets[0] = (struct bucket){0};
    for (uint32_t i = 0; i < counters->n; i++) {
        counters->all[i].node->slot = -(int32_t)(i + 1);
        place(tree, i + 1, 0, counters->all[i].node->count);
    }
}

/* ---------------------------------------------------------------- life */

/* Returns the size of the array of buckets in bytes. Each counter may need a bucket; the two
 * additional buckets are the head, and one for a counter that moves. */
static size_t buckets_size(const struct context_summary *summary)
{
    return pages_bytes((summary->limit + 2) * sizeof(struct bucket));
}

static size_t items_size(const struct context_summary *summary)
{
    return pages_bytes((summary->limit + 1) * sizeof(struct item));
}

static struct context_summary *buckets_make(struct context_tree *tree)
{
    struct context_summary *summary = host_alloc("aprof.contexts.space_saving", sizeof(*summary));
    summary->limit = context_counters_limit(tree);
    summary->buckets = host_map("aprof.contexts.buckets", buckets_size(summary));
    summary->items = host_map("aprof.contexts.buckets", items_size(summary));
    summary->n_buckets = 1;
    return summary;
}

static void buckets_free(struct context_tree *tree)
{
    struct context_summary *summary = tree->summary;
    context_counters_free(&summary->counters);
    host_unmap(summary->buckets, buckets_size(summary));
    host_unmap(summary->items, items_size(summary));
    host_free(summary);
}

static uint64_t buckets_error(const struct context_tree *tree, const struct context_node *node)
{
    return tree->summary->counters.all[-node->slot - 1].error;
}

const struct context_summary_ops space_saving_ops = {
    .make = buckets_make,
    .free = buckets_free,
    .arrive = buckets_arrive,
    .error = buckets_error,
    .floor = buckets_floor,
    .raise = buckets_raise,
    .adopt = buckets_adopt,
    .settle = buckets_settle,
};
