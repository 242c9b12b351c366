/* A signal after each instruction of code that counts contexts; prints how often its handler ran.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     contexts_steps CALLS
 *
 * The processor's trap flag stops after each instruction. The handler of the trap sends a signal,
 * which arrives before the next instruction, or when the signal is unblocked. The signal's handler
 * calls two routines alternately from one call site, as `work` does.
 */
#define _GNU_SOURCE
#include "tests/native/single_step.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define UNSEEN   __attribute__((no_profile_instrument_function, patchable_function_entry(0)))
#define KEEP     __asm__ volatile("") /* no tail call */

static volatile unsigned long handled;

NOINLINE static void below_first(void)
{
    KEEP;
}

NOINLINE static void below_second(void)
{
    KEEP;
}

NOINLINE static void first(void)
{
    below_first();
    KEEP;
}

NOINLINE static void second(void)
{
    below_second();
    below_second();
    KEEP;
}

NOINLINE static void below_handler(void)
{
    KEEP;
}

NOINLINE static void third(void)
{
    below_handler();
    KEEP;
}

NOINLINE static void fourth(void)
{
    below_handler();
    KEEP;
}

static void handler(int sig)
{
    static void (*const targets[])(void) = {third, fourth};
    (void)sig;
    targets[handled++ & 1]();
    KEEP;
}

UNSEEN static void stopped(int sig)
{
    (void)sig;
    raise(SIGUSR1);
}

NOINLINE static void work(int n)
{
    static void (*const targets[])(void) = {first, second};
    for (int i = 0; i < n; i++) {
        trap_flag(TRAP_FLAG, 0);
        targets[i & 1]();
        trap_flag(0, TRAP_FLAG);
    }
}

int main(int argc, char **argv)
{
    struct sigaction on_trap = {.sa_handler = stopped};
    sigaddset(&on_trap.sa_mask, SIGUSR1);
    signal(SIGUSR1, handler);
    sigaction(SIGTRAP, &on_trap, NULL);
    work(argc > 1 ? atoi(argv[1]) : 0);
    printf("%lu\n", handled);
    return 0;
}
