/* `wait` and `wake` of cab_config for Linux: a thread sleeps at a bell, and is woken.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * These functions need a C library; programs without a C library must make the two futex calls
 * themselves.
 */
#ifndef CAB_CAB_FUTEX_H
#define CAB_CAB_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* errno belongs to the profiled program, so it is saved and restored. */
static inline void cab_futex_wait(void *context, _Atomic uint32_t *word, uint32_t expected)
{
    int saved = errno;

    (void)context;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
    errno = saved;
}

static inline void cab_futex_wake(void *context, _Atomic uint32_t *word)
{
    int saved = errno;

    (void)context;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

static inline uint64_t cab_clock_ns(void *context)
{
    struct timespec now;

    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
