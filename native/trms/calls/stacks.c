/* Finds the running execution context: a thread's own stack, a signal handler or a coroutine.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Entry and exit hooks compare the stack pointer with the range of the current stack, and the
 * caller with the range of the executable's code. If another execution context may be running, the
 * hooks call this file, which distinguishes these cases:
 *
 *     handler     the caller is the C library's __restore_rt, or on arm64 the kernel's code for
 *                 sigreturn: a new execution context begins. The handler's context ends when its
 *                 last activation returns. If longjmp left the handler, the context ends when a
 *                 hook runs above the address where the context began.
 *     own stack   the C library returns the stack's range if the first guess is too narrow
 *     coroutine   any other stack pointer: the execution context of this thread that ran nearest
 *                 to the stack pointer, or a new one. Stacks passed to makecontext are known; other
 *                 stacks are guessed.
 *
 * A coroutine belongs to the thread that started it. A coroutine that moves to another thread
 * becomes a new execution context of that thread.
 */
#define _GNU_SOURCE
#include "native/trms/runtime.h"

#include "ground/host.h"
#include "native/base/modules.h"
#include "native/base/syscalls.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* assumed size of a stack if only a stack pointer is known */
#define GUESS_BYTES    ((uintptr_t)64 << 10)
#define GUESS_ABOVE    ((uintptr_t)4 << 10)
#define LARGEST_STACK  ((uintptr_t)1 << 33)
#define STACKS_KNOWN   1024
#define RESTORER_UNSET 1

struct trms_executable trms_executable;

/* return address of signal handlers, or RESTORER_UNSET */
static uintptr_t restorer = RESTORER_UNSET;

/* The latest stacks that were passed to makecontext. */
static struct known_stack {
    uintptr_t low, high;
    const ucontext_t *link;
} known[STACKS_KNOWN];
static uint32_t n_known;

static struct trms_thread *this_thread(void)
{
    return native_thread_data(native_self);
}

/* ---------------------------------------------------------------- signal handlers */

/* The kernel's layout of a signal action (struct kernel_sigaction). */
struct kernel_action {
    void *handler;
    unsigned long flags;
    uintptr_t restorer;
    uint64_t mask;
};

/* Finds the return address of signal handlers. All handlers that the C library installs have the
 * same return address. native/base installs some handlers, so the address can be read from one of
 * them. */
static void find_restorer(void)
{
    for (int sig = 1; sig < 65 && restorer == RESTORER_UNSET; sig++) {
        struct kernel_action action = {0};
        if (native_syscall(SYS_rt_sigaction, sig, 0, &action, sizeof action.mask) == 0 &&
            action.restorer)
            restorer = action.restorer;
    }
}

static void link_exec_context(struct trms_exec_context *ctx)
{
    struct trms_thread *thread = this_thread();
    ctx->link = thread->exec_contexts;
    thread->exec_contexts = ctx;
}

static void unlink_exec_context(struct trms_exec_context *ctx)
{
    struct trms_exec_context **place = &this_thread()->exec_contexts;
    while (*place && *place != ctx)
        place = &(*place)->link;
    if (*place)
        *place = ctx->link;
}

static struct trms_exec_context *exec_context_begin(uintptr_t low, uintptr_t high)
{
    struct trms_exec_context *ctx =
        trms_exec_context_new(&trms_world, trms_options.separate_threads ? native_self->id : 0);
    if (trms_options.cost == TRMS_COST_TIME)
        ctx->cost = ctx->reported.cost = trms_thread_nanoseconds();
    ctx->stack_low = low;
    ctx->stack_high = high;
    link_exec_context(ctx);
    return ctx;
}

/* Returns the slot of the handler's return address, which is above the handler's frame. Ended calls
 * may have left copies of this address below the slot, in an unused part of the frame. */
#if defined(__x86_64__)
static uintptr_t return_slot(uintptr_t slot)
{
    const uintptr_t *word = (const uintptr_t *)slot;
    while (*word != restorer)
        word++;
    return (uintptr_t)word;
}
#else
static uintptr_t return_slot(uintptr_t slot)
{
    return slot; /* the stack has no return address; the kernel's data begin above the slot */
}
#endif

/* Another signal handler may run at any time and jump away. So signals are blocked while the
 * following functions create or end the execution context of a handler. */

/* Begins the execution context of a handler. The handler may have interrupted a hook, which
 * continues after the handler's return. The range of the handler's stack includes the return
 * address and the next word. The next word is included because the stack pointer points to it in an
 * exit hook that a tail call reaches. No other stack contains this word, because it is part of the
 * kernel's data. */
static struct trms_exec_context *handler_begin(uintptr_t slot)
{
    struct trms_exec_context *below = trms_current;
    struct trms_quiet quiet;
    bool inside = native_is_inside(native_self);
    native_enter_anyway(native_self);
    trms_quiet_begin(&quiet);
    uintptr_t low = below->stack_low <= slot && slot < below->stack_high ? below->stack_low
                                                                         : slot - 4 * GUESS_BYTES;
    uintptr_t high = return_slot(slot) + 2 * sizeof(uintptr_t);
    struct trms_exec_context *ctx = exec_context_begin(low, high);
    ctx->is_handler = true;
    ctx->below = below;
    ctx->below_inside = inside;
    trms_current = ctx;
    native_leave(native_self);
    trms_quiet_end(&quiet);
    return ctx;
}

static void handler_end(struct trms_exec_context *ctx, bool returned)
{
    bool inside = returned && ctx->below_inside;
    struct trms_quiet quiet;
    native_enter_anyway(native_self);
    trms_quiet_begin(&quiet);
    trms_current = ctx->below;
    trms_interrupted(ctx->below);
    if (ctx->below_inside && !returned)
        trms_repair(ctx->below);
    unlink_exec_context(ctx);
    trms_exec_context_end(ctx);
    if (!inside)
        native_leave(native_self);
    trms_quiet_end(&quiet);
}

/* ---------------------------------------------------------------- stacks */

void trms_stack_register(uintptr_t low, uintptr_t high, const ucontext_t *link)
{
    uint32_t at = __atomic_fetch_add(&n_known, 1, __ATOMIC_RELAXED);
    known[at % STACKS_KNOWN] = (struct known_stack){low, high, link};
}

/* Returns the stack that contains this address. Memory of stacks is reused, so several registered
 * stacks may contain the address; in this case, returns the latest of them. */
static const struct known_stack *known_stack_at(uintptr_t slot)
{
    uint32_t n = __atomic_load_n(&n_known, __ATOMIC_RELAXED);
    for (uint32_t i = 1; i <= STACKS_KNOWN; i++) {
        const struct known_stack *stack = &known[(n - i) % STACKS_KNOWN];
        if (slot - stack->low < stack->high - stack->low)
            return stack;
    }
    return NULL;
}

static bool covers(const struct trms_exec_context *ctx, uintptr_t slot)
{
    return slot - ctx->stack_low < ctx->stack_high - ctx->stack_low;
}

/* Finds the range of the thread's own stack. The main thread's stack grows up to its limit; the
 * size of other stacks is fixed. */
static void own_range_learn(struct trms_exec_context *own)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    struct rlimit limit = {0, 0};
    own->range_is_guess = false;
    if (native_self->tid == (int)native_syscall(SYS_getpid)) {
        native_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, &limit);
        if (limit.rlim_cur > LARGEST_STACK)
            limit.rlim_cur = LARGEST_STACK;
        own->stack_high += LARGEST_STACK >> 4; /* only the environment is above the stack */
        own->stack_low = own->stack_high - (LARGEST_STACK >> 4) - limit.rlim_cur;
        return;
    }
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
        own->stack_low = (uintptr_t)low;
        own->stack_high = (uintptr_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
}

void trms_stacks_init(void)
{
    struct trms_exec_context *own = this_thread()->own;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    own->stack_low = here - GUESS_BYTES;
    own->stack_high = here + GUESS_BYTES;
    own->range_is_guess = true;
    if (restorer == RESTORER_UNSET)
        find_restorer();
    if (!trms_executable.bytes && native_modules_count()) {
        const struct native_module *executable = native_modules_get(0);
        trms_executable.low = executable->start;
        trms_executable.bytes = executable->end - executable->start;
    }
}

void trms_stacks_end(struct trms_thread *thread)
{
    while (thread->exec_contexts) {
        struct trms_exec_context *ctx = thread->exec_contexts;
        thread->exec_contexts = ctx->link;
        trms_exec_context_end(ctx);
    }
}

/* Returns whether a slot that is in no known stack is near the lower end of this coroutine's stack
 * of assumed size. The slot may then belong to the coroutine, because stacks grow down. */
static bool is_just_below(const struct trms_exec_context *ctx, uintptr_t slot)
{
    return ctx->range_is_guess && !ctx->is_handler && ctx->stack_low - slot <= GUESS_BYTES;
}

static struct trms_exec_context *coroutine_at(uintptr_t slot)
{
    uintptr_t low = slot - GUESS_BYTES, high = slot + GUESS_ABOVE;
    struct trms_exec_context *ctx;
    for (ctx = this_thread()->exec_contexts; ctx; ctx = ctx->link)
        if (!ctx->is_handler && covers(ctx, slot))
            return ctx;
    const struct known_stack *stack = known_stack_at(slot);
    for (ctx = this_thread()->exec_contexts; ctx && !stack; ctx = ctx->link)
        if (is_just_below(ctx, slot)) {
            ctx->stack_low = low;
            return ctx;
        }
    ctx = stack ? exec_context_begin(stack->low, stack->high) : exec_context_begin(low, high);
    ctx->range_is_guess = !stack;
    trms_direct_shadow_give_coroutine(ctx);
    return ctx;
}

static struct trms_exec_context *exec_context_of_stack(uintptr_t slot)
{
    struct trms_exec_context *own = this_thread()->own;
    if (!covers(own, slot) && own->range_is_guess)
        own_range_learn(own);
    return covers(own, slot) ? own : coroutine_at(slot);
}

APROF_NOINLINE struct trms_exec_context *trms_exec_context_at(uintptr_t slot)
{
    if (!trms_attach() || !native_enter(native_self))
        return NULL;
    while (trms_current->is_handler && !covers(trms_current, slot))
        handler_end(trms_current, false);
    native_self->idle = 0;
    if (!covers(trms_current, slot)) {
        struct trms_exec_context *left = trms_current;
        trms_current = exec_context_of_stack(slot);
        trms_sync(left); /* the new context may write cells that the old one reads later */
    }
    native_leave(native_self);
    return trms_current;
}

APROF_NOINLINE struct trms_exec_context *trms_exec_context_leaving(uintptr_t slot, uintptr_t caller)
{
    return caller == restorer && trms_current->is_handler ? trms_current
                                                          : trms_exec_context_at(slot);
}

#if defined(__x86_64__)
#define is_restorer(caller) ((caller) == restorer)
#else
/* Handlers return to two kernel instructions, mov x8, #139 (rt_sigreturn) and svc #0; no signal
 * action contains their address. */
static bool is_restorer(uintptr_t caller)
{
    const uint32_t *code = (const uint32_t *)caller;
    if (caller != restorer && code[0] == 0xd2801168 && code[1] == 0xd4000001)
        restorer = caller;
    return caller == restorer;
}
#endif

APROF_NOINLINE struct trms_exec_context *trms_exec_context_entering(uintptr_t slot,
                                                                    uintptr_t caller)
{
    if (!trms_attach())
        return NULL;
    if (is_restorer(caller))
        return handler_begin(slot);
    trms_sync(trms_current);
    return covers(trms_current, slot) ? trms_current : trms_exec_context_at(slot);
}

static uintptr_t stack_pointer_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return context->uc_mcontext.sp -
           sizeof(uintptr_t); /* the slot of an activation that begins at this stack pointer */
#endif
}

/* This function is called before the resumed function, like an entry hook, so that the first reads
 * are attributed to the right execution context. */
void trms_stack_resumed(const ucontext_t *context)
{
    uintptr_t slot = stack_pointer_of(context);
    if (trms_current != &trms_nobody && !covers(trms_current, slot))
        trms_exec_context_at(slot);
}

/* A coroutine's first routine returns to the C library, which continues with the coroutine's
 * successor (uc_link). */
void trms_exec_context_left(struct trms_exec_context *ctx)
{
    if (ctx->is_handler) {
        handler_end(ctx, true);
        return;
    }
    if (ctx == this_thread()->own || ctx->range_is_guess)
        return;
    const struct known_stack *stack = known_stack_at(ctx->stack_low);
    if (stack && stack->link)
        trms_stack_resumed(stack->link);
}
