/* Fuzz harness of the engine: any bytes become an event stream that a front end could have sent.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The form of the records is valid, and a front end's guarantees hold (a running thread exists).
 * Everything else is hostile: the order of calls, returns and signals, any stack pointers, and
 * threads that end at any time. The engine must not crash, violate an assertion or leak memory, and
 * must write its report.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/engine.h"
#include "points/points_report.h"
#include "contexts/fraction.h"
#include "tests/host_test.h"

enum {
    ROUTINES = 16,
    REGIONS = 2,
    BLOCKS = 48,
    SPANS = 8,
    ACCESSES = 3,
    THREADS = 5,
    PIECE_WORDS = 64
};

/* A byte that selects a block removes the block if it has at least this value. */
#define FIRST_GONE 240

struct input {
    const uint8_t *at, *end;
};

/* A descriptor with space for its accesses. */
union shape {
    struct block block;
    uint8_t bytes[sizeof(struct block) + (ACCESSES + 1) * sizeof(struct access)];
};

struct session {
    struct input in;
    uint32_t drawing;
    struct engine *engine;
    struct routine routines[ROUTINES], regions[REGIONS];
    union shape shapes[BLOCKS];
    struct event_desc events[EVENT_KINDS];
    bool alive[THREADS];
    unsigned running; /* 0: none */
    aprof_word words[PIECE_WORDS + 16];
    size_t n_words;
};

static const uint8_t event_words[EVENT_KINDS] = {
    [EVENT_THREAD_START] = 3, [EVENT_THREAD_END] = 1,   [EVENT_THREAD_SWITCH] = 1,
    [EVENT_SIGNAL_ENTER] = 2, [EVENT_SIGNAL_LEAVE] = 2, [EVENT_KERNEL_READ] = 2,
    [EVENT_KERNEL_WRITE] = 2, [EVENT_MAP_FILE] = 2,     [EVENT_FORGET] = 2,
    [EVENT_MOVE] = 3,         [EVENT_FORKED] = 1,       [EVENT_BLOCK_GONE] = 1,
    [EVENT_REGION_BEGIN] = 1, [EVENT_SCRIPT_BEGIN] = 2, [EVENT_STACK_MOVED] = 3,
    [EVENT_STACK_FREED] = 2,
};

/* ---------------------------------------------------------------- choices */

static unsigned byte(struct session *s)
{
    return s->in.at < s->in.end ? *s->in.at++ : 0;
}

/* Returns one of a few close addresses, so that slots coincide, or an edge of the address space. */
static aprof_word any_address(struct session *s)
{
    static const aprof_word bases[] = {
        0,          0x1000,         0x10000000,     0x7f0000000000, 0x7f0000100000, 0x7f0000ffff00,
        0x1ffff000, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000, ~(aprof_word)0, 0x7e0000000000};
    aprof_word base = bases[byte(s) % (sizeof(bases) / sizeof(bases[0]))];
    unsigned offset = byte(s);
    return offset < 192 ? base + offset * 8 : base - (offset - 192) * 8 - (offset & 1);
}

static aprof_word any_bytes(struct session *s)
{
    return (aprof_word)byte(s) << byte(s) % 9;
}

/* A width up to the whole address space; the cost depends only on existing memory. */
static aprof_word any_wide_bytes(struct session *s)
{
    return (aprof_word)byte(s) << byte(s) % 48;
}

/* ---------------------------------------------------------------- set-up */

/* The shapes of blocks are random, so that all bytes of an input determine events. */
static unsigned drawn(struct session *s)
{
    s->drawing = s->drawing * 1664525 + 1013904223;
    return s->drawing >> 24;
}

static void choose_block(struct session *s, struct block *block)
{
    unsigned flags = drawn(s), words;
    block->end = (uint8_t)(drawn(s) % (BLOCK_LINKED_CALL + 1));
    block->flags = flags & (BLOCK_ENTRY | BLOCK_UNNAMED);
    block->n_accesses = (uint16_t)(flags >> 4 & ACCESSES);
    block->cost = drawn(s) % 4;
    block->cost_continued = flags >> 6 & 1;
    block->routine = &s->routines[drawn(s) % ROUTINES];
    block->start = 0x400000 + drawn(s) % 8 * 16;
    block->next = 0x400000 + drawn(s) % 8 * 16;
    block->repeat = flags & 8 ? block->start : 0;
    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned kind = drawn(s);
        unsigned size = kind & 128 ? 1u << drawn(s) % 5 : 1 + drawn(s) * 2;
        block->access[i] = (struct access){
            .kind = kind % 3, .guarded = kind >> 6 & 1, .size_bytes = (uint16_t)size};
        block->access[i].shape = access_shape(kind % 3, kind >> 6 & 1, size);
    }
    if (flags >= 240) {
        block->flags = BLOCK_RESOLVER | BLOCK_UNNAMED;
        block->end = BLOCK_JUMP;
        block->n_accesses = 0;
    }
    if (block->end == BLOCK_CALL && block->n_accesses == 0)
        block->n_accesses = 1;
    block_close(block);
    words = block->n_accesses;
    words += block_end_has_word(block->end) || flags >= 240;
    block->event = (struct event_desc){EVENT_BLOCK, (uint16_t)words};
}

static void session_begin(struct session *s)
{
    unsigned choice = byte(s), widths = byte(s);
    struct engine_config config = {.resolution_log2 = (uint8_t)(choice % 5),
                                   .counter_bits = (uint8_t)(4 + widths % 28),
                                   .trms = !(choice & 32),
                                   .rms = true,
                                   .separate_threads = choice & 64,
                                   .collect_at_start = !(choice & 128),
                                   .collect_in_toggles = widths >= 224,
                                   .edges = !(choice & 8),
                                   .lines = !(choice & 16)};
    config.contexts =
        (struct contexts_config){.mode = (enum process_contexts_mode)(widths / 28 % 3),
                                 .by_cost = choice % 3 == 0,
                                 .fold_recursion = choice % 2 == 0,
                                 .phi = FRACTION_ONE / 5,
                                 .epsilon = FRACTION_ONE / 10};
    s->engine = engine_new(&config);
    s->drawing = byte(s);
    for (unsigned i = 0; i < REGIONS; i++)
        s->regions[i] = (struct routine){.id = i + 1, .toggles = i == 1, .is_region = true};
    for (unsigned i = 0; i < ROUTINES; i++)
        s->routines[i] = (struct routine){.id = i * 37,
                                          .toggles = i == 1,
                                          .transparent = i == 2,
                                          .is_script = i == 3 || i == 4,
                                          .is_runtime = i > 8,
                                          .is_hook = i == 9};
    for (unsigned i = 0; i < BLOCKS; i++)
        choose_block(s, &s->shapes[i].block);
    for (unsigned i = 0; i < BLOCKS; i++)
        s->shapes[i].block.span = i % SPANS;
    for (unsigned i = 0; i < EVENT_KINDS; i++)
        s->events[i] = (struct event_desc){(uint16_t)i, event_words[i]};
}

/* ---------------------------------------------------------------- records */

static void flush(struct session *s)
{
    engine_consume(s->engine, s->words, s->words + s->n_words);
    s->n_words = 0;
}

static void put(struct session *s, aprof_word word)
{
    s->words[s->n_words++] = word;
}

static void put_block(struct session *s)
{
    unsigned choice = byte(s);
    const struct block *block = &s->shapes[choice % BLOCKS].block;
    if (choice >= FIRST_GONE) {
        put(s, (aprof_word)&s->events[EVENT_BLOCK_GONE]);
        put(s, (aprof_word)block);
        return;
    }
    put(s, (aprof_word)block);
    for (unsigned i = 0; i < block->event.words; i++)
        put(s, any_address(s));
}

static void put_thread_event(struct session *s, enum event_kind kind, unsigned thread)
{
    put(s, (aprof_word)&s->events[kind]);
    put(s, thread);
}

static void start_thread(struct session *s, unsigned thread)
{
    put_thread_event(s, EVENT_THREAD_START, thread);
    bool known = byte(s) % 4;
    put(s, known ? 0x7f0000000000 : 0);
    put(s, known ? 0x7f0001000000 : 0);
    s->alive[thread] = true;
}

static void run_thread(struct session *s, unsigned thread)
{
    if (!s->alive[thread])
        start_thread(s, thread);
    put_thread_event(s, EVENT_THREAD_SWITCH, thread);
    s->running = thread;
}

static void put_thread(struct session *s, enum event_kind kind)
{
    unsigned thread = 1 + byte(s) % (THREADS - 1);
    if (kind == EVENT_THREAD_START)
        start_thread(s, thread);
    else if (kind == EVENT_THREAD_SWITCH)
        run_thread(s, thread);
    else if (s->alive[thread]) {
        put_thread_event(s, EVENT_THREAD_END, thread);
        s->alive[thread] = false;
        s->running = s->running == thread ? 0 : s->running;
    }
}

static void put_fork(struct session *s)
{
    put_thread_event(s, EVENT_FORKED, s->running);
    for (unsigned i = 0; i < THREADS; i++)
        s->alive[i] = i == s->running;
}

static void put_memory(struct session *s, enum event_kind kind)
{
    put(s, (aprof_word)&s->events[kind]);
    put(s, any_address(s));
    if (kind == EVENT_MOVE || kind == EVENT_STACK_MOVED)
        put(s, any_address(s));
    bool is_stack = kind == EVENT_STACK_MOVED || kind == EVENT_STACK_FREED;
    bool wide = kind == EVENT_MAP_FILE || kind == EVENT_FORGET;
    put(s, is_stack ? any_address(s) : wide ? any_wide_bytes(s) : any_bytes(s));
}

static void put_event(struct session *s, enum event_kind kind)
{
    switch (kind) {
    case EVENT_THREAD_START:
    case EVENT_THREAD_END:
    case EVENT_THREAD_SWITCH:
        put_thread(s, kind);
        break;
    case EVENT_SIGNAL_ENTER:
    case EVENT_SIGNAL_LEAVE:
        put_thread_event(s, kind, s->running);
        put(s, any_address(s));
        break;
    case EVENT_FORKED:
        put_fork(s);
        break;
    case EVENT_COLLECT_ON:
    case EVENT_COLLECT_OFF:
    case EVENT_COLLECT_TOGGLE:
    case EVENT_ZERO:
    case EVENT_REGION_END:
    case EVENT_SCRIPT_END:
    case EVENT_PAUSE:
    case EVENT_RESUME:
        put(s, (aprof_word)&s->events[kind]);
        break;
    case EVENT_REGION_BEGIN:
        put(s, (aprof_word)&s->events[kind]);
        put(s, (aprof_word)&s->regions[byte(s) % REGIONS]);
        break;
    case EVENT_SCRIPT_BEGIN:
        put(s, (aprof_word)&s->events[kind]);
        put(s, (aprof_word)&s->routines[byte(s) % ROUTINES]);
        put(s, any_address(s));
        break;
    case EVENT_BLOCK:
        put_block(s);
        break;
    default:
        put_memory(s, kind);
    }
}

/* ---------------------------------------------------------------- one input */

static void describe(const struct routine *routine, struct routine_info *info)
{
    *info = (struct routine_info){.object = "/app", .offset = routine->id};
}

static uint32_t places_of(uint32_t span, const struct source_place **places)
{
    static const struct source_place shared[] = {{CODE_UNKNOWN, 0, 1}, {0, 0, 2}};
    *places = &shared[span % 2];
    return 1 + (span % 4 == 0);
}

static struct source_place site_of(uint32_t span)
{
    return (struct source_place){CODE_UNKNOWN, CODE_UNKNOWN, span};
}

static void count_bytes(void *context, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)context += n;
}

static void write_report(struct engine *engine)
{
    static const char *const none[] = {NULL};
    static const char *const files[] = {"app.c"};
    static const struct source_inlined inlined[] = {{{CODE_UNKNOWN, 0, 3}, "tiny"}};
    static const struct source_map code = {files, inlined, 1, 1, places_of, site_of};
    size_t written = 0;
    const struct report_info info = {.creator = "fuzz",
                                     .command = none,
                                     .process = none,
                                     .options = none,
                                     .cost_unit = "bb",
                                     .describe = describe,
                                     .code = &code};
    struct record_writer writer;
    record_writer_start(&writer, (struct record_sink){count_bytes, &written});
    engine_gather(engine);
    engine_report_write(engine, &info, &writer);
    if (!written)
        abort();
}

static void session_run(struct session *s)
{
    session_begin(s);
    while (s->in.at < s->in.end) {
        unsigned op = byte(s);
        if (!s->running)
            run_thread(s, 1 + op % (THREADS - 1));
        if (op < 192)
            put_block(s);
        else
            put_event(s, (enum event_kind)(op % EVENT_BLOCK_GONE));
        if (s->n_words >= PIECE_WORDS)
            flush(s);
    }
    flush(s);
    write_report(s->engine);
    engine_clear(s->engine);
    engine_finish(s->engine);
    write_report(s->engine);
    engine_free(s->engine);
    if (host_test_report_live())
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session session;
    memset(&session, 0, sizeof(session));
    session.in = (struct input){data, data + size};
    session_run(&session);
    return 0;
}
