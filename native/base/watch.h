/* The interface by which hooks and interposed functions report actions to the runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions are called by atomics.c, which each runtime that records memory accesses contains,
 * and by the TRMS runtime's interposed C library functions (native/trms/interpose). The TRMS
 * runtime implements all functions (native/trms/runtime.c and hooks.c). The events runtime
 * implements only watch_access and watch_thread_sync (native/events/memory.c), because its archive
 * calls no other function of this interface.
 *
 * The functions of this interface act for the calling thread. They may be called at any time, also
 * in a signal handler, and do nothing if the process is not profiled. A size of zero bytes is valid
 * and has no effect.
 */
#ifndef NATIVE_BASE_WATCH_H
#define NATIVE_BASE_WATCH_H

#include "ground/basics.h"

enum watch_kind { WATCH_READ, WATCH_WRITE, WATCH_MODIFY };

/* The thread reads or writes memory in code without hooks, such as memcpy. */
void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind);

/* A system call of this thread has read or written memory. Memory that the kernel wrote, as in read
 * and recv, is external input. */
void watch_kernel_write(uintptr_t address, size_t bytes);
void watch_kernel_read(uintptr_t address, size_t bytes);

/* watch_map_file: a file was mapped at these addresses. watch_forget: memory at these addresses was
 * unmapped, or is a new mapping. */
void watch_map_file(uintptr_t address, size_t bytes);
void watch_forget(uintptr_t address, size_t bytes);

/* Call this function before each operation that may synchronise this thread with another thread. */
void watch_thread_sync(void);

/* Call this function before another thread is created. Does the same as watch_thread_sync. From
 * this call on, writes are also published to other threads. */
void watch_thread_create(void);

/* The thread leaves the frames below this stack pointer by longjmp; the stack pointer may be on
 * another stack. */
void watch_unwind(uintptr_t stack_pointer);

#endif
