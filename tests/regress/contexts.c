/* Routines with costs that depend on their callers, and very many contexts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     contexts sorts      quicksort of shuffled and of ordered arrays
 *     contexts tree       2^12 contexts, one of which has a third of all calls
 */
#include "tests/regress/regress.h"

#include <stdlib.h>
#include <string.h>

static int cells[512];

/* The first cell is the pivot: n log n on average, n^2 if the cells are in order. */
ROUTINE void sort(int *at, int n)
{
    int middle = 0;
    if (n < 2)
        return;
    for (int i = 1; i < n; i++) {
        int cell = at[i];
        if (cell < at[0]) {
            at[i] = at[++middle];
            at[middle] = cell;
        }
    }
    int pivot = at[0];
    at[0] = at[middle];
    at[middle] = pivot;
    sort(at, middle);
    sort(at + middle + 1, n - middle - 1);
}

ROUTINE void sort_shuffled(int n)
{
    unsigned random = (unsigned)n;
    for (int i = 0; i < n; i++) {
        random = random * 1103515245u + 12345u;
        cells[i] = (int)(random >> 8);
    }
    sort(cells, n);
}

ROUTINE void sort_ordered(int n)
{
    for (int i = 0; i < n; i++)
        cells[i] = i;
    sort(cells, n);
}

ROUTINE void hot(void)
{
    sink++;
}

ROUTINE void left(int depth);

ROUTINE void right(int depth)
{
    if (depth) {
        left(depth - 1);
        right(depth - 1);
    }
    sink++;
}

ROUTINE void left(int depth)
{
    if (depth) {
        left(depth - 1);
        right(depth - 1);
    }
    sink++;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "tree") == 0) {
        for (int i = 0; i < 4000; i++)
            hot();
        left(11);
        return 0;
    }
    for (int n = 8; n <= 400; n += 14) {
        sort_shuffled(n);
        sort_ordered(n);
    }
    return 0;
}
