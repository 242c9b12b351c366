/* A stable sort for code without a C library.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_SORT_H
#define GROUND_SORT_H

#include "ground/basics.h"

/* Sorts n elements of `size` bytes; `spare` must have the size of `elements`. Returns `elements` or
 * `spare`, whichever holds the sorted elements. The sort takes n log n comparisons, and does not
 * use recursion. */
void *sort_merge(void *elements, void *spare, size_t n, size_t size,
                 int (*compare)(const void *, const void *));

#endif
