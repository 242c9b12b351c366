/* A thread that the C library does not know.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It blocks all signals, is not counted when the C library checks for the last thread, does not exist in a forked
 * child, and ends with the process. Its function must not use thread-local storage: no C library except memcpy and
 * its kin, no native_self.
 *
 * The kernel counts it, and it has credentials of its own. So around unshare, setns and set*id (interpose.c) all of
 * them end and start again. A function returns soon after `stop` has become 1, keeps nothing on its stack that it
 * still needs, and continues from there when it is called again.
 */
#ifndef NATIVE_BASE_RAW_THREAD_H
#define NATIVE_BASE_RAW_THREAD_H

#include "native/base/native.h"

/* Lives as long as the process. Members are set before the start, unless they say otherwise. */
struct native_raw_thread {
    const char *name; /* what ps shows, up to 15 characters */
    void (*function)(void *argument);
    void (*wake)(void *argument); /* if it sleeps anywhere except at `stop`; else NULL */
    void (*lost)(void *argument); /* called if it could not start again (a pid namespace); NULL */
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

/* True if it has died: it was neither stopped nor failed to start again. No system call. */
NATIVE_HIDDEN bool native_raw_thread_has_died(const struct native_raw_thread *thread);

/* Ends all, latest first, and waits until the kernel has released them. One that does not return within half a
 * minute continues. False: another thread has stopped them, and will start them again. */
NATIVE_HIDDEN bool native_raw_threads_stop(void);
/* After a successful stop: all start again. */
NATIVE_HIDDEN void native_raw_threads_resume(void);
/* In a forked child: there are none. */
NATIVE_HIDDEN void native_raw_threads_forked(void);

/* futex(2): sleeps while *word == expected, at most `limit_ns` (0: no limit); wakes all. */
NATIVE_HIDDEN void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns);
NATIVE_HIDDEN void native_futex_wake(uint32_t *word);

#endif
