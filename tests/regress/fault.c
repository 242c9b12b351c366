/* A handler of SIGSEGV repeatedly jumps out of a fault in a deep callee.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `touch` reads 3 cells of data, then faults; `below` is at depth 3 of calls. After each escape,
 * `after` reads 7 cells. They belong to `survive` and not to `below` or `touch`; otherwise the
 * greatest cost of these two would grow with the rounds.
 */
#include <setjmp.h>
#include <signal.h>
#include "tests/regress/regress.h"

enum { N = 200 };

static int data[64] CELL_ALIGNED;
static sigjmp_buf back;
static int *volatile nowhere;

ROUTINE void handler(int signal)
{
    siglongjmp(back, signal);
}

ROUTINE int touch(const int *from, int *bad)
{
    int total = from[0] + from[1] + from[2];
    return total + *bad;
}

ROUTINE int below(const int *from, int *bad)
{
    return touch(from, bad) + 1;
}

ROUTINE int after(const int *from)
{
    int total = 0;
    for (int i = 0; i < 7; i++)
        total += from[i];
    return total;
}

ROUTINE void survive(void)
{
    for (volatile int i = 0; i < N; i++) {
        if (sigsetjmp(back, 1) == 0)
            sink = below(data, nowhere);
        sink = after(data);
    }
}

int main(void)
{
    signal(SIGSEGV, handler);
    survive();
    return 0;
}
