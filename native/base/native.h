/* Basics of every compiled-in runtime: visibility, threads, and the guard against nested hooks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A runtime is linked into users' programs as a static archive. The runtime allocates from its own
 * pages (ground/host.h) and prints with system calls. All functions of the runtime may be called
 * inside a signal handler, unless a comment says otherwise. A program has exactly one runtime,
 * which defines `native_client` (process.h).
 *
 * Every hook has the following form:
 *
 *     NATIVE_EXPORT void __cyg_profile_func_enter(void *routine, void *site)
 *     {
 *         struct native_thread *self = native_self;
 *
 *         // Before the start, after the end, or no profile:
 *         if (UNLIKELY(!self) && !(self = native_thread_attach()))
 *             return;
 *         // Inside a hook already, as in a signal handler:
 *         if (UNLIKELY(!native_enter(self)))
 *             return;
 *         struct my_thread *mine = native_thread_data(self);
 *         ...
 *         native_leave(self);
 *     }
 */
#ifndef NATIVE_BASE_NATIVE_H
#define NATIVE_BASE_NATIVE_H

#include "ground/basics.h"

/* Runtimes are compiled with -fvisibility=hidden; only hooks and interposed functions are visible
 * to programs. */
#define NATIVE_EXPORT __attribute__((visibility("default")))
#define NATIVE_HIDDEN __attribute__((visibility("hidden")))

/* Thread-local variables have fixed offsets from fs, because runtimes are linked only into
 * executables (also position-independent ones). */
#define NATIVE_TLS __thread __attribute__((tls_model("local-exec")))

/* A compiler barrier: a signal handler of the same thread sees the stores before and after the
 * barrier in this order. */
#define NATIVE_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* The record of a thread that has called a hook. Records are never unmapped, so any thread may read
 * them at any time. The record of an ended thread, with the client's bytes after it, is zeroed and
 * reused. */
struct native_thread {
    struct native_thread *next; /* next record in the list of all records, which only grows */
    uint32_t id;   /* number of the thread: 1, 2, ... in the order of first hooks; never reused */
    int tid;       /* number that the kernel uses for the thread */
    uint32_t live; /* state of the record, atomic: 0: free, 1: live, 2: being made or ended */
    uint8_t round; /* number of times that the destructor of the thread's key has run */
    uint8_t postponed; /* number of times that a fatal signal was postponed inside a hook */
    /* whether the record was made after the runtime had ended the thread; if so, the thread's
     * thread-local variables may disappear at any time */
    uint8_t late;
    /* atomic: the thread waits for the right to report (gate.h), perhaps inside a hook */
    bool is_stuck;
    uintptr_t idle; /* word that is 0 while a hook runs (native_enter) */
    void *signal_stack;
} __attribute__((aligned(64)));

/* The record of the calling thread. NULL: the thread is not attached yet, or was detached
 * permanently. */
extern NATIVE_HIDDEN NATIVE_TLS struct native_thread *native_self;

/* The states of the gate, which native_quiesce and native_pause change (gate.h). Every address is
 * higher than NATIVE_OPEN and lower than the values of the other two states. NATIVE_CLOSED: hooks
 * do nothing, because the last report is being written. NATIVE_PAUSED: hooks wait, because a copy
 * of the process is being made and no event may be lost. */
#define NATIVE_OPEN   ((uint64_t)0)
#define NATIVE_CLOSED (~(uint64_t)1)
#define NATIVE_PAUSED (~(uint64_t)0)
extern NATIVE_HIDDEN uint64_t native_gate;

/* Makes a record for the calling thread and notifies the client (thread_started). Starts the
 * runtime if this is the first hook of the process. Returns NULL if the thread must not be
 * profiled: the runtime is off, closed or starting, or the thread has ended. A pthread key detects
 * the end of the thread in the last round of destructors. */
NATIVE_HIDDEN struct native_thread *native_thread_attach(void);

/* Returns the client's data of the thread: `thread_bytes` bytes, aligned to 64 bytes. These bytes
 * are zero when the thread starts. */
APROF_INLINE void *native_thread_data(struct native_thread *thread)
{
    return thread + 1;
}

/* The slow path of native_enter, if the gate is not open. Waits while the gate is paused. */
NATIVE_HIDDEN APROF_NOINLINE bool native_enter_slowly(struct native_thread *self);

/* Enters a hook, even if the gate is closed or the thread is already inside a hook. Waits while the
 * gate is paused. The caller must later call native_leave, unless a hook that was interrupted
 * continues. */
NATIVE_HIDDEN void native_enter_anyway(struct native_thread *self);

/* The value of `idle` while no hook is running. A client may store any other word except 0 instead
 * (native_leave_as). In the thread's next hook, a comparison of `idle` with the word that the
 * client expects then tests both that no hook is running and that the word is as expected. */
#define NATIVE_IDLE 1

/* Returns whether a hook of the calling thread is running. The `idle` of another thread must be
 * loaded with acquire order. */
APROF_INLINE bool native_is_inside(const struct native_thread *self)
{
    return !__atomic_load_n(&self->idle, __ATOMIC_RELAXED);
}

/* Returns false if the gate is closed, or if the thread is inside a hook. A thread may call this
 * function inside a hook: in a signal handler that has interrupted the hook, or in instrumented
 * code that the hook has called. If the function returns true, native_leave must follow on every
 * path. As in a Dekker lock with an asymmetric fence, native_enter and native_quiesce each store
 * before they load. native_enter stores `idle` before it loads the gate. native_quiesce stores the
 * gate, makes all cores run a fence (membarrier), and then waits until no thread is inside a
 * hook. */
APROF_INLINE bool native_enter(struct native_thread *self)
{
    if (UNLIKELY(native_is_inside(self)))
        return false;
    __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
    NATIVE_SIGNAL_FENCE();
    if (UNLIKELY(__atomic_load_n(&native_gate, __ATOMIC_RELAXED) != NATIVE_OPEN))
        return native_enter_slowly(self);
    return true;
}

/* Release order pairs with native_quiesce's acquire load and makes the hook's writes visible.
 * `word` is the client's value for `idle` and must not be 0. */
APROF_INLINE void native_leave_as(struct native_thread *self, uintptr_t word)
{
    __atomic_store_n(&self->idle, word, __ATOMIC_RELEASE);
}

APROF_INLINE void native_leave(struct native_thread *self)
{
    native_leave_as(self, NATIVE_IDLE);
}

/* Like native_enter, but the caller must know that the thread is not inside a hook. If the function
 * returns false, the caller must immediately call native_leave, and then native_enter. The test of
 * the gate is one comparison of memory with `address`, which may be any address that is already in
 * a register. */
APROF_INLINE bool native_enter_at_once(struct native_thread *self, uintptr_t address)
{
    __atomic_store_n(&self->idle, 0, __ATOMIC_RELAXED);
    NATIVE_SIGNAL_FENCE();
    return LIKELY(native_gate < address);
}

#endif
