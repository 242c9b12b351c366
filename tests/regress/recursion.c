/* Plain recursion: a point per activation, total cost of outermost activations only.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * descend(100): costs 2 + 3k for k = 0..100; total = 302 = self (100 * 3 + 2); the sum over
 * activations is 101 * 2 + 3 * 5050 = 15352. Called twice: 202 calls, total and self 604, sum
 * 30704, min 2, max 302. walk(a, n) reads a[n-1], then walks n-1: activation k has k cells of
 * input, for k = 0..50. binary(a, d) reads a[d] and calls itself twice with d-1. So an activation
 * of depth d reads the d+1 cells a[0..d], and there are 2^(10-d) such activations. `ping` and
 * `pong` call each other and read cell by cell: ping(20) has 20, pong(19) has 19, ...
 */
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED;

void descend(int);

ROUTINE int walk(const int *a, int n)
{
    if (n == 0)
        return 0;
    int here = a[n - 1];
    return here ^ walk(a, n - 1);
}

ROUTINE int binary(const int *a, int depth)
{
    int here = a[depth];
    if (depth == 0)
        return here;
    int left = binary(a, depth - 1);
    return here ^ left ^ (binary(a, depth - 1) << 1);
}

int pong(const int *a, int n);

ROUTINE int ping(const int *a, int n)
{
    if (n == 0)
        return 0;
    return a[n] ^ (pong(a, n - 1) << 1);
}

ROUTINE int pong(const int *a, int n)
{
    if (n == 0)
        return 0;
    return a[n] ^ (ping(a, n - 1) << 1);
}

int main(void)
{
    descend(100);
    descend(100);
    sink = walk(data, 50);
    sink = binary(data, 10);
    sink = ping(data, 20);
    return 0;
}
