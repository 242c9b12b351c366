/* The border of the compiled-in TRMS: what the parts that watch a program tell it.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hooks of the compiler (native/trms/hooks.c, atomics.c) and interposed functions call these. All
 * work for the calling thread, may be called at any moment of the process's life, also inside a
 * signal handler, and do nothing where there is no profile. Zero bytes are nothing.
 */
#ifndef NATIVE_BASE_WATCH_H
#define NATIVE_BASE_WATCH_H

#include "native/trms/core.h"

/* The thread reads or writes memory in code that has no hooks (memcpy). */
void trms_access(uintptr_t address, size_t bytes, enum trms_access_kind kind);

/* A system call of this thread has written memory (read, recv): external input; or has read it. */
void trms_kernel_write(uintptr_t address, size_t bytes);
void trms_kernel_read(uintptr_t address, size_t bytes);

/* A file has been mapped here; memory has been unmapped, or mapped afresh. */
void trms_map_file(uintptr_t address, size_t bytes);
void trms_forget(uintptr_t address, size_t bytes);

/* To be called before each operation that may synchronise this thread with another one. */
void trms_thread_sync(void);

/* To be called before another thread is created: trms_thread_sync, and writes are shared from now
 * on. */
void trms_thread_create(void);

/* Frames below this stack pointer are left (longjmp). */
void trms_unwind(uintptr_t stack_pointer);

/* A stack that coroutines will run on: [low, high). */
void trms_stack_register(uintptr_t low, uintptr_t high);

#endif
