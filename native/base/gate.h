/* The gate before hooks, and the end: who may shut the gate, and how threads wait.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Not for runtimes, which have native_enter (native.h). The *end* is the right to write a report; one thread has it.
 *
 *     gate      the end                  threads of the program
 *     OPEN      0, or whose copy of the  run in hooks
 *               process writes a report
 *     OPEN      exec                     run in hooks
 *     PAUSED    who copies the process   wait in front of hooks; new ones before they have a record
 *     CLOSED    who writes the last      run unmeasured; those that end wait until it is written
 *               report; FINISHED         run unmeasured
 *
 * Invariant: the gate is PAUSED only while the end is the number of the thread that has shut it. Who waits looks
 * whether that thread lives, ever more rarely, so that thousands of waiting threads leave the processors to it.
 * Nobody waits for the gate or the end with signals blocked for longer than 0.1 s at a time.
 */
#ifndef NATIVE_BASE_GATE_H
#define NATIVE_BASE_GATE_H

#include "native/base/native.h"

/* Until the gate is not PAUSED; at once if the calling thread has shut it. */
NATIVE_HIDDEN void native_await_gate(void);

/* Closes the gate, so that hooks of all threads do nothing, and waits until no thread is inside one
 * but `self`, which may be NULL. A thread that does not leave within ten seconds (it was stopped), or that waits
 * for the end inside a hook (it has crashed there), is not waited for. native_pause lets hooks wait
 * instead; native_reopen ends both. */
NATIVE_HIDDEN void native_quiesce(const struct native_thread *self);
NATIVE_HIDDEN void native_pause(const struct native_thread *self);
NATIVE_HIDDEN void native_reopen(void);

/* Takes the end, or waits for it; signals are blocked when it returns, and `mask` is what they were. False: the
 * last report has been written, or this thread is writing one. */
NATIVE_HIDDEN bool native_take_the_end(uint64_t *mask);
/* For a report during the run. False: another thread has it, or wants it. */
NATIVE_HIDDEN bool native_try_the_end(void);
/* Before signals are unblocked and exec is called: handlers may jump away, so nothing is left that only this thread could
 * give back. The gate is open, and exec has the end for a second; or until it has failed. False: another thread has
 * taken it meanwhile, or a handler of this one. */
NATIVE_HIDDEN void native_lend_the_end_to_exec(void);
NATIVE_HIDDEN bool native_take_the_end_from_exec(void);
/* For nobody, or, if the report was the last one, for ever. */
NATIVE_HIDDEN void native_give_up_the_end(bool is_last);
NATIVE_HIDDEN bool native_has_the_end(void);
/* In a forked child: the thread that had it may not be here. */
NATIVE_HIDDEN void native_gate_forked(void);

/* Waits until the process's last report is written, if another thread does: who ends takes memory along that
 * the report may look at, its stack and its variables. */
NATIVE_HIDDEN void native_await_report(void);

#endif
