/* A thread that the C library does not know of.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It blocks all signals, does not count when the C library asks whether the last thread has ended,
 * is not in a forked child, and ends with the process. Its function may call nothing that uses
 * thread-local storage: no C library but memcpy and its kin, no native_self.
 *
 * The kernel does count it, and it has credentials of its own. So around unshare, setns and set*id
 * (interpose.c) all of them end and begin anew: a function returns soon after `stop` has become 1,
 * keeps nothing on its stack that it still needs, and goes on from there when it is called again.
 */
#ifndef NATIVE_BASE_RAW_THREAD_H
#define NATIVE_BASE_RAW_THREAD_H

#include "native/base/native.h"

/* Lives as long as the process. What is not said otherwise is set before the start. */
struct native_raw_thread {
    const char *name; /* what ps shows, up to 15 characters */
    void (*function)(void *argument);
    void (*wake)(void *argument); /* it may sleep elsewhere than at `stop`; NULL: it does not */
    void (*lost)(void *argument); /* it could not begin anew (a pid namespace); NULL */
    void *argument;
    size_t stack_bytes;

    uint32_t stop; /* atomic, a futex: not 0: return */

    struct native_raw_thread *next; /* raw_thread.c's, from here */
    char *pages;
    uint32_t id; /* atomic: the kernel clears it when the thread ends */
    int tid;
};

/* Starts it on a stack of its own pages. Returns its id, or -errno. */
NATIVE_HIDDEN int native_raw_thread_start(struct native_raw_thread *thread);

/* It has died: it was neither stopped nor did it fail to start anew. No system call. */
NATIVE_HIDDEN bool native_raw_thread_has_died(const struct native_raw_thread *thread);

/* Ends all, the latest first, and waits until the kernel has forgotten them. One that does not return within
 * half a minute goes on. False: somebody else has stopped them, who will start them again. */
NATIVE_HIDDEN bool native_raw_threads_stop(void);
/* After a stop that was true: all begin anew. */
NATIVE_HIDDEN void native_raw_threads_resume(void);
/* In a forked child: there are none. */
NATIVE_HIDDEN void native_raw_threads_forked(void);

/* futex(2): sleeps while *word == expected, at most `limit_ns` (0: no limit); wakes all. */
NATIVE_HIDDEN void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns);
NATIVE_HIDDEN void native_futex_wake(uint32_t *word);

#endif
