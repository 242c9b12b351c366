/* A thread of the kernel beside Valgrind's, for the engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core does not know it: it has a stack of its own, all signals blocked, no thread-local
 * storage, and it calls nothing of the core but bare system calls. It shares everything with the
 * process, so it ends when the process does, however that happens, and a copy of the process (fork)
 * does not have it.
 *
 * What only Valgrind's core can do is done for it by the thread that runs the program: pages, and
 * the message before an end. It asks and sleeps; the program's thread attends to it wherever it
 * hands records over or waits.
 */
#ifndef APROF_ANALYSIS_THREAD_H
#define APROF_ANALYSIS_THREAD_H

#include "aprof/valgrind_core.h"

/* Starts the thread, which calls `run` once and ends when that returns. 0, or the error (EAGAIN:
 * the user may have no more threads). There is one at a time.
 *
 * If the kernel has killed all threads of the program, this one finishes what it was given and
 * calls `orphaned` instead of waiting for more. It may then do whatever the program's thread might.
 * The process ends by `signal` when that returns. */
UWord analysis_thread_start(void (*run)(void), void (*orphaned)(Int signal));

/* The calling thread of the kernel runs the program's thread `tid`. */
void analysis_thread_follow(ThreadId tid);

/* Whether it has ended, or was killed. */
Bool analysis_thread_has_ended(void);

/* Waits for the thread to end; the caller has seen to it that `run` returns. */
void analysis_thread_join(void);

/* In a copy of the process, made by the program's thread `tid`: there is no such thread, and what
 * it asked for is void. */
void analysis_thread_forget(ThreadId tid);

/* Whether this is the thread. */
Bool analysis_thread_is_current(void);

/*------------------------------------------------------------*/
/*--- On that thread                                       ---*/
/*------------------------------------------------------------*/

/* Asks for pages that will be needed soon; does not wait. One request is under way at a time. */
void analysis_thread_ask_pages(const HChar *site, SizeT bytes);

/* Whether a request is under way or answered, and its answer: waits for it, and takes it. */
Bool analysis_thread_has_asked(void);
void *analysis_thread_take_pages(SizeT *bytes);

/* Lets the program's thread say what is wrong, and end the process. */
__attribute__((noreturn)) void analysis_thread_fail(const HChar *what, const HChar *file, Int line);

/*------------------------------------------------------------*/
/*--- On the program's thread                              ---*/
/*------------------------------------------------------------*/

/* Does what the analysis thread asks for. */
void analysis_thread_attend(void);

/*------------------------------------------------------------*/
/*--- On both                                              ---*/
/*------------------------------------------------------------*/

/* Sleeps while `*word` is `expected`, for a second at most, or is woken for no reason: the caller
 * looks again. The program's thread also attends to the other one. */
void analysis_thread_wait(const UInt *word, UInt expected);

/* Wakes the other thread, if it sleeps. What it waits for has been changed before. */
void analysis_thread_wake(void);

/* The clock on the wall, and the processor time of the analysis thread, in nanoseconds. */
ULong analysis_thread_now_ns(void);
ULong analysis_thread_cpu_ns(void);

#endif
