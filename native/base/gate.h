/* The gate in front of hooks, and the right to write a report, which only one thread can have.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runtimes do not include this file; they use native_enter (native.h). The *end* is the right to
 * write a report; at most one thread has it. The table shows which thread has the end, and what the
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
 * checks at growing intervals whether the closing thread is alive. Thousands of waiting threads
 * therefore take little processor time from the closing thread. No thread waits for the gate or the
 * end with signals blocked for longer than 0.1 s at a time.
 */
#ifndef NATIVE_BASE_GATE_H
#define NATIVE_BASE_GATE_H

#include "native/base/native.h"

/* Waits until the gate is not PAUSED; returns immediately if the calling thread has closed it. */
NATIVE_HIDDEN void native_await_gate(void);

/* native_quiesce closes the gate, so that hooks of all threads do nothing. native_quiesce then
 * waits until no thread except `self` (which may be NULL) is inside a hook. The function does not
 * wait for a thread that stays inside a hook for ten seconds (a stopped thread), or that waits for
 * the end inside a hook (a crashed thread). native_pause lets hooks wait instead. native_reopen
 * opens the gate again in either case. */
NATIVE_HIDDEN void native_quiesce(const struct native_thread *self);
NATIVE_HIDDEN void native_pause(const struct native_thread *self);
NATIVE_HIDDEN void native_reopen(void);

/* Takes the end, or waits for the end. When the function returns, signals are blocked; `mask` is
 * the former mask. Returns false if the last report has been written, or if this thread is writing
 * a report. */
NATIVE_HIDDEN bool native_take_the_end(uint64_t *mask);
/* Takes the end for a report during the run. Returns false if another thread has the end or waits
 * for the end. */
NATIVE_HIDDEN bool native_try_the_end(void);
/* Call this function before signals are unblocked and exec is called. A handler may jump away, so
 * no lock may remain that only this thread can release. The gate is opened, and the exec has the
 * end for a second, or until the exec fails. */
NATIVE_HIDDEN void native_lend_the_end_to_exec(void);
NATIVE_HIDDEN bool native_take_the_end_from_exec(void);
/* Releases the end, except after the last report, when the end stays taken forever. */
NATIVE_HIDDEN void native_give_up_the_end(bool is_last);
NATIVE_HIDDEN bool native_has_the_end(void);
/* Call this function in a forked child, where the thread that had the end may not exist. */
NATIVE_HIDDEN void native_gate_forked(void);

/* Waits until the process's last report is written, if another thread writes it. A thread calls
 * this function before it ends, because the report may read the thread's stack and variables. */
NATIVE_HIDDEN void native_await_report(void);

#endif
