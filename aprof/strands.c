/* Threads and their execution contexts: creation, parking, end.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/activation.h"
#include "aprof/state.h"
#include "aprof/strand_contexts.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

/* Activations. Most coroutines and handlers have shallow stacks. A deep stack is an array of pages,
 * which doubles when it is full. */
#define FIRST_CAPACITY  8
#define MAPPED_CAPACITY 256

/* An array of pages moves in parts, and moved parts are freed at once: for a deep recursion the
 * array is most of the memory. */
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

/* Copies `bytes` and frees `from`. */
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

static void stack_new(struct strand *strand, size_t capacity)
{
    uint32_t *stamps = array_new("aprof.stamps", capacity, stamps_bytes(capacity));
    strand->capacity = capacity;
    strand->stamps = stamps + STAMPS_BELOW;
    strand->stack = array_new("aprof.stack", capacity, capacity * sizeof(*strand->stack));
    strand->induced = array_new("aprof.induced", capacity, capacity * sizeof(*strand->induced));
}

/* Copies only valid entries, so that unused pages stay unallocated. */
static void move_induced(const struct strand *strand, struct induced *from, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++)
        if (strand->stack[i].is_induced)
            strand->induced[i] = from[i];
    array_free(from, capacity, capacity * sizeof(*from));
}

void strand_note_depth(struct engine *engine, struct strand *strand)
{
    if (strand->top > engine->stats.deepest)
        engine->stats.deepest = strand->top;
    strand->known_depth = engine->stats.deepest < strand->capacity ? (size_t)engine->stats.deepest
                                                                   : strand->capacity - 1;
}

APROF_NOINLINE void strand_grow_stack(struct strand *strand)
{
    struct activation *stack = strand->stack;
    struct induced *induced = strand->induced;
    uint32_t *stamps = strand->stamps - STAMPS_BELOW;
    size_t capacity = strand->capacity;
    stack_new(strand, 2 * capacity);
    array_move(strand->stack, stack, capacity, capacity * sizeof(*stack));
    array_move(strand->stamps - STAMPS_BELOW, stamps, capacity, stamps_bytes(capacity));
    move_induced(strand, induced, capacity);
}

/* ---------------------------------------------------------------- strands */

static struct strand *strand_allocate(struct engine *engine)
{
    struct strand *strand = engine->spare;
    if (strand) {
        engine->spare = NULL;
        return strand;
    }
    strand = host_alloc("aprof.strand", sizeof(*strand));
    stack_new(strand, FIRST_CAPACITY);
    return strand;
}

struct strand *strand_new(struct engine *engine, enum strand_kind kind)
{
    struct strand *strand = strand_allocate(engine);
    strand->kind = (uint8_t)kind;
    strand->number = ++engine->last_strand;
    strand->home = strand->runner = engine->thread ? engine->thread->number : 0;
    strand->end = BLOCK_JUMP;
    strand->high = NO_SLOT - 1;
    strand->deepest_slot = NO_SLOT;
    memory_strand_start(engine, strand);
    strand->stack[0] = (struct activation){.slot = NO_SLOT};
    strand->stamps[0] = BOTTOM_STAMP;
    engine->stats.strands++;
    if (++engine->n_strands > 1 && !engine->shared)
        memory_share_writes(engine);
    strand->silent = strand_is_silent(engine, strand);
    if (strand->silent)
        strand->end |= END_SILENT;
    return strand;
}

static struct profile *profile_of_thread(struct engine *engine, uint32_t number)
{
    if (!engine->config.separate_threads)
        number = 0;
    engine->gathered = array_grow("aprof.gathered", engine->gathered, &engine->n_gathered,
                                  number + 1, sizeof(*engine->gathered));
    return &engine->gathered[number];
}

static void gather_strand(struct engine *engine, struct strand *strand, uint32_t number)
{
    struct activation *bottom = strand->stack;
    struct induced induced = *activation_induced(strand, 0);
    profile_move(profile_of_thread(engine, number), &strand->profile);
    engine->cost_total += strand->cost - strand->cost_reported;
    engine->reads += (uint64_t)(bottom->rms + induced.delta);
    engine->induced_thread += induced.thread;
    engine->induced_external += induced.external;
    strand->cost_reported = strand->cost;
    bottom->rms = 0;
    bottom->is_induced = 0;
}

/* Removes all references to the ended execution context, to which no other may return. */
static void disown_in(struct thread *thread, const struct strand *ended)
{
    for (uint32_t i = 0; i < thread->n_parked; i++)
        if (thread->parked[i]->below == ended)
            thread->parked[i]->below = NULL;
    if (thread->current && thread->current->below == ended)
        thread->current->below = NULL;
}

/* The handlers above a coroutine may belong to any thread. */
static void disown(struct engine *engine, const struct strand *ended)
{
    if (ended->kind != STRAND_COROUTINE) {
        disown_in(engine->thread, ended);
        return;
    }
    for (uint32_t t = 0; t < engine->n_threads; t++)
        if (engine->threads[t])
            disown_in(engine->threads[t], ended);
}

/* ---------------------------------------------------------------- coroutines */

/* The position of the first coroutine whose stack ends at `address` or above. O(log n). */
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

/* `high` is set and never changes. This happens once for each coroutine; switches move nothing. */
void coroutine_add(struct engine *engine, struct strand *strand)
{
    uint32_t at = coroutine_at_or_above(engine, strand->high);
    engine->coroutines =
        array_grow("aprof.coroutines", engine->coroutines, &engine->coroutines_capacity,
                   engine->n_coroutines + 1, sizeof(*engine->coroutines));
    memmove(&engine->coroutines[at + 1], &engine->coroutines[at],
            (engine->n_coroutines - at) * sizeof(*engine->coroutines));
    engine->coroutines[at] = (struct coroutine){strand->high, strand};
    engine->n_coroutines++;
}

static void coroutine_remove(struct engine *engine, const struct strand *strand)
{
    uint32_t at = coroutine_at_or_above(engine, strand->high);
    while (engine->coroutines[at].strand != strand)
        at++;
    engine->n_coroutines--;
    memmove(&engine->coroutines[at], &engine->coroutines[at + 1],
            (engine->n_coroutines - at) * sizeof(*engine->coroutines));
}

bool coroutine_is_running(const struct engine *engine, const struct strand *strand)
{
    const struct thread *thread = engine->threads[strand->runner];
    return thread && thread->current == strand;
}

void strand_free(struct strand *strand)
{
    size_t capacity = strand->capacity;
    array_free(strand->stack, capacity, capacity * sizeof(*strand->stack));
    array_free(strand->induced, capacity, capacity * sizeof(*strand->induced));
    array_free(strand->stamps - STAMPS_BELOW, capacity, stamps_bytes(capacity));
    host_free(strand);
}

void strand_end(struct engine *engine, struct strand *strand)
{
    while (strand->top)
        trms_return(engine, strand);
    strand_contexts_end(strand);
    gather_strand(engine, strand, strand->home);
    disown(engine, strand);
    if (strand->kind == STRAND_COROUTINE)
        coroutine_remove(engine, strand);
    profile_free(&strand->profile);
    memory_strand_end(engine, strand);
    engine->n_strands--;
    if (engine->spare) {
        strand_free(strand);
        return;
    }
    struct activation *stack = strand->stack;
    struct induced *induced = strand->induced;
    uint32_t *stamps = strand->stamps;
    size_t capacity = strand->capacity;
    memset(strand, 0, sizeof(*strand));
    strand->stack = stack;
    strand->induced = induced;
    strand->stamps = stamps;
    strand->capacity = capacity;
    engine->spare = strand;
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
    thread->current = strand_new(engine, STRAND_THREAD);
    thread->current->home = thread->current->runner = number;
    if (high)
        thread->current->high = high;
    engine->threads[number] = thread;
    return thread;
}

/* Ends the coroutines that an ending thread ran last. */
static void end_coroutines(struct engine *engine, const struct thread *thread)
{
    for (uint32_t i = engine->n_coroutines; i-- > 0;) {
        struct strand *strand = engine->coroutines[i].strand;
        if (strand->runner == thread->number && strand != thread->current)
            strand_end(engine, strand);
    }
}

/* Its execution contexts end in order of creation, as far as it is known: the parked ones, then the
 * running one. */
void thread_end(struct engine *engine, uint32_t number)
{
    struct thread *thread = number < engine->n_threads ? engine->threads[number] : NULL;
    struct thread *running = engine->thread;
    if (!thread)
        return;
    engine->thread = thread;
    while (thread->n_parked) {
        struct strand *strand = thread->parked[0];
        thread_unpark(thread, 0);
        strand_end(engine, strand);
    }
    end_coroutines(engine, thread);
    strand_end(engine, thread->current);
    host_free(thread->parked);
    host_free(thread);
    engine->threads[number] = NULL;
    engine->thread = running == thread ? NULL : running;
    if (!engine->thread)
        engine->strand = NULL;
}

void thread_park(struct thread *thread, struct strand *strand)
{
    thread->parked = array_grow("aprof.parked", thread->parked, &thread->parked_capacity,
                                thread->n_parked + 1, sizeof(*thread->parked));
    thread->parked[thread->n_parked++] = strand;
}

void thread_unpark(struct thread *thread, uint32_t position)
{
    thread->n_parked--;
    memmove(&thread->parked[position], &thread->parked[position + 1],
            (thread->n_parked - position) * sizeof(struct strand *));
}

void strands_each(struct engine *engine, void (*visit)(struct engine *, struct strand *))
{
    for (uint32_t t = 0; t < engine->n_threads; t++) {
        struct thread *thread = engine->threads[t];
        if (!thread)
            continue;
        if (thread->current->kind != STRAND_COROUTINE)
            visit(engine, thread->current);
        for (uint32_t i = 0; i < thread->n_parked; i++)
            visit(engine, thread->parked[i]);
    }
    for (uint32_t i = 0; i < engine->n_coroutines; i++)
        visit(engine, engine->coroutines[i].strand);
}

/* ---------------------------------------------------------------- reports */

static void gather_pending(struct engine *engine, struct strand *strand)
{
    gather_strand(engine, strand, strand->home);
}

void engine_gather(struct engine *engine)
{
    strands_each(engine, gather_pending);
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
