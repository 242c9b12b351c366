/* Threads as the runtimes see them: records, the last round of destructors, signal stacks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * native.h has the part for hooks, process.h the part for clients. This is the part for process.c.
 */
#ifndef NATIVE_BASE_THREADS_H
#define NATIVE_BASE_THREADS_H

#include "native/base/native.h"

/* Makes the key whose destructor ends threads; before the first attach. */
NATIVE_HIDDEN void native_threads_init(void);

/* In a forked child: frees the records of threads that do not exist here. */
NATIVE_HIDDEN void native_threads_forked(void);

/* An alternate signal stack for the calling thread, if it has none: stacks overflow. */
NATIVE_HIDDEN void native_signals_thread_started(struct native_thread *self);
NATIVE_HIDDEN void native_signals_thread_ended(struct native_thread *self);

/* Installs handlers for all signals that would end the process. */
NATIVE_HIDDEN void native_signals_init(void);

/* Blocks all signals except those of the thread's own errors; `old` receives the former mask. */
NATIVE_HIDDEN void native_signals_block(uint64_t *old);
NATIVE_HIDDEN void native_signals_restore(const uint64_t *old);

/* Not zero: the program has set a handler, or a thread may be cancelled at any instruction. While it is zero, no
 * program code can interrupt a hook, and signals need not be blocked. */
extern NATIVE_HIDDEN uint32_t native_may_be_interrupted;

/* Waits until no thread except the calling one is inside a hook that has begun earlier: process.c. */
NATIVE_HIDDEN void native_await_hooks(void);

/* Between these two, the program must not die of signals that our writes raise in this thread (no reader,
 * file-size limit). */
struct native_write_signals {
    uint64_t mask, pending; /* as they were */
};
NATIVE_HIDDEN void native_signals_write_begin(struct native_write_signals *of);
NATIVE_HIDDEN void native_signals_write_end(const struct native_write_signals *of);

#endif
