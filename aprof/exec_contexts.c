/* Threads and their execution contexts: creation, parking, end.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/activation.h"
#include "aprof/state.h"
#include "aprof/exec_cursor.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

/* Number of activations for which a new stack has space. Most coroutines and handlers have shallow
 * stacks. A deep stack is an array of pages, which doubles when it is full. */
#define FIRST_CAPACITY  8
#define MAPPED_CAPACITY 256

/* In a deep recursion, the stack takes most of the memory. So a growing stack is moved to its new
 * pages in parts of MOVED_BYTES, and after each part the old pages of this part are freed. */
#define MOVED_BYTES ((size_t)1 << 20)

/* ---------------------------------------------------------------- stacks */

static void *array_new(const char *site, size_t capacity, size_t bytes)
{
    return capacity < MAPPED_CAPACITY ? host_alloc(site, bytes)
                                      : host_map(site, pages_bytes(bytes));
}

static void array_free(void *array, size_t capacity, size_t bytes)
{
    if (capacity < MAPPED_CAPACITY)
        host_free(array);
    else
        host_unmap(array, pages_bytes(bytes));
}

/* Copies an array of `bytes` bytes to its new place, and frees its old place `from`. */
static void array_move(void *to, void *from, size_t capacity, size_t bytes)
{
    size_t moved = 0;
    for (; capacity >= MAPPED_CAPACITY && bytes - moved > MOVED_BYTES; moved += MOVED_BYTES) {
        memcpy((char *)to + moved, (char *)from + moved, MOVED_BYTES);
        host_unmap((char *)from + moved, MOVED_BYTES);
    }
    memcpy((char *)to + moved, (char *)from + moved, bytes - moved);
    array_free((char *)from + moved, capacity, bytes - moved);
}

static size_t stamps_bytes(size_t capacity)
{
    return (STAMPS_BELOW + capacity) * sizeof(uint32_t);
}

static void stack_new(struct exec_context *ctx, size_t capacity)
{
    uint32_t *stamps = array_new("aprof.stamps", capacity, stamps_bytes(capacity));
    ctx->capacity = capacity;
    ctx->stamps = stamps + STAMPS_BELOW;
    ctx->stack = array_new("aprof.stack", capacity, capacity * sizeof(*ctx->stack));
    ctx->induced = array_new("aprof.induced", capacity, capacity * sizeof(*ctx->induced));
}

/* Copies only valid entries, so that unused pages stay unallocated. */
static void move_induced(const struct exec_context *ctx, struct induced *from, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++)
        if (ctx->stack[i].is_induced)
            ctx->induced[i] = from[i];
    array_free(from, capacity, capacity * sizeof(*from));
}

void exec_context_note_depth(struct engine *engine, struct exec_context *ctx)
{
    if (ctx->top > engine->stats.deepest)
        engine->stats.deepest = ctx->top;
    ctx->known_depth =
        engine->stats.deepest < ctx->capacity ? (size_t)engine->stats.deepest : ctx->capacity - 1;
}

APROF_NOINLINE void exec_context_grow_stack(struct exec_context *ctx)
{
    struct activation *stack = ctx->stack;
    struct induced *induced = ctx->induced;
    uint32_t *stamps = ctx->stamps - STAMPS_BELOW;
    size_t capacity = ctx->capacity;
    stack_new(ctx, 2 * capacity);
    array_move(ctx->stack, stack, capacity, capacity * sizeof(*stack));
    array_move(ctx->stamps - STAMPS_BELOW, stamps, capacity, stamps_bytes(capacity));
    move_induced(ctx, induced, capacity);
}

/* ---------------------------------------------------------------- execution contexts */

static struct exec_context *exec_context_allocate(struct engine *engine)
{
    struct exec_context *ctx = engine->spare;
    if (ctx) {
        engine->spare = NULL;
        return ctx;
    }
    ctx = host_alloc("aprof.exec_context", sizeof(*ctx));
    stack_new(ctx, FIRST_CAPACITY);
    return ctx;
}

struct exec_context *exec_context_new(struct engine *engine, enum exec_context_kind kind)
{
    struct exec_context *ctx = exec_context_allocate(engine);
    ctx->kind = (uint8_t)kind;
    ctx->number = ++engine->last_exec_context;
    ctx->home = ctx->runner = engine->thread ? engine->thread->number : 0;
    ctx->end = BLOCK_JUMP;
    ctx->high = NO_SLOT - 1;
    ctx->deepest_slot = NO_SLOT;
    memory_exec_context_start(engine, ctx);
    ctx->stack[0] = (struct activation){.slot = NO_SLOT};
    ctx->stamps[0] = BOTTOM_STAMP;
    engine->stats.exec_contexts++;
    if (++engine->n_exec_contexts > 1 && !engine->shared)
        memory_share_writes(engine);
    ctx->silent = exec_context_is_silent(engine, ctx);
    if (ctx->silent)
        ctx->end |= END_SILENT;
    return ctx;
}

static struct profile *profile_of_thread(struct engine *engine, uint32_t number)
{
    if (!engine->config.separate_threads)
        number = 0;
    engine->gathered = array_grow("aprof.gathered", engine->gathered, &engine->n_gathered,
                                  number + 1, sizeof(*engine->gathered));
    return &engine->gathered[number];
}

static void gather_exec_context(struct engine *engine, struct exec_context *ctx, uint32_t number)
{
    struct activation *bottom = ctx->stack;
    struct induced induced = *activation_induced(ctx, 0);
    profile_move(profile_of_thread(engine, number), &ctx->profile);
    engine->cost_total += ctx->cost - ctx->cost_reported;
    engine->reads += (uint64_t)(bottom->rms + induced.delta);
    engine->induced_thread += induced.thread;
    engine->induced_external += induced.external;
    ctx->cost_reported = ctx->cost;
    bottom->rms = 0;
    bottom->is_induced = 0;
}

/* Removes all references to the ended execution context, so that no other context returns to it. */
static void disown_in(struct thread *thread, const struct exec_context *ended)
{
    for (uint32_t i = 0; i < thread->n_parked; i++)
        if (thread->parked[i]->below == ended)
            thread->parked[i]->below = NULL;
    if (thread->current && thread->current->below == ended)
        thread->current->below = NULL;
}

/* Handlers that interrupted a coroutine may belong to any thread. */
static void disown(struct engine *engine, const struct exec_context *ended)
{
    if (ended->kind != EXEC_CONTEXT_COROUTINE) {
        disown_in(engine->thread, ended);
        return;
    }
    for (uint32_t t = 0; t < engine->n_threads; t++)
        if (engine->threads[t])
            disown_in(engine->threads[t], ended);
}

/* ---------------------------------------------------------------- coroutines */

/* Returns in O(log n) the position of the first coroutine whose stack ends at `address` or
 * above. */
uint32_t coroutine_at_or_above(const struct engine *engine, aprof_word address)
{
    uint32_t low = 0, high = engine->n_coroutines;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (engine->coroutines[middle].high < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a coroutine to the sorted array; the caller has set its member `high`. Switches between
 * coroutines change neither `high` nor the order of coroutines. */
void coroutine_add(struct engine *engine, struct exec_context *ctx)
{
    uint32_t at = coroutine_at_or_above(engine, ctx->high);
    engine->coroutines =
        array_grow("aprof.coroutines", engine->coroutines, &engine->coroutines_capacity,
                   engine->n_coroutines + 1, sizeof(*engine->coroutines));
    memmove(&engine->coroutines[at + 1], &engine->coroutines[at],
            (engine->n_coroutines - at) * sizeof(*engine->coroutines));
    engine->coroutines[at] = (struct coroutine){ctx->high, ctx};
    engine->n_coroutines++;
}

static void coroutine_remove(struct engine *engine, const struct exec_context *ctx)
{
    uint32_t at = coroutine_at_or_above(engine, ctx->high);
    while (engine->coroutines[at].ctx != ctx)
        at++;
    engine->n_coroutines--;
    memmove(&engine->coroutines[at], &engine->coroutines[at + 1],
            (engine->n_coroutines - at) * sizeof(*engine->coroutines));
}

bool coroutine_is_running(const struct engine *engine, const struct exec_context *ctx)
{
    const struct thread *thread = engine->threads[ctx->runner];
    return thread && thread->current == ctx;
}

/* Returns the first parked coroutine that began on the stack [low, high], or NULL. */
static struct exec_context *parked_on(const struct engine *engine, aprof_word low, aprof_word high)
{
    for (uint32_t i = coroutine_at_or_above(engine, low); i < engine->n_coroutines; i++) {
        struct exec_context *ctx = engine->coroutines[i].ctx;
        if (ctx->start > high)
            break;
        if (ctx->start >= low && !coroutine_is_running(engine, ctx))
            return ctx;
    }
    return NULL;
}

void coroutines_end(struct engine *engine, aprof_word low, aprof_word high)
{
    struct exec_context *ctx;
    while ((ctx = parked_on(engine, low, high)))
        exec_context_end(engine, ctx);
}

/* Adds `delta` to all stack addresses of a parked coroutine. Returns false if an address would
 * overflow. */
static bool coroutine_shift(struct exec_context *ctx, aprof_word delta)
{
    aprof_word lowest = ctx->stack[ctx->top].slot < ctx->low ? ctx->stack[ctx->top].slot : ctx->low;
    if (ctx->high + delta < lowest + delta || ctx->high + delta == NO_SLOT)
        return false;
    for (size_t i = 1; i <= ctx->top; i++)
        if (ctx->stack[i].slot != NO_SLOT)
            ctx->stack[i].slot += delta;
    ctx->low += delta;
    ctx->high += delta;
    ctx->start += delta;
    ctx->injected_slot += ctx->injected_slot ? delta : 0;
    ctx->called_slot += ctx->called_slot ? delta : 0;
    ctx->deepest_slot = ctx->stack[ctx->top].slot;
    return true;
}

/* The Go runtime has replaced a goroutine's stack by a larger or smaller stack. The activations
 * keep their distance from the end of the stack. */
void coroutines_move(struct engine *engine, aprof_word low, aprof_word high, aprof_word new_high)
{
    struct exec_context *ctx = parked_on(engine, low, high), *running = engine->ctx;
    if (!ctx)
        return;
    coroutine_remove(engine, ctx);
    bool is_moved = coroutine_shift(ctx, new_high - high);
    coroutine_add(engine, ctx);
    if (!is_moved)
        exec_context_end(engine, ctx);
    else if (running && running->caller == ctx)
        running->caller_high = ctx->high;
}

void exec_context_free(struct exec_context *ctx)
{
    size_t capacity = ctx->capacity;
    array_free(ctx->stack, capacity, capacity * sizeof(*ctx->stack));
    array_free(ctx->induced, capacity, capacity * sizeof(*ctx->induced));
    array_free(ctx->stamps - STAMPS_BELOW, capacity, stamps_bytes(capacity));
    host_free(ctx);
}

void exec_context_end(struct engine *engine, struct exec_context *ctx)
{
    while (ctx->top)
        trms_return(engine, ctx);
    exec_cursor_end(ctx);
    gather_exec_context(engine, ctx, ctx->home);
    disown(engine, ctx);
    if (ctx->kind == EXEC_CONTEXT_COROUTINE)
        coroutine_remove(engine, ctx);
    profile_free(&ctx->profile);
    memory_exec_context_end(engine, ctx);
    engine->n_exec_contexts--;
    if (engine->spare) {
        exec_context_free(ctx);
        return;
    }
    struct activation *stack = ctx->stack;
    struct induced *induced = ctx->induced;
    uint32_t *stamps = ctx->stamps;
    size_t capacity = ctx->capacity;
    memset(ctx, 0, sizeof(*ctx));
    ctx->stack = stack;
    ctx->induced = induced;
    ctx->stamps = stamps;
    ctx->capacity = capacity;
    engine->spare = ctx;
}

/* ---------------------------------------------------------------- threads */

struct thread *thread_start(struct engine *engine, uint32_t number, aprof_word low, aprof_word high)
{
    engine->threads = array_grow("aprof.threads", engine->threads, &engine->n_threads, number + 1,
                                 sizeof(*engine->threads));
    if (engine->threads[number])
        return engine->threads[number];
    struct thread *thread = host_alloc("aprof.thread", sizeof(*thread));
    thread->number = number;
    thread->stack_low = low;
    thread->stack_high = high;
    thread->current = exec_context_new(engine, EXEC_CONTEXT_THREAD);
    thread->current->home = thread->current->runner = number;
    if (high)
        thread->current->high = high;
    engine->threads[number] = thread;
    return thread;
}

/* When a thread ends: ends the parked coroutines that this thread was the latest to run. */
static void end_coroutines(struct engine *engine, const struct thread *thread)
{
    for (uint32_t i = engine->n_coroutines; i-- > 0;) {
        struct exec_context *ctx = engine->coroutines[i].ctx;
        if (ctx->runner == thread->number && ctx != thread->current)
            exec_context_end(engine, ctx);
    }
}

/* Ends a thread. The thread's parked execution contexts end first, and the running context ends
 * last. This is the order of their creation, as far as it is known. */
void thread_end(struct engine *engine, uint32_t number)
{
    struct thread *thread = number < engine->n_threads ? engine->threads[number] : NULL;
    struct thread *running = engine->thread;
    if (!thread)
        return;
    engine->thread = thread;
    while (thread->n_parked) {
        struct exec_context *ctx = thread->parked[0];
        thread_unpark(thread, 0);
        exec_context_end(engine, ctx);
    }
    end_coroutines(engine, thread);
    exec_context_end(engine, thread->current);
    host_free(thread->parked);
    host_free(thread);
    engine->threads[number] = NULL;
    engine->thread = running == thread ? NULL : running;
    if (!engine->thread)
        engine->ctx = NULL;
}

void thread_park(struct thread *thread, struct exec_context *ctx)
{
    thread->parked = array_grow("aprof.parked", thread->parked, &thread->parked_capacity,
                                thread->n_parked + 1, sizeof(*thread->parked));
    thread->parked[thread->n_parked++] = ctx;
}

void thread_unpark(struct thread *thread, uint32_t position)
{
    thread->n_parked--;
    memmove(&thread->parked[position], &thread->parked[position + 1],
            (thread->n_parked - position) * sizeof(struct exec_context *));
}

void exec_contexts_each(struct engine *engine,
                        void (*visit)(struct engine *, struct exec_context *))
{
    for (uint32_t t = 0; t < engine->n_threads; t++) {
        struct thread *thread = engine->threads[t];
        if (!thread)
            continue;
        if (thread->current->kind != EXEC_CONTEXT_COROUTINE)
            visit(engine, thread->current);
        for (uint32_t i = 0; i < thread->n_parked; i++)
            visit(engine, thread->parked[i]);
    }
    for (uint32_t i = 0; i < engine->n_coroutines; i++)
        visit(engine, engine->coroutines[i].ctx);
}

/* ---------------------------------------------------------------- reports */

static void gather_pending(struct engine *engine, struct exec_context *ctx)
{
    gather_exec_context(engine, ctx, ctx->home);
}

void engine_gather(struct engine *engine)
{
    exec_contexts_each(engine, gather_pending);
    homes_settle(&engine->homes, &engine->charges);
}

void engine_clear(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->n_gathered; i++)
        profile_clear(&engine->gathered[i]);
    engine->cost_total = engine->reads = engine->activations = 0;
    engine->induced_thread = engine->induced_external = 0;
    edge_table_clear(&engine->edges);
    homes_settle(&engine->homes, &engine->charges);
    charge_table_clear(&engine->charges);
    if (engine->contexts)
        process_contexts_clear(engine->contexts);
}

void engine_finish(struct engine *engine)
{
    for (uint32_t t = 0; t < engine->n_threads; t++)
        thread_end(engine, t);
    homes_free(&engine->homes, &engine->charges);
}
