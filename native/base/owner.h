/* Locks that name their owner, so that a dead owner can be detected.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A lock is a word with the kernel's number of the thread that holds the lock, or 0. A thread may
 * die while it holds a lock (SECCOMP_RET_KILL_THREAD, or a child of vfork that a signal kills). A
 * copy of the process has the locks but not their owners. So a waiting thread takes over the lock
 * of an owner that no longer exists.
 */
#ifndef NATIVE_BASE_OWNER_H
#define NATIVE_BASE_OWNER_H

#include "native/base/native.h"

NATIVE_HIDDEN uint32_t native_own_number(void);

/* Returns whether no thread with this number runs in this process. */
NATIVE_HIDDEN bool native_has_died(uint32_t thread);

/* This function must be called in each copy of the process, because a copy has only the calling
 * thread. */
NATIVE_HIDDEN void native_owners_are_gone(void);

/* Invariant: the holder of a lock never waits for another thread, so the lock is soon free. Signal
 * handlers of the holder's thread never take the lock: signals are blocked, or hooks in handlers do
 * nothing. */
/* Tries to take the lock, also from a dead owner. If the lock is not free, waits `round`
 * milliseconds, at most 100; the first round is 0. Returns true if the lock is taken. */
NATIVE_HIDDEN bool native_try_lock_longer(uint32_t *lock, unsigned round);
NATIVE_HIDDEN void native_lock(uint32_t *lock);
NATIVE_HIDDEN void native_unlock(uint32_t *lock);

#endif
