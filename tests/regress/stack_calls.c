/* Stacks that are switched by moving the stack pointer and then calling.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phase 1. main calls `aside` N times on a separate stack. aside loops 1000 times, which is not
 * part of the cost of call_on, because each stack is an execution context. Phase 2 works like Go's
 * scheduler. N times, a coroutine calls `step`, then `next` on main's stack. `next` does not
 * return, but continues in the coroutine. `step` reads the cell that `next` has written, 1 induced;
 * `next` reads the cell that `step` has written, 1 induced. The coroutine's work is not in next's
 * cost, and next's work is not in the coroutine's cost. `slow` in step takes 1000 turns; gcc 14
 * combines two turns into one block. After the last call, next continues in main.
 */
#include <stdint.h>
#include "tests/regress/regress.h"

enum { N = 100, STACK_WORDS = 4096 };

static uintptr_t stack_of_aside[STACK_WORDS] CELL_ALIGNED;
static uintptr_t stack_of_coroutine[STACK_WORDS] CELL_ALIGNED;
static volatile int down CELL_ALIGNED, up CELL_ALIGNED;
static int left CELL_ALIGNED = N;
static void *of_main CELL_ALIGNED, *of_coroutine;

void call_on(void *stack, void (*routine)(void));
void stack_enter(void **save, void *stack, void (*routine)(void));
void leave_by_call(void **save, void *to, void (*routine)(void));
__attribute__((noreturn)) void go_on(void *to);

ROUTINE void slow(int turns)
{
    for (int i = 0; i < turns; i++)
        __asm__ volatile("" ::"r"(i));
}

ROUTINE void aside(void)
{
    slow(1000);
}

ROUTINE int hear_down(void)
{
    return down;
}

ROUTINE int hear_up(void)
{
    return up;
}

ROUTINE void step(void)
{
    sink = hear_down();
    slow(1000);
    up = 1;
}

ROUTINE void next(void)
{
    sink = hear_up();
    down = 1;
    if (--left == 0)
        go_on(of_main);
    go_on(of_coroutine);
}

ROUTINE void coroutine(void)
{
    for (;;) {
        step();
        leave_by_call(&of_coroutine, of_main, next);
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        call_on(stack_of_aside + STACK_WORDS, aside);
    down = 1;
    stack_enter(&of_main, stack_of_coroutine + STACK_WORDS, coroutine);
    return 0;
}
