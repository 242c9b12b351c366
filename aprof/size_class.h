/* Size classes of blocks: sixteen classes, one grain apart, then eight classes per doubling.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Therefore a block exceeds the requested size by at most an eighth, or by less than a grain:
 *
 *     class   0   1 ...  15   16   17 ...  23   24   25 ...
 *     bytes  16  32     256  288  320     512  576  640
 */
#ifndef APROF_SIZE_CLASS_H
#define APROF_SIZE_CLASS_H

#include "ground/basics.h"

#define SIZE_GRAIN_BYTES    16
#define SIZE_LINEAR_CLASSES 16
#define SIZE_CLASSES        (SIZE_LINEAR_CLASSES + 8 * 6)
#define SIZE_LARGEST_BYTES  ((size_t)16 << 10) /* size of the blocks of the last class */

/* Returns the smallest class with blocks of at least `bytes`, which is 1 to SIZE_LARGEST_BYTES. */
APROF_INLINE uint32_t size_class_of(size_t bytes)
{
    uint32_t grains = (uint32_t)((bytes + SIZE_GRAIN_BYTES - 1) / SIZE_GRAIN_BYTES);
    uint32_t doublings;

    if (grains <= SIZE_LINEAR_CLASSES)
        return grains - 1;
    doublings = 31 - (uint32_t)__builtin_clz(grains - 1) - 4; /* 17 to 32 grains: 0 doublings */
    return SIZE_LINEAR_CLASSES + 8 * doublings + ((grains - 1) >> (doublings + 1)) - 8;
}

/* Returns the size in bytes of the blocks of a class. */
APROF_INLINE size_t size_class_bytes(uint32_t size_class)
{
    uint32_t above = size_class - SIZE_LINEAR_CLASSES;

    if (size_class < SIZE_LINEAR_CLASSES)
        return (size_t)(size_class + 1) * SIZE_GRAIN_BYTES;
    return ((size_t)(above % 8 + 9) << (above / 8 + 1)) * SIZE_GRAIN_BYTES;
}

/* Returns the largest class whose blocks fit into `bytes`, which is a multiple of the grain and not
 * 0. */
APROF_INLINE uint32_t size_class_within(size_t bytes)
{
    uint32_t size_class = bytes < SIZE_LARGEST_BYTES ? size_class_of(bytes) : SIZE_CLASSES - 1;

    return size_class_bytes(size_class) > bytes ? size_class - 1 : size_class;
}

#endif
