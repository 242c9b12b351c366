/* Declares the gate in front of hooks, and the right to write a report.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runtimes do not include this file; they use native_enter (native.h). A thread may write a report
 * only while it has the *right to report*, which at most one thread has at a time. Names of
 * functions call this right `end`. The following table shows which thread has the right to report,
 * and what the program's threads do.
 *
 *     gate      right to report          threads of the program
 *     OPEN      0, or the thread whose   run in hooks
 *               copy of the process
 *               writes a report
 *     OPEN      exec                     run in hooks
 *     PAUSED    the thread that copies   wait in front of hooks; new threads wait before they
 *               the process              have a record
 *     CLOSED    the thread that writes   run unmeasured; threads that end wait until the last
 *               the last report          report is written
 *     CLOSED    FINISHED                 run unmeasured
 *
 * Invariant: while the gate is PAUSED, the thread that has closed it has the right to report. A
 * waiting thread checks at growing intervals whether the closing thread is alive. The intervals
 * grow so that even thousands of waiting threads need little processor time. No thread waits for
 * the gate or the right to report with signals blocked for longer than 0.1 s at a time.
 */
#ifndef NATIVE_BASE_GATE_H
#define NATIVE_BASE_GATE_H

#include "native/base/native.h"

/* Waits until the gate is not PAUSED; returns immediately if the calling thread has closed it. */
NATIVE_HIDDEN void native_await_gate(void);

/* native_quiesce closes the gate, so that hooks of all threads do nothing. It then waits until no
 * thread except `self` (which may be NULL) is inside a hook. It ignores a thread that stays inside
 * a hook for ten seconds, such as a stopped thread. It also ignores a thread that waits inside a
 * hook for the right to report, such as a crashed thread. native_pause closes the gate so that
 * hooks wait instead of doing nothing. native_reopen opens the gate again after native_quiesce or
 * native_pause. */
NATIVE_HIDDEN void native_quiesce(const struct native_thread *self);
NATIVE_HIDDEN void native_pause(const struct native_thread *self);
NATIVE_HIDDEN void native_reopen(void);
/* Returns whether no thread is inside a hook. Call this function after native_pause, which does not
 * wait for stuck threads. */
NATIVE_HIDDEN bool native_hooks_have_ended(void);

/* Takes the right to report; waits while another thread has it. When the function returns, signals
 * are blocked; `mask` receives the former signal mask. Returns false if the last report has been
 * written, or if this thread is writing a report. */
NATIVE_HIDDEN bool native_take_the_end(uint64_t *mask);
/* Takes the right to report for a report during the run. Returns false if another thread has this
 * right or waits for it. */
NATIVE_HIDDEN bool native_try_the_end(void);
/* Call this function before signals are unblocked and exec is called. A signal handler may jump out
 * of the exec, so the thread must not hold a lock that only it can release. This function opens the
 * gate. The exec then has the right to report for one second, or until it fails. */
NATIVE_HIDDEN void native_lend_the_end_to_exec(void);
NATIVE_HIDDEN bool native_take_the_end_from_exec(void);
/* Releases the right to report, unless `is_last` is true: after the last report, no thread may get
 * the right again. */
NATIVE_HIDDEN void native_give_up_the_end(bool is_last);
NATIVE_HIDDEN bool native_has_the_end(void);
/* Call this function in a forked child, where the thread that had the right to report may not
 * exist. */
NATIVE_HIDDEN void native_gate_forked(void);

/* Waits until the process's last report is written, if another thread writes it. A thread calls
 * this function before it ends, because the report may read the thread's stack and variables. */
NATIVE_HIDDEN void native_await_report(void);

#endif
