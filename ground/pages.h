/* Whole pages, and arrays that grow by doubling in whole pages.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Large arrays are stored in whole pages. When such an array moves, its old pages return to the
 * system; the allocator of small arrays (array.h) keeps old blocks instead. The owner keeps a
 * pointer and a capacity, both zero at first. Example of an append, where `list` has `n` elements
 * in use:
 *
 *     list = pages_grow("tool.list", list, &capacity, n + 1, sizeof(*list));
 *     list[n++] = element;
 *
 * All functions are inline. Hooks must not use vector registers, so files with hooks are compiled
 * with special options. These options also apply to the copies of these functions in such files.
 */
#ifndef GROUND_PAGES_H
#define GROUND_PAGES_H

#include "ground/host.h"

/* Rounds up to a multiple of the page size, as host_map and host_unmap require. */
APROF_INLINE size_t pages_bytes(size_t bytes)
{
    return (bytes + 4095) & ~(size_t)4095;
}

/* Returns `array` with capacity for at least `n` elements of `element_bytes` each. The array moves
 * if `*capacity` was less than `n`. New elements are zero; the capacity fills whole pages. */
APROF_INLINE void *pages_grow(const char *site, void *array, size_t *capacity, size_t n,
                              size_t element_bytes)
{
    if (LIKELY(n <= *capacity))
        return array;
    size_t bytes = *capacity * element_bytes;
    size_t larger = pages_bytes(n > 2 * *capacity ? n * element_bytes : 2 * bytes);
    void *grown = host_map(site, larger);
    if (array) {
        memcpy(grown, array, bytes);
        host_unmap(array, pages_bytes(bytes));
    }
    *capacity = larger / element_bytes;
    return grown;
}

/* `array` may be NULL. */
APROF_INLINE void pages_free(void *array, size_t capacity, size_t element_bytes)
{
    if (array)
        host_unmap(array, pages_bytes(capacity * element_bytes));
}

#endif
