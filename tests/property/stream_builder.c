/* The stream builder: a model of threads, their stacks and their activations.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each strand of the model has a stack pointer and frames, and each frame the slot of its return
 * address. A strand also has a segment under construction, which becomes a record when something
 * else happens: a call, a kernel event, a signal. A segment that has no access yet may stay
 * unwritten over a switch, as a real thread may lose the processor between a call and the callee's
 * first block; then the oracle knows of the call a little earlier than the engine, which changes
 * nothing that is measured.
 */
#include "tests/property/stream_builder.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEGMENT_ACCESSES_MAX = 12,
    STRANDS_PER_THREAD_MAX = 12,
    WORD = sizeof(aprof_word),
    SIGNAL_FRAME_BYTES = 512,
};

#define NO_SLOT               (~(aprof_word)0)
#define THREAD_STACK_BYTES    ((aprof_word)256 << 20)
#define COROUTINE_STACK_BYTES ((aprof_word)64 << 20)
#define THREAD_STACKS         ((aprof_word)0x7f0000000000)
#define COROUTINE_STACKS_LOW  ((aprof_word)0x7e0000000000)
#define COROUTINE_STACKS_HIGH ((aprof_word)0x7f8000000000)

struct frame {
    unsigned routine;
    aprof_word slot;
};

struct open_segment {
    struct access access[SEGMENT_ACCESSES_MAX];
    aprof_word address[SEGMENT_ACCESSES_MAX];
    unsigned n;
    unsigned routine, flags;
    bool critical; /* where control arrives here, the engine looks at the routine */
    bool arrives;  /* control arrived from elsewhere and no record says so yet */
    bool called;
};

enum kind { KIND_THREAD, KIND_HANDLER, KIND_COROUTINE };

struct model_strand {
    enum kind kind;
    unsigned oracle_strand;
    struct frame *frames;
    size_t depth, room;
    aprof_word pointer; /* the stack pointer */
    unsigned below;     /* of a handler: position of the strand it interrupted */
    bool below_is_open; /* ... in which a segment is unwritten */
    unsigned toggles;
    struct open_segment segment;
    bool fell; /* the latest record ended with BLOCK_FALL ... */
    aprof_word next, repeat;
};

struct model_thread {
    bool alive, stack_is_known;
    struct model_strand strands[STRANDS_PER_THREAD_MAX];
    unsigned n_strands, current;
};

struct owned { /* a descriptor follows */
    struct owned *next;
    uint64_t align;
};

struct builder {
    struct builder_config config;
    struct rng *rng;
    struct oracle *oracle;
    struct routine
        routines[BUILDER_ROUTINES_MAX + 1]; /* the last one in use is the binder's stub */
    bool was_called[BUILDER_ROUTINES_MAX];
    aprof_word *words;
    size_t n_words, room_words;
    struct owned *owned;
    const struct event_desc *events[EVENT_KINDS];
    struct model_thread threads[BUILDER_THREADS_MAX];
    unsigned running; /* 0: none yet */
    bool collecting;
    aprof_word code;
    unsigned n_coroutines;
};

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

static void put_word(struct builder *b, aprof_word word)
{
    if (b->n_words == b->room_words) {
        b->room_words = b->room_words ? 2 * b->room_words : 4096;
        b->words = must(realloc(b->words, b->room_words * sizeof(*b->words)));
    }
    b->words[b->n_words++] = word;
}

static void put_event(struct builder *b, enum event_kind kind, unsigned n,
                      const aprof_word *payload)
{
    if (!b->events[kind]) {
        struct event_desc *desc = own(b, sizeof(*desc));
        *desc = (struct event_desc){(uint16_t)kind, (uint16_t)n};
        b->events[kind] = desc;
    }
    put_word(b, (aprof_word)b->events[kind]);
    for (unsigned i = 0; i < n; i++)
        put_word(b, payload[i]);
}

/* ---------------------------------------------------------------- where we are */

static struct model_thread *thread_now(const struct builder *b)
{
    return (struct model_thread *)&b->threads[b->running];
}

static struct model_strand *strand_now(const struct builder *b)
{
    struct model_thread *t = thread_now(b);
    return &t->strands[t->current];
}

static bool is_silent(const struct builder *b)
{
    return !b->collecting || (b->config.collect_in_toggles && !strand_now(b)->toggles);
}

static bool is_unnamed(const struct builder *b, unsigned routine)
{
    return routine >= b->config.n_routines - b->config.n_routines / 4;
}

/* Does a jump to this routine's first block count as a tail call? */
static bool is_entry(const struct builder *b, unsigned routine)
{
    return is_unnamed(b, routine) ? b->was_called[routine] : !b->routines[routine].transparent;
}

static aprof_word top_slot(const struct model_strand *s)
{
    return s->frames[s->depth - 1].slot;
}

static unsigned top_routine(const struct model_strand *s)
{
    return s->frames[s->depth - 1].routine;
}

size_t builder_depth(const struct builder *b)
{
    return strand_now(b)->depth;
}

bool builder_thread_alive(const struct builder *b, unsigned number)
{
    return b->threads[number].alive;
}

static void frame_push(struct builder *b, unsigned routine, aprof_word slot)
{
    struct model_strand *s = strand_now(b);
    if (s->depth == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->frames = must(realloc(s->frames, s->room * sizeof(*s->frames)));
    }
    s->frames[s->depth++] = (struct frame){routine, slot};
    s->toggles += b->routines[routine].toggles;
    oracle_call(b->oracle, s->oracle_strand, routine, !is_silent(b));
}

static void frame_pop(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    s->toggles -= b->routines[s->frames[--s->depth].routine].toggles;
    oracle_return(b->oracle, s->oracle_strand);
}

/* ---------------------------------------------------------------- segments */

/* What comes next in the running strand is code of its top activation, or the first code of one. */
static void segment_arrive(struct builder *b, bool entry, bool critical)
{
    struct model_strand *s = strand_now(b);
    unsigned routine = top_routine(s);
    unsigned flags = is_unnamed(b, routine) ? BLOCK_UNNAMED : entry ? BLOCK_ENTRY : 0;
    s->segment = (struct open_segment){
        .routine = routine, .flags = flags, .critical = critical, .arrives = true};
}

/* Where the block starts; the cost of being reached that way. `continues`: not by a jump. */
static uint32_t segment_locate(struct builder *b, struct block *block, bool *continues)
{
    struct model_strand *s = strand_now(b);
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

/* Code of another routine that was neither called nor jumped to at its entry does not matter. */
static void segment_disguise(struct builder *b, struct block *block, bool continues)
{
    unsigned other = rng_below(b->rng, b->config.n_routines);
    if (is_unnamed(b, other) && b->was_called[other])
        return;
    block->routine = &b->routines[other];
    block->flags = is_unnamed(b, other) ? BLOCK_UNNAMED : 0;
    if (continues && !block->flags)
        block->flags = BLOCK_ENTRY;
}

static struct block *block_new(struct builder *b, enum block_end end, unsigned n_accesses)
{
    struct block *block = own(b, sizeof(*block) + n_accesses * sizeof(struct access));
    unsigned words = n_accesses + (end == BLOCK_RETURN || end == BLOCK_INDIRECT);
    block->event = (struct event_desc){EVENT_BLOCK, (uint16_t)words};
    block->end = (uint8_t)end;
    block->n_accesses = (uint16_t)n_accesses;
    block->span = rng_below(b->rng, ORACLE_SPANS);
    block->cost = rng_below(b->rng, 4);
    block->cost_continued = rng_below(b->rng, 3);
    block->cost_repeated = rng_below(b->rng, 2);
    return block;
}

/* Writes the segment as a record that ends with `end`; `word` is the last word if the end has one.
 */
static void segment_close(struct builder *b, enum block_end end, aprof_word word)
{
    struct model_strand *s = strand_now(b);
    struct open_segment *g = &s->segment;
    struct block *block = block_new(b, end, g->n);
    bool continues;
    block->routine = &b->routines[g->routine];
    block->flags = (uint8_t)g->flags;
    uint32_t cost = segment_locate(b, block, &continues);
    if (!g->critical && rng_once_in(b->rng, 8))
        segment_disguise(b, block, continues);
    oracle_run(b->oracle, s->oracle_strand, block->span);
    if (!is_silent(b))
        oracle_cost(b->oracle, s->oracle_strand, cost);
    put_word(b, (aprof_word)block);
    for (unsigned i = 0; i < g->n; i++) {
        block->access[i] = g->access[i];
        put_word(b, g->address[i]);
    }
    if (block->event.words > g->n)
        put_word(b, word);
    if (end == BLOCK_FALL) {
        s->fell = true;
        s->next = block->next = b->code += 64;
        s->repeat = block->repeat = rng_once_in(b->rng, 2) ? b->code += 64 : 0;
    }
    if (g->called && g->flags & BLOCK_UNNAMED)
        b->was_called[g->routine] = true;
    segment_arrive(b, false, false);
    g->arrives = false;
}

void builder_segment(struct builder *b)
{
    static const enum block_end ends[] = {BLOCK_JUMP, BLOCK_JUMP, BLOCK_FALL, BLOCK_INDIRECT};
    segment_close(b, ends[rng_below(b->rng, 4)], strand_now(b)->pointer);
}

/* Before an event that the kernel or another thread causes. */
static void segment_settle(struct builder *b)
{
    const struct open_segment *g = &strand_now(b)->segment;
    if (g->n || (g->arrives && (b->config.controls || rng_once_in(b->rng, 2))))
        builder_segment(b);
}

/* Before an event for which it matters who the top activation is. */
static void segment_settle_now(struct builder *b)
{
    const struct open_segment *g = &strand_now(b)->segment;
    if (g->n || g->arrives)
        builder_segment(b);
}

/* ---------------------------------------------------------------- accesses */

static void segment_make_room(struct builder *b)
{
    if (strand_now(b)->segment.n == SEGMENT_ACCESSES_MAX)
        builder_segment(b);
}

static void segment_add(struct builder *b, enum access_kind kind, aprof_word address,
                        unsigned bytes, bool guarded)
{
    struct open_segment *g = &strand_now(b)->segment;
    segment_make_room(b);
    struct access *access = &g->access[g->n];
    *access = (struct access){.kind = kind, .guarded = guarded, .size_bytes = (uint16_t)bytes};
    access->shape = rng_once_in(b->rng, 8) ? 0 : access_shape(kind, guarded, bytes);
    g->address[g->n++] = address;
}

static void oracle_access(struct builder *b, enum access_kind kind, aprof_word address,
                          unsigned bytes)
{
    unsigned strand = strand_now(b)->oracle_strand;
    if (kind != ACCESS_WRITE)
        oracle_read(b->oracle, strand, address, bytes, !is_silent(b));
    if (kind != ACCESS_READ)
        oracle_write(b->oracle, strand, address, bytes);
}

void builder_access(struct builder *b, enum access_kind kind, uintptr_t address, unsigned bytes)
{
    if (rng_once_in(b->rng, 30))
        segment_add(b, (enum access_kind)rng_below(b->rng, 3), 0, bytes, true);
    if (bytes > 1 && rng_once_in(b->rng, 4)) {
        unsigned part = 1 + rng_below(b->rng, bytes - 1);
        builder_access(b, kind, address, part);
        builder_access(b, kind, address + part, bytes - part);
        return;
    }
    segment_add(b, kind, address, bytes, rng_once_in(b->rng, 10));
    oracle_access(b, kind, address, bytes);
}

/* Reads a return address, or writes to the top's frame: what lies below is never read unwritten. */
void builder_access_stack(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    aprof_word slot = s->frames[rng_below(b->rng, (uint32_t)s->depth)].slot;
    if (slot != NO_SLOT && rng_once_in(b->rng, 2))
        builder_access(b, ACCESS_READ, slot, WORD);
    else if (s->pointer + WORD <= top_slot(s))
        builder_access(b, ACCESS_WRITE, s->pointer, WORD);
}

/* ---------------------------------------------------------------- calls */

/* The frame below which a longjmp of about n frames lands: it and the next younger have different
 * slots. The depth itself if there is none. */
static size_t unwind_target(const struct model_strand *s, size_t n)
{
    size_t at = s->depth > n ? s->depth - n : 1;
    while (at < s->depth && s->frames[at - 1].slot == s->frames[at].slot)
        at++;
    return at;
}

/* Pushes a return address: the last access of the segment. Between two of them there is always a
 * word: the stack is aligned to 16 bytes at calls. */
static aprof_word push_slot(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    if (s->pointer == top_slot(s))
        s->pointer -= WORD;
    aprof_word slot = s->pointer - WORD;
    segment_add(b, ACCESS_WRITE, slot, WORD, false);
    oracle_access(b, ACCESS_WRITE, slot, WORD);
    return slot;
}

/* Moves the stack pointer for the callee's locals. Handlers stay small: one that has used a
 * megabyte is taken to have a stack of its own. */
static void make_frame(struct builder *b, aprof_word slot)
{
    struct model_strand *s = strand_now(b);
    unsigned words = rng_below(b->rng, 9);
    if (b->config.wide_frames && s->kind != KIND_HANDLER && rng_once_in(b->rng, 3))
        words = rng_below(b->rng, 40000);
    s->pointer = slot - words * WORD;
}

/* Sometimes the frames that are left leave no trace but the higher slot of the next call. */
static void forget_frames(struct builder *b, size_t *target)
{
    struct model_strand *s = strand_now(b);
    *target = s->depth;
    if (s->depth < 3 || !rng_once_in(b->rng, 40))
        return;
    *target = unwind_target(s, 1 + rng_below(b->rng, 3));
    if (*target < s->depth)
        s->pointer = s->frames[*target].slot + WORD;
}

/* A call that leads to the middle of the caller itself would be none. */
static void arrive_in_callee(struct builder *b, unsigned routine, unsigned caller, aprof_word slot)
{
    frame_push(b, routine, slot);
    make_frame(b, slot);
    segment_arrive(b, routine == caller || !rng_once_in(b->rng, 16), true);
    strand_now(b)->segment.called = true;
}

void builder_call(struct builder *b, unsigned routine)
{
    unsigned caller = top_routine(strand_now(b));
    size_t target;
    segment_make_room(b);
    forget_frames(b, &target);
    aprof_word slot = push_slot(b);
    segment_close(b, BLOCK_CALL, 0);
    while (strand_now(b)->depth > target)
        frame_pop(b);
    arrive_in_callee(b, routine, caller, slot);
}

/* A record of the binder: nothing of it is measured. */
static void put_binder_block(struct builder *b, enum block_end end, aprof_word word)
{
    bool accesses = end == BLOCK_CALL || rng_once_in(b->rng, 2);
    struct block *block = block_new(b, end, accesses);
    block->routine = &b->routines[rng_below(b->rng, b->config.n_routines)];
    put_word(b, (aprof_word)block);
    if (accesses) {
        block->access[0] = (struct access){.kind = ACCESS_WRITE, .size_bytes = WORD};
        put_word(b, word);
    }
    if (block->event.words > block->n_accesses)
        put_word(b, word);
}

static void put_binder(struct builder *b, aprof_word slot)
{
    static const enum block_end ends[] = {BLOCK_JUMP, BLOCK_CALL, BLOCK_RETURN, BLOCK_INDIRECT,
                                          BLOCK_FALL};
    struct block *stub = block_new(b, BLOCK_JUMP, 0);
    stub->event.words = 1;
    stub->flags = BLOCK_RESOLVER | BLOCK_UNNAMED;
    stub->routine = &b->routines[b->config.n_routines];
    put_word(b, (aprof_word)stub);
    put_word(b, slot);
    for (unsigned n = rng_below(b->rng, 6); n > 0; n--)
        put_binder_block(b, ends[rng_below(b->rng, 5)], slot - n * 64);
    put_binder_block(b, BLOCK_INDIRECT, slot);
}

void builder_call_by_binder(struct builder *b, unsigned routine)
{
    unsigned caller = top_routine(strand_now(b));
    aprof_word slot = push_slot(b);
    segment_close(b, BLOCK_CALL, 0);
    put_binder(b, slot);
    arrive_in_callee(b, routine, caller, slot);
    builder_segment(b); /* until then the engine takes all for the binder's doing */
}

/* ---------------------------------------------------------------- jumps */

/* What a jump to the entry of `routine` means for the activations that share the top's slot. */
static void enter_by_jump(struct builder *b, unsigned routine)
{
    struct model_strand *s = strand_now(b);
    size_t at = s->depth;
    aprof_word slot = top_slot(s);
    while (at > 0 && s->frames[at - 1].slot == slot && s->frames[at - 1].routine != routine)
        at--;
    if (at == 0 || s->frames[at - 1].slot != slot) {
        frame_push(b, routine, slot);
        return;
    }
    while (s->depth > at)
        frame_pop(b);
}

void builder_tail_call(struct builder *b, unsigned routine)
{
    struct model_strand *s = strand_now(b);
    aprof_word slot = top_slot(s);
    bool bind = slot != NO_SLOT && rng_once_in(b->rng, 8);
    segment_settle_now(b);
    s->pointer = slot != NO_SLOT ? slot : s->pointer;
    if (slot != NO_SLOT && rng_once_in(b->rng, 2))
        segment_close(b, BLOCK_INDIRECT, slot);
    else
        segment_close(b, BLOCK_JUMP, 0);
    if (bind)
        put_binder(b, slot);
    bool enters = is_entry(b, routine);
    if (enters)
        enter_by_jump(b, routine);
    segment_arrive(b, true, true);
    s->segment.routine = routine;
    s->segment.flags = is_unnamed(b, routine) ? BLOCK_UNNAMED : BLOCK_ENTRY;
    builder_segment(b);
}

/* A strand on which nothing is pending any more goes on with code that was not seen being called.
 */
static void begin_root_if_empty(struct builder *b)
{
    if (strand_now(b)->depth)
        return;
    frame_push(b, rng_below(b->rng, b->config.n_routines), NO_SLOT);
}

static void pop_chain(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    aprof_word slot = top_slot(s);
    while (s->depth && top_slot(s) == slot)
        frame_pop(b);
}

/* The outermost activation returns to a caller that nobody knows: another root takes its place. */
static void return_from_root(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    unsigned old = top_routine(s), other = rng_below(b->rng, b->config.n_routines);
    if (other == old) {
        builder_segment(b);
        return;
    }
    segment_close(b, BLOCK_RETURN, s->pointer);
    pop_chain(b);
    frame_push(b, other, NO_SLOT);
    segment_arrive(b, rng_once_in(b->rng, 2), true);
}

void builder_return(struct builder *b)
{
    struct model_strand *s = strand_now(b);
    aprof_word slot = top_slot(s);
    if (slot == NO_SLOT) {
        return_from_root(b);
        return;
    }
    segment_close(b, BLOCK_RETURN, slot);
    s->pointer = slot + WORD;
    pop_chain(b);
    bool empty = s->depth == 0;
    begin_root_if_empty(b);
    segment_arrive(b, false, empty);
}

void builder_unwind(struct builder *b, size_t n)
{
    struct model_strand *s = strand_now(b);
    size_t target = unwind_target(s, n);
    if (target == s->depth)
        return;
    aprof_word pointer = s->frames[target].slot + WORD;
    if (s->frames[target - 1].slot != NO_SLOT)
        pointer +=
            WORD * rng_below(b->rng, (uint32_t)((s->frames[target - 1].slot - pointer) / WORD));
    bool same = s->frames[target - 1].routine == top_routine(s);
    if (same || rng_once_in(b->rng, 2))
        segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        segment_close(b, BLOCK_INDIRECT, pointer);
    while (s->depth > target)
        frame_pop(b);
    s->pointer = pointer;
    segment_arrive(b, false, true);
}

/* ---------------------------------------------------------------- strands */

static struct model_strand *strand_add(struct builder *b, enum kind kind, aprof_word pointer)
{
    struct model_thread *t = thread_now(b);
    struct model_strand *s = &t->strands[t->n_strands];
    struct frame *frames = s->frames;
    size_t room = s->room;
    *s = (struct model_strand){.kind = kind, .frames = frames, .room = room, .pointer = pointer};
    s->oracle_strand = oracle_strand_start(b->oracle, b->running);
    t->current = t->n_strands++;
    return s;
}

void builder_signal_enter(struct builder *b)
{
    struct model_thread *t = thread_now(b);
    if (t->n_strands == STRANDS_PER_THREAD_MAX)
        return;
    segment_settle(b);
    unsigned below = t->current;
    aprof_word pointer = strand_now(b)->pointer;
    put_event(b, EVENT_SIGNAL_ENTER, 2, (aprof_word[]){b->running, pointer});
    bool open = strand_now(b)->segment.arrives;
    struct model_strand *handler = strand_add(b, KIND_HANDLER, pointer - SIGNAL_FRAME_BYTES);
    handler->below = below;
    handler->below_is_open = open;
    begin_root_if_empty(b);
    segment_arrive(b, true, true);
}

/* The handler is always the youngest strand of its thread. */
static void drop_handler(struct builder *b)
{
    struct model_thread *t = thread_now(b);
    struct model_strand *handler = strand_now(b);
    oracle_strand_end(b->oracle, handler->oracle_strand);
    t->current = handler->below;
    t->n_strands--;
}

bool builder_signal_leave(struct builder *b)
{
    if (strand_now(b)->kind != KIND_HANDLER)
        return false;
    segment_settle_now(b);
    put_event(b, EVENT_SIGNAL_LEAVE, 1, (aprof_word[]){b->running});
    drop_handler(b);
    return true;
}

/* Out of the handler, and perhaps of those that it interrupted, to a frame of what they
 * interrupted. */
bool builder_signal_longjmp(struct builder *b)
{
    struct model_strand *handler = strand_now(b), *strands = thread_now(b)->strands;
    if (handler->kind != KIND_HANDLER || handler->below_is_open)
        return false;
    struct model_strand *below = &strands[handler->below];
    while (below->kind == KIND_HANDLER && !below->below_is_open && rng_once_in(b->rng, 2))
        below = &strands[below->below];
    size_t target = unwind_target(below, 1 + rng_below(b->rng, 4));
    if (target == below->depth)
        return false;
    aprof_word pointer = below->frames[target].slot + WORD;
    if (below->frames[target - 1].routine == top_routine(handler))
        segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        segment_close(b, BLOCK_INDIRECT, pointer);
    while (strand_now(b) != below)
        drop_handler(b);
    while (below->depth > target)
        frame_pop(b);
    below->pointer = pointer;
    below->fell = false;
    segment_arrive(b, false, true);
    return true;
}

static bool may_switch_stack(const struct builder *b)
{
    const struct model_strand *s = strand_now(b);
    return thread_now(b)->stack_is_known && s->kind != KIND_HANDLER && top_slot(s) != NO_SLOT;
}

bool builder_coroutine_new(struct builder *b, unsigned routine)
{
    struct model_thread *t = thread_now(b);
    struct model_strand *s = strand_now(b);
    bool entry = is_entry(b, routine);
    if (!may_switch_stack(b) || t->n_strands >= STRANDS_PER_THREAD_MAX / 2 ||
        (s->kind == KIND_COROUTINE && !entry))
        return false;
    aprof_word stacks = rng_once_in(b->rng, 2) ? COROUTINE_STACKS_LOW : COROUTINE_STACKS_HIGH;
    aprof_word pointer = stacks + COROUTINE_STACK_BYTES * ++b->n_coroutines - 64;
    if (routine == top_routine(s) || rng_once_in(b->rng, 2))
        segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        segment_close(b, BLOCK_INDIRECT, pointer);
    s = strand_add(b, KIND_COROUTINE, pointer - 2 * WORD);
    frame_push(b, routine, entry ? pointer : NO_SLOT);
    segment_arrive(b, true, true);
    builder_segment(b);
    return true;
}

bool builder_coroutine_resume(struct builder *b)
{
    struct model_thread *t = thread_now(b);
    unsigned target = rng_below(b->rng, t->n_strands);
    if (!may_switch_stack(b) || target == t->current)
        return false;
    struct model_strand *s = &t->strands[target];
    aprof_word slot = top_slot(s);
    unsigned leaving = top_routine(strand_now(b));
    size_t rest = s->depth;
    while (rest && s->frames[rest - 1].slot == slot)
        rest--;
    bool by_jump = rest && s->frames[rest - 1].routine != leaving && rng_once_in(b->rng, 2);
    segment_close(b, by_jump ? BLOCK_INDIRECT : BLOCK_RETURN, by_jump ? slot + WORD : slot);
    t->current = target;
    pop_chain(b);
    begin_root_if_empty(b);
    s->pointer = slot + WORD;
    s->fell = false;
    segment_arrive(b, false, true);
    return true;
}

/* ---------------------------------------------------------------- threads */

static aprof_word thread_stack_high(unsigned number)
{
    return THREAD_STACKS + (number + 1) * THREAD_STACK_BYTES - 4096;
}

/* A thread's first activation begins when it first runs. */
static void thread_run(struct builder *b, unsigned number)
{
    put_event(b, EVENT_THREAD_SWITCH, 1, (aprof_word[]){number});
    b->running = number;
    if (strand_now(b)->depth)
        return;
    begin_root_if_empty(b);
    segment_arrive(b, rng_once_in(b->rng, 2), true);
}

void builder_thread_start(struct builder *b, unsigned number)
{
    struct model_thread *t = &b->threads[number];
    unsigned creator = b->running;
    aprof_word high = thread_stack_high(number);
    if (creator)
        segment_settle(b);
    b->running = number;
    t->alive = true;
    t->stack_is_known = !rng_once_in(b->rng, 8);
    t->n_strands = 0;
    strand_add(b, KIND_THREAD, high - 128);
    aprof_word limits[] = {high - THREAD_STACK_BYTES + 8192, high};
    if (!t->stack_is_known)
        limits[0] = limits[1] = 0;
    put_event(b, EVENT_THREAD_START, 3, (aprof_word[]){number, limits[0], limits[1]});
    if (!creator)
        thread_run(b, number);
    else
        b->running = creator;
}

void builder_thread_switch(struct builder *b, unsigned number)
{
    if (number == b->running)
        return;
    segment_settle(b);
    thread_run(b, number);
}

/* Leaves nothing unwritten in the running thread. */
static void thread_settle(struct builder *b)
{
    while (builder_signal_leave(b))
        ;
    segment_settle_now(b);
}

static void thread_end_strands(struct builder *b, unsigned number)
{
    struct model_thread *t = &b->threads[number];
    for (unsigned i = 0; i < t->n_strands; i++) {
        oracle_strand_end(b->oracle, t->strands[i].oracle_strand);
        t->strands[i].depth = 0;
    }
    t->n_strands = 0;
    t->alive = false;
}

static unsigned another_alive(const struct builder *b)
{
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++) {
        if (b->threads[i].alive && i != b->running)
            return i;
    }
    return 0;
}

void builder_thread_end(struct builder *b, unsigned number)
{
    unsigned before = b->running;
    builder_thread_switch(b, number);
    thread_settle(b);
    if (before != number)
        thread_run(b, before);
    put_event(b, EVENT_THREAD_END, 1, (aprof_word[]){number});
    thread_end_strands(b, number);
    if (before == number)
        thread_run(b, another_alive(b));
}

/* ---------------------------------------------------------------- kernel and control */

void builder_kernel_read(struct builder *b, uintptr_t address, size_t bytes)
{
    segment_settle_now(b);
    put_event(b, EVENT_KERNEL_READ, 2, (aprof_word[]){address, bytes});
    oracle_read(b->oracle, strand_now(b)->oracle_strand, address, bytes, !is_silent(b));
}

void builder_kernel_write(struct builder *b, uintptr_t address, size_t bytes)
{
    segment_settle(b);
    put_event(b, EVENT_KERNEL_WRITE, 2, (aprof_word[]){address, bytes});
    oracle_kernel_write(b->oracle, address, bytes);
}

void builder_map_file(struct builder *b, uintptr_t address, size_t bytes)
{
    segment_settle(b);
    put_event(b, EVENT_MAP_FILE, 2, (aprof_word[]){address, bytes});
    oracle_map_file(b->oracle, address, bytes);
}

void builder_forget(struct builder *b, uintptr_t address, size_t bytes)
{
    segment_settle(b);
    put_event(b, EVENT_FORGET, 2, (aprof_word[]){address, bytes});
    oracle_forget(b->oracle, address, bytes);
}

void builder_move(struct builder *b, uintptr_t from, uintptr_t to, size_t bytes)
{
    segment_settle(b);
    put_event(b, EVENT_MOVE, 3, (aprof_word[]){from, to, bytes});
    oracle_forget(b->oracle, to, bytes);
    oracle_move(b->oracle, from, to, bytes);
}

void builder_collect(struct builder *b, enum event_kind kind)
{
    segment_settle_now(b);
    put_event(b, kind, 0, NULL);
    b->collecting = kind == EVENT_COLLECT_TOGGLE ? !b->collecting : kind == EVENT_COLLECT_ON;
}

void builder_zero(struct builder *b)
{
    segment_settle_now(b);
    put_event(b, EVENT_ZERO, 0, NULL);
    oracle_zero(b->oracle);
}

void builder_fork(struct builder *b)
{
    segment_settle_now(b);
    put_event(b, EVENT_FORKED, 1, (aprof_word[]){b->running});
    for (unsigned other = another_alive(b); other; other = another_alive(b))
        thread_end_strands(b, other);
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
    for (unsigned i = 0; i <= config->n_routines; i++)
        b->routines[i].id = i;
    b->routines[0].transparent = true;
    b->routines[1].toggles = config->collect_in_toggles;
    return b;
}

void builder_finish(struct builder *b)
{
    thread_settle(b);
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++) {
        if (!b->threads[i].alive)
            continue;
        builder_thread_switch(b, i);
        thread_settle(b);
    }
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++)
        thread_end_strands(b, i);
}

void builder_delete(struct builder *b)
{
    for (unsigned i = 0; i < BUILDER_THREADS_MAX; i++) {
        for (unsigned s = 0; s < STRANDS_PER_THREAD_MAX; s++)
            free(b->threads[i].strands[s].frames);
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
