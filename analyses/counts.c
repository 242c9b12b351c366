/* Tables of counts: growth, merging, and the error of sampled counts.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/host.h"
#include "ground/pages.h"
#include "analyses/counts.h"

#define FIRST_CAPACITY 1024

static size_t table_bytes(size_t capacity)
{
    return pages_bytes(capacity * sizeof(struct count));
}

void counts_grow(struct counts *counts)
{
    struct counts old = *counts;
    size_t at = 0;

    counts->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    counts->entries = host_map("analyses.counts", table_bytes(counts->capacity));
    for (const struct count *entry; (entry = counts_next(&old, &at));)
        *counts_find(counts, entry->keys[0], entry->keys[1]) = *entry;
    counts_release(&old);
}

uint64_t counts_get(const struct counts *counts, uint64_t a, uint64_t b)
{
    return counts->capacity ? counts_find(counts, a, b)->count : 0;
}

const struct count *counts_next(const struct counts *counts, size_t *at)
{
    while (*at < counts->capacity) {
        const struct count *entry = &counts->entries[(*at)++];
        if (entry->count > 0)
            return entry;
    }
    return NULL;
}

void counts_merge(struct counts *counts, const struct counts *other)
{
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(other, &at));)
        counts_add(counts, entry->keys[0], entry->keys[1], entry->count);
}

void counts_release(struct counts *counts)
{
    if (counts->capacity)
        host_unmap(counts->entries, table_bytes(counts->capacity));
    counts->entries = NULL;
    counts->capacity = counts->used = 0;
}

double counts_sampling_error(const struct counts *actual, const struct counts *sampled, double rate)
{
    double sum = 0;
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(actual, &at));) {
        double estimate = (double)counts_get(sampled, entry->keys[0], entry->keys[1]) / rate;
        double error = ((double)entry->count - estimate) / (double)entry->count;
        sum += error < 0 ? -error : error;
    }
    return actual->used ? sum / (double)actual->used : 0;
}
