/* A fault after a jump out of nested handlers, before any code at the destination has run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `survive` sends SIGUSR1. The handler `outer` reads 9 cells of data and sends SIGUSR2. The handler
 * `inner` jumps back to survive's frame, but to address 0. The handler of this fault runs where the
 * frames of the other two were. It jumps within itself (from inside of `leap`), not back into
 * `outer`. So the 9 cells that `outer` has read are new for `read_behind`, and induced, because
 * main wrote them. Finally, the handler lets `survive` continue, which reads 7 cells.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include "tests/regress/regress.h"

enum { N = 50 };

static int data[64] CELL_ALIGNED;
static long place[9]; /* the last is no address of code */
static jmp_buf within;

long remember(long *place);
void fall_back(const long *place);

ROUTINE int read_some(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int read_behind(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE void raise_here(int signal)
{
    long self = RAW3(SYS_getpid, 0, 0, 0);
    RAW3(SYS_tgkill, self, RAW3(SYS_gettid, 0, 0, 0), signal);
}

ROUTINE void inner(int signal)
{
    (void)signal;
    fall_back(place);
}

ROUTINE void outer(int signal)
{
    sink = read_some(data, 9) + signal;
    raise_here(SIGUSR2);
}

ROUTINE void leap(void)
{
    longjmp(within, 1);
}

ROUTINE void on_fault(int signal, siginfo_t *info, void *context)
{
    static const int registers[] = {REG_RBX, REG_RBP, REG_R12, REG_R13,
                                    REG_R14, REG_R15, REG_RSP, REG_RIP};
    greg_t *values = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (setjmp(within) == 0)
        leap();
    sink = read_behind(data, 9) + signal + (info == NULL);
    for (int i = 0; i < 8; i++)
        values[registers[i]] = place[i];
    values[REG_RAX] = 1;
}

ROUTINE void survive(void)
{
    for (volatile int i = 0; i < N; i++) {
        if (remember(place) == 0)
            raise_here(SIGUSR1);
        sink = read_some(data, 7);
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = outer, .sa_flags = SA_NODEFER};
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = inner;
    sigaction(SIGUSR2, &action, NULL);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_NODEFER | SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    memset(data, 1, sizeof data);
    survive();
    return 0;
}
