/* Counts the ways to place N queens, with one small routine per test, so that calls dominate.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: queens N
 */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static int columns[32];

static NOINLINE int attacks(int row, int column, int other)
{
    int distance = columns[other] - column;
    return distance == 0 || distance == row - other || distance == other - row;
}

static NOINLINE int is_free(int row, int column)
{
    for (int other = 0; other < row; other++)
        if (attacks(row, column, other))
            return 0;
    return 1;
}

static NOINLINE long place(int row, int n)
{
    long ways = 0;
    if (row == n)
        return 1;
    for (int column = 0; column < n; column++)
        if (is_free(row, column)) {
            columns[row] = column;
            ways += place(row + 1, n);
        }
    return ways;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    if (n < 1 || n > 31)
        return 2;
    printf("%ld\n", place(0, n));
    return 0;
}
