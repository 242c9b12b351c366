/* The gate before hooks, and the end: who may close the gate, and how threads wait.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runtimes do not include this file; they use native_enter (native.h). The *end* is the right to
 * write a report; at most one thread has it. The table shows who has the end, and what the
 * program's threads do.
 *
 *     gate      the end                  threads of the program
 *     OPEN      0, or whose copy of the  run in hooks
 *               process writes a report
 *     OPEN      exec                     run in hooks
 *     PAUSED    who copies the process   wait in front of hooks; new ones before they have a record
 *     CLOSED    who writes the last      run unmeasured; those that end wait until it is written
 *               report; FINISHED         run unmeasured
 *
 * Invariant: while the gate is PAUSED, the thread that has closed it has the end. A waiting thread
 * checks whether the closing thread is alive, at growing intervals, so that thousands of waiting
 * threads do not take processor time from it. No thread waits for the gate or the end with signals
 * blocked for longer than 0.1 s at a time.
 */
#ifndef NATIVE_BASE_GATE_H
#define NATIVE_BASE_GATE_H

#include "native/base/native.h"

/* Waits until the gate is not PAUSED; returns immediately if the calling thread has closed it. */
NATIVE_HIDDEN void native_await_gate(void);

/* Closes the gate, so that hooks of all threads do nothing, and waits until no thread except `self`
 * (which may be NULL) is inside one. The function does not wait for a thread that stays inside a
 * hook for ten seconds (a stopped thread), or that waits for the end inside a hook (a crashed
 * thread). With native_pause, hooks wait instead; native_reopen opens the gate again in either
 * case. */
NATIVE_HIDDEN void native_quiesce(const struct native_thread *self);
NATIVE_HIDDEN void native_pause(const struct native_thread *self);
NATIVE_HIDDEN void native_reopen(void);

/* Takes the end, or waits for it. When the function returns, signals are blocked; `mask` is the
 * former mask. False: the last report has been written, or this thread is writing one. */
NATIVE_HIDDEN bool native_take_the_end(uint64_t *mask);
/* Takes the end for a report during the run. Returns false if another thread has the end, or waits
 * for it. */
NATIVE_HIDDEN bool native_try_the_end(void);
/* Called before signals are unblocked and exec is called. A handler may jump away, so nothing may
 * remain that only this thread could release. The gate is opened, and the exec has the end for a
 * second, or until it fails. */
NATIVE_HIDDEN void native_lend_the_end_to_exec(void);
NATIVE_HIDDEN bool native_take_the_end_from_exec(void);
/* Releases the end, or, after the last report, keeps it forever. */
NATIVE_HIDDEN void native_give_up_the_end(bool is_last);
NATIVE_HIDDEN bool native_has_the_end(void);
/* Called in a forked child, where the thread that had the end may not exist. */
NATIVE_HIDDEN void native_gate_forked(void);

/* Waits until the process's last report is written, if another thread writes it. A thread calls
 * this before it ends, because the report may read its stack and its variables. */
NATIVE_HIDDEN void native_await_report(void);

#endif
