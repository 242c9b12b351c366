/* A thread that the C library does not know of: clone with its own stack and an empty TLS block.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/base/raw_thread.h"

#include "ground/host.h"
#include "native/base/syscalls.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

/* What fs points to: code may look for itself or a canary there. */
#define TLS_BYTES ((size_t)4096)

#define FLAGS                                                                                      \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |            \
     CLONE_SETTLS)

struct beginning { /* the new thread's stack, from its first word */
    void *argument;
    void (*function)(void *argument);
};

/* The child pops its argument and function, and ends if that returns. */
static long clone_to(struct beginning *stack, uintptr_t *tls)
{
    long result;
    register long parent_tid __asm__("rdx") = 0;
    register long child_tid __asm__("r10") = 0;
    register uintptr_t *fs __asm__("r8") = tls;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "pop %%rdi\n\t"
                     "pop %%rax\n\t"
                     "call *%%rax\n\t"
                     "mov %3, %%eax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "syscall\n"
                     "1:"
                     : "=a"(result)
                     : "0"((long)SYS_clone), "D"((long)FLAGS), "i"(SYS_exit), "S"(stack),
                       "r"(parent_tid), "r"(child_tid), "r"(fs)
                     : "rcx", "r11", "memory");
    return result;
}

struct named {
    const char *name;
    void (*function)(void *argument);
    void *argument;
};

static void begin(void *argument)
{
    struct named *thread = argument;
    native_syscall(SYS_prctl, PR_SET_NAME, thread->name);
    thread->function(thread->argument);
}

int native_raw_thread(const char *name, void (*function)(void *argument), void *argument,
                      size_t stack_bytes)
{
    uint64_t all = ~(uint64_t)0, old;
    size_t bytes = stack_bytes + TLS_BYTES;
    char *pages = host_map("native.raw_thread", bytes);
    uintptr_t *tls = (uintptr_t *)(pages + bytes - TLS_BYTES / 2);
    struct named *thread = (struct named *)(pages + stack_bytes) - 1;
    struct beginning *stack = (struct beginning *)((uintptr_t)thread & ~(uintptr_t)15) - 1;
    tls[0] = tls[2] = (uintptr_t)tls; /* as the ABI has it: %fs:0 is its own address */
    *thread = (struct named){name, function, argument};
    *stack = (struct beginning){thread, begin};
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
    long result = clone_to(stack, tls);
    native_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, 8);
    if (result < 0)
        host_unmap(pages, bytes);
    return (int)result;
}

void native_futex_wait(uint32_t *word, uint32_t expected, uint64_t limit_ns)
{
    struct timespec limit = {(time_t)(limit_ns / 1000000000), (long)(limit_ns % 1000000000)};
    native_syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit_ns ? &limit : NULL);
}

void native_futex_wake(uint32_t *word)
{
    native_syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}
