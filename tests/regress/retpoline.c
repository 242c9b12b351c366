/* Calls through retpolines: call, overwrite the return address, return to the callee.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The retpoline's return enters `sum`, which counts as called: N calls of 8 cells each. `caller`
 * has the input of `sum`. `sum` returns to `caller`, so `after` must not be a callee of
 * `sum`.
 */
#include "tests/regress/regress.h"

enum { N = 20 };

static int data[64] CELL_ALIGNED;

ROUTINE int sum(const int *from)
{
    int total = 0;
    for (int i = 0; i < 8; i++)
        total += from[i];
    return total;
}

ROUTINE int after(const int *from)
{
    return from[8] + from[9];
}

ROUTINE int caller(int (*callee)(const int *))
{
    int total = callee(data);
    return total + after(data);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        sink = caller(sum);
    return 0;
}
