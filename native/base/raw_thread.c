/* Makes threads without the C library, each with a separate stack and an empty TLS block.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/base/raw_thread.h"

#include "ground/clone_thread.h"
#include "ground/host.h"
#include "native/base/owner.h"
#include "native/base/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

/* Size of the TLS block to which fs points; code may read fs:0 or a stack protector's canary. */
#define TLS_BYTES ((size_t)4096)

/* first wait for the end of a thread; each wait is twice as long as the previous wait */
#define NAP_NS      20000
#define NAP_MOST_NS 5000000
#define NAPS_MOST   6000 /* half a minute */

/* Values of `stop`. A thread in state LEAVING never continues, so another thread may be started. */
enum { GO_ON, RETURN, LEAVING };

/* Lists of running threads, latest first, and of stopped threads, earliest first. */
static struct native_raw_thread *running, *stopped;
static uint32_t stopping; /* atomic: thread that has stopped the raw threads, or 0 */

static void begin(void *argument)
{
    struct native_raw_thread *thread = argument;
    native_syscall(SYS_prctl, PR_SET_NAME, thread->name);
    uint32_t stop;
    do {
        thread->function(thread->argument);
        stop = RETURN; /* pairs with the exchange in `give_up` */
    } while (!__atomic_compare_exchange_n(&thread->stop, &stop, LEAVING, 0, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
}

static long clone_with_signals_blocked(struct native_raw_thread *thread)
{
    uint64_t all = ~(uint64_t)0, old;
    char *end = thread->pages + thread->stack_bytes;
    uintptr_t *tls = (uintptr_t *)(end + TLS_BYTES / 2);
    /* according to the ABI, %fs:0 contains the base address of %fs */
    tls[0] = tls[2] = (uintptr_t)tls;
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
    long result = clone_thread(end, begin, thread, &thread->id, tls);
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    return result;
}

int native_raw_thread_start(struct native_raw_thread *thread)
{
    size_t bytes = thread->stack_bytes + TLS_BYTES;
    if (!thread->pages)
        thread->pages = host_map("native.raw_thread", bytes);
    /* `id` is stored before the thread starts, and `tid` after the start;
     * native_raw_thread_has_died relies on this order. */
    __atomic_store_n(&thread->id, ~0u, __ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->stop, GO_ON, __ATOMIC_SEQ_CST);
    int tid = (int)clone_with_signals_blocked(thread);
    __atomic_store_n(&thread->tid, tid, __ATOMIC_SEQ_CST); /* tid 0: the thread was never started */
    if (tid < 0) {
        __atomic_store_n(&thread->stop, LEAVING, __ATOMIC_SEQ_CST);
        host_unmap(thread->pages, bytes);
        thread->pages = NULL;
        return tid;
    }
    thread->next = running;
    running = thread;
    return tid;
}

bool native_raw_thread_has_died(const struct native_raw_thread *thread)
{
    /* `id` is loaded a second time at the end, because the thread may have been restarted between
     * the loads. */
    return __atomic_load_n(&thread->tid, __ATOMIC_SEQ_CST) > 0 &&
           !__atomic_load_n(&thread->id, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&thread->stop, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&thread->id, __ATOMIC_SEQ_CST);
}

/* ---------------------------------------------------------------- stopping all */

/* Waits for the end of a thread. The kernel releases a thread some time after the thread has left
 * its stack. Until then, unshare fails. */
static bool await_end(const struct native_raw_thread *thread)
{
    struct timespec nap = {0, NAP_NS};
    long pid = native_syscall(SYS_getpid);
    for (int naps = 0; naps < NAPS_MOST; naps++) {
        if (native_syscall(SYS_tgkill, pid, thread->tid, 0) == -ESRCH)
            return true;
        native_syscall(SYS_nanosleep, &nap, 0);
        if (nap.tv_nsec < NAP_MOST_NS)
            nap.tv_nsec *= 2;
    }
    return false;
}

/* Allows a thread that did not stop in time to continue. Returns false if the thread is already
 * leaving. */
static bool give_up(struct native_raw_thread *thread)
{
    uint32_t stop = RETURN;
    return __atomic_compare_exchange_n(&thread->stop, &stop, GO_ON, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* Stops a thread. Returns false if the thread did not stop in time and continues to run. */
static bool stop_one(struct native_raw_thread *thread)
{
    __atomic_store_n(&thread->stop, RETURN, __ATOMIC_SEQ_CST);
    native_futex_wake(&thread->stop);
    if (thread->wake)
        thread->wake(thread->argument);
    return await_end(thread) || (!give_up(thread) && await_end(thread));
}

bool native_raw_threads_stop(void)
{
    if (__atomic_load_n(&stopping, __ATOMIC_RELAXED) == native_own_number())
        /* a signal handler calls this function in the thread that is changing its identity */
        return false;
    native_lock(&stopping);
    for (struct native_raw_thread **at = &running; *at;) {
        struct native_raw_thread *thread = *at;
        if (native_raw_thread_has_died(thread)) {
            *at = thread->next;
            continue;
        }
        if (!stop_one(thread)) {
            at = &thread->next;
            continue;
        }
        *at = thread->next;
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
    native_unlock(&stopping);
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
