/* Regions: parts of routines that are measured under names of their own. Argument: the case.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * work(n) reads n cells of `data` from the start; rest(n) reads n others. A region has the input of
 * the code that runs in it, once. `outer` reads 12 cells by work(12) and 7 by rest(7): it has 19.
 * `inner` reads the first 5 of the 12 again, so it has 5. Outside of regions, no region gets input.
 *
 * `level` is opened in each of the 4 activations of a recursion that reads n cells at level n: the
 * outermost has 4, the others 3, 2, 1. `departed` is left by a return, a longjmp, and a jump from a
 * signal handler. Each time it ends with its opener, so that the following call of work(40) is in
 * no region. In `stray`, an end without a beginning has no effect, even if its caller has an open
 * region. Two threads have `part`, of 16 cells each. Two coroutines take turns within `turn`:
 * one calls work(8), the other rest(9), and neither gets the input of the other.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <aprof.h>
#include "tests/regress/regress.h"

static int data[64] CELL_ALIGNED, others[64] CELL_ALIGNED;

ROUTINE int work(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile int *)data)[i];
    return total;
}

ROUTINE int rest(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile int *)others)[i];
    return total;
}

ROUTINE void nested(void)
{
    sink = work(30);
    APROF_REGION_BEGIN("outer");
    sink = work(12);
    APROF_REGION_BEGIN("inner");
    sink = work(5);
    APROF_REGION_END();
    sink = rest(7);
    APROF_REGION_END();
    sink = work(31);
}

ROUTINE void scoped(int again)
{
    for (int i = 0; i < again; i++) {
        APROF_REGION("scope");
        sink = work(6);
        if (i == 1)
            continue;
        APROF_REGION("deeper");
        sink = rest(3);
    }
    sink = work(32);
}

ROUTINE void recurse(int n)
{
    APROF_REGION_BEGIN("level");
    sink = work(n);
    if (n > 1)
        recurse(n - 1);
    APROF_REGION_END();
}

static jmp_buf place;

ROUTINE void leave(int how)
{
    APROF_REGION_BEGIN("departed");
    sink = work(10);
    if (how == 1)
        longjmp(place, 1);
    if (how == 2)
        raise(SIGUSR1);
}

static void on_signal(int signal)
{
    (void)signal;
    APROF_REGION_BEGIN("handler");
    sink = rest(4);
    siglongjmp(place, 1);
}

ROUTINE void left(void)
{
    signal(SIGUSR1, on_signal);
    for (volatile int how = 0; how < 3; how++) {
        if (!sigsetjmp(place, 1))
            leave(how);
        sink = work(40);
    }
}

ROUTINE void stray(void)
{
    APROF_REGION_END();
    sink = work(11);
}

ROUTINE void strays(void)
{
    APROF_REGION_END();
    APROF_REGION_BEGIN("open");
    stray();
    sink = rest(2);
    APROF_REGION_END();
    APROF_REGION_END();
    sink = work(33);
}

static void *thread(void *from)
{
    int total = 0;
    APROF_REGION_BEGIN("part");
    for (int i = 0; i < 16; i++)
        total += ((volatile int *)from)[i];
    APROF_REGION_END();
    sink = total;
    return NULL;
}

ROUTINE void threads(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, thread, data);
    pthread_create(&two, NULL, thread, others);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

static ucontext_t first, second, back;
static char stacks[2][65536];

static void first_turn(void)
{
    APROF_REGION_BEGIN("turn");
    swapcontext(&first, &second);
    sink = work(8);
    APROF_REGION_END();
    sink = work(20);
    swapcontext(&first, &second);
}

static void second_turn(void)
{
    APROF_REGION_BEGIN("other turn");
    swapcontext(&second, &first);
    sink = rest(9);
    APROF_REGION_END();
    sink = rest(21);
}

ROUTINE void coroutines(void)
{
    getcontext(&first);
    getcontext(&second);
    first.uc_stack.ss_sp = stacks[0];
    second.uc_stack.ss_sp = stacks[1];
    first.uc_stack.ss_size = second.uc_stack.ss_size = sizeof stacks[0];
    second.uc_link = &back;
    makecontext(&first, first_turn, 0);
    makecontext(&second, second_turn, 0);
    swapcontext(&back, &first);
}

/* Unusual names of regions. */
ROUTINE void names(void)
{
    static char name[1001];
    memset(name, 'x', 1000);
    APROF_REGION_BEGIN(name);
    APROF_REGION_BEGIN("a\tb\nc");
    APROF_REGION_BEGIN("");
    APROF_REGION_BEGIN((const char *)8);
    sink = work(3);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"nested", nested},         {"left", left},
                 {"strays", strays},         {"threads", threads},
                 {"coroutines", coroutines}, {"names", names}};
    if (argc < 2)
        return 1;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strcmp(argv[1], parts[i].name))
            parts[i].run();
    if (!strcmp(argv[1], "scoped"))
        scoped(3);
    if (!strcmp(argv[1], "recurse"))
        recurse(4);
    return 0;
}
