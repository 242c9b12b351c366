/* Calls the routines of tail_calls.S, and tail calls that the compiler makes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `tail_leaf` is entered from tail_direct, tail_indirect, tail_middle, tail_conditional (once of
 * two), push_ret and tail_caller: 6 times.
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

long tail_caller(int *, long), even(int), odd(int), self_tail(int), inner_jump(void);

ROUTINE int c_leaf(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

/* With sibling calls, these are jumps; otherwise, they are calls. Counts and inputs are the
 * same. */
ROUTINE int c_tail_1(const int *from, int n)
{
    return c_leaf(from, n + 1);
}

ROUTINE int c_tail_2(const int *from, int n)
{
    return c_tail_1(from, n + 1);
}

int main(void)
{
    tail_caller(data, 0);
    even(100);
    self_tail(10);
    inner_jump();
    for (int i = 0; i < 5; i++)
        sink = c_tail_2(data, 4);
    return 0;
}
