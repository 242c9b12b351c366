/* 32-bit programs: arguments come on the stack, so they are input, one cell each.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `sum(from, n)` reads n cells and 2 arguments, n + 2. `nothing` reads 0. In position-independent
 * code, a helper reads its return address to find its position. The caller has pushed this address,
 * so it is no input of the caller. `external` reads 20 cells that the kernel filled, and 2
 * arguments. `write_out` reads 30 cells and 1 argument. `figure`: 2, one induced, as in Figure 1a.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/regress/handoff.h"

enum { DEVICE = 110, NULL_DEVICE = 111 };

static int data[64] CELL_ALIGNED;
static volatile int x CELL_ALIGNED;
static jmp_buf back;

ROUTINE int sum(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int nothing(void)
{
    return 7;
}

ROUTINE int external(volatile int *at, int n)
{
    int total = 0;
    RAW3(SYS_read, DEVICE, at, 128);
    for (int i = 0; i < n; i++)
        total += at[i];
    return total;
}

ROUTINE int write_out(const int *from)
{
    return RAW3(SYS_write, NULL_DEVICE, from, 120);
}

ROUTINE void g(void)
{
    x = 5;
}

static void *partner(void *unused)
{
    handoff_await(TURN_A);
    g();
    handoff_give(TURN_B);
    return unused;
}

ROUTINE int figure(void)
{
    int first = x;
    handoff_give(TURN_A);
    handoff_await(TURN_B);
    return first + x;
}

/* each level reads its argument; callers have written the arguments of the levels below: 1 */
ROUTINE int descend(int n)
{
    if (n == 0)
        return 0;
    return descend(n - 1) + 1;
}

ROUTINE void jump_back(void)
{
    longjmp(back, 1);
}

ROUTINE void jumps(void)
{
    for (volatile int i = 0; i < 1000; i++)
        if (setjmp(back) == 0)
            jump_back();
        else
            sink = nothing();
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    dup2(open("/dev/zero", O_RDONLY), DEVICE);
    dup2(open("/dev/null", O_WRONLY), NULL_DEVICE);
    sink = sum(data, 10);
    sink = sum(data, 20);
    sink = external(data, 20);
    sink = write_out(data + 32);
    pthread_create(&thread, NULL, partner, NULL);
    sink = figure();
    pthread_join(thread, NULL);
    sink = descend(1000);
    jumps();
    return 0;
}
