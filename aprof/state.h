/* The engine's state, shared by its files (trms, callstack, overflow, engine).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An execution context (`struct exec_context`, in variables `ctx`) is a sequence of activations
 * with one stack. The stack belongs to a thread, a running signal handler, or a coroutine. The
 * papers' statements about threads hold for execution contexts, so a signal handler or a coroutine
 * is profiled like a separate thread. The code that a handler interrupts is never charged for the
 * handler's cost and reads. The code that resumes a coroutine is never charged for the coroutine.
 *
 * A timestamp (`stamp`) is time << 1 | bit. The time is a value of the engine's counter; the
 * timestamp 0 means never.
 *
 *     table                        the bit says
 *     accessed  of each context    PRIVATE WRITE: the context wrote the cell, and `written` does
 *               (ts in the paper)  not say so, as there was no other context (memory_share_writes)
 *     written   of all             KERNEL: the latest writer
 *               (wts)
 *
 * Times are compared as (a | 1) < (b & ~1), or by comparing timestamps if the bit is known to be
 * clear.
 *
 * The bottom entry of each stack is not an activation: the entry represents the whole execution
 * context and has time 1. No access is earlier than the bottom entry, so the search for an ancestor
 * always ends. The partial sums that arrive at the bottom entry are the input of the whole
 * execution context.
 */
#ifndef APROF_STATE_H
#define APROF_STATE_H

#include "contexts/context_cursor.h"
#include "points/charges.h"
#include "points/edges.h"
#include "points/process_contexts.h"
#include "aprof/engine.h"
#include "aprof/homes.h"
#include "points/profile.h"
#include "aprof/shadow_lines.h"
#include "aprof/shadow_memory.h"

#define STAMP_BIT    1u
#define BOTTOM_STAMP (1u << 1)
#define FIRST_STAMP  (2u << 1)
#define NO_SLOT      (~(aprof_word)0) /* slot of activations that began without a recorded call */

/* A pending activation. The members rms and delta are partial sums: the value of an activation is
 * its own partial sum plus all partial sums above it on the stack (Invariant 2 of the paper). The
 * trms is rms + delta.
 *
 * Recursion can be as deep as memory allows, so an activation is small: 44 bytes and a timestamp.
 * Induced accesses are counted in a separate array, which takes memory only for activations with
 * induced accesses. */
struct activation {
    struct routine_profile *profile; /* routine; NULL in the bottom entry */
    aprof_word slot;                 /* address of the activation's return address */
    uint64_t cost_before;            /* cost of the execution context when the activation began */
    uint64_t cost_of_callees;
    int64_t rms;
    uint32_t edge : 30; /* number of the call edge in the engine's table */
    /* whether the activation's `struct induced` is valid; otherwise all its counts are 0 */
    uint32_t is_induced : 1;
    uint32_t measured : 1; /* whether measurement was on when the activation began */
} __attribute__((packed, aligned(4)));

/* Partial sums of induced accesses, like rms and delta. */
struct induced {
    int64_t delta;
    int64_t delta_thread; /* part of delta induced by other threads' writes */
    uint64_t thread, external;
};

/* Recently used chunks, direct-mapped by chunk index. At 4 bytes per cell, the chunks cover 64 MiB
 * of addresses, so that random accesses to large arrays seldom miss. */
#define REMEMBERED_CHUNKS 1024
#define NO_CHUNK          (~(uint64_t)0)
/* An origin is the address at which cell 0 would have its timestamp if the chunk extended to cell
 * 0. So a cell's timestamp is found without the position of the chunk's beginning. */
struct remembered_chunk {
    uint64_t index;     /* NO_CHUNK: free */
    uintptr_t accessed; /* origin */
    /* origin; NO_ORIGIN: writes to the chunk need not be recorded in `written` */
    uintptr_t written;
};
#define NO_ORIGIN 1

APROF_INLINE uintptr_t stamps_origin(const uint32_t *stamps, uint64_t index)
{
    return stamps ? (uintptr_t)stamps - (uintptr_t)index * CHUNK_BYTES : NO_ORIGIN;
}

APROF_INLINE uint32_t *stamp_at(uintptr_t origin, uint64_t cell)
{
    return (uint32_t *)(origin + (uintptr_t)cell * sizeof(uint32_t));
}

/* Number of zeros before an execution context's timestamps. */
#define STAMPS_BELOW 16

enum exec_context_kind { EXEC_CONTEXT_THREAD, EXEC_CONTEXT_HANDLER, EXEC_CONTEXT_COROUTINE };

/* Values of `end` for an execution context with records that only callstack.c handles. These values
 * are larger than the values of enum block_end.
 *
 *     END_CALLED    a signal arrived after a call; the activations whose slots the call has
 *                   overwritten have ended
 *     END_SETTLED   the activations that a jump has left have ended; `pointer` or NO_SLOT is
 *                   valid
 *     END_INJECTED  a signal handler made the code call the next block
 *     END_SILENT    nothing is counted, because the collection is off or the lazy binder runs
 */
#define END_CALLED   0x08
#define END_SETTLED  0x09
#define END_INJECTED 0x0a
#define END_MASK     0x0f
#define END_SILENT   0x80

struct exec_context {
    struct routine *routine; /* routine of the top activation */
    struct activation *stack;
    struct induced *induced; /* array indexed by activation; unused pages are not allocated */
    /* Timestamps of the activations, in ascending order. In each timestamp, the lowest bit is
     * clear. The array is separate from the activations, so that it can be searched fast.
     * STAMPS_BELOW zeros precede the bottom entry, so that a search may read below it. */
    uint32_t *stamps;
    size_t top; /* index of the top activation; 0: only the bottom entry */
    uint64_t cost;
    uint8_t end;        /* end of the latest record: enum block_end | END_SILENT */
    bool silent;        /* result of exec_context_is_silent at the latest record */
    bool paused;        /* EVENT_PAUSE */
    aprof_word pointer; /* last payload word of the latest record, if `end` has a payload word */
    /* copied from the latest record's descriptor, which may be freed before the next record */
    aprof_word next, repeat;
    uint32_t span; /* span of the calling code, copied from the latest record's descriptor */

    /* REMEMBERED_CHUNKS elements; the engine's `none` while the execution context is small. */
    struct remembered_chunk *remembered;
    struct shadow_table accessed;
    struct shadow_lines lines; /* while the context is small: lines that the context has accessed */
    /* while the context is small: number of accesses that the context may still make */
    uint32_t allowance;

    size_t capacity;
    uint64_t cost_reported;
    struct profile profile;
    size_t known_depth; /* depth for which the stack and the engine's arrays have space */
    uint32_t number;    /* unique number, from 1; never reused */
    uint32_t toggles;   /* number of pending activations that match --toggle-collect */

    aprof_word binder_slot; /* while the lazy binder runs: slot of the pending call; otherwise 0 */
    aprof_word binder_pointer; /* stack pointer at the end of the lazy binder's latest record */
    uint8_t binder_end;        /* last word of the lazy binder's latest record */
    uint8_t kind;              /* enum exec_context_kind */
    uint32_t home;             /* number of the thread that began the context; its profile receives
                                * the context's points */
    /* number of the thread that last ran the context; coroutines may change threads */
    uint32_t runner;
    /* for a handler: the execution context that the handler interrupted */
    struct exec_context *below;
    aprof_word low, high; /* range of the context's stack addresses while the context is parked */
    /* for a coroutine that began by a call: the execution context that made the call; it may have
     * ended */
    struct exec_context *caller;
    /* copy of `caller->high`, by which is_parked finds out whether the caller still exists */
    aprof_word caller_high;
    aprof_word start; /* for a coroutine: the stack pointer at its first block */
    /* for a running coroutine: highest address of the thread's own stack if this stack is below the
     * coroutine's stack, perhaps directly below it; otherwise 0 */
    aprof_word barrier;
    /* lowest slot since the shadow memory of the dead part of the stack was released */
    aprof_word deepest_slot;

    struct thread_contexts *contexts; /* calling contexts of the context's thread (exec_cursor.h) */
    /* the context's position in `contexts`; its tree is NULL while the context has no activation,
     * or if contexts are not kept */
    struct context_cursor cursor;

    /* slot of the latest call that a signal handler injected; 0 if there is none or if calls store
     * return addresses on the stack */
    aprof_word injected_slot;
    /* if a handler has injected a call between a call and the callee's first block: slot of the
     * interrupted call; otherwise 0 */
    aprof_word called_slot;
};

struct thread {
    uint32_t number;
    struct exec_context *current;
    /* parked execution contexts of the thread and of its signal handlers, in the order of
     * parking */
    struct exec_context **parked;
    uint32_t n_parked, parked_capacity;
    aprof_word stack_low, stack_high; /* limits of the stack; 0, 0: not known */
};

/* A coroutine and its stack. Parked coroutines are found by address, so they are sorted by
 * address. */
struct coroutine {
    aprof_word high; /* value of `high` in the coroutine's execution context */
    struct exec_context *ctx;
};

/* A file mapping; the cells of a chunk are marked when the chunk is first accessed. */
struct file_range {
    uint64_t first, last; /* cells */
    uint32_t stamp;       /* timestamp of the mapping, with the kernel bit set */
};

struct engine {
    struct exec_context *ctx; /* the running thread */
    uint32_t now;             /* current time << 1 */
    uint32_t limit;           /* renumber when `now` reaches this value */
    uint8_t shift;            /* log2 of the bytes per cell */
    /* whether a second execution context exists; every write is then recorded in `written` */
    bool shared;
    bool collecting;
    /* whether calls and returns have a fast path because the settings are the defaults: both
     * metrics, call edges, no contexts, no --toggle-collect */
    bool plain;
    unsigned metrics;
    struct process_contexts *contexts; /* NULL: calling contexts are not kept */
    struct edge_table edges;           /* call edges of all threads */
    struct charge_table charges; /* charges of all threads; empty: costs of spans are not kept */
    struct homes homes;          /* blocks that count their costs in their descriptors */

    struct engine_config config;
    struct shadow_table written;
    struct chunk_pool pool;
    struct file_range *files; /* sorted, disjoint */
    uint32_t n_files, files_capacity;

    struct thread **threads; /* threads by number; NULL = not running */
    uint32_t n_threads;
    struct thread *thread;      /* the running thread */
    uint32_t n_exec_contexts;   /* number of live execution contexts */
    uint32_t last_exec_context; /* number of the latest execution context */
    /* all coroutines in ascending order; coroutines may change threads */
    struct coroutine *coroutines;
    uint32_t n_coroutines, coroutines_capacity;
    struct exec_context *spare; /* one ended execution context, kept for the next signal */
    struct remembered_chunk none[REMEMBERED_CHUNKS]; /* an empty cache of chunks */

    /* gathered profiles, indexed by thread number; if threads are not separated, [0] is for all */
    struct profile *gathered;
    uint32_t n_gathered;
    /* Totals of ended execution contexts. */
    uint64_t cost_total, reads, induced_thread, induced_external, activations;
    struct engine_stats stats;
    struct ranks *renumbering; /* ranks that overflow.c uses while it runs */
};

/* Returns whether the execution context is *silent*: neither cost nor input is counted, and new
 * activations are not measured. Calls and returns still change the shadow stack. Each access still
 * sets a timestamp, because other contexts may read data that a silent context writes. */
APROF_INLINE bool exec_context_is_silent(const struct engine *engine,
                                         const struct exec_context *ctx)
{
    return !engine->collecting || ctx->paused ||
           (engine->config.collect_in_toggles && !ctx->toggles);
}

/* A copy of the top of an execution context's stack, valid until the stack changes. */
struct tip {
    struct activation *top;
    uint32_t *stamp; /* timestamp of the top activation */
    struct exec_context *ctx;
};

APROF_INLINE struct tip exec_context_tip(struct exec_context *ctx)
{
    return (struct tip){&ctx->stack[ctx->top], &ctx->stamps[ctx->top], ctx};
}

/* An execution context with few accesses is small: it has lines and no chunks. An access to a line
 * takes 45 ns more than an access to a chunk, so the number of accesses to lines is limited.
 * Together, the first ALLOWED_ACCESSES may cost as much as the creation of the context's chunks.
 * Each switch to the context allows a few more accesses, which cost less than the switch. */
#define ALLOWED_ACCESSES   4096
#define ALLOWED_PER_SWITCH 128

/* Returns whether a call of `routine`, or a jump to it, begins no activation. While an interpreter
 * executes a function of a script, its work belongs to the script's function. But a call into or
 * from an object other than the interpreter begins an activation. A hook never begins an
 * activation. */
APROF_INLINE bool exec_context_folds(const struct exec_context *ctx, const struct routine *routine)
{
    return UNLIKELY(routine->is_runtime) && ctx->top &&
           (ctx->routine->is_script || routine->is_hook);
}

/* Returns whether a jump with the slot of the top activation begins no activation. The
 * interpreter's code runs with the slot of the script's function. If the interpreter jumps to a
 * routine of another object, an activation of this routine with the same slot would end too
 * late. */
APROF_INLINE bool exec_context_folds_jump(const struct exec_context *ctx,
                                          const struct routine *routine)
{
    return ctx->top && UNLIKELY(ctx->routine->is_script) && !routine->is_script;
}

APROF_INLINE bool exec_context_is_small(const struct engine *engine, const struct exec_context *ctx)
{
    return ctx->remembered == engine->none;
}

/* If the slot of a call is at least FAR_BELOW bytes below the top activation's slot, the call may
 * be on another stack. Otherwise, the call is on the current stack. */
#define FAR_BELOW 4096

/* A stack that has shrunk by DEAD_STACK_BYTES releases the shadow memory of its dead part. */
#define DEAD_STACK_BYTES ((aprof_word)1 << 20)

/* trms.c */
void trms_call(struct engine *engine, struct exec_context *ctx, struct routine *routine,
               aprof_word slot);
void trms_return(struct engine *engine, struct exec_context *ctx);
/* Like trms_return, but the stack below the activation's slot may still be in use. */
void trms_end(struct engine *engine, struct exec_context *ctx);
void trms_tick(struct engine *engine); /* count++ */
void trms_access(struct engine *engine, unsigned kind, uint64_t address, uint64_t bytes);
void trms_take_from_ancestor(const struct tip *tip, uint32_t accessed, int64_t n);
void trms_kernel_write(struct engine *engine, uint64_t address, uint64_t bytes);

/* In overflow.c: renumbers all timestamps, as in Figure 13 of the paper. */
void overflow_renumber(struct engine *engine);

/* In callstack.c: handles a record that the fast loop does not handle. If the function returns
 * true, the block's accesses must be skipped. */
bool callstack_arrive(struct engine *engine, const struct block *block, const aprof_word *payload,
                      uint32_t *cost);
/* handles the first call of an unnamed routine */
void callstack_first_call(struct engine *engine, struct routine *routine);
void callstack_signal_enter(struct engine *engine, struct thread *thread, aprof_word pointer);
void callstack_signal_leave(struct engine *engine, struct thread *thread, aprof_word pointer);
void callstack_region_begin(struct engine *engine, struct routine *routine);
void callstack_region_end(struct engine *engine);
void callstack_script_begin(struct engine *engine, struct routine *routine, aprof_word slot);
void callstack_script_end(struct engine *engine);

/* In engine.c: handles a record that is not a block. */
void engine_event(struct engine *engine, const struct event_desc *event, const aprof_word *payload);

/* exec_contexts.c */
void exec_context_grow_stack(struct exec_context *ctx);
void exec_context_note_depth(struct engine *engine, struct exec_context *ctx);
void exec_context_free(struct exec_context *ctx);
struct exec_context *exec_context_new(struct engine *engine, enum exec_context_kind kind);
void exec_context_end(struct engine *engine, struct exec_context *ctx);
struct thread *thread_start(struct engine *engine, uint32_t number, aprof_word low,
                            aprof_word high);
void thread_end(struct engine *engine, uint32_t number);
void thread_park(struct thread *thread, struct exec_context *ctx);
void coroutine_add(struct engine *engine, struct exec_context *ctx);
uint32_t coroutine_at_or_above(const struct engine *engine, aprof_word address);
bool coroutine_is_running(const struct engine *engine, const struct exec_context *ctx);
/* The program has moved or freed the stack [low, high]. At this moment, no coroutine runs on the
 * stack. */
void coroutines_move(struct engine *engine, aprof_word low, aprof_word high, aprof_word new_high);
void coroutines_end(struct engine *engine, aprof_word low, aprof_word high);
void thread_unpark(struct thread *thread, uint32_t position);
void exec_contexts_each(struct engine *engine,
                        void (*visit)(struct engine *, struct exec_context *));

/* In memory.c: functions that run when cells begin or cease to exist. */
void memory_start(struct engine *engine);
void memory_exec_context_start(struct engine *engine, struct exec_context *ctx);
void memory_exec_context_spread(struct engine *engine, struct exec_context *ctx);
void memory_exec_context_clear(struct engine *engine, struct exec_context *ctx);
void memory_exec_context_end(struct engine *engine, struct exec_context *ctx);
void memory_remember(struct engine *engine, struct exec_context *ctx, uint64_t index);
uint32_t *memory_written_chunk(struct engine *engine, uint64_t index);
uint32_t *memory_written_for_reads(struct engine *engine, uint64_t index);
void memory_map_file(struct engine *engine, uint64_t address, uint64_t bytes);
void memory_forget(struct engine *engine, uint64_t address, uint64_t bytes);
void memory_move(struct engine *engine, uint64_t from, uint64_t to, uint64_t bytes);
void memory_release_dead_stack(struct engine *engine, struct exec_context *ctx, aprof_word slot);
void memory_share_writes(struct engine *engine);

#endif
