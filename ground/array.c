/* Arrays that grow by doubling, in small memory.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/array.h"
#include "ground/host.h"

void *array_grow(const char *site, void *array, uint32_t *capacity, uint32_t n,
                 size_t element_bytes)
{
    if (n <= *capacity)
        return array;
    APROF_ASSERT(*capacity <= ~(uint32_t)0 / 2);
    uint32_t larger = n > 2 * *capacity ? n : 2 * *capacity;
    void *grown = host_alloc(site, larger * element_bytes);
    if (array)
        memcpy(grown, array, *capacity * element_bytes);
    host_free(array);
    *capacity = larger;
    return grown;
}
