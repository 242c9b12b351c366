/* A table of counts with pairs of numbers as keys, which most analyses use.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table uses open addressing with linear probing; at most half of its entries are in use. An
 * entry with the count 0 is free, so each count is at least 1. A table of zeros is an empty table.
 */
#ifndef ANALYSES_COUNTS_H
#define ANALYSES_COUNTS_H

#include <stddef.h>
#include <stdint.h>

struct count {
    uint64_t keys[2];
    uint64_t count;
};

struct counts {
    struct count *entries;
    size_t capacity; /* number of entries: a power of two, or 0 */
    size_t used;
};

static inline size_t counts_hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b << 29 | b >> 35)) * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(h ^ h >> 32);
}

/* Returns the entry of (a, b). If there is no such entry, returns the free entry that would store
 * (a, b). The table must have a free entry. */
static inline struct count *counts_find(const struct counts *counts, uint64_t a, uint64_t b)
{
    size_t at = counts_hash(a, b);

    for (;; at++) {
        struct count *entry = &counts->entries[at & (counts->capacity - 1)];
        if ((entry->keys[0] == a && entry->keys[1] == b) || entry->count == 0)
            return entry;
    }
}

/* Makes the table larger. Only counts_at calls this function. */
void counts_grow(struct counts *counts);

/* Returns the entry of (a, b); a new entry has the count 0. The caller must make the count positive
 * before it calls counts_at again. The pointer is valid until the next call of counts_at. */
static inline struct count *counts_at(struct counts *counts, uint64_t a, uint64_t b)
{
    struct count *entry;

    if (__builtin_expect(2 * counts->used >= counts->capacity, 0))
        counts_grow(counts);
    entry = counts_find(counts, a, b);
    if (__builtin_expect(entry->count == 0, 0)) {
        entry->keys[0] = a;
        entry->keys[1] = b;
        counts->used++;
    }
    return entry;
}

static inline void counts_add(struct counts *counts, uint64_t a, uint64_t b, uint64_t n)
{
    counts_at(counts, a, b)->count += n;
}

/* Returns the count of (a, b); 0 if (a, b) has no entry. */
uint64_t counts_get(const struct counts *counts, uint64_t a, uint64_t b);

/* Iterates over the entries in no particular order. The caller sets *at to 0 before the first call.
 * Returns NULL after the last entry. */
const struct count *counts_next(const struct counts *counts, size_t *at);

void counts_merge(struct counts *counts, const struct counts *other);
void counts_release(struct counts *counts);

/* Returns the error rate of paper 001, section 6.4. It is the average of |actual - sampled / rate|
 * / actual over all pairs of `actual`, both frequent and rare ones. Returns 0 if `actual` is empty.
 * `rate` is in (0, 1]. A pair that was never sampled has the error 1. */
double counts_sampling_error(const struct counts *actual, const struct counts *sampled,
                             double rate);

#endif
