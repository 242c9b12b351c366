/* Runs a command under clocks that jump.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every fifth reading of a clock (time of day, or since boot) is minutes to centuries before or
 * after the previous one.
 *
 *     clock COMMAND [ARGUMENT...]      (x86-64; built as a program)
 *     LD_PRELOAD=clock.so              (-DCLOCK_PRELOADED -shared: for callers of the C library)
 *
 * The program traces the command, its threads and children with ptrace(2), and changes the results
 * of their system calls, because profilers do not call the C library. Clocks of processor time do
 * not change.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The deviation of the clock, in seconds. */
static long jump(void)
{
    static const long jumps[] = {3600,   -3600, 0,           10L << 30, -(10L << 30), 1L << 55,
                                 -86400, 7200,  -(1L << 40), 315360000, -1700000000,  60};
    static unsigned looks;
    return jumps[looks++ / 5 % (sizeof jumps / sizeof *jumps)];
}

#ifdef CLOCK_PRELOADED

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ? jump() : 0;
    return status;
}

time_t time(time_t *to)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *to = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

#else

static unsigned long n_jumps;

static void leave_call(pid_t who)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, who, NULL, &registers) != 0 ||
        registers.orig_rax != SYS_clock_gettime || (long)registers.rax != 0 ||
        (registers.rdi != CLOCK_REALTIME && registers.rdi != CLOCK_MONOTONIC))
        return;
    errno = 0;
    long seconds = ptrace(PTRACE_PEEKDATA, who, registers.rsi, NULL);
    if (errno == 0 && ptrace(PTRACE_POKEDATA, who, registers.rsi, seconds + jump()) == 0)
        n_jumps++;
}

/* Continues `who`; returns the signal that it gets. */
static int look_at(pid_t who, int status)
{
    struct __ptrace_syscall_info info;
    int number = WSTOPSIG(status);
    if (number == (SIGTRAP | 0x80)) {
        if (ptrace(PTRACE_GET_SYSCALL_INFO, who, sizeof info, &info) > 0 &&
            info.op == PTRACE_SYSCALL_INFO_EXIT)
            leave_call(who);
        return 0;
    }
    /* A thread or process begins, or the whole group stops. */
    return status >> 16 ? 0 : number;
}

int main(int argc, char **argv)
{
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    int status, ended = 1, gate[2];
    pid_t command, who;
    if (argc < 2 || pipe(gate) != 0)
        return 2;
    if ((command = fork()) == 0) {
        char byte;
        close(gate[1]);
        if (read(gate[0], &byte, 1) == 0) /* it is being followed */
            execvp(argv[1], argv + 1);
        _exit(127);
    }
    close(gate[0]);
    if (ptrace(PTRACE_SEIZE, command, NULL, options) != 0) {
        perror("clock: ptrace");
        kill(command, SIGKILL);
        return 77;
    }
    close(gate[1]);
    while ((who = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) {
            if (who == command)
                ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        ptrace(PTRACE_SYSCALL, who, NULL, (long)look_at(who, status));
    }
    const char *told = getenv("CLOCK_JUMPS");
    FILE *file = told ? fopen(told, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", n_jumps);
        fclose(file);
    }
    return ended;
}

#endif
