/* Coroutines by swapcontext: each stack has activations and an access history of its own.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two coroutines take turns, N times each; main starts them. Every step reads the shared cell and
 * writes it. Another execution context wrote it last (main before the first step, then the other
 * coroutine): 1 cell, induced, N times each. The coroutines' own routines and `drive`, which waits
 * for them, are called once each. Once they are done, `summary` reads only the 6 cells of its own
 * array, and has 6.
 */
#include <stdlib.h>
#include <ucontext.h>
#include "tests/regress/regress.h"

enum { N = 500, STACK_BYTES = 64 << 10 };

static volatile int shared CELL_ALIGNED;
static int data[16] CELL_ALIGNED;
static ucontext_t of_main, of_a, of_b;

ROUTINE void step_a(void)
{
    shared = shared + 1;
}

ROUTINE void step_b(void)
{
    shared = shared + 2;
}

ROUTINE void coroutine_a(void)
{
    for (int i = 0; i < N; i++) {
        step_a();
        swapcontext(&of_a, &of_b);
    }
}

ROUTINE void coroutine_b(void)
{
    for (int i = 0; i < N; i++) {
        step_b();
        swapcontext(&of_b, &of_a);
    }
}

ROUTINE int summary(const int *from)
{
    int total = 0;
    for (int i = 0; i < 6; i++)
        total += from[i];
    return total;
}

ROUTINE void prepare(ucontext_t *context, void (*routine)(void), ucontext_t *next)
{
    getcontext(context);
    context->uc_stack.ss_sp = malloc(STACK_BYTES);
    context->uc_stack.ss_size = STACK_BYTES;
    context->uc_link = next;
    makecontext(context, routine, 0);
}

ROUTINE void drive(void)
{
    swapcontext(&of_main, &of_a);
    sink = summary(data);
}

int main(void)
{
    shared = 0;
    prepare(&of_a, coroutine_a, &of_main);
    prepare(&of_b, coroutine_b, &of_main);
    drive();
    return shared == 3 * N ? 0 : 1;
}
