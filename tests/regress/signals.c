/* Signal handlers are separate roots: their cost and input are not the interrupted routine's.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `handler` reads 16 cells that main wrote: 16, induced, in each call, because each call has a new
 * access history. `send_signal` has one block and no input, although the handler runs inside. Its
 * caller `interrupted` reads 4 cells of its own. `nested`: the handler of SIGUSR2 reads 3 cells and
 * sends SIGUSR1; the handler of SIGUSR1 runs inside. The recursion of handlers appears in no cost:
 * `raise_here` has at most 4 blocks. `escape`: a handler jumps out by siglongjmp, and then `after`
 * reads 2 cells. `busy`, which a timer interrupts, has exactly n + 1 blocks of its own. A handler
 * makes `send_preempting` call `injected`, which ends when it returns.
 */
#define _GNU_SOURCE /* REG_RSP */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include "tests/regress/regress.h"

enum { N = 50, BUSY = 20000000, RED_ZONE_BYTES = 128 };

static int data[64] CELL_ALIGNED;
static int own[64] CELL_ALIGNED;
static sigjmp_buf back;
static volatile int ticks;

long send_signal(int pid, int thread, int signal);
long send_preempting(int pid, int thread, int signal);
void injected(void);
void busy(long turns);

ROUTINE int raise_here(int signal)
{
    int self = RAW3(SYS_getpid, 0, 0, 0);
    return send_signal(self, RAW3(SYS_gettid, 0, 0, 0), signal);
}

ROUTINE int read_some(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE void handler(int signal)
{
    sink = read_some(data, 16) + signal;
}

ROUTINE void handler_on_stack(int signal)
{
    sink = read_some(data, 10) + signal;
}

ROUTINE void handler_nested(int signal)
{
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += ((volatile int *)data)[i];
    sink = total + signal;
    raise_here(SIGUSR1);
}

ROUTINE void handler_escapes(int signal)
{
    siglongjmp(back, signal);
}

ROUTINE void tail_target(int signal)
{
    sink = signal;
    for (int i = 0; i < 5; i++)
        sink = ((volatile int *)data)[i];
}

/* With -O2, this is a jump: two activations without a caller have one end. */
ROUTINE void handler_tail(int signal)
{
    tail_target(signal);
}

ROUTINE void handler_tick(int signal)
{
    ticks = signal;
}

ROUTINE int interrupted(const int *from)
{
    int total = 0;
    for (int i = 0; i < 2; i++)
        total += ((volatile const int *)from)[i];
    raise_here(SIGUSR1);
    for (int i = 0; i < 4; i++)
        total += ((volatile const int *)from)[i];
    return total;
}

ROUTINE int after(const int *from)
{
    return from[0] + from[1];
}

ROUTINE void escape(void)
{
    for (volatile int i = 0; i < N; i++) {
        if (sigsetjmp(back, 1) == 0)
            raise_here(SIGALRM);
        sink = after(own);
    }
}

/* Preempts as Go preempts a goroutine. */
#ifdef __aarch64__
static void inject(mcontext_t *registers)
{
    registers->sp -= 16;
    *(unsigned long *)registers->sp = registers->regs[30];
    registers->regs[30] = registers->pc;
    registers->pc = (unsigned long)injected;
}
#else
static void inject(mcontext_t *registers)
{
    registers->gregs[REG_RSP] -= RED_ZONE_BYTES + sizeof(greg_t);
    *(greg_t *)registers->gregs[REG_RSP] = registers->gregs[REG_RIP];
    registers->gregs[REG_RIP] = (greg_t)injected;
}
#endif

ROUTINE void handler_injects(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    inject(&((ucontext_t *)context)->uc_mcontext);
}

static void install_injection(int signal)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler_injects;
    action.sa_flags = SA_SIGINFO;
    sigaction(signal, &action, NULL);
}

static void install(int signal, void (*routine)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = routine;
    action.sa_flags = flags;
    sigaction(signal, &action, NULL);
}

int main(void)
{
    stack_t alternate = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    int self = RAW3(SYS_getpid, 0, 0, 0);
    struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};

    for (int i = 0; i < 64; i++)
        ((volatile int *)data)[i] = i;
    sigaltstack(&alternate, NULL);
    install(SIGUSR1, handler, 0);
    install(SIGUSR2, handler_nested, 0);
    install(SIGHUP, handler_on_stack, SA_ONSTACK);
    install(SIGALRM, handler_escapes, 0);
    install(SIGWINCH, handler_tail, 0);
    install(SIGVTALRM, handler_tick, 0);
    install_injection(SIGCONT);
    for (int i = 0; i < N; i++) {
        sink = interrupted(own);
        raise_here(SIGUSR2);
        raise_here(SIGHUP);
        raise_here(SIGWINCH);
        send_preempting(self, self, SIGCONT);
    }
    escape();
    install(SIGALRM, handler_escapes, SA_ONSTACK);
    escape();
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    busy(BUSY);
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    return 0;
}
