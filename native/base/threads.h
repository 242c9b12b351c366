/* Threads as the runtimes see them: records, the last round of destructors, signal stacks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * native.h has what hooks use, process.h what clients are told. This is what process.c needs.
 */
#ifndef NATIVE_BASE_THREADS_H
#define NATIVE_BASE_THREADS_H

#include "native/base/native.h"

/* Makes the key whose destructor ends threads; before the first attach. */
NATIVE_HIDDEN void native_threads_init(void);

/* In a forked child: frees the records of the threads that are not here. */
NATIVE_HIDDEN void native_threads_forked(void);

/* An alternate signal stack for the calling thread, if it has none: stacks overflow. */
NATIVE_HIDDEN void native_signals_thread_started(struct native_thread *self);
NATIVE_HIDDEN void native_signals_thread_ended(struct native_thread *self);

/* Installs handlers for all signals that would end the process. */
NATIVE_HIDDEN void native_signals_init(void);

/* Blocks all signals but those of the thread's own mistakes; `old` receives the former mask. */
NATIVE_HIDDEN void native_signals_block(uint64_t *old);
NATIVE_HIDDEN void native_signals_restore(const uint64_t *old);

/* Not zero: the program has had a handler of its own, or a thread that may be cancelled at any instruction. So long
 * as it has not, nothing of it runs before a hook has come to its end, and signals need not be blocked. */
extern NATIVE_HIDDEN uint32_t native_may_be_interrupted;

/* Waits until no thread is inside a hook that has begun earlier, but for the calling one: process.c. */
NATIVE_HIDDEN void native_await_hooks(void);

/* Between these two, what a write of ours raises in this thread (no reader, a file of the largest
 * size) is not the program's to die of. */
struct native_write_signals {
    uint64_t mask, pending; /* as they were */
};
NATIVE_HIDDEN void native_signals_write_begin(struct native_write_signals *of);
NATIVE_HIDDEN void native_signals_write_end(const struct native_write_signals *of);

#endif
