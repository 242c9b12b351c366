/* Arrays that grow by doubling, in small memory.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/array.h"
#include "ground/host.h"

/* Returns `array` itself, or a larger copy of it. */
static void *copy_larger(const char *site, void *array, uint32_t *capacity, uint32_t n,
                         size_t element_bytes)
{
    if (n <= *capacity)
        return array;
    APROF_ASSERT(*capacity <= ~(uint32_t)0 / 2);
    uint32_t larger = n > 2 * *capacity ? n : 2 * *capacity;
    void *grown = host_alloc(site, larger * element_bytes);
    if (array)
        memcpy(grown, array, *capacity * element_bytes);
    *capacity = larger;
    return grown;
}

void *array_grow(const char *site, void *array, uint32_t *capacity, uint32_t n,
                 size_t element_bytes)
{
    void *grown = copy_larger(site, array, capacity, n, element_bytes);
    if (grown != array)
        host_free(array);
    return grown;
}

typedef void *any_array __attribute__((may_alias));

void array_grow_whole(const char *site, void *place, uint32_t *capacity, uint32_t n,
                      size_t element_bytes)
{
    any_array *array = place, old = *array;
    uint32_t larger = *capacity;
    void *grown = copy_larger(site, old, &larger, n, element_bytes);
    *array = grown;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *capacity = larger;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (grown != old)
        host_free(old);
}

void index_replace(uint32_t **index, uint32_t *mask, uint32_t *larger, uint32_t slots)
{
    uint32_t *old = *index;
    *index = larger;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *mask = slots - 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    host_free(old);
}
