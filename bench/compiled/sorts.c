/* Routines of several growth classes, each called with arrays of many sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arguments: number of arrays [4000].
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SIZE = 4000, LARGEST = 3000, LARGEST_SQUARE = 400 };

static uint32_t given[LARGEST], work[LARGEST];

__attribute__((noinline)) static uint32_t sum(const uint32_t *from, uint32_t n)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < n; i++)
        s = s * 31 + from[i];
    return s;
}

__attribute__((noinline)) static void insertion_sort(uint32_t *at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = at[i], j = i;
        for (; j && at[j - 1] > x; j--)
            at[j] = at[j - 1];
        at[j] = x;
    }
}

__attribute__((noinline)) static void sift(uint32_t *at, uint32_t from, uint32_t n)
{
    for (uint32_t child; (child = 2 * from + 1) < n; from = child) {
        child += child + 1 < n && at[child + 1] > at[child];
        if (at[from] >= at[child])
            return;
        uint32_t x = at[from];
        at[from] = at[child];
        at[child] = x;
    }
}

__attribute__((noinline)) static void heap_sort(uint32_t *at, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sift(at, i, n);
    for (uint32_t i = n; i-- > 1;) {
        uint32_t x = at[0];
        at[0] = at[i];
        at[i] = x;
        sift(at, 0, i);
    }
}

__attribute__((noinline)) static uint32_t most_frequent(const uint32_t *from, uint32_t n)
{
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < n; k++)
            same += from[k] % 64 == from[i] % 64;
        if (same > most) {
            most = same;
            best = from[i];
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : DEFAULT_SIZE, x = 1, result = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t n = 10 + round * 7919u % (LARGEST - 10), few = n % LARGEST_SQUARE;
        for (uint32_t i = 0; i < n; i++)
            given[i] = (x = x * 1664525 + 1013904223) >> 8;
        memcpy(work, given, sizeof work);
        insertion_sort(work, few);
        result += sum(work, n) + most_frequent(given, few);
        memcpy(work, given, sizeof work);
        heap_sort(work, n);
        result += sum(work, n);
    }
    printf("%u\n", result);
    return 0;
}
