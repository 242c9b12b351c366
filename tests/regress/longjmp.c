/* longjmp out of two activations, 100 000 times: they end where they were left.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If they stayed on the shadow stack, each `middle` would include everything after it. Its greatest
 * cost would be hundreds of thousands of blocks instead of a few, and its input would include the 8
 * cells that `after` reads. `inner` and `middle` read 5 cells before the jump. Their input also
 * includes longjmp's reads of the jump buffer: at most 8 words (16 cells), and the key that
 * unscrambles them (2). The bound below leaves space for exactly these reads.
 */
#include <setjmp.h>
#include "tests/regress/regress.h"

enum { N = 100000 };

static int data[64] CELL_ALIGNED;
static jmp_buf back;

ROUTINE int inner(const int *from)
{
    int total = 0;
    for (int i = 3; i < 8; i++)
        total += from[i];
    if (total == 0)
        longjmp(back, 1);
    return total;
}

ROUTINE int middle(const int *from)
{
    int total = inner(from);
    return total + from[0] + from[1] + from[2];
}

ROUTINE int after(const int *from)
{
    int total = 0;
    for (int i = 16; i < 24; i++)
        total += from[i];
    return total;
}

ROUTINE void outer(void)
{
    for (volatile int i = 0; i < N; i++)
        if (setjmp(back) == 0)
            sink = middle(data);
        else
            sink = after(data);
}

/* The same jump by the compiler's built-ins, which need no function. */
static void *plain_back[5];

ROUTINE void plain_inner(void)
{
    __builtin_longjmp(plain_back, 1);
}

ROUTINE void plain_middle(void)
{
    plain_inner();
    sink = 1;
}

ROUTINE void plain_outer(void)
{
    for (volatile int i = 0; i < 1000; i++) {
        if (__builtin_setjmp(plain_back) == 0)
            plain_middle();
        else
            sink = after(data);
    }
}

/* A recursive routine that jumps from its deepest activation to its outermost: 100 rounds of 11
 * activations. `after` reads 8 cells in the outermost activation, so 100 activations have 8. The
 * other 1000 have only the part of recursion_back that the jump reads, 3 words that the outermost
 * activation wrote: 6 cells in the deepest activation, and so in the others. */
static void *recursion_back[5];

ROUTINE int recursive(int depth)
{
    if (depth == 0) {
        if (__builtin_setjmp(recursion_back) == 0)
            return recursive(1);
        return after(data);
    }
    if (depth == 10)
        __builtin_longjmp(recursion_back, 1);
    return recursive(depth + 1) + depth;
}

ROUTINE void recursion_rounds(void)
{
    for (volatile int i = 0; i < 100; i++)
        sink = recursive(0);
}

int main(void)
{
    outer();
    recursion_rounds();
    plain_outer();
    return 0;
}
