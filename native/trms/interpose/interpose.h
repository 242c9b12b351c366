/* Interposed functions of the C library, and the test whether their caller is instrumented.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions are in the executable, which the dynamic linker searches first. The functions are
 * weak, so that a program may define some of them. Each function calls the next definition of its
 * name:
 *
 *     INTERPOSE(size_t, strlen, (const char *text))
 *     {
 *         size_t length = REAL(strlen)(text);
 *         if (interpose_counts(CALLER))
 *             interpose_reads(text, length + 1);
 *         return length;
 *     }
 *
 * The C identifier is interposed_strlen, so that neither headers nor the compiler treat it as the
 * standard function. The runtime itself must not call these functions, because they may run while
 * the runtime is in any state. In the runtime's object, these names are replaced by
 * interpose_plain_* (Makefile.am).
 *
 * If the caller of a memory or string function is instrumented, the function's accesses count as
 * the caller's. Other memory accesses of libraries without hooks are not visible. Counting only
 * some of a library's accesses would give wrong input sizes. System calls are counted for all
 * callers, because their data are always external input.
 */
#ifndef NATIVE_TRMS_INTERPOSE_INTERPOSE_H
#define NATIVE_TRMS_INTERPOSE_INTERPOSE_H

#include "native/trms/runtime.h"

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>

/* An interposed function. The C library's function is looked up at the start or at the first
 * call. */
struct interposed {
    void *real; /* atomic; NULL: the function has not been looked up yet */
    const char *name;
} __attribute__((aligned(16)));

/* Looks up a function; ends the program with a message if no library has the function. */
NATIVE_HIDDEN void *interpose_look_up(struct interposed *function);

APROF_INLINE void *interpose_real(struct interposed *function)
{
    void *real = __atomic_load_n(&function->real, __ATOMIC_RELAXED);
    return LIKELY(real) ? real : interpose_look_up(function);
}

/* All structs `interposed` are in one section, so that the runtime can find them. */
#define INTERPOSE(type, name, parameters)                                                          \
    static struct interposed entry_##name                                                          \
        __attribute__((section("aprof_interposed"), used)) = {NULL, #name};                        \
    extern __attribute__((weak, visibility("default")))                                            \
    type interposed_##name parameters __asm__(#name);                                              \
    type interposed_##name parameters

#define REAL(name) ((__typeof__(&interposed_##name))interpose_real(&entry_##name))

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* Returns whether the return address lies in an object with instrumented code. */
NATIVE_HIDDEN bool interpose_counts_elsewhere(uintptr_t caller);

APROF_INLINE bool interpose_counts(uintptr_t caller)
{
    if (LIKELY(caller - trms_executable.low < trms_executable.bytes))
        return true;
    return interpose_counts_elsewhere(caller);
}

APROF_INLINE void interpose_reads(const void *address, size_t bytes)
{
    watch_access((uintptr_t)address, bytes, WATCH_READ);
}

APROF_INLINE void interpose_writes(const void *address, size_t bytes)
{
    watch_access((uintptr_t)address, bytes, WATCH_WRITE);
}

/* Returns the size of a string with its zero byte; does not call an interposed function. */
APROF_INLINE size_t interpose_string_bytes(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n + 1;
}

APROF_INLINE size_t interpose_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

#endif
