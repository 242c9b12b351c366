/* Locks that name their owner, so that a dead owner can be detected.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The word is the kernel's number of the thread that holds the lock; 0: none. A thread may die in the middle of its
 * work (SECCOMP_RET_KILL_THREAD, a child of vfork that a signal kills), and a copy of the process has the words but
 * not the threads. So a waiting thread takes the lock from an owner that does not exist.
 */
#ifndef NATIVE_BASE_OWNER_H
#define NATIVE_BASE_OWNER_H

#include "native/base/native.h"

NATIVE_HIDDEN uint32_t native_own_number(void);

/* True if no such thread runs in this process. */
NATIVE_HIDDEN bool native_has_died(uint32_t thread);

/* This is a copy of the process, with one thread. */
NATIVE_HIDDEN void native_owners_are_gone(void);

/* Invariant: the holder of a lock waits for nothing that another thread does, so the lock is free soon. No
 * handler of the thread may want it meanwhile: signals are blocked, or hooks in handlers do nothing. */
/* Tries for some milliseconds: `round` is 0, 1, ..., and makes it longer. Takes the lock from a dead owner. */
NATIVE_HIDDEN bool native_try_lock_longer(uint32_t *lock, unsigned round);
NATIVE_HIDDEN void native_lock(uint32_t *lock);
NATIVE_HIDDEN void native_unlock(uint32_t *lock);

#endif
