/* The compiler's hooks: every load, store, routine entry and exit, and basic block.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * gcc and clang put calls of these hooks into code that is compiled with -fsanitize=thread and
 * -fsanitize-coverage=trace-pc; libtsan is not linked.
 *
 * The fast path is rule (1) of docs/parallel-trms.md. If a cell's word is not older than the floor,
 * this activation or a callee has accessed the cell. No other context can have written the cell
 * since this access. So a further read of the cell changes nothing. With one execution context, a
 * write only stores its shadow word. Inline checks make the same tests as hooks; quick.c handles
 * the remaining accesses.
 *
 * Hooks of accesses make their first check outside the guard (native_enter): the check changes no
 * data, so a signal handler may interrupt it anywhere. The handler's own hooks work on another
 * execution context and restore trms_current.
 *
 * The compiler assumes that aligned hooks get aligned addresses, but programs violate this
 * assumption by casts that x86-64 tolerates. A misaligned access takes the slow path. clang's hooks
 * of 16 bytes guarantee an alignment of 8.
 *
 * A signal handler that interrupts a hook works on its own execution context. If a handler is not
 * recognised, because its first routine has no hooks, the handler shares the interrupted context.
 * native_enter guards hooks that change the context's stack or tables; the other hooks store only
 * single words, so no word is half written.
 */
#include "native/trms/runtime.h"
#include "native/trms/calls/activations.h"
#include "native/trms/calls/budget.h"
#include "native/trms/calls/sample.h"
#include "native/trms/calls/weights.h"
#include "native/trms/shadow/words.h"

#define HOOK(name, ...)                                                                            \
    NATIVE_EXPORT void name(__VA_ARGS__);                                                          \
    void name(__VA_ARGS__)

/* ---------------------------------------------------------------- any access */

/* Returns true if activations are sampled and this execution context is measuring none now. */
APROF_INLINE bool is_passed_over(void)
{
    return UNLIKELY(trms_world.sampled) && !trms_is_pending(trms_current);
}

void watch_access(uintptr_t address, size_t bytes, enum watch_kind kind)
{
    if (is_passed_over())
        return;
    struct trms_exec_context *ctx = trms_attach();
    if (!ctx || !bytes || !native_enter(native_self))
        return;
    trms_access_bytes(ctx, address, bytes, kind);
    trms_leave(native_self);
}

/* ---------------------------------------------------------------- HOT: aligned accesses */

/* gcc's code contains the first check of the most frequent hooks inline. The checks are in
 * inline.s, which the assembler reads first, and use the offsets of ground/trms_words.h. If the
 * inline checks cannot decide a case, gcc's code calls the hooks. */
_Static_assert(TRMS_WORDS_STAMP == 0 && TRMS_WORDS_COST == 8 && TRMS_WORDS_FLOOR == 16, "inline.s");
_Static_assert(TRMS_WORDS_DIRECT_SHADOW == 24 && TRMS_WORDS_MASK == 32, "inline.s");
_Static_assert(TRMS_WORDS_CAREFUL == 40 && TRMS_WORDS_SYNCED == 44, "inline.s");

/* `bytes` is a constant where the following functions are inlined, so these functions take about a
 * dozen instructions. quick.c has the slow path. */
#define CELLS(bytes) ((bytes) > 4 ? (bytes) / 4 : 1)
#define READ_ALIGNED(address, bytes)                                                               \
    do {                                                                                           \
        if (UNLIKELY(TRMS_IS_MISALIGNED(address, bytes)))                                          \
            trms_hook_read(address, bytes);                                                        \
        else if (UNLIKELY(!trms_is_read(trms_current, address, CELLS(bytes))))                     \
            trms_hook_read_##bytes(address);                                                       \
    } while (0)
#define WRITE_ALIGNED(address, bytes)                                                              \
    do {                                                                                           \
        if (UNLIKELY(TRMS_IS_MISALIGNED(address, bytes)))                                          \
            trms_hook_write(address, bytes);                                                       \
        else if (UNLIKELY(!trms_is_written(trms_current, address, CELLS(bytes))))                  \
            trms_hook_write_##bytes(address);                                                      \
    } while (0)

#define ALIGNED_HOOK(prefix, bytes)                                                                \
    HOOK(prefix##read##bytes, void *at)                                                            \
    {                                                                                              \
        READ_ALIGNED((uintptr_t)at, bytes);                                                        \
    }                                                                                              \
    HOOK(prefix##write##bytes, void *at)                                                           \
    {                                                                                              \
        WRITE_ALIGNED((uintptr_t)at, bytes);                                                       \
    }
#define ALIGNED_HOOKS(prefix)                                                                      \
    ALIGNED_HOOK(prefix, 1)                                                                        \
    ALIGNED_HOOK(prefix, 2)                                                                        \
    ALIGNED_HOOK(prefix, 4)                                                                        \
    ALIGNED_HOOK(prefix, 8)                                                                        \
    ALIGNED_HOOK(prefix, 16)
ALIGNED_HOOKS(__tsan_)

/* Threads of a program also exchange data through volatile variables, as x86-64 allows. So each
 * access to a volatile variable is a synchronisation operation. As for any synchronisation
 * operation, it suffices to record the access before it happens. If another thread writes the
 * variable after a read was recorded and before the read happens, the read counts as earlier than
 * the write. */
#define VOLATILE_HOOK(prefix, bytes)                                                               \
    HOOK(__tsan_##prefix##volatile_read##bytes, void *at)                                          \
    {                                                                                              \
        watch_thread_sync();                                                                       \
        __tsan_##prefix##read##bytes(at);                                                          \
    }                                                                                              \
    HOOK(__tsan_##prefix##volatile_write##bytes, void *at)                                         \
    {                                                                                              \
        __tsan_##prefix##write##bytes(at);                                                         \
        watch_thread_sync();                                                                       \
    }
VOLATILE_HOOK(, 1)
VOLATILE_HOOK(, 2)
VOLATILE_HOOK(, 4)
VOLATILE_HOOK(, 8)
VOLATILE_HOOK(, 16)

/* clang calls these hooks for a read and a write of the same address in one basic block. The read
 * is recorded first, because it must be attributed to the cell's previous writer. */
#define READ_WRITE_HOOK(bytes)                                                                     \
    HOOK(__tsan_read_write##bytes, void *at)                                                       \
    {                                                                                              \
        __tsan_read##bytes(at);                                                                    \
        __tsan_write##bytes(at);                                                                   \
    }
READ_WRITE_HOOK(1)
READ_WRITE_HOOK(2)
READ_WRITE_HOOK(4)
READ_WRITE_HOOK(8)
READ_WRITE_HOOK(16)

HOOK(__tsan_vptr_read, void **at)
{
    __tsan_read8(at);
}

HOOK(__tsan_vptr_update, void **at, void *value)
{
    (void)value;
    __tsan_write8(at);
}

/* ---------------------------------------------------------------- unaligned accesses and ranges */

/* Returns the number of cells that the bytes touch. */
APROF_INLINE int cells_of(uintptr_t address, size_t bytes)
{
    return (int)(((address + bytes - 1) >> TRMS_FAST_SHIFT) - (address >> TRMS_FAST_SHIFT)) + 1;
}

APROF_INLINE void read_unaligned(uintptr_t address, size_t bytes)
{
    if (UNLIKELY(!trms_is_read(trms_current, address, cells_of(address, bytes))))
        trms_hook_read(address, bytes);
}

APROF_INLINE void write_unaligned(uintptr_t address, size_t bytes)
{
    if (UNLIKELY(!trms_is_written(trms_current, address, cells_of(address, bytes))))
        trms_hook_write(address, bytes);
}

#define UNALIGNED_HOOKS(bytes)                                                                     \
    HOOK(__tsan_unaligned_read##bytes, void *at)                                                   \
    {                                                                                              \
        read_unaligned((uintptr_t)at, bytes);                                                      \
    }                                                                                              \
    HOOK(__tsan_unaligned_write##bytes, void *at)                                                  \
    {                                                                                              \
        write_unaligned((uintptr_t)at, bytes);                                                     \
    }                                                                                              \
    VOLATILE_HOOK(unaligned_, bytes)                                                               \
    HOOK(__tsan_unaligned_read_write##bytes, void *at)                                             \
    {                                                                                              \
        read_unaligned((uintptr_t)at, bytes);                                                      \
        write_unaligned((uintptr_t)at, bytes);                                                     \
    }
UNALIGNED_HOOKS(2)
UNALIGNED_HOOKS(4)
UNALIGNED_HOOKS(8)
UNALIGNED_HOOKS(16)

HOOK(__tsan_read_range, void *at, size_t bytes)
{
    watch_access((uintptr_t)at, bytes, WATCH_READ);
}

HOOK(__tsan_write_range, void *at, size_t bytes)
{
    watch_access((uintptr_t)at, bytes, WATCH_WRITE);
}

/* clang 15 and later call these hooks where earlier releases call memcpy, memmove and memset. */
NATIVE_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes);
NATIVE_EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes);
NATIVE_EXPORT void *__tsan_memset(void *at, int byte, size_t bytes);

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    watch_access((uintptr_t)from, bytes, WATCH_READ);
    watch_access((uintptr_t)to, bytes, WATCH_WRITE);
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    watch_access((uintptr_t)from, bytes, WATCH_READ);
    watch_access((uintptr_t)to, bytes, WATCH_WRITE);
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *at, int byte, size_t bytes)
{
    watch_access((uintptr_t)at, bytes, WATCH_WRITE);
    return memset(at, byte, bytes);
}

/* ---------------------------------------------------------------- HOT: cost */

/* Uses two instructions to count a basic block. The two instructions need not be atomic, because an
 * execution context belongs to one thread. A signal handler has a separate context as soon as its
 * first routine has begun. */
HOOK(__sanitizer_cov_trace_pc, void)
{
    trms_current->cost++;
}

HOOK(__sanitizer_cov_trace_pc_guard, uint32_t *guard)
{
    (void)guard;
    trms_current->cost++;
}

HOOK(__sanitizer_cov_trace_pc_guard_init, uint32_t *first, uint32_t *end)
{
    (void)first, (void)end;
}

/* ---------------------------------------------------------------- HOT: routines */

/* When an activation ends, its callees have also ended. */
static APROF_NOINLINE void end_dead(struct trms_exec_context *ctx, uintptr_t slot)
{
    while (trms_is_pending(ctx) && ctx->activation->slot <= slot)
        trms_exec_context_return(ctx);
}

APROF_INLINE struct routine_profile *profile_of(struct trms_exec_context *ctx, uintptr_t pc)
{
    const struct trms_known_routine *known = &ctx->known[trms_known_slot(pc)];
    return LIKELY(known->pc == pc) ? known->profile : trms_routine_profile(ctx, pc);
}

/* Returns whether the caller may be uninstrumented code, which may have synchronised unnoticed. All
 * code outside the executable may be uninstrumented. Examples are callers of a thread's first
 * routine, of an OpenMP task, or of a signal handler. */
APROF_INLINE bool is_foreign(uintptr_t caller)
{
    return caller - trms_executable.low >= trms_executable.bytes;
}

static NATIVE_TLS struct trms_chance chance;
static NATIVE_TLS struct trms_budget budget;

/* Call this function if a sampling decision is due, or at the routine's first call. Returns the
 * activation's weight; 0: not recorded. */
static APROF_NOINLINE uint32_t weight_of(struct trms_sampling *sampling, uintptr_t pc)
{
    struct trms_exec_context *ctx = trms_attach();
    if (!ctx || !native_enter(native_self))
        return 0;
    if (!chance.state)
        chance = trms_chance(trms_options.sample_seed, native_self->id);
    struct trms_rate rate = trms_rate_now();
    uint32_t period = rate.budget ? trms_budget_period(&budget, ctx, rate) : rate.period;
    uint64_t known = trms_sampling_known(sampling);
    uint32_t weight = trms_sampling_decide(sampling, period, &chance);
    if (rate.is_off)
        weight = 0;
    else
        profile_of(ctx, pc)->known += trms_sampling_known(sampling) - known;
    trms_leave(native_self);
    return weight;
}

/* Adds a call that is no special case to the cache of known calls. Returns to uninstrumented code
 * take the slow path. */
static void note_call(struct trms_exec_context *ctx, uintptr_t caller, uintptr_t pc)
{
    struct trms_activation *top = ctx->activation;
    if (is_foreign(caller))
        top->accumulator = top->accumulator->aside;
    if (top->accumulator == top->accumulator->aside || trms_world.sampled || trms_world.timed ||
        ctx->contexts)
        return;
    *trms_known_call_slot(ctx, caller, pc) =
        (struct trms_known_call){caller, pc, top[-1].profile, top->accumulator};
}

/* Begins an activation with sampling. If the weight is 0, the activation is not recorded, but its
 * callees are followed. */
static APROF_NOINLINE void begin_sampled(struct trms_exec_context *ctx, uint32_t weight)
{
    trms_weights_call(ctx, weight);
    if (!weight)
        trms_exec_context_pass_over(ctx);
}

/* `caller` is the return address of the instrumented routine, and this hook's return address
 * identifies the routine. Before the call is recorded, three conditions are tested, normally with
 * one comparison each. This context's stack must be the running stack, the guard must be free
 * (native_enter), and the latest activation's slot must be above the new slot. If the slot of a
 * pending activation is not above the new slot, the activation was left without its exit hook (by
 * longjmp). */
APROF_INLINE void enter(uintptr_t slot, uintptr_t caller, uintptr_t pc, uint32_t weight)
{
    struct trms_exec_context *ctx = trms_current;
    if (UNLIKELY(slot - ctx->stack_low >= ctx->stack_high - ctx->stack_low || is_foreign(caller))) {
        ctx = trms_exec_context_entering(slot, caller);
        if (!ctx)
            return;
    }
    struct native_thread *self = native_self;
    if (UNLIKELY(!native_enter(self)))
        return;
    if (UNLIKELY(ctx->activation->slot <= slot))
        end_dead(ctx, slot);
    trms_clock_read(ctx);
    trms_exec_context_call(ctx, profile_of(ctx, pc), slot, caller);
    note_call(ctx, caller, pc);
    if (UNLIKELY(trms_world.sampled)) /* the weight may be TRMS_WEIGHT_OF_ALL */
        begin_sampled(ctx, weight);
    trms_leave(self);
}

/* With sampling, routines that have only one version are never recorded. */
static APROF_NOINLINE void enter_any(uintptr_t slot, uintptr_t caller, uintptr_t pc)
{
    if (!is_passed_over())
        enter(slot, caller, pc, trms_world.sampled ? 0 : TRMS_WEIGHT_OF_ALL);
}

/* The thread's `idle` is the slot of the latest activation. `idle` is below this slot while a hook
 * runs, or if another execution context was the last to leave the guard. A slot below `idle`
 * belongs to this stack if the slot is within the stack's limits. Calls in the cache of known calls
 * have no other special cases. */
APROF_INLINE void enter_unasked(uintptr_t slot, uintptr_t caller, uintptr_t pc)
{
    struct trms_exec_context *ctx = trms_current;
    struct native_thread *self = trms_self;
    if (UNLIKELY(slot >= self->idle || slot < ctx->stack_low)) {
        enter_any(slot, caller, pc);
        return;
    }
    const struct trms_known_call *known = trms_known_call_slot(ctx, caller, pc);
    bool is_open = native_enter_at_once(self, slot);
    struct trms_activation *top = ctx->activation;
    uint32_t near;
    if (LIKELY(is_open && known->site == caller && known->pc == pc &&
               known->caller == top->profile) &&
        LIKELY(trms_activation_begin_known(ctx, top, known, slot, &near))) {
        native_leave_as(self, slot);
        if (trms_is_old(ctx, near))
            trms_floors_repair(ctx);
        return;
    }
    native_leave_as(self, top->slot);
    enter_any(slot, caller, pc);
}

HOOK(__tsan_func_entry, void *caller)
{
    enter_unasked((uintptr_t)__builtin_dwarf_cfa(), (uintptr_t)caller,
                  (uintptr_t)__builtin_return_address(0));
}

/* Inline checks pass their activation's slot to hooks (trms_words.h). On x86-64, the slot is the
 * address of the return address. On arm64, the slot is the word below the stack pointer at the
 * routine's entry, and the return address follows as an argument. */
#if defined(__x86_64__)
#define SLOT   const uintptr_t *slot
#define CALLER (*slot)
#else
#define SLOT   uintptr_t slot, uintptr_t caller
#define CALLER caller
#endif

HOOK(aprof_trms_enter, SLOT)
{
    enter_unasked((uintptr_t)slot, CALLER, (uintptr_t)__builtin_return_address(0));
}

/* Chooses one of a routine's two versions. For the measured version, begins an activation and
 * returns 1; otherwise, returns 0. choose.S calls this function. */
uint32_t trms_choose(SLOT, struct trms_sampling *sampling, uintptr_t pc);
uint32_t trms_choose(SLOT, struct trms_sampling *sampling, uintptr_t pc)
{
    uint32_t weight = TRMS_WEIGHT_OF_ALL;
    if (UNLIKELY(trms_current == &trms_nobody))
        trms_attach();
    if (UNLIKELY(trms_world.sampled)) {
        weight = sampling ? weight_of(sampling, pc) : 0;
        if (!weight && !trms_is_pending(trms_current))
            return 0;
    }
    enter((uintptr_t)slot, CALLER, pc, weight);
    if (UNLIKELY(trms_world.sampled))
        trms_refresh(trms_current);
    return 1;
}

static bool is_region(const struct trms_activation *activation)
{
    return activation->profile && activation->profile->routine->is_region;
}

/* Ends the open regions of a function that ends. A region with a higher slot belongs to a caller of
 * this function and stays open (regions.c). */
static void end_regions(struct trms_exec_context *ctx, uintptr_t slot)
{
    while (is_region(ctx->activation) && ctx->activation->slot < slot)
        trms_exec_context_return(ctx);
}

/* Handles an exit whose slot differs from the latest entry's slot, for one of three reasons. First,
 * a tail call reached the exit hook after the routine's frame was freed. Second, the routine has
 * moved the stack pointer (alloca). Third, the latest routines were left without an exit hook. */
static APROF_NOINLINE void exit_elsewhere(struct trms_exec_context *ctx, uintptr_t slot,
                                          uintptr_t return_address)
{
    end_regions(ctx, slot);
    const struct trms_activation *top = ctx->activation;
    if (is_region(top))
        return;
    if (top->caller != return_address) {
        while (trms_is_pending(ctx) && ctx->activation->slot < slot)
            trms_exec_context_return(ctx);
    }
    if (trms_is_pending(ctx))
        trms_exec_context_return(ctx);
}

/* Returns the execution context of the routine that ends with this slot and returns to `caller`.
 * Returns NULL if no activation ends. If the result is not NULL, end_exit must follow. */
APROF_INLINE struct trms_exec_context *begin_exit(uintptr_t slot, uintptr_t caller)
{
    struct trms_exec_context *ctx = trms_current;
    if (UNLIKELY(slot - ctx->stack_low >= ctx->stack_high - ctx->stack_low)) {
        ctx = trms_exec_context_leaving(slot, caller);
        if (!ctx)
            return NULL;
    }
    if (UNLIKELY(!trms_is_pending(ctx)) || UNLIKELY(!native_enter(native_self)))
        return NULL;
    trms_clock_read(ctx);
    return ctx;
}

/* Ends the epoch of the writes if control returns to uninstrumented code, which may synchronise
 * unnoticed. */
APROF_INLINE void end_exit(struct trms_exec_context *ctx, uintptr_t caller)
{
    if (UNLIKELY(is_foreign(caller)))
        trms_sync(ctx);
    trms_leave(native_self);
    if (UNLIKELY(!trms_is_pending(ctx)))
        trms_exec_context_left(ctx);
}

static APROF_NOINLINE void exit_any(uintptr_t slot, uintptr_t after)
{
    struct trms_exec_context *ctx = begin_exit(slot, after);
    if (!ctx)
        return;
    uintptr_t caller = ctx->activation->caller;
    if (LIKELY(ctx->activation->slot == slot))
        trms_exec_context_return(ctx);
    else
        exit_elsewhere(ctx, slot, after);
    end_exit(ctx, caller);
}

/* The fast path of an exit: the routine of the latest activation ends, and the activation's
 * accumulator has a point for it. An activation with an uninstrumented caller has the slow-path
 * accumulator. If the latest activation has this slot, its execution context is the running one,
 * because a slot belongs to one stack. If the slots are equal, the latest activation is not the
 * bottom entry of the stack, which has no accumulator. */
APROF_INLINE bool exit_at_once(uintptr_t slot)
{
    struct trms_exec_context *ctx = trms_current;
    struct native_thread *self = trms_self;
    if (UNLIKELY(self->idle != slot))
        return false;
    bool is_open = native_enter_at_once(self, slot);
    struct trms_activation *top = ctx->activation;
    if (UNLIKELY(!is_open || !trms_activation_end_known(ctx, top))) {
        native_leave_as(self, slot);
        return false;
    }
    native_leave_as(self, top[-1].slot);
    if (trms_is_old(ctx, top[-1].near))
        trms_floors_repair(ctx);
    return true;
}

HOOK(__tsan_func_exit, void)
{
    uintptr_t slot = (uintptr_t)__builtin_dwarf_cfa();
    uintptr_t after = (uintptr_t)__builtin_return_address(0);
    if (!exit_at_once(slot))
        exit_any(slot, after);
}

/* Ends activations below this slot: callees, and activations that were left without an exit
 * hook. */
static APROF_NOINLINE void end_below(struct trms_exec_context *ctx, uintptr_t slot)
{
    while (trms_is_pending(ctx) && ctx->activation->slot < slot)
        trms_exec_context_return(ctx);
}

static APROF_NOINLINE void leave_any(uintptr_t slot, uintptr_t caller)
{
    struct trms_exec_context *ctx = begin_exit(slot, caller);
    if (!ctx)
        return;
    end_below(ctx, slot);
    if (ctx->activation->slot == slot)
        trms_exec_context_return(ctx);
    end_exit(ctx, caller);
}

HOOK(aprof_trms_leave, SLOT)
{
    if (!exit_at_once((uintptr_t)slot))
        leave_any((uintptr_t)slot, CALLER);
}

/* An exception was caught in this routine, so its callees have ended. */
HOOK(aprof_trms_land, SLOT)
{
    struct trms_exec_context *ctx = begin_exit((uintptr_t)slot, CALLER);
    if (!ctx)
        return;
    end_below(ctx, (uintptr_t)slot);
    end_exit(ctx, CALLER);
}

HOOK(aprof_trms_sync, void)
{
    watch_thread_sync();
}

/* ---------------------------------------------------------------- the rest */

HOOK(__tsan_init, void)
{
    trms_attach();
}

HOOK(__tsan_ignore_thread_begin, void)
{
}

HOOK(__tsan_ignore_thread_end, void)
{
}
