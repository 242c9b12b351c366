/* Which accesses are input: an activation's first access of a cell, if it is a read.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress.h"

enum { N = 64 };

static int data[N] CELL_ALIGNED;
static int other[N] CELL_ALIGNED;

/* Reads N cells: N, even if other activations have accessed them. */
ROUTINE int leaf(const int *from)
{
    int total = 0;
    for (int i = 0; i < N; i++)
        total += from[i];
    return total;
}

/* Writes each cell before reading it: 0. */
ROUTINE int write_then_read(volatile int *at)
{
    int total = 0;
    for (int i = 0; i < N; i++)
        at[i] = i;
    for (int i = 0; i < N; i++)
        total += at[i];
    return total;
}

/* Reads, then writes: N. */
ROUTINE void increment(volatile int *at)
{
    for (int i = 0; i < N; i++)
        at[i] = at[i] + 1;
}

/* Reads every cell twice: N. */
ROUTINE int read_twice(volatile int *from)
{
    int total = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++)
            total += from[i];
    return total;
}

/* Writes N cells that its child then reads: 0, while the child has N. */
ROUTINE int write_for_child(int *at)
{
    for (int i = 0; i < N; i++)
        ((volatile int *)at)[i] = i;
    return leaf(at);
}

/* Two children read N cells, then the routine reads the same cells: N. */
ROUTINE int share_children(int *from)
{
    int total = leaf(from);
    total += leaf(from);
    for (int i = 0; i < N; i++)
        total += ((volatile int *)from)[i];
    return total;
}

ROUTINE void child_writes(volatile int *at)
{
    for (int i = 0; i < N; i++)
        at[i] = i;
}

/* The child writes the cells that the routine reads afterwards: 0. */
ROUTINE int read_from_child(int *at)
{
    int total = 0;
    child_writes(at);
    for (int i = 0; i < N; i++)
        total += ((volatile int *)at)[i];
    return total;
}

/* Reads N/2 cells; the child then reads all N cells and N cells of another array: 2N. */
ROUTINE int overlap(int *from, int *second)
{
    int total = 0;
    for (int i = 0; i < N / 2; i++)
        total += ((volatile int *)from)[i];
    return total + leaf(from) + leaf(second);
}

int main(void)
{
    sink = write_then_read(data);
    increment(data);
    sink = read_twice(data);
    sink = write_for_child(data);
    sink = share_children(data);
    sink = read_from_child(data);
    sink = overlap(data, other);
    return 0;
}
