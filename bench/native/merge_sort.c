/* Merge sort with a comparison that is called through a pointer, on records of several shapes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*item_order)(const int *, const int *);

static int ascending(const int *a, const int *b)
{
    return (*a > *b) - (*a < *b);
}

static int by_last_digits(const int *a, const int *b)
{
    int x = *a % 1000, y = *b % 1000;
    return (x > y) - (x < y);
}

static void merge(int *items, int *room, int middle, int n, item_order compare)
{
    int left = 0, right = middle, at = 0;
    PATH;
    while (left < middle && right < n) {
        if (TURN(compare(&items[left], &items[right]) <= 0))
            room[at++] = items[left++];
        else
            room[at++] = items[right++];
        PATH_END(1);
    }
    memcpy(room + at, items + left, (size_t)(middle - left) * sizeof *items);
    memcpy(items, room, (size_t)(at + middle - left) * sizeof *items);
}

static void insertion_sort(int *items, int n, item_order compare)
{
    PATH;
    for (int i = 1; i < n; i++) {
        int item = items[i], j = i;
        while (j > 0 && TURN(compare(&items[j - 1], &item) > 0)) {
            items[j] = items[j - 1];
            j--;
        }
        items[j] = item;
        PATH_END(2);
    }
}

static void sort(int *items, int *room, int n, item_order compare)
{
    PATH;
    if (TURN(n <= 8)) {
        insertion_sort(items, n, compare);
    } else {
        sort(items, room, n / 2, compare);
        sort(items + n / 2, room, n - n / 2, compare);
        merge(items, room, n / 2, n, compare);
    }
    PATH_END(3);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200000;
    int *items = malloc((size_t)n * sizeof *items), *room = malloc((size_t)n * sizeof *room);
    unsigned seed = 7, sum = 0;
    if (!items || !room)
        return 1;
    for (int i = 0; i < n; i++)
        items[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 8);
    sort(items, room, n, by_last_digits);
    sort(items, room, n, ascending);
    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned)items[i];
    printf("%u\n", sum);
    return 0;
}
