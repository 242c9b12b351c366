/* Threads: records of threads, the last round of destructors, and signal stacks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The other interfaces are native.h for hooks and process.h for clients; threads.h is for
 * process.c.
 */
#ifndef NATIVE_BASE_THREADS_H
#define NATIVE_BASE_THREADS_H

#include "native/base/native.h"

/* Makes the pthread key whose destructor ends the records of threads. Call this function before the
 * first thread is attached. */
NATIVE_HIDDEN void native_threads_init(void);

/* Call this function in a forked child. It frees the records of the parent's other threads, which
 * do not exist in the child. */
NATIVE_HIDDEN void native_threads_forked(void);

/* Gives the calling thread an alternate signal stack if it has none. Handlers need this stack if
 * the thread's own stack overflows. */
NATIVE_HIDDEN void native_signals_thread_started(struct native_thread *self);
NATIVE_HIDDEN void native_signals_thread_ended(struct native_thread *self);

/* Installs handlers for all signals that would end the process. */
NATIVE_HIDDEN void native_signals_init(void);

/* Blocks all signals, except signals that the thread raises by its own errors, such as SIGSEGV.
 * `old` receives the former mask. */
NATIVE_HIDDEN void native_signals_block(uint64_t *old);
NATIVE_HIDDEN void native_signals_restore(const uint64_t *old);

/* native_may_be_interrupted is not zero if the program has set a signal handler, or if a thread may
 * be cancelled at any instruction. While it is zero, no code of the program can interrupt a hook,
 * so hooks need not block signals. */
extern NATIVE_HIDDEN uint32_t native_may_be_interrupted;

/* Waits until the hooks that are running in other threads at this call have ended. */
NATIVE_HIDDEN void native_await_hooks(void);

/* Writing a report may raise signals in this thread (for a pipe without a reader, or a file-size
 * limit). Between native_signals_write_begin and native_signals_write_end, SIGPIPE and SIGXFSZ do
 * not end the program. */
struct native_write_signals {
    uint64_t mask, pending; /* former signal mask, and former pending signals */
};
NATIVE_HIDDEN void native_signals_write_begin(struct native_write_signals *of);
NATIVE_HIDDEN void native_signals_write_end(const struct native_write_signals *of);

#endif
