/* A stable sort for code without a C library.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/sort.h"

/* Merges the sorted runs [begin, middle) and [middle, end) from the array `from` into the array
 * `to`. */
static void merge(const char *from, char *to, size_t begin, size_t middle, size_t end, size_t size,
                  int (*compare)(const void *, const void *))
{
    size_t a = begin, b = middle;
    for (size_t at = begin; at < end; at++) {
        bool left = b == end || (a < middle && compare(from + a * size, from + b * size) <= 0);
        memcpy(to + at * size, from + (left ? a++ : b++) * size, size);
    }
}

/* This bottom-up merge sort merges runs of 1, 2, 4 ... elements from one array into the other and
 * back. */
void *sort_merge(void *elements, void *spare, size_t n, size_t size,
                 int (*compare)(const void *, const void *))
{
    char *from = elements, *to = spare;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = begin + 2 * width < n ? begin + 2 * width : n;
            merge(from, to, begin, middle, end, size, compare);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    return from;
}
