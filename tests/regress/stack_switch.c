/* Coroutines by hand-written assembly, many of them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * main resumes each of C coroutines N times. A coroutine reads the cell `mail`, which main has just
 * written, and its own 5 cells. `deliver` has 1, induced; `private_work` has 5, not induced (never
 * written). `resume` writes `mail` and switches. Its cost is only its own work: it must not contain
 * the 1000 turns of a loop that `slow` takes in every coroutine. A coroutine waits in
 * `stack_pause`, which has 1 block before the switch and, except in the last turn, 1 block after
 * it: N C + (N - 1) C.
 */
#include <stdint.h>
#include "tests/regress/regress.h"

enum { C = 10, N = 100, STACK_WORDS = 4096 };

static volatile int mail CELL_ALIGNED;
static int private_data[16] CELL_ALIGNED;
static uintptr_t stacks[C][STACK_WORDS] CELL_ALIGNED;
static void *pointers[C], *of_main;
static int running;

void stack_switch(void **save, void *to);
void stack_pause(void **save, void *to);
void stack_begin(void);

ROUTINE int deliver(void)
{
    return mail;
}

ROUTINE int private_work(const int *from)
{
    int total = 0;
    for (int i = 0; i < 5; i++)
        total += from[i];
    return total;
}

ROUTINE int slow(int turns)
{
    int total = 0;
    for (int i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(total));
    return total;
}

ROUTINE void coroutine(void)
{
    for (;;) {
        sink = deliver();
        sink = private_work(private_data);
        sink = slow(1000);
        stack_pause(&pointers[running], of_main);
    }
}

#if defined(__aarch64__)
ROUTINE void prepare(int which)
{
    uintptr_t *at = &stacks[which][STACK_WORDS - 8] - 14; /* x29, x30, x19 to x28, x9 */
    at[1] = (uintptr_t)stack_begin;
    at[2] = (uintptr_t)coroutine;
    pointers[which] = at;
}
#else
ROUTINE void prepare(int which)
{
    uintptr_t *at = &stacks[which][STACK_WORDS - 8];
    *--at = (uintptr_t)stack_begin;
    *--at = 0;                    /* rbp */
    *--at = (uintptr_t)coroutine; /* rbx */
    at -= 4;                      /* r12 to r15 */
    pointers[which] = at;
}
#endif

ROUTINE void resume(int which)
{
    running = which;
    mail = which;
    stack_switch(&of_main, pointers[which]);
}

int main(void)
{
    for (int i = 0; i < C; i++)
        prepare(i);
    for (int turn = 0; turn < N; turn++)
        for (int i = 0; i < C; i++)
            resume(i);
    return 0;
}
