/* A thread that the C library does not know of.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It blocks all signals, does not count when the C library asks whether the last thread has ended,
 * is not in a forked child, and ends with the process. Its function must not return and may call
 * nothing that uses thread-local storage: no C library but memcpy and its kin, no native_self.
 */
#ifndef NATIVE_BASE_RAW_THREAD_H
#define NATIVE_BASE_RAW_THREAD_H

#include "native/base/native.h"

/* Starts it on a stack of its own pages. `name` is what ps shows, up to 15 characters. Returns its
 * id, or -errno. */
NATIVE_HIDDEN int native_raw_thread(const char *name, void (*function)(void *argument),
                                    void *argument, size_t stack_bytes);

/* futex(2): sleeps while *word == expected, at most `limit_ns` (0: no limit); wakes all. */
NATIVE_HIDDEN void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns);
NATIVE_HIDDEN void native_futex_wake(uint32_t *word);

#endif
