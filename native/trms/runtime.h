/* Declarations shared by the compiled-in TRMS outside the core, such as a thread's data.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_TRMS_RUNTIME_H
#define NATIVE_TRMS_RUNTIME_H

#include "native/base/native.h"
#include "native/base/dump.h"
#include "native/base/environment.h"
#include "native/base/watch.h"
#include "native/trms/core.h"

#include <ucontext.h>

enum trms_cost { TRMS_COST_BLOCKS, TRMS_COST_INSTRUCTIONS, TRMS_COST_TIME };

struct trms_options {
    char out[NATIVE_OPTION_TEXT_BYTES];
    char given[NATIVE_OPTION_TEXT_BYTES]; /* value of the variable APROF, unchanged */
    uint64_t size; /* size of the run, as the user declared it; 0: not declared */
    unsigned metrics;
    uint32_t resolution_log2;
    uint32_t cost; /* enum trms_cost */
    uint32_t separate_threads, collect, edges;
    uint32_t contexts; /* enum process_contexts_mode */
    uint32_t by_cost, fold;
    /* phi and epsilon (contexts/fraction.h); if epsilon is 0, a fifth of phi is used */
    uint32_t phi, epsilon;
    uint32_t sample; /* initial sampling period N: one of N activations is measured; 1: all */
    uint32_t sample_seed;
    uint32_t sample_budget; /* overhead of samples in percent; 0: the sampling period is fixed */
    char control[NATIVE_OPTION_TEXT_BYTES]; /* control file (native/base/control.h) */
    bool is_changed;                        /* whether the control file has set the sampling rate */
    struct native_dump_settings dump;
};

/* The runtime's data for a thread, which follow the struct native_thread. */
struct trms_thread {
    struct trms_exec_context *own; /* execution context of the thread's own stack */
    /* execution contexts of the thread's coroutines and running handlers, linked by `link` */
    struct trms_exec_context *exec_contexts;
};

extern struct trms_world trms_world;
extern struct trms_options trms_options;

/* The execution context that runs on this thread; never NULL. A thread that is not (yet) profiled
 * has a substitute without cached chunks and without a stack, with which all accesses take the slow
 * path. */
extern NATIVE_TLS NATIVE_EXPORT struct trms_exec_context *
    trms_current __asm__("aprof_trms_exec_context"); /* for inline checks */
extern struct trms_exec_context trms_nobody;

/* The pointer native_self, or a substitute that counts as always inside the guard, so that hooks
 * need no further tests. */
extern NATIVE_TLS struct native_thread *trms_self;

/* Attaches this thread if necessary, and returns its execution context, or NULL if it has none. */
struct trms_exec_context *trms_attach(void);

/* Ends the region inside the guard (native_enter): stores the latest activation's slot in `idle`,
 * which the thread's next call or return hook tests. */
APROF_INLINE void trms_leave(struct native_thread *self)
{
    native_leave_as(self, trms_current->activation->slot);
}

/* In stacks.c: finds the execution context to which this stack pointer belongs. Precondition: the
 * stack pointer is outside the current context's range. The found context becomes the current
 * context; returns NULL if no context is found. */
struct trms_exec_context *trms_exec_context_at(uintptr_t slot);
/* Call this function instead of trms_exec_context_at when a routine begins. If the routine is a
 * signal handler, or was called from outside the executable, other contexts may have changed
 * memory. */
struct trms_exec_context *trms_exec_context_entering(uintptr_t slot, uintptr_t caller);
/* Call this function instead of trms_exec_context_at when a routine ends. The routine may be a
 * handler whose frame is already free. */
struct trms_exec_context *trms_exec_context_leaving(uintptr_t slot, uintptr_t caller);
/* Call this function when the last activation of an execution context has returned. This context
 * may belong to a handler, a coroutine or a thread. */
void trms_exec_context_left(struct trms_exec_context *ctx);
/* Registers a new stack for a coroutine, and the context that continues after the coroutine (NULL:
 * none). */
void trms_stack_register(uintptr_t low, uintptr_t high, const ucontext_t *link);
/* Call this function when the thread continues with this context. */
void trms_stack_resumed(const ucontext_t *context);
void trms_stacks_init(void);
/* Ends the execution contexts of this thread except the thread's `own` context and `keep`, which
 * may be NULL. */
void trms_stacks_end(struct trms_thread *thread);
/* The address range of the executable's code. */
extern struct trms_executable {
    uintptr_t low, bytes;
} trms_executable;

/* Returns the CPU time of the calling thread. */
uint64_t trms_thread_nanoseconds(void);

/* Reads the clock if the cost is time; with cost=bb, hooks count the cost. If the cost is time,
 * hooks may still add blocks to `cost` between two readings. The number of these blocks is smaller
 * than the number of nanoseconds that pass, so `cost` never decreases. */
APROF_INLINE void trms_clock_read(struct trms_exec_context *ctx)
{
    if (UNLIKELY(trms_options.cost == TRMS_COST_TIME))
        ctx->cost = trms_thread_nanoseconds();
}

/* In direct_shadow_space.c: gives a direct-mapped shadow to an execution context, if the system
 * grants the memory. */
void trms_direct_shadow_give(struct trms_exec_context *ctx);
/* Gives a direct-mapped shadow to a coroutine. Only some coroutines get a direct-mapped shadow,
 * because there may be thousands of coroutines. */
void trms_direct_shadow_give_coroutine(struct trms_exec_context *ctx);
/* Call this function when memory has been mapped at these addresses. Removes direct-mapped shadows
 * in which these addresses would have no words, or would share words with other memory. The
 * execution context may be NULL. */
void trms_direct_shadow_check(struct trms_exec_context *ctx, uintptr_t address, size_t bytes);
bool trms_direct_shadows_exist(void);
/* Returns a word for the report's options if no direct-mapped shadow was created, or if shadows of
 * some kind are no longer used; otherwise NULL. */
const char *trms_direct_shadows_word(void);
/* Call this function before the process gets less address space than direct-mapped shadows take.
 * Releases this context's direct-mapped shadow and allows no new shadows. Returns false if other
 * execution contexts have shadows, or if this context is inside a hook. */
bool trms_direct_shadows_end(void);
/* Call this function before a fork. If the system counts a child's copy of a shadow as used memory
 * (vm.overcommit_memory=2), the fork could fail; all shadows are then released permanently. */
void trms_direct_shadows_fork(void);

/* True if some direct-mapped shadows are narrow (direct_shadow_places.h). If shadows are narrow,
 * new memory is reported before the program gets it. */
extern bool trms_memory_is_watched;
void trms_memory_given(uintptr_t address, size_t bytes);

/* In routines.c: returns the profile of the routine with an entry hook that returns to `pc`. */
struct routine_profile *trms_routine_profile(struct trms_exec_context *ctx, uintptr_t pc);
/* In routines.c: returns the profile of the region with this name. */
struct routine_profile *trms_region_profile(struct trms_exec_context *ctx, const char *name);
void trms_routines_init(void);

/* In quick.c: these functions record an access if the first check of a hook cannot decide whether
 * the access changes the profile. Functions with a number in their name take aligned accesses of
 * this number of bytes; the last two functions take any access. If there is a direct-mapped shadow,
 * the check has already stored the shadow words of a write. */
void trms_hook_read_1(uintptr_t address);
void trms_hook_read_2(uintptr_t address);
void trms_hook_read_4(uintptr_t address);
void trms_hook_read_8(uintptr_t address);
void trms_hook_read_16(uintptr_t address);
void trms_hook_write_1(uintptr_t address);
void trms_hook_write_2(uintptr_t address);
void trms_hook_write_4(uintptr_t address);
void trms_hook_write_8(uintptr_t address);
void trms_hook_write_16(uintptr_t address);
void trms_hook_read(uintptr_t address, size_t bytes);
void trms_hook_write(uintptr_t address, size_t bytes);

/* report.c */
void trms_report_write(const char *reason);

#endif
