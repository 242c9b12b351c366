/* Shared by the profiled programs: routines that compilers do not change, and bare system calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every expected value is derived from the definition, in a comment next to the code. Three
 * measures make values exact under any optimisation. A ROUTINE is never inlined, cloned or
 * analysed. The values that it loads are returned, because compilers drop loads of unused values.
 * System calls are made inline, because the C library's wrappers read memory of their own, for
 * example to find out whether there is a second thread.
 */
#ifndef TESTS_REGRESS_REGRESS_H
#define TESTS_REGRESS_REGRESS_H

#include <sys/syscall.h>

#define ROUTINE __attribute__((noipa))
#define INLINE  static inline __attribute__((always_inline))

/* Cells of every resolution begin here. */
#define CELL_ALIGNED __attribute__((aligned(64)))

#if defined(__x86_64__)
INLINE long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#define RAW(number, a, b, c, d, e, f)                                                              \
    raw_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#elif defined(__aarch64__)
INLINE long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#define RAW(number, a, b, c, d, e, f)                                                              \
    raw_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#else
INLINE long raw_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}
#define RAW(number, a, b, c, d, e, f) raw_call(number, (long)(a), (long)(b), (long)(c))
#endif
#define RAW3(number, a, b, c) RAW(number, a, b, c, 0, 0, 0)

/* A volatile store is a write, never a read. */
static volatile long sink __attribute__((unused));

#endif
