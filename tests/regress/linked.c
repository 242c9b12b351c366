/* Calls the routines of arm64/linked.S.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `leaf` is entered from frameless (4 times), tail_of_frameless, through_pointer and main: 7 times.
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

int leaf(const int *), frameless(const int *), frameless_outer(const int *),
    frameless_tail(const int *), return_by_jump(const int *), table(const int *, long),
    by_pointer(const int *);

ROUTINE int returns_by_jump(const int *from)
{
    int total = 0;
    for (int i = 0; i < 5; i++)
        total += return_by_jump(from + i);
    return total;
}

ROUTINE int tables(const int *from)
{
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += table(from, i);
    return total;
}

int main(void)
{
    sink = leaf(data);
    sink = frameless(data);
    sink = frameless_outer(data);
    sink = frameless_tail(data);
    sink = returns_by_jump(data);
    sink = tables(data);
    sink = by_pointer(data);
    return 0;
}
