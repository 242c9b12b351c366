/* A program without symbols: its routines are found by the addresses that are called.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sum(n) reads n cells: 10, 20, 30. `outer` calls sum(8) and reads 4 other cells: 12. `hidden` is
 * called only by a pointer.
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;
int (*volatile pointer)(const int *);

ROUTINE int sum(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int outer(const int *from)
{
    int total = sum(from, 8);
    for (int i = 32; i < 36; i++)
        total += from[i];
    return total;
}

static ROUTINE int hidden(const int *from)
{
    return from[0] + from[1];
}

int main(void)
{
    for (int n = 10; n <= 30; n += 10)
        sink = sum(data, n);
    sink = outer(data);
    pointer = hidden;
    sink = pointer(data);
    return 0;
}
