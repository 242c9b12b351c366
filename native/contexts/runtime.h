/* The calling-context profiler in programs: the interface between its parts.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The runtime implements section 4 of paper 002, but detects the ends of activations by another
 * mechanism. A hook runs when an instrumented routine is entered; no hook runs when the routine is
 * left. The *slot* of an activation is the address of its return address. At an entry, all
 * activations whose slots are at or below the new activation's slot have ended. So a longjmp, an
 * exception or a cancelled thread needs no special care, and a call costs one event instead of two.
 *
 *     hook.c     the hooks
 *     stack.c    the shadow stacks: what is pending, checked against the real stack
 *     unwind.c   walks the real stack by the compiler's call frame information
 *     patch.c    turns entries of routines into calls of the hook
 *     burst.c    which entries are followed (static and adaptive bursting)
 *     report.c   writes the file
 *     places.c   called by code that counts inline, without hooks
 *     no_hooks.c instead of hook.c, unwind.c and patch.c on arm64
 *     prune.c    reclaims contexts that such code no longer uses
 *     main.c     options, and the life of threads and processes
 *     object.c   the only part that goes into shared objects
 *
 * Code reachable from a hook takes no lock, and is compiled without vector registers, which may
 * hold arguments of the routine that is being entered.
 */
#ifndef NATIVE_CONTEXTS_RUNTIME_H
#define NATIVE_CONTEXTS_RUNTIME_H

#include "native/base/native.h"
#include "native/base/dump.h"
#include "native/base/environment.h"
#include "contexts/context_tree.h"

enum contexts_burst { BURST_OFF, BURST_STATIC, BURST_ADAPTIVE };

/* The settings in APROF_CONTEXTS. Times are in nanoseconds, fractions in billionths
 * (contexts/fraction.h). */
struct contexts_settings {
    uint32_t mode;         /* index into contexts_modes */
    uint32_t summary;      /* enum context_summary_kind - CONTEXTS_LAZY_SPACE_SAVING */
    uint32_t phi, epsilon; /* phi and epsilon; if epsilon is 0, a fifth of phi is used */
    uint32_t burst;
    /* `sampling`: mean time between the starts of two bursts; `length`: mean duration of a burst */
    uint64_t sampling, length;
    uint32_t weight; /* weight of contexts: 0: calls, 1: time */
    uint32_t sites;  /* whether contexts also differ if only their call sites differ */
    uint32_t merged;
    uint64_t recursion; /* maximum occurrences of a routine in a context; 0: no limit */
    char out[NATIVE_OPTION_TEXT_BYTES];
    struct native_dump_settings dump;
};

extern NATIVE_HIDDEN struct contexts_settings contexts_config;

/* A pending activation. The bottom frame of a shadow stack is the frame of the root, with slot
 * ~0. */
struct contexts_frame {
    /* stack address of the return address. Hooks of -finstrument-functions store a lower address,
     * which is not below the slots of callees. */
    uintptr_t slot;
    uintptr_t site; /* the return address; 0 if unknown */
    struct context_node *node;
    uintptr_t routine;
};

/* The pending activations of one stack. A thread has one execution context for its stack, and
 * further execution contexts for coroutines and for signal handlers with separate stacks. */
struct contexts_exec_context {
    struct contexts_frame *frames;
    /* number of frames above the bottom frame; while this context is current, contexts_thread.top
     * is valid instead */
    size_t depth;
    size_t deepest; /* largest depth so far, < capacity */
    size_t capacity;
    uintptr_t lowest, highest; /* range of this stack's slots that hooks have found */
    uint64_t used;             /* value of `switches` when this context was last made current */
};

struct contexts_rule;   /* unwind.c */
struct contexts_places; /* places.c */

/* The sampling state of a thread (burst.c). */
struct contexts_burst_state {
    int64_t *left;        /* pointer to the thread's contexts_left */
    int64_t stands_for;   /* number of omitted entries that the next burst represents */
    uint64_t length;      /* number of entries in this burst or the next burst */
    uint64_t pace;        /* mean length of bursts; 0: unknown */
    uint64_t next_weight; /* weight of an entry of the next burst */
    uint64_t began;       /* value of `events` at the beginning of this burst */
    uint64_t ended_ns;    /* processor time when the latest burst ended */
    uint64_t random;
    bool is_late;      /* whether other threads had begun bursts when this thread began */
    uint8_t *familiar; /* adaptive bursts: by hash of a context, number of bursts that began
                        * there */
};

struct contexts_thread {
    struct contexts_frame *top;   /* the current activation */
    struct contexts_frame *limit; /* deepest frame of this execution context so far */
    struct context_tree *tree;
    uint64_t events;   /* number of entries so far */
    uint64_t check;    /* value of `events` at which the burst is checked */
    uint64_t weight;   /* weight of one entry */
    uint32_t in_burst; /* whether a burst is running; always 1 without bursting */

    /* slot of the running or latest hook; if the stack pointer is higher, this hook was
     * abandoned */
    uintptr_t hook_slot;
    uint64_t deepest;

    struct contexts_exec_context *exec_contexts; /* array of EXEC_CONTEXTS elements */
    uint32_t ctx, n_exec_contexts;
    uint64_t switches;

    struct contexts_frame *walk; /* frames that the latest walk found, innermost first */
    size_t walk_capacity;
    struct contexts_rule *rules;

    /* data for code that counts inline; NULL: no code has counted inline */
    struct contexts_places *places;

    uint64_t clock; /* weight=time: cycles at the latest event */
    uint64_t cpu,
        /* weight=time: `cpu`: latest reading of the processor time; `cpu_used`: cycles attributed
         * since this reading */
        cpu_used;

    struct contexts_burst_state burst;
};

/* Number of entries until the thread's hook records entries again; each entry decrements this
 * number. If contexts_left is below 0, the hook records each entry. */
extern NATIVE_HIDDEN NATIVE_TLS int64_t contexts_left;
/* Not 0 if cyg_profile hooks have run. In modules that have called cyg_profile hooks, routines
 * without a patched entry are counted, too. */
extern NATIVE_HIDDEN uint32_t contexts_functions_seen;

/* ---------------------------------------------------------------- hook.c */

#if defined(__x86_64__)
#define KEEPS_REGISTERS __attribute__((no_caller_saved_registers))
#else
#define KEEPS_REGISTERS /* arm64 has no patched entries (no_hooks.c) */
#endif
typedef KEEPS_REGISTERS void contexts_hook(void);
/* Patched entries call these functions, which preserve all registers. contexts_entry_empty is for
 * benchmarks. */
NATIVE_HIDDEN KEEPS_REGISTERS void contexts_entry_calls(void);
NATIVE_HIDDEN KEEPS_REGISTERS void contexts_entry_time(void);
NATIVE_HIDDEN KEEPS_REGISTERS void contexts_entry_empty(void);

/* Returns whether the object of `routine` has called hooks of -finstrument-functions. */
NATIVE_HIDDEN bool contexts_has_functions(uintptr_t routine);

/* ---------------------------------------------------------------- unwind.c */

/* An activation on the real stack. */
struct contexts_place {
    uintptr_t slot; /* address of the activation's return address */
    /* value of the frame pointer in the activation, for finding its caller */
    uintptr_t frame_pointer;
    uintptr_t routine; /* routine of the activation; 0: not instrumented, or unknown */
    /* whether the activation is a hook; if so, a step to the caller finds the routine that called
     * it */
    uint8_t in_hook;
    /* whether the activation is on another stack than the activation where the walk began */
    uint8_t jumped;
};

enum contexts_step { STEP_CALLER, STEP_END, STEP_BROKEN };

/* Moves to the caller's activation. STEP_END: there is no caller, because the stack begins here.
 * STEP_BROKEN: the call frame information is missing or invalid. `place` is unchanged at STEP_END
 * and STEP_BROKEN. */
NATIVE_HIDDEN enum contexts_step contexts_unwind(struct contexts_thread *t,
                                                 struct contexts_place *place);

/* Returns the instrumented routine that contains the return address `pc`; 0 if no routine is
 * known. */
NATIVE_HIDDEN uintptr_t contexts_routine_of(struct contexts_thread *t, uintptr_t pc);
NATIVE_HIDDEN void contexts_unwind_free(struct contexts_thread *t);

/* ---------------------------------------------------------------- stack.c */

NATIVE_HIDDEN void contexts_stack_start(struct contexts_thread *t);
NATIVE_HIDDEN void contexts_stack_free(struct contexts_thread *t);

/* Makes space for one more frame when t->top has reached its maximum depth; t->top may move. */
NATIVE_HIDDEN void contexts_stack_deepen(struct contexts_thread *t);

/* Corrects the shadow stack, so that it has the callers of the activation at `place`, as the real
 * stack does. Finds the activation's execution context, drops ended activations, and adds missing
 * callers. The activation itself is not added. */
NATIVE_HIDDEN void contexts_stack_resync(struct contexts_thread *t, struct contexts_place place);

/* Returns whether `slot` is in the range of slots that hooks have found in the current execution
 * context. */
NATIVE_HIDDEN bool contexts_stack_has(const struct contexts_thread *t, uintptr_t slot);

/* Replaces the tree by a copy without pending activations, because a hook left the tree
 * inconsistent. */
NATIVE_HIDDEN void contexts_stack_recover(struct contexts_thread *t);

/* ---------------------------------------------------------------- patch.c */

/* Size of a patched entry, which ends with the call of the hook. */
#define CONTEXTS_ENTRY_BYTES 16

/* Patches the executable's entries to call `hook`, or to do nothing if `hook` is NULL. */
NATIVE_HIDDEN void contexts_patch_start(contexts_hook *hook);

/* Finds the patched entry of the routine at `address`. The patched entry is at `address` itself or
 * 4 bytes later, after an endbr64. Returns the entry's address, or 0 if there is none. */
NATIVE_HIDDEN uintptr_t contexts_patch_entry_at(uintptr_t address);

/* ---------------------------------------------------------------- burst.c */

NATIVE_HIDDEN void contexts_burst_thread(struct contexts_thread *t, int64_t left);
/* Call this function when a gap between bursts has ended. Returns true if the current entry is
 * recorded. */
NATIVE_HIDDEN bool contexts_burst_begin(struct contexts_thread *t,
                                        const struct contexts_place *place);
/* Call this function when t->events has reached t->check. Ends the burst if it is over. */
NATIVE_HIDDEN void contexts_burst_check(struct contexts_thread *t);
NATIVE_HIDDEN void contexts_burst_free(struct contexts_thread *t);
NATIVE_HIDDEN void contexts_burst_forked(void);

/* The precision of estimates. */
struct contexts_precision {
    uint32_t bursts; /* number of bursts that represent omitted entries; 0: all counts are exact */
    uint64_t clump;  /* largest sum of weights in a burst */
    /* number of entries that occurred in ended threads and that no burst represents yet */
    int64_t missing;
};
NATIVE_HIDDEN struct contexts_precision contexts_burst_precision(void);
/* Returns the number of entries of a running thread that no burst represents yet. */
NATIVE_HIDDEN int64_t contexts_burst_missing(const struct contexts_thread *t);

/* ---------------------------------------------------------------- main.c, report.c */

/* The tree of a thread that has ended. */
struct contexts_ended {
    struct contexts_ended *next;
    struct context_tree *tree;
    uint32_t id;
    uint64_t events, deepest;
};
extern NATIVE_HIDDEN struct contexts_ended *contexts_ended;

NATIVE_HIDDEN struct context_tree *contexts_new_tree(void);
NATIVE_HIDDEN void contexts_finish(const char *reason);

/* ---------------------------------------------------------------- places.c */

/* contexts_places_settle and contexts_places_end add inline counts to the totals.
 * contexts_places_settle may be called at any time; a thread calls contexts_places_end at its end.
 * contexts_places_end resets the thread's place: after a tail call in a library, this place may
 * belong to the ended tree. */
NATIVE_HIDDEN void contexts_places_settle(struct contexts_thread *t);
NATIVE_HIDDEN void contexts_places_end(struct contexts_thread *t);
/* Ends counting, so that inline code no longer calls the runtime. */
NATIVE_HIDDEN void contexts_places_off(void);
/* Discards the places in a forked child. */
NATIVE_HIDDEN void contexts_places_restart(struct contexts_thread *t);

/* ---------------------------------------------------------------- modes.c */

struct native_contexts_mode {
    bool hot;    /* true: the tree is an HCCT; false: it is a CCT */
    bool is_off; /* whether the program runs without a profile */
    /* empty hook for function entries (benchmark only); NULL: the real hooks */
    contexts_hook *empty_hook;
};
extern NATIVE_HIDDEN const char *const contexts_mode_names[];
extern NATIVE_HIDDEN const struct native_contexts_mode contexts_modes[];

APROF_INLINE const struct native_contexts_mode *contexts_mode(void)
{
    return &contexts_modes[contexts_config.mode];
}

/* ---------------------------------------------------------------- clock.c */

NATIVE_HIDDEN void contexts_clock_start(void);
NATIVE_HIDDEN uint64_t contexts_cycles_to_ns(uint64_t cycles);
/* contexts_processor_ns returns the processor time of the calling thread; contexts_process_ns
 * returns the processor time of the process. Both make system calls. */
NATIVE_HIDDEN uint64_t contexts_processor_ns(void);
NATIVE_HIDDEN uint64_t contexts_process_ns(void);
/* Reads the time stamp counter; on arm64, the counter of the generic timer. */
#if defined(__x86_64__)
APROF_INLINE uint64_t contexts_cycles(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

#define CONTEXTS_LONG_CYCLES 50000
#else
APROF_INLINE uint64_t contexts_cycles(void)
{
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

/* number of cycles in 20 microseconds; not a constant, because the rates of counters differ */
extern NATIVE_HIDDEN uint64_t contexts_long_cycles;
#define CONTEXTS_LONG_CYCLES contexts_long_cycles
#endif

/* Call this function if a long time has passed since the latest event. Returns for how many of the
 * `elapsed` cycles the thread was running. */
NATIVE_HIDDEN KEEPS_REGISTERS uint64_t contexts_processor_cycles(struct contexts_thread *t,
                                                                 uint64_t elapsed);

/* Returns the number of cycles since the latest event that belong to the program. */
APROF_INLINE uint64_t contexts_elapsed_cycles(struct contexts_thread *t)
{
    uint64_t before = __atomic_load_n(&t->clock, __ATOMIC_RELAXED);
    NATIVE_SIGNAL_FENCE(); /* inline counting code of a signal handler may advance the clock */
    uint64_t elapsed = contexts_cycles() - before;
    if (UNLIKELY(elapsed > CONTEXTS_LONG_CYCLES))
        elapsed = contexts_processor_cycles(t, elapsed);
    t->cpu_used += elapsed;
    return elapsed;
}

#endif
