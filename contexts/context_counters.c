/* The counters of a stream summary: a growing array of monitored contexts.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contexts/context_counters.h"
#include "contexts/fraction.h"
#include "ground/pages.h"

uint32_t context_counters_add(struct context_counters *counters, struct context_node *node,
                              uint64_t error)
{
    counters->all = pages_grow("aprof.contexts.counters", counters->all, &counters->capacity,
                               counters->n + 1, sizeof(*counters->all));
    counters->all[counters->n] = (struct context_counter){node, error, 0};
    return counters->n++;
}

void context_counters_monitor(struct context_tree *tree, struct context_counters *counters,
                              struct context_node *node, uint64_t count, uint64_t error)
{
    uint32_t number = context_counters_add(counters, node, error);
    context_tree_monitor(tree, node, (int32_t)number + 1, count);
}

void context_counters_evict(struct context_tree *tree, struct context_counters *counters,
                            uint32_t number)
{
    struct context_node *node = counters->all[number].node;
    counters->all[number] = counters->all[--counters->n];
    if (number < counters->n)
        counters->all[number].node->slot = (int32_t)number + 1;
    context_tree_evict(tree, node);
}

void context_counters_raise(struct context_counters *counters, uint64_t by)
{
    for (uint32_t i = 0; i < counters->n; i++) {
        counters->all[i].node->count += by;
        counters->all[i].error += by;
    }
}

void context_counters_adopt(struct context_tree *tree, struct context_counters *counters,
                            struct context_node *node, uint64_t count, uint64_t error)
{
    if (!node->slot) {
        context_counters_monitor(tree, counters, node, count, error);
        return;
    }
    node->count += count;
    counters->all[node->slot - 1].error += error;
}

uint64_t context_counters_least(const struct context_counters *counters)
{
    uint64_t least = ~(uint64_t)0;
    for (uint32_t i = 0; i < counters->n; i++)
        if (counters->all[i].node->count < least)
            least = counters->all[i].node->count;
    return counters->n ? least : 0;
}

static size_t all_bytes(const struct context_counters *counters)
{
    return pages_bytes(counters->capacity * sizeof(*counters->all));
}

void context_counters_free(struct context_counters *counters)
{
    if (counters->all)
        host_unmap(counters->all, all_bytes(counters));
    *counters = (struct context_counters){NULL, 0, 0};
}

uint32_t context_counters_limit(const struct context_tree *tree)
{
    uint32_t epsilon = tree->config.epsilon;
    APROF_ASSERT(epsilon > 0 && epsilon <= FRACTION_ONE);
    return (FRACTION_ONE + epsilon - 1) / epsilon;
}

/* ---------------------------------------------------------------- heap sort */

static bool is_before(const struct context_counter *a, const struct context_counter *b)
{
    if (a->node->count != b->node->count)
        return a->node->count > b->node->count;
    return a->node->index < b->node->index;
}

/* Restores the heap after its top was replaced. */
static void sift_down(struct context_counter *heap, uint32_t at, uint32_t n)
{
    struct context_counter moved = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&moved, &heap[child]))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

void context_counters_sort(struct context_counters *counters)
{
    struct context_counter *heap = counters->all;
    for (uint32_t i = counters->n / 2; i-- > 0;)
        sift_down(heap, i, counters->n);
    for (uint32_t n = counters->n; n > 1;) {
        struct context_counter last = heap[0];
        heap[0] = heap[--n];
        heap[n] = last;
        sift_down(heap, 0, n);
    }
}
