/* Starts a thread outside the C library's control, by clone(2) with a new stack.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The new thread returns from the system call on another stack, so C code cannot continue after the
 * call in the new thread. The thread pops the function from the stack, calls the function, and ends
 * when the function returns. The thread shares the process's memory, files and signal handlers. The
 * caller blocks all signals around the call, because the new thread inherits the signal mask. The
 * thread uses its stack until the kernel has released the thread, which happens shortly after `*id`
 * is cleared.
 */
#ifndef GROUND_CLONE_THREAD_H
#define GROUND_CLONE_THREAD_H

#include "ground/basics.h"

/* Linux's clone flags have other names here, because headers of the C library may define the
 * original names as macros. */
enum {
    /* CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD and CLONE_SYSVSEM */
    CLONED_SHARES = 0x50f00,
    CLONED_TLS = 0x80000, /* CLONE_SETTLS */
    CLONED_ID = 0x300000, /* CLONE_PARENT_SETTID, CHILD_CLEARTID */
};

/* Calls `function` with `argument` in a new thread, on the stack that ends at `stack_end`. Returns
 * the thread's id or -errno to the caller. If `id` is not NULL, the kernel sets `*id` before the
 * thread starts. When the thread ends, the kernel clears `*id` and wakes the threads that wait for
 * this (futex). `tls` is the new thread pointer (not on x86); NULL means the caller's thread
 * pointer. */
APROF_INLINE long clone_thread(void *stack_end, void (*function)(void *argument), void *argument,
                               uint32_t *id, void *tls);

/* The ABI requires an alignment of 16 bytes at a function call. */
APROF_INLINE void **clone_stack(void *stack_end)
{
    return (void **)((uintptr_t)stack_end & ~(uintptr_t)15);
}

APROF_INLINE unsigned long clone_flags(const uint32_t *id, const void *tls)
{
    return CLONED_SHARES | (id ? CLONED_ID : 0) | (tls ? CLONED_TLS : 0);
}

#if defined(__x86_64__)
APROF_INLINE long clone_thread(void *stack_end, void (*function)(void *argument), void *argument,
                               uint32_t *id, void *tls)
{
    void **stack = clone_stack(stack_end);
    long result;
    register void *child_id __asm__("r10") = id;
    register void *fs __asm__("r8") = tls;

    *--stack = (void *)(uintptr_t)function;
    *--stack = argument;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "pop %%rdi\n\t"
                     "pop %%rax\n\t"
                     "call *%%rax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "mov $60, %%eax\n\t" /* exit */
                     "syscall\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "0"(56L), "D"(clone_flags(id, tls)), "S"(stack), "d"(id), "r"(child_id),
                       "r"(fs)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
APROF_INLINE long clone_thread(void *stack_end, void (*function)(void *argument), void *argument,
                               uint32_t *id, void *tls)
{
    void **stack = clone_stack(stack_end);
    register long number __asm__("x8") = 220;
    register unsigned long flags __asm__("x0") = clone_flags(id, tls);
    register void *top __asm__("x1") = stack - 2;
    register void *parent_id __asm__("x2") = id;
    register void *thread_pointer __asm__("x3") = tls;
    register void *child_id __asm__("x4") = id;

    stack[-1] = (void *)(uintptr_t)function;
    stack[-2] = argument;
    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x29, xzr\n\t"
                     "mov x30, xzr\n\t"
                     "ldp x0, x16, [sp], #16\n\t"
                     "blr x16\n\t"
                     "mov x0, xzr\n\t"
                     "mov x8, #93\n\t" /* exit */
                     "svc #0\n\t"
                     "brk #0\n"
                     "1:"
                     : "+r"(flags)
                     : "r"(number), "r"(top), "r"(parent_id), "r"(thread_pointer), "r"(child_id)
                     : "memory", "cc");
    return (long)flags;
}
#else
APROF_INLINE long clone_thread(void *stack_end, void (*function)(void *argument), void *argument,
                               uint32_t *id, void *tls)
{
    void **stack = clone_stack(stack_end);
    long result;

    stack -= 4;
    *stack = argument;
    *--stack = (void *)(uintptr_t)function;
    __asm__ volatile("int $0x80\n\t"
                     "test %%eax, %%eax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "pop %%eax\n\t"
                     "call *%%eax\n\t"
                     "xor %%ebx, %%ebx\n\t"
                     "mov $1, %%eax\n\t" /* exit */
                     "int $0x80\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "0"(120L), "b"(clone_flags(id, tls)), "c"(stack), "d"(id), "S"(tls), "D"(id)
                     : "memory");
    return result;
}
#endif

#endif
