/* System calls without errno and without cancellation points: a result below zero is -errno.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The C library's wrappers are cancellation points and write errno, and the program may interpose
 * them; hooks must avoid all of these effects.
 */
#ifndef NATIVE_BASE_SYSCALLS_H
#define NATIVE_BASE_SYSCALLS_H

#include "ground/basics.h"

#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "compiled-in runtimes: only x86-64 Linux so far"
#endif

APROF_INLINE long native_syscall6(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* A call such as native_syscall(SYS_write, 2, text, n) has up to six arguments, each an integer or
 * a pointer. */
#define NATIVE_SYSCALL_PAD(n, a, b, c, d, e, f, ...)                                               \
    native_syscall6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define native_syscall(...) NATIVE_SYSCALL_PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
