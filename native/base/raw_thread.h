/* Raw threads: threads that are made without the C library.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A raw thread blocks all signals, does not exist in a forked child, and ends with the process. The
 * C library does not count a raw thread as a thread. A raw thread's function must not use
 * thread-local storage: neither native_self nor C library functions, except simple functions such
 * as memcpy.
 *
 * The kernel counts a raw thread as a thread with separate credentials. So all raw threads end
 * before unshare, setns and set*id (identities.c), and start again afterwards. The function of a
 * raw thread must return soon after `stop` has become 1. After a restart, a raw thread's function
 * is called again, and must not rely on data on its stack.
 */
#ifndef NATIVE_BASE_RAW_THREAD_H
#define NATIVE_BASE_RAW_THREAD_H

#include "native/base/native.h"

/* Each native_raw_thread must exist as long as the process. All members of this struct are set
 * before the thread starts, unless a comment says otherwise. */
struct native_raw_thread {
    const char *name; /* name of the thread in ps, up to 15 characters */
    void (*function)(void *argument);
    /* function that wakes the thread; NULL if the thread sleeps only on `stop` */
    void (*wake)(void *argument);
    /* function that is called if the thread cannot be restarted, for example in a new pid
     * namespace; may be NULL */
    void (*lost)(void *argument);
    void *argument;
    size_t stack_bytes;

    uint32_t stop; /* atomic futex: if `stop` is not 0, `function` must return */

    /* only raw_thread.c uses the following members */
    struct native_raw_thread *next;
    char *pages;
    uint32_t id; /* atomic: id of the thread, which the kernel clears when the thread ends */
    int tid;
};

/* Starts the thread on a new stack. Returns the thread's id, or -errno. */
NATIVE_HIDDEN int native_raw_thread_start(struct native_raw_thread *thread);

/* Returns whether the thread has ended although nothing has stopped it, for example because it was
 * killed. The function makes no system call. */
NATIVE_HIDDEN bool native_raw_thread_has_died(const struct native_raw_thread *thread);

/* Ends all raw threads, the most recently started thread first, and waits until the kernel has
 * released them. A thread that does not return within half a minute continues to run. Returns false
 * if another thread has stopped the raw threads and will start them again. */
NATIVE_HIDDEN bool native_raw_threads_stop(void);
/* Starts all raw threads again after a successful stop. */
NATIVE_HIDDEN void native_raw_threads_resume(void);
/* Call this function in a forked child, where the parent's raw threads do not exist. */
NATIVE_HIDDEN void native_raw_threads_forked(void);

/* Calls of futex(2). native_futex_wait sleeps while *word == expected, but at most `limit_ns`
 * nanoseconds (0: no limit). native_futex_wake wakes all waiting threads. */
NATIVE_HIDDEN void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns);
NATIVE_HIDDEN void native_futex_wake(uint32_t *word);

#endif
