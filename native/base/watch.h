/* Actions of a watched program, reported by hooks of atomic operations and interposed functions.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The interface between code that observes the program (atomics.c for every runtime that watches memory; the C
 * library's functions, native/trms/interpose) and the runtime. A runtime implements the functions that its archive
 * calls: the TRMS all of them (native/trms/runtime.c and hooks.c), events the first and watch_thread_sync
 * (native/events/memory.c), because nothing else can call it.
 *
 * All functions act for the calling thread, may be called at any moment of the process's life, also inside a signal
 * handler, and do nothing without a profile. Zero bytes are valid, and ignored.
 */
#ifndef NATIVE_BASE_WATCH_H
#define NATIVE_BASE_WATCH_H

#include "ground/basics.h"

enum watch_kind { WATCH_READ, WATCH_WRITE, WATCH_MODIFY };

/* The thread reads or writes memory in code that has no hooks (memcpy). */
void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind);

/* A system call of this thread has written memory (read, recv), which is external input; or has read it. */
void watch_kernel_write(uintptr_t address, size_t bytes);
void watch_kernel_read(uintptr_t address, size_t bytes);

/* A file has been mapped here; memory has been unmapped, or newly mapped. */
void watch_map_file(uintptr_t address, size_t bytes);
void watch_forget(uintptr_t address, size_t bytes);

/* To be called before each operation that may synchronise this thread with another one. */
void watch_thread_sync(void);

/* To be called before another thread is created: watch_thread_sync, and writes are shared from now on. */
void watch_thread_create(void);

/* Frames below this stack pointer are left (longjmp), also for another stack's. */
void watch_unwind(uintptr_t stack_pointer);

#endif
