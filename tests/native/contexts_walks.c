/* Random walks over eight routines: some contexts are hot, and most occur only a few times.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program prints the maximum memory of the process, in KiB.
 *
 *     contexts_walks WALKS [trap|coroutine]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define KEEP     __asm__ volatile("") /* no tail call */
#define DEPTH    9

static unsigned long state = 1;

static unsigned next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

static void step(int left);

#define WALK(n)                                                                                    \
    NOINLINE static void walk##n(int left)                                                         \
    {                                                                                              \
        if (left)                                                                                  \
            step(left - 1);                                                                        \
        KEEP;                                                                                      \
    }
WALK(0)
WALK(1)
WALK(2)
WALK(3)
WALK(4)
WALK(5)
WALK(6)
WALK(7)

/* Half of all steps lead to the first routine. */
NOINLINE static void step(int left)
{
    static void (*const walks[])(int) = {walk0, walk1, walk2, walk3, walk4, walk5, walk6, walk7};
    unsigned n = next();
    walks[n & 1 ? 0 : n >> 1 & 7](left);
    KEEP;
}

/* Calls in place of the first call of the interrupted routine. */
NOINLINE static void handler(int sig)
{
    (void)sig;
    for (int i = 0; i < 5000; i++)
        step(DEPTH);
}

NOINLINE static void trapped(void)
{
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    /* kill(getpid(), SIGTRAP), because the handler of a `brk` would be called again and again */
    __asm__ volatile("mov x8, #172\n\t"
                     "svc #0\n\t"
                     "mov x1, #5\n\t"
                     "mov x8, #129\n\t"
                     "svc #0" ::
                         : "x0", "x1", "x8", "memory");
#endif
    step(DEPTH);
    KEEP;
}

static ucontext_t here, there;

NOINLINE static void coroutine(void)
{
    for (;;) {
        step(DEPTH);
        swapcontext(&there, &here);
    }
}

static void make_coroutine(void)
{
    static char stack[256 << 10];
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    makecontext(&there, coroutine, 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    struct rusage usage;
    make_coroutine();
    signal(SIGTRAP, handler);
    for (int i = 0; i < atoi(argv[1]); i++) {
        step(DEPTH);
        if (strcmp(what, "trap") == 0)
            trapped();
        if (strcmp(what, "coroutine") == 0)
            swapcontext(&here, &there);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return 0;
}
