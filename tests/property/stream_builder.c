/* The stream builder: words, segments, accesses, the kernel; see stream_model.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/property/stream_model.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---------------------------------------------------------------- words and descriptors */

static void *own(struct builder *b, size_t bytes)
{
    struct owned *o = must(calloc(1, sizeof(*o) + bytes));
    o->next = b->owned;
    b->owned = o;
    return o + 1;
}

void model_put_word(struct builder *b, aprof_word word)
{
    if (b->n_words == b->room_words) {
        b->room_words = b->room_words ? 2 * b->room_words : 4096;
        b->words = must(realloc(b->words, b->room_words * sizeof(*b->words)));
    }
    b->words[b->n_words++] = word;
}

void model_put_event(struct builder *b, enum event_kind kind, unsigned n, const aprof_word *payload)
{
    if (!b->events[kind]) {
        struct event_desc *desc = own(b, sizeof(*desc));
        *desc = (struct event_desc){(uint16_t)kind, (uint16_t)n};
        b->events[kind] = desc;
    }
    model_put_word(b, (aprof_word)b->events[kind]);
    for (unsigned i = 0; i < n; i++)
        model_put_word(b, payload[i]);
}

/* ---------------------------------------------------------------- where we are */

struct model_thread *model_thread_now(const struct builder *b)
{
    return (struct model_thread *)&b->threads[b->running];
}

struct model_exec_context *model_exec_context_now(const struct builder *b)
{
    struct model_thread *t = model_thread_now(b);
    return &t->exec_contexts[t->current];
}

static bool is_silent(const struct builder *b)
{
    return !b->collecting || model_exec_context_now(b)->paused ||
           (b->config.collect_in_toggles && !model_exec_context_now(b)->toggles);
}

bool model_is_unnamed(const struct builder *b, unsigned routine)
{
    return routine >= b->config.n_routines - b->config.n_routines / 4;
}

/* Whether a jump to this routine's first block counts as a tail call. */
bool model_is_entry(const struct builder *b, unsigned routine)
{
    return model_is_unnamed(b, routine) ? b->was_called[routine]
                                        : !b->routines[routine].transparent;
}

aprof_word model_top_slot(const struct model_exec_context *s)
{
    return s->frames[s->depth - 1].slot;
}

/* The routine of the code at this depth of activations; regions have no code. */
unsigned model_code_routine(const struct builder *b, const struct model_exec_context *s,
                            size_t depth)
{
    while (b->routines[s->frames[depth - 1].routine].is_region)
        depth--;
    return s->frames[depth - 1].routine;
}

/* The routine of the blocks that run at this depth. In a region that code without symbols has
 * opened, no block has an address that was called, so routine 0 can be used. */
unsigned model_routine_seen(const struct builder *b, const struct model_exec_context *s,
                            size_t depth)
{
    unsigned code = model_code_routine(b, s, depth);
    return code != s->frames[depth - 1].routine && model_is_unnamed(b, code) ? 0 : code;
}

bool model_is_folded(const struct builder *b, unsigned routine)
{
    const struct model_exec_context *s = model_exec_context_now(b);
    return b->routines[routine].is_runtime && s->depth &&
           (b->routines[routine].is_hook || b->routines[s->frames[s->depth - 1].routine].is_script);
}

size_t builder_depth(const struct builder *b)
{
    return model_exec_context_now(b)->depth;
}

bool builder_thread_alive(const struct builder *b, unsigned number)
{
    return b->threads[number].alive;
}

void model_frame_push(struct builder *b, unsigned routine, aprof_word slot)
{
    struct model_exec_context *s = model_exec_context_now(b);
    if (s->depth == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->frames = must(realloc(s->frames, s->room * sizeof(*s->frames)));
    }
    s->frames[s->depth++] = (struct model_frame){routine, slot};
    s->toggles += b->routines[routine].toggles;
    oracle_call(b->oracle, s->oracle_exec_context, routine, !is_silent(b));
}

void model_frame_pop(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    s->toggles -= b->routines[s->frames[--s->depth].routine].toggles;
    oracle_return(b->oracle, s->oracle_exec_context);
}

/* ---------------------------------------------------------------- segments */

/* The next code of the running execution context belongs to the top activation, or is the first
 * code of an activation. */
void model_segment_arrive(struct builder *b, bool entry, bool critical)
{
    struct model_exec_context *s = model_exec_context_now(b);
    unsigned routine = model_routine_seen(b, s, s->depth);
    unsigned flags = model_is_unnamed(b, routine) ? BLOCK_UNNAMED : entry ? BLOCK_ENTRY : 0;
    if (b->routines[s->frames[s->depth - 1].routine].is_region)
        flags = 0;
    s->segment = (struct open_segment){
        .routine = routine, .flags = flags, .critical = critical, .arrives = true};
}

/* Sets the start of the block; returns the cost of reaching the block this way. `continues`: the
 * block is not reached by a jump. */
static uint32_t segment_locate(struct builder *b, struct block *block, bool *continues)
{
    struct model_exec_context *s = model_exec_context_now(b);
    bool fell = s->fell && !s->segment.critical;
    s->fell = false;
    *continues = fell && rng_once_in(b->rng, 2);
    if (*continues && s->repeat && rng_once_in(b->rng, 2)) {
        block->start = s->repeat;
        return block->cost_repeated;
    }
    if (*continues) {
        block->start = s->next;
        return block->cost_continued;
    }
    block->start = b->code += 64;
    return block->cost;
}

/* Code of another routine has no effect if it was neither called nor entered by a jump. */
static void segment_disguise(struct builder *b, struct block *block, bool continues)
{
    unsigned other = rng_below(b->rng, b->config.n_routines);
    if (model_is_unnamed(b, other) && b->was_called[other])
        return;
    block->routine = &b->routines[other];
    block->flags = model_is_unnamed(b, other) ? BLOCK_UNNAMED : 0;
    if (continues && !block->flags)
        block->flags = BLOCK_ENTRY;
}

struct block *model_block_new(struct builder *b, enum block_end end, unsigned n_accesses)
{
    struct block *block = own(b, block_bytes(n_accesses));
    unsigned words = n_accesses + block_end_has_word(end);
    block->event = (struct event_desc){EVENT_BLOCK, (uint16_t)words};
    block->end = (uint8_t)end;
    block->n_accesses = (uint16_t)n_accesses;
    block_close(block);
    block->span = rng_below(b->rng, ORACLE_SPANS);
    block->cost = rng_below(b->rng, 4);
    block->cost_continued = rng_below(b->rng, 3);
    block->cost_repeated = rng_below(b->rng, 2);
    return block;
}

static bool same_segment(const struct block *a, const struct block *b)
{
    return a->routine == b->routine && a->flags == b->flags && a->end == b->end &&
           a->n_accesses == b->n_accesses &&
           !memcmp(a->access, b->access, a->n_accesses * sizeof(a->access[0]));
}

/* Returns a recent block with the same actions, which then runs again; if there is none, returns
 * this block. */
static struct block *segment_again(struct builder *b, struct block *block)
{
    for (unsigned i = 0; i < RECENT_BLOCKS; i++) {
        if (b->recent[i] && same_segment(b->recent[i], block) &&
            (b->config.repeats || !rng_once_in(b->rng, 4)))
            return b->recent[i];
    }
    b->recent[b->next_recent++ % RECENT_BLOCKS] = block;
    return block;
}

/* Removes a recent block's descriptor. */
static void segment_forget(struct builder *b)
{
    struct block **recent = &b->recent[rng_below(b->rng, RECENT_BLOCKS)];
    if (*recent)
        model_put_event(b, EVENT_BLOCK_GONE, 1, (aprof_word[]){(aprof_word)*recent});
    *recent = NULL;
}

/* Writes the segment as a record that ends with `end`; `word` is the last word if the end has one.
 */
void model_segment_close(struct builder *b, enum block_end end, aprof_word word)
{
    struct model_exec_context *s = model_exec_context_now(b);
    struct open_segment *g = &s->segment;
    struct block *block = model_block_new(b, end, g->n);
    bool continues;
    block->routine = &b->routines[g->routine];
    block->flags = (uint8_t)g->flags;
    if (b->config.repeats)
        block->span = g->routine;
    uint32_t cost = segment_locate(b, block, &continues);
    if (!g->critical && rng_once_in(b->rng, 8))
        segment_disguise(b, block, continues);
    memcpy(block->access, g->access, g->n * sizeof(g->access[0]));
    if (!continues && end != BLOCK_FALL) {
        block = segment_again(b, block);
        cost = block->cost;
    }
    oracle_run(b->oracle, s->oracle_exec_context, block->span);
    if (!is_silent(b))
        oracle_cost(b->oracle, s->oracle_exec_context, cost);
    model_put_word(b, (aprof_word)block);
    for (unsigned i = 0; i < g->n; i++)
        model_put_word(b, g->address[i]);
    if (block->event.words > g->n)
        model_put_word(b, word);
    if (end == BLOCK_FALL) {
        s->fell = true;
        s->next = block->next = b->code += 64;
        s->repeat = block->repeat = rng_once_in(b->rng, 2) ? b->code += 64 : 0;
    }
    if (g->called && g->flags & BLOCK_UNNAMED)
        b->was_called[g->routine] = true;
    model_segment_arrive(b, false, false);
    g->arrives = false;
    if (rng_once_in(b->rng, 16))
        segment_forget(b);
}

void builder_segment(struct builder *b)
{
    static const enum block_end ends[] = {BLOCK_JUMP, BLOCK_JUMP, BLOCK_FALL, BLOCK_INDIRECT};
    aprof_word pointer = model_exec_context_now(b)->pointer;
    model_segment_close(b, ends[rng_below(b->rng, 4)], model_entry_slot(b, pointer));
}

/* Call this function before an event that the kernel or another thread causes. */
void model_segment_settle(struct builder *b)
{
    const struct open_segment *g = &model_exec_context_now(b)->segment;
    if (g->n || (g->arrives && (b->config.controls || rng_once_in(b->rng, 2))))
        builder_segment(b);
}

/* Call this function before an event that depends on the top activation. */
void model_segment_settle_now(struct builder *b)
{
    const struct open_segment *g = &model_exec_context_now(b)->segment;
    if (g->n || g->arrives)
        builder_segment(b);
}

/* ---------------------------------------------------------------- accesses */

void model_segment_make_room(struct builder *b)
{
    if (model_exec_context_now(b)->segment.n == SEGMENT_ACCESSES_MAX)
        builder_segment(b);
}

void model_segment_add(struct builder *b, enum access_kind kind, aprof_word address, unsigned bytes,
                       bool guarded)
{
    struct open_segment *g = &model_exec_context_now(b)->segment;
    model_segment_make_room(b);
    struct access *access = &g->access[g->n];
    *access = (struct access){.kind = kind, .guarded = guarded, .size_bytes = (uint16_t)bytes};
    access->shape = rng_once_in(b->rng, 8) ? 0 : access_shape(kind, guarded, bytes);
    g->address[g->n++] = address;
}

void model_oracle_access(struct builder *b, enum access_kind kind, aprof_word address,
                         unsigned bytes)
{
    unsigned ctx = model_exec_context_now(b)->oracle_exec_context;
    if (kind != ACCESS_WRITE)
        oracle_read(b->oracle, ctx, address, bytes, !is_silent(b));
    if (kind != ACCESS_READ)
        oracle_write(b->oracle, ctx, address, bytes);
}

void builder_access(struct builder *b, enum access_kind kind, uintptr_t address, unsigned bytes)
{
    if (rng_once_in(b->rng, 30))
        model_segment_add(b, (enum access_kind)rng_below(b->rng, 3), 0, bytes, true);
    if (bytes > 1 && rng_once_in(b->rng, 4)) {
        unsigned part = 1 + rng_below(b->rng, bytes - 1);
        builder_access(b, kind, address, part);
        builder_access(b, kind, address + part, bytes - part);
        return;
    }
    model_segment_add(b, kind, address, bytes, rng_once_in(b->rng, 10));
    model_oracle_access(b, kind, address, bytes);
}

/* Reads a return address, or writes to the top's frame; unwritten memory below is never read. */
void builder_access_stack(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    aprof_word slot = s->frames[rng_below(b->rng, (uint32_t)s->depth)].slot;
    if (slot != NO_SLOT && rng_once_in(b->rng, 2))
        builder_access(b, ACCESS_READ, slot, WORD);
    else if (s->pointer + WORD <= model_top_slot(s))
        builder_access(b, ACCESS_WRITE, s->pointer, WORD);
}

/* ---------------------------------------------------------------- kernel and control */

void builder_kernel_read(struct builder *b, uintptr_t address, size_t bytes)
{
    model_segment_settle_now(b);
    model_put_event(b, EVENT_KERNEL_READ, 2, (aprof_word[]){address, bytes});
    oracle_read(b->oracle, model_exec_context_now(b)->oracle_exec_context, address, bytes,
                !is_silent(b));
}

void builder_kernel_write(struct builder *b, uintptr_t address, size_t bytes)
{
    model_segment_settle(b);
    model_put_event(b, EVENT_KERNEL_WRITE, 2, (aprof_word[]){address, bytes});
    oracle_kernel_write(b->oracle, address, bytes);
}

void builder_map_file(struct builder *b, uintptr_t address, size_t bytes)
{
    model_segment_settle(b);
    model_put_event(b, EVENT_MAP_FILE, 2, (aprof_word[]){address, bytes});
    oracle_map_file(b->oracle, address, bytes);
}

void builder_forget(struct builder *b, uintptr_t address, size_t bytes)
{
    model_segment_settle(b);
    model_put_event(b, EVENT_FORGET, 2, (aprof_word[]){address, bytes});
    oracle_forget(b->oracle, address, bytes);
}

void builder_move(struct builder *b, uintptr_t from, uintptr_t to, size_t bytes)
{
    model_segment_settle(b);
    model_put_event(b, EVENT_MOVE, 3, (aprof_word[]){from, to, bytes});
    oracle_forget(b->oracle, to, bytes);
    oracle_move(b->oracle, from, to, bytes);
}

void builder_collect(struct builder *b, enum event_kind kind)
{
    model_segment_settle_now(b);
    model_put_event(b, kind, 0, NULL);
    b->collecting = kind == EVENT_COLLECT_TOGGLE ? !b->collecting : kind == EVENT_COLLECT_ON;
}

void builder_zero(struct builder *b)
{
    model_segment_settle_now(b);
    model_put_event(b, EVENT_ZERO, 0, NULL);
    oracle_zero(b->oracle);
}

void builder_fork(struct builder *b)
{
    model_segment_settle_now(b);
    model_put_event(b, EVENT_FORKED, 1, (aprof_word[]){b->running});
    for (unsigned other = model_another_alive(b); other; other = model_another_alive(b))
        model_thread_end_exec_contexts(b, other);
    oracle_zero(b->oracle);
}

/* ---------------------------------------------------------------- life */

struct builder *builder_new(const struct builder_config *config, struct rng *rng)
{
    struct builder *b = must(calloc(1, sizeof(*b)));
    b->config = *config;
    b->rng = rng;
    b->oracle = oracle_new(config->resolution_bytes);
    b->collecting = config->collect_at_start;
    b->code = 0x400000;
    for (unsigned i = 0; i <= config->n_routines + BUILDER_REGIONS; i++)
        b->routines[i] = (struct routine){.id = i, .is_region = i > config->n_routines};
    b->routines[0].transparent = true;
    b->routines[1].toggles = config->collect_in_toggles;
    for (unsigned i = 0; config->scripts && i < config->n_routines; i++) {
        b->routines[i].is_script = i % 4 == 1;
        b->routines[i].is_runtime = i % 4 >= 2;
        b->routines[i].is_hook = i % 8 == 3;
    }
    return b;
}

void builder_finish(struct builder *b)
{
    model_thread_settle(b);
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++) {
        if (!b->threads[i].alive)
            continue;
        builder_thread_switch(b, i);
        model_thread_settle(b);
    }
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++)
        model_thread_end_exec_contexts(b, i);
}

void builder_delete(struct builder *b)
{
    for (unsigned i = 0; i < BUILDER_THREADS_MAX; i++) {
        for (unsigned s = 0; s < EXEC_CONTEXTS_PER_THREAD_MAX; s++)
            free(b->threads[i].exec_contexts[s].frames);
    }
    while (b->owned) {
        struct owned *next = b->owned->next;
        free(b->owned);
        b->owned = next;
    }
    free(b->words);
    oracle_delete(b->oracle);
    free(b);
}

struct oracle *builder_oracle(struct builder *b)
{
    return b->oracle;
}

const aprof_word *builder_words(const struct builder *b, size_t *n)
{
    *n = b->n_words;
    return b->words;
}

struct routine *builder_routines(struct builder *b)
{
    return b->routines;
}

void builder_reset_routines(struct builder *b)
{
    for (unsigned i = 0; i < b->config.n_routines; i++)
        b->routines[i].was_called = false;
}
