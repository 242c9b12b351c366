/* A kernel thread for the engine, next to Valgrind's.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core does not know it: it has a stack of its own, all signals blocked, no thread-local
 * storage, and it calls nothing of the core except bare system calls. It shares everything with the
 * process, so it ends with the process in any case, and a copy of the process (fork) does not have
 * it.
 *
 * The thread that runs the program performs actions that only Valgrind's core can: allocating
 * pages, and the message before an end. The analysis thread sends a request and sleeps; the
 * program's thread serves it whenever it hands records over or waits.
 */
#ifndef APROF_ANALYSIS_THREAD_H
#define APROF_ANALYSIS_THREAD_H

#include "aprof/valgrind_core.h"

/* Starts the thread, which calls `run` once and ends when that returns. 0, or the error (EAGAIN:
 * the user may have no more threads). There is one at a time.
 *
 * If the kernel has killed all threads of the program, this one finishes its work and calls
 * `orphaned` instead of waiting for more. From then on it may do all that the program's thread may.
 * The process ends by `signal` when that returns. */
UWord analysis_thread_start(void (*run)(void), void (*orphaned)(Int signal));

/* The calling thread of the kernel runs the program's thread `tid`. */
void analysis_thread_follow(ThreadId tid);

/* Whether it has ended, or was killed. */
Bool analysis_thread_has_ended(void);

/* Waits for the thread to end; the caller has made sure that `run` returns. */
void analysis_thread_join(void);

/* In a copy of the process, made by the program's thread `tid`: there is no such thread, and its
 * request is void. */
void analysis_thread_forget(ThreadId tid);

/* Whether this is the thread. */
Bool analysis_thread_is_current(void);

/*------------------------------------------------------------*/
/*--- On that thread                                       ---*/
/*------------------------------------------------------------*/

/* Requests pages that will be needed soon; does not wait. One request at a time. */
void analysis_thread_ask_pages(const HChar *site, SizeT bytes);

/* Whether a request is under way or answered, and its answer: waits for it, and takes it. */
Bool analysis_thread_has_asked(void);
void *analysis_thread_take_pages(SizeT *bytes);

/* Lets the program's thread print the error and end the process. */
__attribute__((noreturn)) void analysis_thread_fail(const HChar *what, const HChar *file, Int line);

/*------------------------------------------------------------*/
/*--- On the program's thread                              ---*/
/*------------------------------------------------------------*/

/* Serves the analysis thread's request. */
void analysis_thread_attend(void);

/*------------------------------------------------------------*/
/*--- On both                                              ---*/
/*------------------------------------------------------------*/

/* Sleeps while `*word` is `expected`, for a second at most, perhaps less: the caller tests
 * again. The program's thread also serves the other one. */
void analysis_thread_wait(const UInt *word, UInt expected);

/* Wakes the other thread, if it sleeps. The awaited data have been changed before. */
void analysis_thread_wake(void);

/* The clock on the wall, and the processor time of the analysis thread, in nanoseconds. */
ULong analysis_thread_now_ns(void);
ULong analysis_thread_cpu_ns(void);

#endif
