/* Tables of system calls about processes, time, limits, signals and the machine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * interpose_calls.h explains the table. The clock is read without entering the kernel (vdso), but
 * counts as external input. native/base/signals.c handles signal actions and alternate stacks.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose_calls.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define KERNEL_SIGSET_BYTES 8

#define GIVES(type, name, what) SYSTEM_CALL(type, name, (what * to), (to), NOTHING, WRITES_ONE(to))
#define GIVES_FOR(type, name, key, what)                                                           \
    SYSTEM_CALL(type, name, (key which, what * to), (which, to), NOTHING, WRITES_ONE(to))
#define TAKES_FOR(type, name, key, what)                                                           \
    SYSTEM_CALL(type, name, (key which, const what *from), (which, from), READS_ONE(from), NOTHING)
#define EXCHANGES_FOR(name, key, what)                                                             \
    SYSTEM_CALL(int, name, (key which, const what *from, what *to), (which, from, to),             \
                READS_ONE(from), WRITES_ONE(to))

/* ---------------------------------------------------------------- time */

GIVES(time_t, time, time_t)
GIVES(clock_t, times, struct tms)
SYSTEM_CALL(int, gettimeofday, (struct timeval * to, struct timezone *zone), (to, zone), NOTHING,
            WRITES_ONE(to);
            WRITES_ONE(zone))
SYSTEM_CALL(int, settimeofday, (const struct timeval *from, const struct timezone *zone),
            (from, zone), READS_ONE(from);
            READS_ONE(zone), NOTHING)
GIVES_FOR(int, clock_gettime, clockid_t, struct timespec)
GIVES_FOR(int, clock_getres, clockid_t, struct timespec)
TAKES_FOR(int, clock_settime, clockid_t, struct timespec)
SYSTEM_CALL(int, timespec_get, (struct timespec * to, int base), (to, base), NOTHING,
            if (result) WRITES_ONE(to))
SYSTEM_CALL(int, nanosleep, (const struct timespec *from, struct timespec *to), (from, to),
            READS_ONE(from);
            if (failed && error == EINTR) WRITES_ONE(to), NOTHING)
SYSTEM_CALL(int, clock_nanosleep,
            (clockid_t clock, int flags, const struct timespec *from, struct timespec *to),
            (clock, flags, from, to), READS_ONE(from);
            if (result == EINTR && !(flags & TIMER_ABSTIME)) WRITES_ONE(to), NOTHING)
GIVES_FOR(int, getitimer, __itimer_which_t, struct itimerval)
EXCHANGES_FOR(setitimer, __itimer_which_t, struct itimerval)
/* With SIGEV_THREAD, this call creates the thread from which the C library starts notification
 * threads. */
static void before_notice(const struct sigevent *from)
{
    if (from && from->sigev_notify == SIGEV_THREAD)
        watch_thread_create();
}

INTERPOSE(int, timer_create, (clockid_t clock, struct sigevent *from, timer_t *to))
{
    watch_thread_sync();
    before_notice(from);
    int result = REAL(timer_create)(clock, from, to);
    if (result == 0 || errno != EFAULT)
        calls_read(from, sizeof *from);
    if (result == 0)
        calls_write(to, sizeof *to);
    return result;
}

GIVES_FOR(int, timer_gettime, timer_t, struct itimerspec)
SYSTEM_CALL(int, timer_settime,
            (timer_t timer, int flags, const struct itimerspec *from, struct itimerspec *to),
            (timer, flags, from, to), READS_ONE(from), WRITES_ONE(to))
SYSTEM_CALL(int, adjtimex, (struct timex * both), (both), READS_ONE(both), WRITES_ONE(both))

/* ---------------------------------------------------------------- processes */

SYSTEM_CALL(pid_t, wait, (int *to), (to), NOTHING, WRITES_ONE(to))
SYSTEM_CALL(pid_t, waitpid, (pid_t child, int *to, int flags), (child, to, flags), NOTHING,
            if (result > 0) WRITES_ONE(to))
SYSTEM_CALL(pid_t, wait3, (int *to, int flags, struct rusage *usage), (to, flags, usage), NOTHING,
            if (result > 0) WRITES_ONE(to);
            if (result > 0) WRITES_ONE(usage))
SYSTEM_CALL(pid_t, wait4, (pid_t child, int *to, int flags, struct rusage *usage),
            (child, to, flags, usage), NOTHING, if (result > 0) WRITES_ONE(to);
            if (result > 0) WRITES_ONE(usage))
SYSTEM_CALL(int, waitid, (idtype_t kind, id_t child, siginfo_t *to, int flags),
            (kind, child, to, flags), NOTHING, WRITES_ONE(to))
SYSTEM_CALL(int, kill, (pid_t process, int sig), (process, sig), NOTHING, NOTHING)
SYSTEM_CALL(int, tgkill, (pid_t process, pid_t thread, int sig), (process, thread, sig), NOTHING,
            NOTHING)
SYSTEM_CALL(int, sigqueue, (pid_t process, int sig, const union sigval value),
            (process, sig, value), NOTHING, NOTHING)
SYSTEM_CALL(int, raise, (int sig), (sig), NOTHING, NOTHING)
SYSTEM_CALL(int, pthread_kill, (pthread_t thread, int sig), (thread, sig), NOTHING, NOTHING)

GIVES_FOR(int, getrusage, __rusage_who_t, struct rusage)
GIVES_FOR(int, getrlimit, __rlimit_resource_t, struct rlimit)
GIVES_FOR(int, getrlimit64, __rlimit_resource_t, struct rlimit64)

/* Returns the limit that the call will set. The result is the present limit if direct-mapped
 * shadows of other threads would leave no address space under the new limit. */
static const void *possible_limit(pid_t process, __rlimit_resource_t which, const void *from,
                                  struct rlimit *present)
{
    const struct rlimit *wanted = from;
    if ((which != RLIMIT_AS && which != RLIMIT_DATA) || (process && process != getpid()) ||
        !wanted || wanted->rlim_cur == RLIM_INFINITY || !trms_direct_shadows_exist() ||
        trms_direct_shadows_end())
        return from;
    return REAL(getrlimit)(which, present) == 0 ? present : from;
}

#define LIMITS(name, parameters, arguments, process, writes)                                       \
    INTERPOSE(int, name, parameters)                                                               \
    {                                                                                              \
        struct rlimit present;                                                                     \
        __typeof__(from) limit = possible_limit(process, which, from, &present);                   \
        watch_thread_sync();                                                                       \
        int result = REAL(name) arguments, error = errno;                                          \
        if (result == 0 || error != EFAULT)                                                        \
            READS_ONE(from);                                                                       \
        if (result == 0)                                                                           \
            writes;                                                                                \
        errno = error;                                                                             \
        return result;                                                                             \
    }

LIMITS(setrlimit, (__rlimit_resource_t which, const struct rlimit *from), (which, limit), 0,
       NOTHING)
LIMITS(setrlimit64, (__rlimit_resource_t which, const struct rlimit64 *from), (which, limit), 0,
       NOTHING)
LIMITS(prlimit,
       (pid_t process, enum __rlimit_resource which, const struct rlimit *from, struct rlimit *to),
       (process, which, limit, to), process, WRITES_ONE(to))
LIMITS(prlimit64,
       (pid_t process, enum __rlimit_resource which, const struct rlimit64 *from,
        struct rlimit64 *to),
       (process, which, limit, to), process, WRITES_ONE(to))

GIVES_FOR(int, sched_getparam, pid_t, struct sched_param)
TAKES_FOR(int, sched_setparam, pid_t, struct sched_param)
SYSTEM_CALL(int, sched_setscheduler, (pid_t process, int policy, const struct sched_param *from),
            (process, policy, from), READS_ONE(from), NOTHING)
GIVES_FOR(int, sched_rr_get_interval, pid_t, struct timespec)
SYSTEM_CALL(int, sched_getaffinity, (pid_t process, size_t n, cpu_set_t *to), (process, n, to),
            NOTHING, WRITES(to, n))
SYSTEM_CALL(int, sched_setaffinity, (pid_t process, size_t n, const cpu_set_t *from),
            (process, n, from), READS(from, n), NOTHING)
SYSTEM_CALL(int, getcpu, (unsigned *cpu, unsigned *node), (cpu, node), NOTHING, WRITES_ONE(cpu);
            WRITES_ONE(node))

/* ---------------------------------------------------------------- users and groups */

SYSTEM_CALL(int, getgroups, (int n, gid_t *to), (n, to), NOTHING,
            if (n) WRITES(to, (size_t)result * sizeof *to))
SYSTEM_CALL(int, setgroups, (size_t n, const gid_t *from), (n, from), READS_ARRAY(from, n), NOTHING)
SYSTEM_CALL(int, getresuid, (uid_t * real, uid_t *effective, uid_t *saved),
            (real, effective, saved), NOTHING, WRITES_ONE(real);
            WRITES_ONE(effective); WRITES_ONE(saved))
SYSTEM_CALL(int, getresgid, (gid_t * real, gid_t *effective, gid_t *saved),
            (real, effective, saved), NOTHING, WRITES_ONE(real);
            WRITES_ONE(effective); WRITES_ONE(saved))

/* ---------------------------------------------------------------- signals */

SYSTEM_CALL(int, sigprocmask, (int how, const sigset_t *from, sigset_t *to), (how, from, to),
            READS(from, KERNEL_SIGSET_BYTES), WRITES(to, KERNEL_SIGSET_BYTES))
SYSTEM_CALL(int, pthread_sigmask, (int how, const sigset_t *from, sigset_t *to), (how, from, to),
            READS(from, KERNEL_SIGSET_BYTES), if (result == 0) WRITES(to, KERNEL_SIGSET_BYTES))
SYSTEM_CALL(int, sigpending, (sigset_t * to), (to), NOTHING, WRITES(to, KERNEL_SIGSET_BYTES))
SYSTEM_CALL(int, sigsuspend, (const sigset_t *from), (from), READS(from, KERNEL_SIGSET_BYTES),
            NOTHING)
SYSTEM_CALL(int, sigwait, (const sigset_t *from, int *to), (from, to),
            READS(from, KERNEL_SIGSET_BYTES), if (result == 0) WRITES_ONE(to))
SYSTEM_CALL(int, sigwaitinfo, (const sigset_t *from, siginfo_t *to), (from, to),
            READS(from, KERNEL_SIGSET_BYTES), WRITES_ONE(to))
SYSTEM_CALL(int, sigtimedwait, (const sigset_t *from, siginfo_t *to, const struct timespec *limit),
            (from, to, limit), READS(from, KERNEL_SIGSET_BYTES);
            READS_ONE(limit), WRITES_ONE(to))

/* ---------------------------------------------------------------- the machine */

GIVES(int, uname, struct utsname)
GIVES(int, sysinfo, struct sysinfo)
SYSTEM_CALL(ssize_t, getrandom, (void *to, size_t n, unsigned flags), (to, n, flags), NOTHING,
            WRITES(to, result))
SYSTEM_CALL(int, getentropy, (void *to, size_t n), (to, n), NOTHING, WRITES(to, n))
SYSTEM_CALL(int, gethostname, (char *to, size_t n), (to, n), NOTHING,
            WRITES(to, interpose_smaller(interpose_string_bytes(to), n)))
SYSTEM_CALL(int, __gethostname_chk, (char *to, size_t n, size_t room), (to, n, room), NOTHING,
            WRITES(to, interpose_smaller(interpose_string_bytes(to), n)))
SYSTEM_CALL(int, getdomainname, (char *to, size_t n), (to, n), NOTHING,
            WRITES(to, interpose_smaller(interpose_string_bytes(to), n)))
SYSTEM_CALL(int, sethostname, (const char *from, size_t n), (from, n), READS(from, n), NOTHING)
SYSTEM_CALL(int, getloadavg, (double *to, int n), (to, n), NOTHING,
            WRITES(to, (size_t)result * sizeof *to))
GIVES_FOR(int, tcgetattr, int, struct termios)
SYSTEM_CALL(int, tcsetattr, (int fd, int when, const struct termios *from), (fd, when, from),
            READS_ONE(from), NOTHING)

/* ---------------------------------------------------------------- calls by number */

/* System calls that programs make by number, because an older library lacks the function, or
 * because the program bypasses the library. `memory` is the index of the argument that points to
 * the transferred bytes; the result is the number of bytes. */
static const struct {
    int number;
    uint8_t memory;
    bool writes;
} by_number[] = {
    {SYS_read, 1, true},      {SYS_write, 1, false},    {SYS_pread64, 1, true},
    {SYS_pwrite64, 1, false}, {SYS_getrandom, 0, true}, {SYS_getdents64, 1, true},
#if defined(SYS_getdents)
    {SYS_getdents, 1, true},  {SYS_readlink, 1, true},
#endif
    {SYS_recvfrom, 1, true},  {SYS_sendto, 1, false},   {SYS_readlinkat, 2, true},
    {SYS_getcwd, 0, true},
};

static void count_by_number(long number, const long *words, long result)
{
    for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++) {
        if (by_number[i].number != number)
            continue;
        void *memory = (void *)words[by_number[i].memory];
        if (by_number[i].writes)
            calls_write(memory, (size_t)result);
        else
            calls_read(memory, (size_t)result);
    }
}

/* Makes a system call by number that changes the address space. The call is recorded as if the
 * program had called the function of the same name. */
static bool is_mapping(long number, const long *words, long *result)
{
    void *at = (void *)words[0];
    size_t bytes = (size_t)words[1];
    if (number == SYS_mmap)
        *result = (long)mmap(at, bytes, (int)words[2], (int)words[3], (int)words[4], words[5]);
    else if (number == SYS_munmap)
        *result = munmap(at, bytes);
    else if (number == SYS_mremap)
        *result = (long)mremap(at, bytes, (size_t)words[2], (int)words[3], (void *)words[4]);
    else if (number == SYS_madvise)
        *result = madvise(at, bytes, (int)words[2]);
    else
        return false;
    return true;
}

INTERPOSE(long, syscall, (long number, ...))
{
    long words[6], result;
    va_list list;
    va_start(list, number);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (is_mapping(number, words, &result))
        return result;
    watch_thread_sync();
    result = REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    int error = errno;
    if (result > 0)
        count_by_number(number, words, result);
    errno = error;
    return result;
}
