/* A thread that the C library does not know of: its own stack and an empty TLS block.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/base/raw_thread.h"

#include "ground/clone_thread.h"
#include "ground/host.h"
#include "native/base/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

/* What fs points to: code may look for itself or a canary there. */
#define TLS_BYTES ((size_t)4096)

/* Those that run, the latest first; those that were stopped, the earliest first. */
static struct native_raw_thread *running, *stopped;
static uint32_t stopping; /* atomic: the thread that has stopped them; 0 */

static void begin(void *argument)
{
    struct native_raw_thread *thread = argument;
    native_syscall(SYS_prctl, PR_SET_NAME, thread->name);
    thread->function(thread->argument);
}

static long clone_with_signals_blocked(struct native_raw_thread *thread)
{
    uint64_t all = ~(uint64_t)0, old;
    char *end = thread->pages + thread->stack_bytes;
    uintptr_t *tls = (uintptr_t *)(end + TLS_BYTES / 2);
    tls[0] = tls[2] = (uintptr_t)tls; /* as the ABI has it: %fs:0 is its own address */
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
    long result = clone_thread(end, begin, thread, NULL, tls);
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    return result;
}

int native_raw_thread_start(struct native_raw_thread *thread)
{
    size_t bytes = thread->stack_bytes + TLS_BYTES;
    if (!thread->pages)
        thread->pages = host_map("native.raw_thread", bytes);
    __atomic_store_n(&thread->stop, 0, __ATOMIC_RELAXED);
    thread->tid = (int)clone_with_signals_blocked(thread);
    if (thread->tid < 0) {
        host_unmap(thread->pages, bytes);
        thread->pages = NULL;
        return thread->tid;
    }
    thread->next = running;
    running = thread;
    return thread->tid;
}

/* ---------------------------------------------------------------- stopping all */

/* The kernel forgets a thread some time after it has left its stack: until then unshare fails. */
static void stop_one(struct native_raw_thread *thread)
{
    struct timespec nap = {0, 20000};
    long pid = native_syscall(SYS_getpid);
    __atomic_store_n(&thread->stop, 1, __ATOMIC_SEQ_CST);
    native_futex_wake(&thread->stop);
    if (thread->wake)
        thread->wake(thread->argument);
    while (native_syscall(SYS_tgkill, pid, thread->tid, 0) != -ESRCH)
        native_syscall(SYS_nanosleep, &nap, 0);
}

bool native_raw_threads_stop(void)
{
    uint32_t nobody = 0, me = (uint32_t)native_syscall(SYS_gettid);
    while (!__atomic_compare_exchange_n(&stopping, &nobody, me, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        if (nobody == me) /* a handler of the thread that is changing its identity */
            return false;
        nobody = 0;
        native_syscall(SYS_sched_yield);
    }
    while (running) {
        struct native_raw_thread *thread = running;
        stop_one(thread);
        running = thread->next;
        thread->next = stopped;
        stopped = thread;
    }
    return true;
}

void native_raw_threads_resume(void)
{
    while (stopped) {
        struct native_raw_thread *thread = stopped;
        stopped = thread->next;
        if (native_raw_thread_start(thread) < 0 && thread->lost)
            thread->lost(thread->argument);
    }
    __atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
}

static void forget(struct native_raw_thread *thread)
{
    for (; thread; thread = thread->next) {
        host_unmap(thread->pages, thread->stack_bytes + TLS_BYTES);
        thread->pages = NULL;
    }
}

void native_raw_threads_forked(void)
{
    forget(running);
    running = stopped = NULL;
    stopping = 0;
}

/* ---------------------------------------------------------------- sleeping */

void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns)
{
    struct timespec limit = {(time_t)(limit_ns / 1000000000), (long)(limit_ns % 1000000000)};
    native_syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit_ns ? &limit : NULL);
}

void native_futex_wake(uint32_t *word)
{
    native_syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}
