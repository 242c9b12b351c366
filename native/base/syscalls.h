/* System calls without errno and without cancellation points: a result below zero is -errno.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hooks cannot use the C library's wrappers: these are cancellation points, write errno, and may be
 * interposed by the program.
 */
#ifndef NATIVE_BASE_SYSCALLS_H
#define NATIVE_BASE_SYSCALLS_H

#include "ground/basics.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__x86_64__)
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
#elif defined(__aarch64__)
APROF_INLINE long native_syscall6(long number, long a, long b, long c, long d, long e, long f)
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
#else
#error "compiled-in runtimes exist only for Linux on x86-64 and arm64"
#endif

/* A call such as native_syscall(SYS_write, 2, text, n) has up to six arguments, each an integer or
 * a pointer. */
#define NATIVE_SYSCALL_PAD(n, a, b, c, d, e, f, ...)                                               \
    native_syscall6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define native_syscall(...) NATIVE_SYSCALL_PAD(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* Linux on arm64 lacks the older system calls open, access and poll. */
#if defined(__x86_64__)
#define native_open(path, flags)  native_syscall(SYS_open, path, flags)
#define native_access(path, mode) native_syscall(SYS_access, path, mode)

APROF_INLINE long native_poll(struct pollfd *files, size_t n, int ms)
{
    return native_syscall(SYS_poll, files, n, ms);
}
#else
#define native_open(path, flags)  native_syscall(SYS_openat, AT_FDCWD, path, flags)
#define native_access(path, mode) native_syscall(SYS_faccessat, AT_FDCWD, path, mode)

APROF_INLINE long native_poll(struct pollfd *files, size_t n, int ms)
{
    struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    return native_syscall(SYS_ppoll, files, n, &wait, NULL, 0);
}
#endif

#endif
