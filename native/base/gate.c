/* Implements the gate in front of hooks, and the right to write a report.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/base/gate.h"

#include "native/base/owner.h"
#include "native/base/process.h"
#include "native/base/raw_thread.h"
#include "native/base/syscalls.h"
#include "native/base/threads.h"

#include <linux/membarrier.h>
#include <time.h>

#define SECOND_NS ((uint64_t)1000000000)
/* longest wait for threads that are inside a hook when the gate closes */
#define PATIENCE_NS (10 * SECOND_NS)
/* length of the first nap; each nap is twice as long as the previous nap */
#define NAP_NS      50000
#define NAP_MOST_NS 5000000
#define BLOCKED_NS  100000000 /* longest time that a thread waits with signals blocked */
/* time after which a waiting thread first checks whether the owner is alive */
#define WAIT_NS   100000000
#define WAIT_MOST (20 * SECOND_NS)
#define FINISHED  0xffffffffu
#define EXECUTING 0x80000000u /* flag in `finishing`: the thread is running exec */
/* longest assumed time of an exec; an older exec counts as abandoned */
#define EXEC_NS SECOND_NS

uint64_t native_gate = NATIVE_CLOSED;
extern NATIVE_EXPORT uint64_t aprof_native_gate __attribute__((alias("native_gate")));

static uint32_t
    /* atomic: 0; or the number of the thread that has the right to report, with the flag EXECUTING
     * if the thread runs exec; or FINISHED */
    finishing;
static uint64_t exec_began; /* atomic */
static uint32_t wanted;     /* atomic: number of threads that wait for the right to report */

/* ---------------------------------------------------------------- waiting */

bool native_has_the_end(void)
{
    return __atomic_load_n(&finishing, __ATOMIC_RELAXED) == native_own_number();
}

static bool is_paused(void)
{
    return __atomic_load_n(&native_gate, __ATOMIC_RELAXED) == NATIVE_PAUSED;
}

static bool replace_owner(uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&finishing, &from, to, 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static bool is_left_by_the_dead(uint32_t owner)
{
    return owner && owner != FINISHED && native_has_died(owner & ~EXECUTING);
}

static uint64_t clock_ns(void)
{
    struct timespec now = {0};
    native_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* Returns whether the calling thread may take the right to report from `owner`, because the owner
 * has abandoned its exec: a signal handler may jump out of an exec. The thread of the exec may take
 * the right again at once; other threads may take the right after a second. */
static bool is_left_by_exec(uint32_t owner)
{
    if (owner == FINISHED || !(owner & EXECUTING))
        return false;
    return (owner & ~EXECUTING) == native_own_number() ||
           clock_ns() - __atomic_load_n(&exec_began, __ATOMIC_ACQUIRE) > EXEC_NS;
}

/* Reopens the gate if the thread that closed it has died. */
static void reopen_for_the_dead(void)
{
    uint32_t owner = __atomic_load_n(&finishing, __ATOMIC_RELAXED);
    if (!is_left_by_the_dead(owner) || !replace_owner(owner, native_own_number()))
        return;
    if (is_paused())
        native_reopen();
    native_give_up_the_end(false);
}

/* Sleeps until another thread wakes this thread, but at most for the time *limit; then doubles
 * *limit. */
static void wait_longer(uint32_t *word, uint32_t while_it_is, uint64_t *limit)
{
    native_futex_wait(word, while_it_is, *limit);
    *limit = *limit < WAIT_MOST ? 2 * *limit : WAIT_MOST;
}

void native_await_gate(void)
{
    uint64_t limit = WAIT_NS;
    while (is_paused() && !native_has_the_end()) {
        wait_longer((uint32_t *)&native_gate, (uint32_t)NATIVE_PAUSED, &limit);
        if (is_paused())
            reopen_for_the_dead();
    }
}

void native_await_report(void)
{
    uint64_t limit = WAIT_NS;
    uint32_t owner;
    while ((owner = __atomic_load_n(&finishing, __ATOMIC_ACQUIRE)) && owner != FINISHED &&
           !native_has_the_end() && !is_left_by_the_dead(owner))
        wait_longer(&finishing, owner, &limit);
}

/* ---------------------------------------------------------------- the gate */

bool native_enter_slowly(struct native_thread *self)
{
    for (;;) {
        uint64_t gate = __atomic_load_n(&native_gate, __ATOMIC_RELAXED);
        if (gate == NATIVE_OPEN)
            return true;
        native_leave(self);
        if (gate == NATIVE_CLOSED ||
            native_has_the_end()) /* true in a signal handler of the thread that calls exec */
            return false;
        native_await_gate();
        __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with the fence in fence_everywhere */
    }
}

void native_enter_anyway(struct native_thread *self)
{
    for (;;) {
        __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
        NATIVE_SIGNAL_FENCE();
        if (!is_paused() || native_has_the_end())
            return;
        native_leave(self);
        native_await_gate();
    }
}

/* Runs a fence on every core that runs a thread of the process. A store to `idle` before the fence
 * is visible after the fence. A thread that stores `idle` after the fence then finds the closed
 * gate. */
static void fence_everywhere(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (native_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
        native_syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static bool is_in_hook(const struct native_thread *thread)
{
    /* Acquire order pairs with native_leave and makes the hook's writes visible. */
    return !__atomic_load_n(&thread->idle, __ATOMIC_ACQUIRE) &&
           !__atomic_load_n(&thread->is_stuck, __ATOMIC_ACQUIRE);
}

static void await_hook(const struct native_thread *thread, uint64_t until)
{
    struct timespec nap = {0, NAP_NS};
    while (is_in_hook(thread) && clock_ns() < until) {
        native_syscall(SYS_nanosleep, &nap, 0);
        if (nap.tv_nsec < NAP_MOST_NS)
            nap.tv_nsec *= 2;
        else if (native_has_died((uint32_t)thread->tid))
            return;
    }
}

/* Waits until each thread except `self` has been outside hooks at least once. Stores before this
 * wait are visible to hooks that start after the wait. */
static void await_hooks(const struct native_thread *self)
{
    uint64_t until = clock_ns() + PATIENCE_NS;
    fence_everywhere();
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next)
        if (thread != self)
            await_hook(thread, until);
}

static void shut(uint64_t gate, const struct native_thread *self)
{
    __atomic_store_n(&native_gate, gate, __ATOMIC_RELAXED);
    native_futex_wake((uint32_t *)&native_gate);
    await_hooks(self);
}

bool native_hooks_have_ended(void)
{
    for (struct native_thread *thread = native_threads(); thread; thread = thread->next)
        if (!__atomic_load_n(&thread->idle, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

void native_await_hooks(void)
{
    await_hooks(native_self);
}

void native_quiesce(const struct native_thread *self)
{
    shut(NATIVE_CLOSED, self);
}

void native_pause(const struct native_thread *self)
{
    shut(NATIVE_PAUSED, self);
}

void native_reopen(void)
{
    __atomic_store_n(&native_gate, NATIVE_OPEN, __ATOMIC_RELEASE);
    native_futex_wake((uint32_t *)&native_gate);
}

/* ---------------------------------------------------------------- the end */

enum outcome { TAKEN, NOT_OURS, BUSY };

static enum outcome take_now(uint32_t *owner)
{
    uint32_t me = native_own_number();
    *owner = 0;
    if (__atomic_compare_exchange_n(&finishing, owner, me, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return TAKEN;
    if (*owner == me || *owner == FINISHED)
        return NOT_OURS;
    bool is_left = is_left_by_the_dead(*owner) || is_left_by_exec(*owner);
    return is_left && replace_owner(*owner, me) ? TAKEN : BUSY;
}

/* Sets `is_stuck` of the calling thread, which may have interrupted a hook. The thread that has the
 * right to report does not wait for hooks of stuck threads. */
static void set_stuck(bool is_stuck)
{
    if (native_self)
        __atomic_store_n(&native_self->is_stuck, is_stuck, __ATOMIC_RELEASE);
}

/* Call this function with signals blocked. While `wanted` is not 0, reports during the run do not
 * take the right to report. Otherwise the last report might wait forever. */
static enum outcome take_soon(void)
{
    uint32_t owner;
    __atomic_add_fetch(&wanted, 1, __ATOMIC_SEQ_CST);
    set_stuck(true);
    enum outcome outcome = take_now(&owner);
    if (outcome == BUSY) {
        native_futex_wait(&finishing, owner, BLOCKED_NS);
        outcome = take_now(&owner);
    }
    set_stuck(false);
    __atomic_sub_fetch(&wanted, 1, __ATOMIC_SEQ_CST);
    return outcome;
}

bool native_take_the_end(uint64_t *mask)
{
    for (;;) {
        native_signals_block(mask);
        enum outcome outcome = take_soon();
        if (outcome != BUSY)
            return outcome == TAKEN;
        native_signals_restore(mask);
    }
}

/* Acquire order pairs with native_lend_the_end_to_exec, so exec_began belongs to the exec that owns
 * the right to report. */
bool native_try_the_end(void)
{
    uint32_t owner = __atomic_load_n(&finishing, __ATOMIC_ACQUIRE);
    return !__atomic_load_n(&wanted, __ATOMIC_SEQ_CST) && (!owner || is_left_by_exec(owner)) &&
           replace_owner(owner, native_own_number());
}

void native_lend_the_end_to_exec(void)
{
    native_reopen();
    __atomic_store_n(&exec_began, clock_ns(), __ATOMIC_RELEASE);
    __atomic_store_n(&finishing, native_own_number() | EXECUTING, __ATOMIC_RELEASE);
}

bool native_take_the_end_from_exec(void)
{
    uint32_t me = native_own_number();
    return replace_owner(me | EXECUTING, me);
}

void native_give_up_the_end(bool is_last)
{
    __atomic_store_n(&finishing, is_last ? FINISHED : 0, __ATOMIC_RELEASE);
    native_futex_wake(&finishing);
}

void native_gate_forked(void)
{
    wanted = 0;
    native_give_up_the_end(false);
}
