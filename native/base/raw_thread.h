/* A thread that the C library does not know.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It blocks all signals, does not exist in a forked child, and ends with the process. The C library
 * does not count a raw thread as a thread. A raw thread's function must not use thread-local
 * storage: no native_self, and no C library functions except memcpy and the like.
 *
 * The kernel counts a raw thread as a thread, with credentials of its own. So all raw threads end
 * before unshare, setns and set*id (identities.c), and start again afterwards. The functions of raw
 * threads must return soon after `stop` has become 1, without data on their stack that they need
 * later. Afterwards the functions are called again.
 */
#ifndef NATIVE_BASE_RAW_THREAD_H
#define NATIVE_BASE_RAW_THREAD_H

#include "native/base/native.h"

/* Must exist as long as the process. Members are set before the start, except where a comment says
 * otherwise. */
struct native_raw_thread {
    const char *name; /* what ps shows, up to 15 characters */
    void (*function)(void *argument);
    void (*wake)(void *argument); /* wakes it if it sleeps on another word than `stop`; else NULL */
    /* Called if it could not start again, as in a new pid namespace; may be NULL. */
    void (*lost)(void *argument);
    void *argument;
    size_t stack_bytes;

    uint32_t stop; /* atomic, a futex; not 0: the function must return */

    struct native_raw_thread *next; /* from here on for raw_thread.c only */
    char *pages;
    uint32_t id; /* atomic: the kernel clears it when the thread ends */
    int tid;
};

/* Starts the thread on a stack of its own pages. Returns the thread's id, or -errno. */
NATIVE_HIDDEN int native_raw_thread_start(struct native_raw_thread *thread);

/* True if the thread has died although it was not stopped. Makes no system call. */
NATIVE_HIDDEN bool native_raw_thread_has_died(const struct native_raw_thread *thread);

/* Ends all threads, the latest first, and waits until the kernel has released them. A thread that
 * does not return within half a minute continues. Returns false if another thread has stopped the
 * raw threads, and will start them again. */
NATIVE_HIDDEN bool native_raw_threads_stop(void);
/* Starts all again after a successful stop. */
NATIVE_HIDDEN void native_raw_threads_resume(void);
/* Called in a forked child, where the parent's raw threads do not exist. */
NATIVE_HIDDEN void native_raw_threads_forked(void);

/* futex(2): sleeps while *word == expected, at most `limit_ns` (0: no limit); wakes all. */
NATIVE_HIDDEN void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns);
NATIVE_HIDDEN void native_futex_wake(uint32_t *word);

#endif
