/* Locks that name their owner, who is alive or can be found dead.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The word is the kernel's number of the thread that holds the lock; 0: nobody does. A thread may be ended in the
 * midst of its work (SECCOMP_RET_KILL_THREAD, a child of vfork that a signal kills), and a copy of the process has
 * the words and not the threads: who waits takes the lock from an owner that does not exist.
 */
#ifndef NATIVE_BASE_OWNER_H
#define NATIVE_BASE_OWNER_H

#include "native/base/native.h"

NATIVE_HIDDEN uint32_t native_own_number(void);

/* No such thread is in this process, or none that runs. */
NATIVE_HIDDEN bool native_has_died(uint32_t thread);

/* This is a copy of the process, and has one thread. */
NATIVE_HIDDEN void native_owners_are_gone(void);

/* Invariant: who holds one waits for nothing that another thread does, so it is free soon. No handler of the
 * thread may want it meanwhile: signals are blocked, or hooks in handlers do nothing. */
NATIVE_HIDDEN bool native_try_lock(uint32_t *lock);
/* Tries for some milliseconds: `round` is 0, 1, ..., and makes it longer. Takes it from the dead. */
NATIVE_HIDDEN bool native_try_lock_longer(uint32_t *lock, unsigned round);
NATIVE_HIDDEN void native_lock(uint32_t *lock);
NATIVE_HIDDEN void native_unlock(uint32_t *lock);

#endif
