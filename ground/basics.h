/* Fixed-width types and compiler hints for code that may include no system header.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine is compiled with -ffreestanding -nostdinc, so that it can run inside Valgrind, inside
 * a profiled program and inside a test. The types come from macros of the compiler. If a system
 * header has already declared these types, both declarations agree.
 */
#ifndef GROUND_BASICS_H
#define GROUND_BASICS_H

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __SIZE_TYPE__ size_t;

#ifndef NULL
#define NULL ((void *)0)
#endif
#ifndef bool
#define bool _Bool
#define true 1
#define false 0
#endif

#ifndef LIKELY
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
#define APROF_NOINLINE __attribute__((noinline))
#define APROF_INLINE   static inline __attribute__((always_inline))

/* Every host provides memcpy, memset and memmove. In the Valgrind tool, these functions are part of
 * Valgrind's core. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *at, int byte, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);

#endif
