/* Code that runs before setjmp and similar functions, which call_stubs.S interposes.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#define _GNU_SOURCE
#include "native/trms/runtime.h"

#include "ground/host.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

enum call_kind { CALL_SYNC, CALL_CREATE, CALL_LEAVE, CALL_STACK, CALL_GO, CALL_SWAP };

struct stubbed_call {
    void *real; /* atomic; NULL until the first call */
    const char *name;
    uint64_t kind; /* enum call_kind */
};

void *trms_before_call(struct stubbed_call *call, void *first_argument, void *second_argument);

#if defined(__x86_64__)
/* Returns the stack pointer of a jmp_buf. The C library stores the stack pointer, rotated and
 * combined with a secret, in the 7th word. */
static uintptr_t stack_pointer_of(const struct __jmp_buf_tag *buffer)
{
    uintptr_t kept = (uintptr_t)buffer->__jmpbuf[6], secret;
    __asm__("mov %%fs:0x30, %0" : "=r"(secret));
    return (kept >> 17 | kept << 47) ^ secret;
}
#else
/* Returns the stack pointer of a jmp_buf. The C library stores the stack pointer, combined with a
 * secret, in the 14th word. A jmp_buf with a known stack pointer reveals the secret. */
static APROF_NOINLINE uintptr_t stack_pointer_of(const struct __jmp_buf_tag *buffer)
{
    enum { STACK_POINTER = 13 };
    uintptr_t pointer;
    jmp_buf own;
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
    (void)_setjmp(own);
    uintptr_t secret = (uintptr_t)own[0].__jmpbuf[STACK_POINTER] ^ pointer;
    return (uintptr_t)buffer->__jmpbuf[STACK_POINTER] ^ secret;
}
#endif

static void register_stack(const ucontext_t *context)
{
    uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
    trms_stack_register(low, low + context->uc_stack.ss_size, context->uc_link);
}

static APROF_NOINLINE void *look_up(struct stubbed_call *call)
{
    void *real = dlsym(RTLD_NEXT, call->name);
    if (!real) {
        native_message(call->name, "no library has this function");
        __builtin_trap();
    }
    __atomic_store_n(&call->real, real, __ATOMIC_RELAXED);
    return real;
}

void *trms_before_call(struct stubbed_call *call, void *first_argument, void *second_argument)
{
    void *real = __atomic_load_n(&call->real, __ATOMIC_RELAXED);
    switch (call->kind) {
    case CALL_CREATE:
        watch_thread_create();
        break;
    case CALL_LEAVE:
        watch_unwind(stack_pointer_of(first_argument));
        break;
    case CALL_STACK:
        register_stack(first_argument);
        break;
    case CALL_GO:
        trms_stack_resumed(first_argument);
        break;
    case CALL_SWAP:
        trms_stack_resumed(second_argument);
        break;
    default:
        watch_thread_sync();
    }
    return LIKELY(real) ? real : look_up(call);
}
