/* Locks that name their owner, so that a dead owner can be detected.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file uses no vector registers and no C library, because hooks wait in its functions.
 */
#include "native/base/owner.h"

#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <errno.h>
#include <sys/uio.h>
#include <time.h>

/* A waiting thread calls sched_yield at most YIELDS times and then sleeps, because sched_yield in a
 * real-time thread does not let threads of lower priority run. */
#define YIELDS      100
#define NAP_NS      1000000
#define ROUNDS_MOST 100 /* length of the longest nap, as a multiple of the first nap */

static bool are_all_gone;

uint32_t native_own_number(void)
{
    return (uint32_t)native_syscall(SYS_gettid);
}

static bool is_known(uint32_t process, uint32_t thread)
{
    return native_syscall(SYS_tgkill, process, thread, 0) != -ESRCH;
}

/* If a process's first thread ends, its number stays in use until the process ends. This function
 * returns true for such a thread, because the memory of an ended thread cannot be read. */
static bool has_no_memory(uint32_t thread)
{
    char from[1], to[1];
    struct iovec remote = {from, 1}, local = {to, 1};
    return native_syscall(SYS_process_vm_readv, thread, &local, 1, &remote, 1, 0) == -ESRCH;
}

/* A thread that is not in this process may be a child of vfork: another process with the same
 * memory. */
bool native_has_died(uint32_t thread)
{
    uint32_t process = (uint32_t)native_pid();
    if (are_all_gone)
        return thread != native_own_number();
    if (is_known(process, thread))
        return thread == process && has_no_memory(thread);
    return !is_known(thread, thread);
}

void native_owners_are_gone(void)
{
    are_all_gone = true;
}

static bool take(uint32_t *lock, uint32_t from)
{
    return __atomic_compare_exchange_n(lock, &from, native_own_number(), 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* If the lock has this thread's number, a child of vfork took the lock and died. */
bool native_try_lock_longer(uint32_t *lock, unsigned round)
{
    struct timespec nap = {0, NAP_NS * (round < ROUNDS_MOST ? round : ROUNDS_MOST)};
    for (int i = 0; i < YIELDS; i++) {
        if (take(lock, 0))
            return true;
        native_syscall(SYS_sched_yield);
    }
    if (round > 0)
        native_syscall(SYS_nanosleep, &nap, 0);
    uint32_t owner = __atomic_load_n(lock, __ATOMIC_RELAXED);
    return owner && (owner == native_own_number() || native_has_died(owner)) && take(lock, owner);
}

void native_lock(uint32_t *lock)
{
    for (unsigned round = 0; !native_try_lock_longer(lock, round); round++)
        continue;
}

void native_unlock(uint32_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE); /* pairs with the exchange in `take` */
}
