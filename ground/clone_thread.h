/* A thread that only the kernel knows: clone(2) onto a stack of its own.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The new thread returns from the system call on another stack, so no C code can follow the call.
 * It pops its function from that stack, calls it, and ends when the function returns. It shares the
 * process's memory, files and signal handlers. The caller blocks all signals around the call,
 * because the thread inherits the mask. It keeps the stack until the kernel has released the
 * thread, some time after the kernel has cleared `*id`.
 */
#ifndef GROUND_CLONE_THREAD_H
#define GROUND_CLONE_THREAD_H

#include "ground/basics.h"

/* Linux's names. Its headers may have defined them where this file is included. */
enum {
    CLONED_SHARES = 0x50f00, /* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
    CLONED_TLS = 0x80000,    /* CLONE_SETTLS */
    CLONED_ID = 0x300000,    /* CLONE_PARENT_SETTID, CHILD_CLEARTID */
};

/* Calls `function` with `argument` in a new thread, on the stack that ends at `stack_end`.
 * Returns the thread's id or -errno to the caller. `id`: set before the thread starts, cleared
 * and woken (futex) when it ends; NULL: unused. `tls`: the new value of fs (amd64 only); NULL:
 * the caller's. */
APROF_INLINE long clone_thread(void *stack_end, void (*function)(void *argument), void *argument,
                               uint32_t *id, void *tls)
{
    unsigned long flags = CLONED_SHARES | (id ? CLONED_ID : 0) | (tls ? CLONED_TLS : 0);
    /* The ABI requires an alignment of 16 bytes at a function call. */
    void **stack = (void **)((uintptr_t)stack_end & ~(uintptr_t)15);
    long result;
#if defined(__x86_64__)
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
                     : "0"(56L), "D"(flags), "S"(stack), "d"(id), "r"(child_id), "r"(fs)
                     : "rcx", "r11", "memory");
#else
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
                     : "0"(120L), "b"(flags), "c"(stack), "d"(id), "S"(tls), "D"(id)
                     : "memory");
#endif
    return result;
}

#endif
