/* A kernel thread for the engine, next to Valgrind's.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core does not know it: it has a stack of its own, all signals blocked, no thread-local
 * storage, and it calls nothing of the core except bare system calls. The analysis thread shares
 * everything with the process, so it ends with the process in any case. A copy of the process
 * (fork) has no analysis thread.
 *
 * The thread that runs the program performs the actions that need Valgrind's core: it allocates
 * pages and prints the message before the process ends. The analysis thread sends a request and
 * sleeps; the program's thread serves it whenever it hands records over or waits.
 */
#ifndef APROF_ANALYSIS_THREAD_H
#define APROF_ANALYSIS_THREAD_H

#include "aprof/valgrind_core.h"

/* Starts the thread, which calls `run` once and ends when `run` returns. Returns 0, or an error
 * (EAGAIN: the user's limit of threads). At most one such thread exists.
 *
 * If the kernel has killed all threads of the program, the analysis thread finishes its work and
 * calls `orphaned`. From then on the analysis thread may do all that the program's thread may. The
 * process ends by `signal` when `orphaned` returns. */
UWord analysis_thread_start(void (*run)(void), void (*orphaned)(Int signal));

/* Records that the calling kernel thread runs the program's thread `tid`. */
void analysis_thread_follow(ThreadId tid);

/* True if the thread has ended or was killed. */
Bool analysis_thread_has_ended(void);

/* Waits for the thread to end; the caller has made sure that `run` returns. */
void analysis_thread_join(void);

/* In a copy of the process, made by the program's thread `tid`: no analysis thread exists, and its
 * request is void. */
void analysis_thread_forget(ThreadId tid);

/* True if the caller is the analysis thread. */
Bool analysis_thread_is_current(void);

/*------------------------------------------------------------*/
/*--- On that thread                                       ---*/
/*------------------------------------------------------------*/

/* Requests pages that will be needed soon, and does not wait. At most one request is pending. */
void analysis_thread_ask_pages(const HChar *site, SizeT bytes);

/* The first function returns true if a request is pending or answered. The second waits for the
 * answer and returns it. */
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

/* Sleeps while `*word` is `expected`, for at most a second; the caller tests again. The program's
 * thread also serves requests while it waits. */
void analysis_thread_wait(const UInt *word, UInt expected);

/* Wakes the other thread if it sleeps. The caller has changed the awaited data before. */
void analysis_thread_wake(void);

/* The wall clock, and the processor time of the analysis thread, in nanoseconds. */
ULong analysis_thread_now_ns(void);
ULong analysis_thread_cpu_ns(void);

#endif
