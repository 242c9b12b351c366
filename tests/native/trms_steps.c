/* A signal after each instruction of calls and returns; prints how often its handler ran.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     trms_steps INSTRUCTIONS
 *
 * Round n calls a routine three times, so that its calls and returns are known. Then the routine is
 * called once more, with the processor's trap flag set, which stops after each instruction. After
 * the n-th instruction a signal arrives, and the stops end. The signal's handler has an execution
 * context of its own. In every third round, this execution context is empty, and the handler calls
 * a routine on the interrupted one.
 */
#define _GNU_SOURCE
#include "tests/native/single_step.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define NOINLINE __attribute__((noinline))
#define UNSEEN   __attribute__((no_sanitize("thread"), noinline))
#define KEEP     __asm__ volatile("") /* no tail call */

static volatile unsigned long handled, shared, until;
static volatile int cells[8];

NOINLINE static void below(int n)
{
    for (int i = 0; i < n; i++)
        (void)cells[i];
}

NOINLINE static void called(int n)
{
    below(2);
    if (n)
        below(n);
    KEEP;
}

NOINLINE static void in_handler(void)
{
    cells[7] = 1;
    KEEP;
}

NOINLINE static void handler(int sig)
{
    (void)sig;
    handled++;
    in_handler();
    KEEP;
}

NOINLINE static void in_shared(void)
{
    KEEP;
}

UNSEEN static void handler_sharing(int sig)
{
    (void)sig;
    shared++;
    in_shared();
    KEEP;
}

UNSEEN static void stopped(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    if (--until)
        return;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    raise(SIGUSR1);
}

NOINLINE static void round_of(unsigned long n)
{
    signal(SIGUSR1, n % 3 ? handler : handler_sharing);
    called(0);
    called(0);
    called(0);
    until = n;
    trap_flag(TRAP_FLAG, 0);
    called(0);
    trap_flag(0, TRAP_FLAG);
}

int main(int argc, char **argv)
{
    struct sigaction on_trap = {.sa_sigaction = stopped, .sa_flags = SA_SIGINFO};
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    sigaddset(&on_trap.sa_mask, SIGUSR1);
    sigaction(SIGTRAP, &on_trap, NULL);
    for (unsigned long i = 1; i <= n; i++)
        round_of(i);
    printf("%lu %lu\n", handled, shared);
    return 0;
}
