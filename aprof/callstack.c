/* Converts control transfers (calls, returns, jumps) to activations.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An activation is identified by its slot, the address of its return address. The stack grows down,
 * so younger activations have lower slots. Each record says how its block ended; the next record
 * shows where control continued:
 *
 *     call              An activation of the reached routine begins. If the slot is on another
 *                       stack, the stack is switched first. Stubs of the linkage table that run
 *                       in between make no records; records of the lazy binder are skipped.
 *     return            From the top's slot: the top ends, together with the activations whose
 *                       tail calls led to it (they have the same slot).
 *     return or         ... with a stack pointer above some slots: longjmp or an exception has left
 *     computed jump     the activations with these slots, which end.
 *                       ... on a stack on which another execution context was parked: a coroutine
 *                       switch, or a jump out of a signal handler.
 *                       ... on no known stack: a new coroutine. If the program moves a
 *                       coroutine's stack, the slots are moved too (EVENT_STACK_MOVED).
 *     any other jump    To the entry of another routine: a tail call, which shares the slot of its
 *                       caller. A jump back into a routine of the same chain is a loop, and so
 *                       is a tail call of a routine to itself.
 *
 * Worked example. main (slot 0xff8) calls f (slot 0xfd8), and f jumps to g's entry. The stack is
 * main/0xff8, f/0xfd8, g/0xfd8. The `ret` of g pops slot 0xfd8, so g and f end.
 *
 * An interpreter may run functions of scripts without a machine-code call for each function. A hook
 * of the interpreter reports where functions of scripts begin and end (EVENT_SCRIPT_BEGIN). If the
 * interpreter calls itself for each function, the hook is called first and jumps to the
 * interpreter. The function's activation has the slot of the interpreter's call, and ends when this
 * call returns. If the interpreter does not call itself, the activation has the slot of one of the
 * interpreter's routines. This routine is the outermost of the interpreter's routines on top of the
 * stack. The interpreter's other routines end, because they now work for the script's function. The
 * hook itself has no activation (exec_context_folds).
 *
 * A region is an activation that the program itself begins and ends. Like the activation of a
 * tail-called routine, a region has the slot of the activation that opens it. So a region ends no
 * later than the activation that opens it. The region's code belongs to the routine that opened the
 * region (code_routine). If the region's code jumps to the entry of this routine, the region ends;
 * such a jump is a loop and begins no activation.
 *
 * If calls leave the return address in a register (engine_config.linked, arm64), the slot is the
 * word below the stack pointer. A routine that keeps its return address in another register may
 * call without changing the stack pointer. The callee's slot is then one byte below the caller's
 * slot, so that each return ends one activation. For example main (slot 0xff8) calls f (0xfd8),
 * which has no frame and calls g: main/0xff8, f/0xfd8, g/0xfd7. The first return with the slot
 * 0xfd8 ends g; the second return ends f.
 *
 * A signal may arrive after a record, before the next block runs. settle() ends the activations
 * that returned in the latest record, before the handler's frames overwrite the slots of these
 * activations.
 *
 * A handler may change where the interrupted code continues. To inject a call, the handler pushes a
 * return address on the interrupted code's stack, and continues at a routine's entry. Go preempts
 * goroutines by injected calls. The injected routine ends when it returns to the pushed address
 * (inject_call). If the signal arrived between a call and the callee's first block, the callee
 * begins when the injected routine returns. On linked machines, the interrupted routine may have
 * the same stack pointer as when it was called. For example main calls f (slot 0xfd8), which has no
 * frame, and a handler injects g (0xfd0). The return from g with the slot 0xfd8 ends g, but not f
 * (unwind).
 *
 * Each stack is an execution context (`ctx`). A parked coroutine is found by address
 * (coroutine_at_or_above), so a switch costs one binary search among the coroutines.
 *
 * Known limits. A stack switch is detected at the next call, return or computed jump. One of three
 * conditions must hold: the new stack is known, it is outside the thread's stack, or it is more
 * than FAR_BELOW bytes below the top activation. If a coroutine makes a call on its thread's own
 * stack, the switch is detected at any distance. If the limits of the thread's stack are unknown, a
 * switch to an unknown stack is detected only at distances above FAR_AWAY bytes. Some routines are
 * called on another stack and return from there (split stacks, Go's systemstack). Their cost is
 * charged to the other stack, not to their caller.
 */
#include "aprof/state.h"

#define WORD ((aprof_word)sizeof(aprof_word))
/* Number of bytes above a coroutine's first stack pointer that still belong to the coroutine's
 * stack. */
#define COROUTINE_SLACK 256
/* A call, or a jump to a routine's entry, may switch the stack. If the limits of the thread's stack
 * are unknown, a new stack pointer at least FAR_AWAY bytes below the top activation means a switch.
 * No frame has FAR_AWAY bytes. */
#define FAR_AWAY ((aprof_word)1 << 20)

static struct activation *top_of(struct exec_context *ctx)
{
    return &ctx->stack[ctx->top];
}

/* Returns the routine of the code that is running, which is the routine of the top activation. If
 * the top activation is a region, returns the routine that opened the region. */
static const struct routine *code_routine(const struct exec_context *ctx)
{
    size_t at = ctx->top;
    while (at > 1 && ctx->stack[at].profile->routine->is_region)
        at--;
    return at ? ctx->stack[at].profile->routine : NULL;
}

/* ---------------------------------------------------------------- slots and stack pointers */

/* For a routine that is entered by a jump and has this slot, returns the stack pointer at the
 * routine's entry. */
static aprof_word pointer_at_entry(const struct engine *engine, aprof_word slot)
{
    return engine->config.linked ? slot + WORD : slot;
}

/* For a routine that is entered by a jump, returns the slot that corresponds to this stack
 * pointer. */
static aprof_word slot_at_entry(const struct engine *engine, aprof_word pointer)
{
    return engine->config.linked ? pointer - WORD : pointer;
}

/* Returns whether the stack pointer at the top activation's call corresponds to this slot. The
 * stack pointer corresponds to `slot` if the top activation has this slot or, as a callee of a
 * frameless routine, a slot a few bytes lower. */
static bool is_top_at(const struct engine *engine, const struct exec_context *ctx, aprof_word slot)
{
    aprof_word top = ctx->stack[ctx->top].slot;
    return top == slot || (engine->config.linked && slot - top < WORD);
}

/* Returns the slot of a callee whose caller, the top activation, has not moved the stack pointer:
 * the next lower slot, or the same slot if there is none. */
static aprof_word slot_without_frame(const struct exec_context *ctx, aprof_word slot)
{
    aprof_word top = ctx->stack[ctx->top].slot;
    return top - 1 > slot - WORD ? top - 1 : top;
}

/* ---------------------------------------------------------------- jumps */

static bool is_entry(const struct block *block)
{
    if (block->routine->transparent)
        return false;
    return block->flags & BLOCK_ENTRY ||
           (block->flags & BLOCK_UNNAMED && block->routine->was_called);
}

static void begin_root(struct engine *engine, struct exec_context *ctx, const struct block *block)
{
    trms_call(engine, ctx, block->routine, NO_SLOT);
}

/* Ends the activations above the youngest activation that has `routine` and `slot`. */
static bool return_to_chain(struct engine *engine, struct exec_context *ctx,
                            struct routine *routine, aprof_word slot)
{
    size_t at = ctx->top;
    while (at > 0 && ctx->stack[at].slot == slot) {
        if (ctx->stack[at].profile->routine == routine) {
            while (ctx->top > at)
                trms_return(engine, ctx);
            return true;
        }
        at--;
    }
    return false;
}

/* Handles a jump. If the jump enters a routine, the routine's activation has the slot `slot`. */
static void arrive_by_jump(struct engine *engine, struct exec_context *ctx,
                           const struct block *block, aprof_word slot)
{
    if (ctx->top == 0) {
        begin_root(engine, ctx, block);
        return;
    }
    if (block->routine == ctx->routine || !is_entry(block) ||
        exec_context_folds(ctx, block->routine) ||
        (slot == top_of(ctx)->slot && exec_context_folds_jump(ctx, block->routine)))
        return;
    if (!return_to_chain(engine, ctx, block->routine, slot))
        trms_call(engine, ctx, block->routine, slot);
}

/* ---------------------------------------------------------------- calls and returns */

static void end_chain(struct engine *engine, struct exec_context *ctx, aprof_word slot)
{
    while (ctx->top && top_of(ctx)->slot == slot)
        trms_return(engine, ctx);
}

/* Ends the activations with slots below a stack pointer. Does not end a frameless routine to which
 * an injected call returns. */
static bool unwind(struct engine *engine, struct exec_context *ctx, aprof_word pointer)
{
    size_t before = ctx->top;
    aprof_word ended = NO_SLOT;
    if (pointer > ctx->high)
        return false;
    while (ctx->top && top_of(ctx)->slot < pointer) {
        if (ended == ctx->injected_slot && is_top_at(engine, ctx, pointer - WORD))
            break;
        ended = top_of(ctx)->slot;
        trms_return(engine, ctx);
    }
    return ctx->top < before;
}

/* -------------------------------------------------------- execution contexts of one thread */

static void make_current(struct engine *engine, struct exec_context *ctx)
{
    aprof_word barrier = engine->thread->stack_high;
    ctx->barrier = ctx->kind == EXEC_CONTEXT_COROUTINE && barrier < ctx->start ? barrier : 0;
    ctx->runner = engine->thread->number;
    if (ctx->allowance < ALLOWED_ACCESSES)
        ctx->allowance += ALLOWED_PER_SWITCH;
    engine->thread->current = ctx;
    engine->ctx = ctx;
    trms_tick(engine);
}

/* Parks an execution context. A running handler may unwind anything on its own stack. A parked
 * handler owns the stack between its stack pointer and the interrupted code's stack pointer. On an
 * alternate stack, the parked handler also owns a few bytes above its stack pointer. */
static void park(struct thread *thread, struct exec_context *ctx, aprof_word low)
{
    ctx->low = low == NO_SLOT && ctx->kind == EXEC_CONTEXT_COROUTINE ? ctx->start : low;
    if (ctx->kind == EXEC_CONTEXT_HANDLER) {
        aprof_word above = ctx->below ? ctx->below->low : 0;
        ctx->high = low < above && above - low < FAR_AWAY ? above - 1 : low + FAR_BELOW;
    }
    if (ctx->kind != EXEC_CONTEXT_COROUTINE)
        thread_park(thread, ctx);
}

/* Parks an execution context, or frees the context if it has no pending activations. */
static void park_or_end(struct engine *engine, struct exec_context *ctx, aprof_word low)
{
    ctx->end = BLOCK_JUMP;
    if (ctx->top == 0 && ctx->kind != EXEC_CONTEXT_THREAD)
        exec_context_end(engine, ctx);
    else
        park(engine->thread, ctx, low);
}

/* Removes the execution context from the parked contexts; returns false if it is not parked. */
static bool unpark(struct engine *engine, const struct exec_context *ctx)
{
    struct thread *thread = engine->thread;
    if (ctx && ctx->kind == EXEC_CONTEXT_COROUTINE)
        return !coroutine_is_running(engine, ctx);
    for (uint32_t i = thread->n_parked; i-- > 0;)
        if (thread->parked[i] == ctx) {
            thread_unpark(thread, i);
            return true;
        }
    return false;
}

/* Ends `handler` and the handlers that it interrupted, up to and including the handler that
 * interrupted `target`. Control continues in `target`. Returns false if none of these handlers
 * interrupted `target`. */
static bool abandon_handlers(struct engine *engine, struct exec_context *handler,
                             struct exec_context *target)
{
    struct exec_context *at = handler;
    while (at && at != target)
        at = at->kind == EXEC_CONTEXT_HANDLER ? at->below : NULL;
    if (!at)
        return false;
    /* The current context is set before the loop, because the loop frees the old context. */
    engine->thread->current = engine->ctx = target;
    while (handler != target) {
        struct exec_context *below = handler->below;
        exec_context_end(engine, handler);
        handler = below;
        if (handler != target)
            unpark(engine, handler);
    }
    return true;
}

/* Switches from the running execution context to a parked context. */
static void switch_to(struct engine *engine, struct exec_context *ctx)
{
    struct exec_context *leaving = engine->ctx;
    aprof_word low = top_of(leaving)->slot;
    unpark(engine, ctx);
    if (leaving->kind != EXEC_CONTEXT_HANDLER || !abandon_handlers(engine, leaving, ctx))
        park_or_end(engine, leaving, low);
    make_current(engine, ctx);
    ctx->end = BLOCK_JUMP;
    if (ctx->kind == EXEC_CONTEXT_HANDLER)
        ctx->high = NO_SLOT - 1;
}

/* When a parked execution context resumes, ends the activations that the context has left. */
static void wake(struct engine *engine, struct exec_context *ctx, aprof_word pointer)
{
    switch_to(engine, ctx);
    if (is_top_at(engine, ctx, pointer - WORD))
        end_chain(engine, ctx, top_of(ctx)->slot);
    else
        unwind(engine, ctx, pointer);
}

static void go_on(struct engine *engine, struct exec_context *ctx, const struct block *block,
                  aprof_word pointer)
{
    if (ctx->kind == EXEC_CONTEXT_COROUTINE && pointer == ctx->start && is_entry(block)) {
        while (ctx->top)
            trms_return(engine, ctx); /* a new coroutine runs on the stack of an ended coroutine */
        trms_call(engine, ctx, block->routine, slot_at_entry(engine, pointer));
        return;
    }
    if (ctx->top == 0)
        begin_root(engine, ctx, block);
}

static bool stands_on(const struct exec_context *ctx, aprof_word pointer)
{
    return top_of((struct exec_context *)ctx)->slot + WORD == pointer ||
           (ctx->low <= pointer && pointer <= ctx->high);
}

/* Returns the parked execution context that owns the stack with the address `pointer`, or NULL. If
 * one stack is part of another stack, the inner stack's context is returned. */
static struct exec_context *find_parked(const struct engine *engine, aprof_word pointer)
{
    const struct thread *thread = engine->thread;
    for (uint32_t i = coroutine_at_or_above(engine, pointer); i < engine->n_coroutines; i++) {
        struct exec_context *ctx = engine->coroutines[i].ctx;
        if (coroutine_is_running(engine, ctx))
            continue;
        if (stands_on(ctx, pointer))
            return ctx;
        break;
    }
    for (uint32_t i = thread->n_parked; i-- > 0;)
        if (stands_on(thread->parked[i], pointer))
            return thread->parked[i];
    return NULL;
}

static bool is_new_stack(const struct engine *engine, struct exec_context *ctx,
                         const struct block *block, aprof_word pointer)
{
    const struct thread *thread = engine->thread;
    aprof_word slot = top_of(ctx)->slot;
    if (ctx->kind == EXEC_CONTEXT_HANDLER)
        return false;
    if (ctx->kind == EXEC_CONTEXT_COROUTINE)
        return is_entry(block) &&
               (pointer > ctx->high || (slot != NO_SLOT && pointer + FAR_BELOW < slot));
    if (thread->stack_high)
        return pointer < thread->stack_low || pointer > thread->stack_high;
    return is_entry(block) && slot != NO_SLOT &&
           (pointer > slot + FAR_AWAY || pointer + FAR_AWAY < slot);
}

static struct exec_context *begin_coroutine(struct engine *engine, aprof_word pointer)
{
    struct exec_context *leaving = engine->ctx,
                        *ctx = exec_context_new(engine, EXEC_CONTEXT_COROUTINE);
    park_or_end(engine, leaving, top_of(leaving)->slot);
    ctx->start = pointer;
    ctx->high = pointer + COROUTINE_SLACK;
    coroutine_add(engine, ctx);
    make_current(engine, ctx);
    return ctx;
}

/* `ctx` may have been freed: it is compared, not dereferenced. */
static bool is_parked(const struct engine *engine, const struct exec_context *ctx, aprof_word high)
{
    const struct thread *thread = engine->thread;
    for (uint32_t i = 0; i < thread->n_parked; i++)
        if (thread->parked[i] == ctx)
            return true;
    for (uint32_t i = coroutine_at_or_above(engine, high);
         i < engine->n_coroutines && engine->coroutines[i].high == high; i++)
        if (engine->coroutines[i].ctx == ctx)
            return !coroutine_is_running(engine, ctx);
    return false;
}

/* Returns whether a routine that was called on another stack has returned, and its caller has not
 * yet restored the stack pointer. */
static bool is_back_in_caller(const struct engine *engine, const struct exec_context *ctx,
                              const struct block *block)
{
    const struct exec_context *caller = ctx->caller;
    return ctx->top == 0 && caller && is_parked(engine, caller, ctx->caller_high) &&
           code_routine(caller) == block->routine;
}

/* ---------------------------------------------------------------- neither call nor plain return */

void callstack_first_call(struct engine *engine, struct routine *routine)
{
    if (routine->was_called)
        return;
    routine->was_called = true;
    homes_part(&engine->homes, &engine->charges, routine);
}

static void begin_called(struct engine *engine, struct exec_context *ctx, const struct block *block,
                         aprof_word slot)
{
    if (UNLIKELY(exec_context_folds(ctx, block->routine)))
        return;
    if (block->flags & BLOCK_UNNAMED)
        callstack_first_call(engine, block->routine);
    trms_call(engine, ctx, block->routine, slot);
}

/* Returns whether an injected call returns to the entry of a called routine. Injected calls return
 * to such an entry if the signal arrived between the call and the first block of the called
 * routine. */
static bool is_interrupted_call(const struct exec_context *ctx, const struct block *block,
                                aprof_word pointer)
{
    return ctx->called_slot && ctx->called_slot == pointer && ctx->top &&
           ctx->stack[ctx->top].slot == pointer && is_entry(block);
}

/* Handles a return or computed jump after which the stack pointer does not match the top
 * activation. */
static void arrive_elsewhere(struct engine *engine, struct exec_context *ctx,
                             const struct block *block, aprof_word pointer, bool by_return)
{
    struct exec_context *parked = find_parked(engine, pointer);
    if (parked) {
        wake(engine, parked, pointer);
        go_on(engine, parked, block, pointer);
        return;
    }
    if (unwind(engine, ctx, pointer)) {
        if (ctx->top == 0)
            begin_root(engine, ctx, block);
        return;
    }
    if (is_new_stack(engine, ctx, block, pointer)) {
        ctx = begin_coroutine(engine, pointer);
        trms_call(engine, ctx, block->routine,
                  is_entry(block) ? slot_at_entry(engine, pointer) : NO_SLOT);
        return;
    }
    if (by_return && is_interrupted_call(ctx, block, pointer)) {
        ctx->called_slot = 0;
        trms_return(engine, ctx);
        begin_called(engine, ctx, block, pointer);
        return;
    }
    if (by_return && block->routine != ctx->routine && !exec_context_folds(ctx, block->routine))
        /* The root activation has returned to a caller that was never recorded. */
        end_chain(engine, ctx, NO_SLOT);
    arrive_by_jump(engine, ctx, block, slot_at_entry(engine, pointer));
}

static void arrive_by_return(struct engine *engine, struct exec_context *ctx,
                             const struct block *block)
{
    if (UNLIKELY(!is_top_at(engine, ctx, ctx->pointer))) {
        arrive_elsewhere(engine, ctx, block, ctx->pointer + WORD, true);
        return;
    }
    end_chain(engine, ctx, top_of(ctx)->slot);
    if (UNLIKELY(is_back_in_caller(engine, ctx, block))) {
        switch_to(engine, ctx->caller);
        return;
    }
    if (ctx->top == 0 || block->routine != ctx->routine)
        arrive_by_jump(engine, ctx, block,
                       slot_at_entry(engine, ctx->pointer + WORD)); /* probably a retpoline */
}

static void arrive_by_computed_jump(struct engine *engine, struct exec_context *ctx,
                                    const struct block *block)
{
    if (ctx->pointer <= top_of(ctx)->slot &&
        (block->routine == ctx->routine ||
         (block->routine == code_routine(ctx) && !is_entry(block))))
        return;
    if (is_top_at(engine, ctx, ctx->pointer))
        arrive_by_jump(engine, ctx, block, top_of(ctx)->slot);
    else
        arrive_elsewhere(engine, ctx, block, pointer_at_entry(engine, ctx->pointer), false);
}

/* Returns whether `address` is on the thread's own stack, if the stack is known. */
static bool is_on_stack_of(const struct thread *thread, aprof_word address)
{
    return thread->stack_high && thread->stack_low <= address && address <= thread->stack_high;
}

/* Returns whether `address` is on the thread's own stack, and the coroutine's stack is elsewhere.
 * The coroutine's stack may begin immediately above the thread's stack. For example, Go allocates
 * the stacks of threads between the stacks of goroutines. */
static bool is_off_coroutine(const struct thread *thread, const struct exec_context *coroutine,
                             aprof_word address)
{
    return is_on_stack_of(thread, address) && !is_on_stack_of(thread, coroutine->start);
}

/* Returns whether `slot` lies on the parked execution context's stack. Returns false if the two
 * stacks would overlap. The two stacks would overlap if `slot` lies in a large frame of the running
 * context, or in a part of the stack that this context has left. */
static bool calls_on(const struct exec_context *parked, const struct exec_context *running,
                     aprof_word tip, aprof_word slot, aprof_word low, aprof_word high)
{
    if (slot > high || low == NO_SLOT || slot + FAR_BELOW < low)
        return false;
    return slot > running->high || high < tip ||
           (slot <= parked->low && parked->low - slot < FAR_BELOW);
}

/* Returns the parked execution context on whose stack a call was made. */
static struct exec_context *find_called_on(const struct engine *engine,
                                           const struct exec_context *running, aprof_word tip,
                                           aprof_word slot)
{
    const struct thread *thread = engine->thread;
    uint32_t at = coroutine_at_or_above(engine, slot);
    if (at < engine->n_coroutines) {
        struct exec_context *ctx = engine->coroutines[at].ctx;
        if (!coroutine_is_running(engine, ctx) && !is_off_coroutine(thread, ctx, slot) &&
            calls_on(ctx, running, tip, slot, ctx->low, ctx->high))
            return ctx;
    }
    for (uint32_t i = thread->n_parked; i-- > 0;) {
        struct exec_context *ctx = thread->parked[i];
        bool is_known = ctx->kind == EXEC_CONTEXT_THREAD && thread->stack_high;
        if (calls_on(ctx, running, tip, slot, is_known ? thread->stack_low : ctx->low,
                     is_known ? thread->stack_high : ctx->high))
            return ctx;
    }
    return NULL;
}

/* Returns whether a call with this slot may have switched to another stack. */
static bool is_call_far(const struct exec_context *ctx, aprof_word slot)
{
    return ctx->top && (ctx->stack[ctx->top].slot - slot - 1 >= FAR_BELOW || slot <= ctx->barrier);
}

/* Returns the execution context of a call far from the top activation's slot. The call is either in
 * a large frame or on another stack. If the call is on another stack, the execution context of that
 * stack becomes the running one. `slot` is the address of the return address. */
static APROF_NOINLINE struct exec_context *exec_context_of_call(struct engine *engine,
                                                                aprof_word slot)
{
    struct exec_context *ctx = engine->ctx, *parked;
    const struct thread *thread = engine->thread;
    aprof_word tip = top_of(ctx)->slot;
    if (tip == NO_SLOT)
        tip = ctx->kind == EXEC_CONTEXT_COROUTINE ? ctx->start : ctx->high;
    if (ctx->kind == EXEC_CONTEXT_HANDLER || (tip <= slot && slot <= ctx->high))
        return ctx;
    parked = find_called_on(engine, ctx, tip, slot);
    if (parked) {
        switch_to(engine, parked);
        return parked;
    }
    if (ctx->kind == EXEC_CONTEXT_THREAD && thread->stack_high
            ? thread->stack_low <= slot && slot <= thread->stack_high
            : slot < tip && tip - slot < FAR_AWAY)
        return ctx;
    if (ctx->kind == EXEC_CONTEXT_THREAD && !thread->stack_high)
        return ctx; /* the stack is unknown: assume the running context's stack */
    aprof_word high = ctx->high;
    parked = begin_coroutine(engine, pointer_at_entry(engine, slot));
    parked->caller = ctx;
    parked->caller_high = high;
    return parked;
}

/* Ends the activations with overwritten return addresses. */
static bool end_overwritten(struct engine *engine, struct exec_context *ctx, aprof_word slot)
{
    size_t before = ctx->top;
    while (ctx->top && top_of(ctx)->slot <= slot && slot <= ctx->high)
        trms_return(engine, ctx);
    return ctx->top < before;
}

static void arrive_by_call(struct engine *engine, struct exec_context *ctx,
                           const struct block *block)
{
    aprof_word slot = ctx->pointer;
    bool is_named = !(block->flags & BLOCK_UNNAMED);
    if (is_named && block->routine == code_routine(ctx) && !(block->flags & BLOCK_ENTRY))
        /* the call is the first half of a retpoline, and continues in the middle of its own
         * routine */
        return;
    if ((ctx->end & END_MASK) == BLOCK_LINKED_CALL && is_top_at(engine, ctx, slot)) {
        begin_called(engine, ctx, block, slot_without_frame(ctx, slot));
        return;
    }
    if (is_call_far(ctx, slot))
        ctx = exec_context_of_call(engine, slot);
    end_overwritten(engine, ctx, slot);
    begin_called(engine, ctx, block, slot);
}

static uint32_t arrive_by_falling(struct engine *engine, struct exec_context *ctx,
                                  const struct block *block)
{
    if (ctx->top == 0)
        begin_root(engine, ctx, block);
    if (ctx->next == block->start)
        return block->cost_continued;
    if (ctx->repeat && ctx->repeat == block->start)
        return block->cost_repeated;
    arrive_by_jump(engine, ctx, block, top_of(ctx)->slot);
    return block->cost;
}

/* ---------------------------------------------------------------- the lazy binder */

/* Returns whether the lazy binder is still running. The lazy binder ends with a computed jump to
 * the called routine, with the stack pointer of the call. If the stack was unwound beyond the
 * binder, the stack pointer is above its value at the call. */
static bool binder_runs_on(struct exec_context *ctx, const struct block *block,
                           const aprof_word *payload)
{
    aprof_word pointer = ctx->binder_pointer;
    bool may_leave = ctx->binder_end == BLOCK_INDIRECT || ctx->binder_end == BLOCK_RETURN;
    if (may_leave && pointer >= ctx->binder_slot) {
        bool bound = pointer == ctx->binder_slot && ctx->binder_end == BLOCK_INDIRECT;
        ctx->binder_slot = 0;
        if (!bound) {
            ctx->end = ctx->binder_end;
            ctx->pointer = pointer;
        }
        return false;
    }
    ctx->binder_end = block->end;
    ctx->binder_pointer = block->event.words ? payload[block->event.words - 1] : 0;
    return true;
}

static void enter_binder(struct exec_context *ctx, aprof_word slot)
{
    ctx->binder_slot = slot;
    ctx->binder_pointer = 0;
    ctx->binder_end = BLOCK_JUMP;
    ctx->end |= END_SILENT;
}

/* ---------------------------------------------------------------- entry point */

bool callstack_arrive(struct engine *engine, const struct block *block, const aprof_word *payload,
                      uint32_t *cost)
{
    struct exec_context *ctx = engine->ctx;
    if (UNLIKELY(ctx->binder_slot) && binder_runs_on(ctx, block, payload))
        return true;
    if (UNLIKELY(block->flags & BLOCK_RESOLVER)) {
        enter_binder(ctx, payload[0]);
        return true;
    }
    switch (ctx->end & END_MASK) {
    case BLOCK_CALL:
    case BLOCK_LINKED_CALL:
        arrive_by_call(engine, ctx, block);
        break;
    case BLOCK_RETURN:
        arrive_by_return(engine, ctx, block);
        break;
    case BLOCK_INDIRECT:
        arrive_by_computed_jump(engine, ctx, block);
        break;
    case BLOCK_FALL:
        *cost = arrive_by_falling(engine, ctx, block);
        break;
    case END_CALLED:
        begin_called(engine, ctx, block, ctx->pointer);
        break;
    case END_SETTLED:
        go_on(engine, ctx, block, ctx->pointer);
        break;
    case END_INJECTED:
        if (is_entry(block))
            begin_called(engine, ctx, block, ctx->pointer);
        break;
    default:
        arrive_by_jump(engine, ctx, block, top_of(ctx)->slot);
    }
    engine->ctx->silent = exec_context_is_silent(engine, engine->ctx);
    return false;
}

/* ---------------------------------------------------------------- signals */

/* Applies those effects of a return or jump that do not depend on the next block. The return or
 * jump has set the stack pointer to `pointer`. */
static void settle_jump(struct engine *engine, struct exec_context *ctx, aprof_word pointer)
{
    struct exec_context *parked = find_parked(engine, pointer);
    if (parked) {
        wake(engine, parked, pointer);
        ctx = parked;
    } else if (unwind(engine, ctx, pointer)) {
        /* the running context continues: with NO_SLOT, go_on() begins no new coroutine on its
         * stack */
        pointer = NO_SLOT;
    } else {
        return;
    }
    ctx->end = END_SETTLED;
    ctx->pointer = pointer;
    ctx->silent = exec_context_is_silent(engine, ctx);
}

/* Returns whether the target of a computed jump may be in the routine of the top activation, whose
 * frame then lies between the stack pointer and the slot. A handler's frame never reaches another
 * stack. */
static bool may_stay(const struct exec_context *ctx, aprof_word pointer)
{
    aprof_word slot = top_of((struct exec_context *)ctx)->slot;
    return ctx->kind != EXEC_CONTEXT_HANDLER && pointer <= slot &&
           (slot == NO_SLOT || slot - pointer < FAR_AWAY);
}

/* Ends the activations that control left in the latest record. This function is called before a
 * signal handler runs. */
static void settle(struct engine *engine)
{
    struct exec_context *ctx = engine->ctx;
    aprof_word pointer = ctx->pointer;
    if (ctx->binder_slot)
        return;
    switch (ctx->end & END_MASK) {
    case BLOCK_LINKED_CALL:
        if (is_top_at(engine, ctx, pointer))
            break;
        /* fall through */
    case BLOCK_CALL:
        if (end_overwritten(engine, ctx, pointer))
            ctx->end = END_CALLED;
        break;
    case BLOCK_RETURN:
        if (!is_top_at(engine, ctx, pointer))
            settle_jump(engine, ctx, pointer + WORD);
        break;
    case BLOCK_INDIRECT:
        if (!may_stay(ctx, pointer))
            settle_jump(engine, ctx, pointer_at_entry(engine, pointer));
        break;
    default:
        break;
    }
}

/* Returns the end of the interrupted stack. The signal may have arrived before any code ran on a
 * new stack. If the signal arrived after a jump to a new stack, `pointer` belongs to the new stack
 * and must not extend this context's stack. */
static aprof_word tip_at_signal(const struct thread *thread, struct exec_context *ctx,
                                aprof_word pointer)
{
    aprof_word slot = top_of(ctx)->slot;
    aprof_word tip = slot == NO_SLOT ? ctx->start : slot;
    bool is_own = true;
    if (ctx->kind == EXEC_CONTEXT_COROUTINE)
        /* true also if `pointer` lies up to COROUTINE_SLACK bytes above `tip` */
        is_own =
            tip + COROUTINE_SLACK - pointer < FAR_AWAY && !is_off_coroutine(thread, ctx, pointer);
    else if (ctx->kind == EXEC_CONTEXT_THREAD && thread->stack_high)
        is_own = thread->stack_low <= pointer && pointer <= thread->stack_high;
    return is_own ? pointer : slot;
}

void callstack_signal_enter(struct engine *engine, struct thread *thread, aprof_word pointer)
{
    settle(engine);
    struct exec_context *below = thread->current;
    struct exec_context *handler = exec_context_new(engine, EXEC_CONTEXT_HANDLER);
    handler->below = below;
    park(thread, below, tip_at_signal(thread, below, pointer));
    make_current(engine, handler);
}

/* A handler pushes its return address below the red zone, if the ABI has one. */
#define INJECTED_BELOW (128 + 16)

/* Call this function when a signal handler has returned to a lower stack pointer than the
 * interrupted code had. Activations that control left in the latest record have already ended. If
 * the latest block ended with a call, the injected call has the slot of the callee, which begins
 * when the injected call returns. */
static void inject_call(struct engine *engine, struct exec_context *ctx, aprof_word slot)
{
    switch (ctx->end & END_MASK) {
    case BLOCK_JUMP:
    case BLOCK_FALL:
        break;
    case BLOCK_RETURN:
        if (!is_top_at(engine, ctx, ctx->pointer))
            return;
        end_chain(engine, ctx, top_of(ctx)->slot);
        break;
    case BLOCK_CALL:
    case END_CALLED:
        ctx->called_slot = ctx->pointer;
        return;
    default:
        return;
    }
    if (ctx->top == 0)
        return;
    ctx->end = END_INJECTED;
    ctx->pointer = slot;
    if (engine->config.linked)
        ctx->injected_slot = slot;
    ctx->silent = exec_context_is_silent(engine, ctx);
}

void callstack_signal_leave(struct engine *engine, struct thread *thread, aprof_word pointer)
{
    struct exec_context *handler = thread->current, *below = handler->below;
    if (handler->kind != EXEC_CONTEXT_HANDLER || !unpark(engine, below))
        return; /* a jump has left the activation, and the activation's frame was reused */
    exec_context_end(engine, handler);
    if (below->kind == EXEC_CONTEXT_HANDLER)
        below->high = NO_SLOT - 1;
    make_current(engine, below);
    if (pointer < below->low && below->low - pointer <= INJECTED_BELOW)
        inject_call(engine, below, pointer);
}

/* ---------------------------------------------------------------- regions */

void callstack_region_begin(struct engine *engine, struct routine *routine)
{
    struct exec_context *ctx = engine->ctx;
    if (!ctx)
        return;
    trms_call(engine, ctx, routine, ctx->top ? top_of(ctx)->slot : NO_SLOT);
    ctx->silent = exec_context_is_silent(engine, ctx);
}

static void end_top(struct engine *engine, struct exec_context *ctx)
{
    trms_end(engine, ctx);
    ctx->silent = exec_context_is_silent(engine, ctx);
}

/* Ends the innermost open region of the running activation, if there is one. */
void callstack_region_end(struct engine *engine)
{
    struct exec_context *ctx = engine->ctx;
    if (ctx && ctx->routine && ctx->routine->is_region)
        end_top(engine, ctx);
}

/* ---------------------------------------------------------------- functions of scripts */

/* If several activations on top belong to the interpreter's routines, ends all of them except the
 * outermost. */
static void end_runtime(struct engine *engine, struct exec_context *ctx)
{
    while (ctx->top > 1 && ctx->routine->is_runtime &&
           ctx->stack[ctx->top - 1].profile->routine->is_runtime)
        trms_end(engine, ctx);
}

/* Returns the execution context on whose stack the interpreter was called with this slot. */
static struct exec_context *exec_context_of_script(struct engine *engine, aprof_word slot)
{
    struct exec_context *ctx = engine->ctx;
    if (is_call_far(ctx, slot))
        ctx = exec_context_of_call(engine, slot);
    end_overwritten(engine, ctx, slot);
    return ctx;
}

void callstack_script_begin(struct engine *engine, struct routine *routine, aprof_word slot)
{
    struct exec_context *ctx = engine->ctx;
    if (!ctx)
        return;
    if (slot)
        ctx = exec_context_of_script(engine, slot);
    else
        end_runtime(engine, ctx);
    if (!slot || slot > top_of(ctx)->slot)
        slot = top_of(ctx)->slot;
    trms_call(engine, ctx, routine, slot);
    ctx->end = BLOCK_JUMP; /* the next block is handled like the target of a jump */
    ctx->silent = exec_context_is_silent(engine, ctx);
}

void callstack_script_end(struct engine *engine)
{
    struct exec_context *ctx = engine->ctx;
    if (ctx && ctx->routine && ctx->routine->is_script)
        end_top(engine, ctx);
}
