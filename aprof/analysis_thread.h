/* A kernel thread that runs the engine next to Valgrind's threads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind's core does not know of the analysis thread. The thread has a separate stack and no
 * thread-local storage, and blocks all signals. The analysis thread calls no function of the core
 * except bare system calls. The analysis thread shares everything with the process, so it always
 * ends with the process. A copy of the process (fork) has no analysis thread.
 *
 * Some actions need Valgrind's core: allocating pages, and printing a message before the process
 * ends. The thread that runs the program performs these actions. The analysis thread sends a
 * request and sleeps; the program's thread serves the request whenever it hands records over or
 * waits.
 */
#ifndef APROF_ANALYSIS_THREAD_H
#define APROF_ANALYSIS_THREAD_H

#include "aprof/valgrind_core.h"

/* Starts the analysis thread, which calls `run` once and ends when `run` returns. Returns 0, or an
 * error (EAGAIN: the user's limit of threads). At most one analysis thread exists.
 *
 * If the kernel has killed all threads of the program, the analysis thread finishes its work and
 * calls `orphaned`. From then on, the analysis thread may do everything that the program's thread
 * may do. The process ends by `signal` when `orphaned` returns. */
UWord analysis_thread_start(void (*run)(void), void (*orphaned)(Int signal));

/* Records that the calling kernel thread runs the program's thread `tid`. */
void analysis_thread_follow(ThreadId tid);

/* Returns whether the analysis thread has ended or was killed. */
Bool analysis_thread_has_ended(void);

/* Waits until the analysis thread has ended; the caller ensures that `run` returns. */
void analysis_thread_join(void);

/* Call this function in a copy of the process that the program's thread `tid` made. The copy has no
 * analysis thread, and a pending request is void. */
void analysis_thread_forget(ThreadId tid);

/* Returns whether the caller is the analysis thread. */
Bool analysis_thread_is_current(void);

/*------------------------------------------------------------*/
/*--- Calls of the analysis thread                         ---*/
/*------------------------------------------------------------*/

/* Requests pages that will soon be needed, and does not wait. At most one request may be
 * pending. */
void analysis_thread_ask_pages(const HChar *site, SizeT bytes);

/* analysis_thread_has_asked returns true if a request is pending or answered.
 * analysis_thread_take_pages waits for the answer and returns the pages. */
Bool analysis_thread_has_asked(void);
void *analysis_thread_take_pages(SizeT *bytes);

/* Lets the program's thread print the error and end the process. */
__attribute__((noreturn)) void analysis_thread_fail(const HChar *what, const HChar *file, Int line);

/*------------------------------------------------------------*/
/*--- Calls of the program's thread                        ---*/
/*------------------------------------------------------------*/

/* Serves the analysis thread's request. */
void analysis_thread_attend(void);

/*------------------------------------------------------------*/
/*--- Calls of both threads                                ---*/
/*------------------------------------------------------------*/

/* Sleeps while `*word` is `expected`, for at most a second; afterwards the caller must test the
 * word again. The program's thread also serves requests while it waits. */
void analysis_thread_wait(const UInt *word, UInt expected);

/* Wakes the other thread if it sleeps. The caller must change the awaited data before this call. */
void analysis_thread_wake(void);

/* analysis_thread_now_ns returns the wall clock time, and analysis_thread_cpu_ns the processor time
 * of the analysis thread, both in nanoseconds. */
ULong analysis_thread_now_ns(void);
ULong analysis_thread_cpu_ns(void);

#endif
