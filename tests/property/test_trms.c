/* Property test: the engine's measurements of random programs equal the definition.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each round makes one random program (its mix of operations, memory, threads, resolution). The
 * test feeds the program's stream in pieces to engines of several counter widths, and compares
 * every table of points with the brute force. A narrow counter renumbers frequently (Figure 13), a
 * wide counter never does, so equality with the oracle is also equality between the engines.
 *
 *     test_trms                           the rounds of `make check`
 *     APROF_ROUNDS=100000 test_trms       a soak
 *     APROF_SEED=123 APROF_ROUNDS=1 test_trms     one round again, as a failure prints it
 *     APROF_OPERATIONS=500                at most so many operations per program: to shrink a
 *                                         failure
 *     APROF_DUMP=1                        print the streams
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/state.h"
#include "contexts/fraction.h"
#include "tests/property/stream_builder.h"
#include "tests/property/stream_dump.h"
#include "tests/property/tables.h"
#include "tests/unit/cmocka_all.h"
#include "tests/host_test.h"
#include "tests/setting.h"

enum { ROUNDS = 1000, AREAS_MAX = 5 };

/* ---------------------------------------------------------------- random programs */

enum operation {
    OP_READ,
    OP_WRITE,
    OP_MODIFY,
    OP_STACK,
    OP_SEGMENT,
    OP_CALL,
    OP_RETURN,
    OP_BIND,
    OP_TAIL_CALL,
    OP_UNWIND,
    OP_REGION_BEGIN,
    OP_REGION_END,
    OP_SWITCH,
    OP_THREAD_START,
    OP_THREAD_END,
    OP_SIGNAL,
    OP_SIGNAL_LEAVE,
    OP_SIGNAL_LONGJMP,
    OP_COROUTINE,
    OP_RESUME,
    OP_KERNEL_READ,
    OP_KERNEL_WRITE,
    OP_MAP_FILE,
    OP_FORGET,
    OP_MOVE,
    OP_COLLECT,
    OP_ZERO,
    OP_FORK,
    OP_SCRIPT_BEGIN,
    OP_SCRIPT_END,
    OP_PAUSE,
    OP_STACK_MOVED,
    OP_STACK_FREED,
    OPERATIONS
};

/* The frequency of an operation in a program that uses it, and the probability that a program uses
 * it. */
static const struct {
    unsigned weight, present_percent;
} mix[OPERATIONS] = {
    [OP_READ] = {60, 100},         [OP_WRITE] = {30, 90},       [OP_MODIFY] = {10, 70},
    [OP_STACK] = {10, 70},         [OP_SEGMENT] = {20, 100},    [OP_CALL] = {20, 100},
    [OP_RETURN] = {19, 100},       [OP_BIND] = {2, 30},         [OP_TAIL_CALL] = {4, 50},
    [OP_UNWIND] = {2, 30},         [OP_SWITCH] = {20, 100},     [OP_THREAD_START] = {2, 70},
    [OP_THREAD_END] = {1, 50},     [OP_SIGNAL] = {3, 40},       [OP_SIGNAL_LEAVE] = {4, 100},
    [OP_SIGNAL_LONGJMP] = {1, 50}, [OP_COROUTINE] = {2, 30},    [OP_RESUME] = {6, 100},
    [OP_KERNEL_READ] = {4, 50},    [OP_KERNEL_WRITE] = {8, 60}, [OP_MAP_FILE] = {2, 30},
    [OP_FORGET] = {2, 40},         [OP_MOVE] = {2, 30},         [OP_COLLECT] = {2, 50},
    [OP_ZERO] = {1, 30},           [OP_FORK] = {1, 20},         [OP_REGION_BEGIN] = {4, 40},
    [OP_REGION_END] = {3, 90},     [OP_SCRIPT_BEGIN] = {6, 60}, [OP_SCRIPT_END] = {4, 90},
    [OP_PAUSE] = {3, 40},          [OP_STACK_MOVED] = {3, 50},  [OP_STACK_FREED] = {1, 30},
};

struct area {
    uintptr_t base;
    unsigned bytes;
};

struct program {
    struct builder_config config;
    struct rng rng;
    unsigned weight[OPERATIONS], weights;
    struct area areas[AREAS_MAX];
    unsigned n_areas;
    unsigned n_operations;
    unsigned threads_max, n_threads, last_thread;
    unsigned late_threads; /* operations before the second thread may start */
    bool wide_files;
    size_t depth_max;
};

/* Difficult addresses: around the borders of chunks and tables, at the end of the address space,
 * and where two chunks share one remembered entry. */
static void choose_areas(struct program *p)
{
    uintptr_t chunk = CHUNK_CELLS * (uintptr_t)p->config.resolution_bytes;
    const uintptr_t centres[AREAS_MAX] = {0x10000000, 0x10000000 + REMEMBERED_CHUNKS * chunk,
                                          chunk << 17, ADDRESS_MASK + 1 - 512, 0x4000};
    p->n_areas = 1 + rng_below(&p->rng, AREAS_MAX);
    unsigned first = rng_below(&p->rng, AREAS_MAX);
    unsigned bytes = 32u << rng_below(&p->rng, 5);
    for (unsigned i = 0; i < p->n_areas; i++)
        p->areas[i] = (struct area){centres[(first + i) % AREAS_MAX] - bytes / 2, bytes};
}

static void choose_mix(struct program *p)
{
    for (unsigned i = 0; i < OPERATIONS; i++) {
        bool present = rng_below(&p->rng, 100) < mix[i].present_percent;
        p->weight[i] = present ? mix[i].weight * (1 + rng_below(&p->rng, 3)) : 0;
    }
    if (!p->config.scripts)
        p->weight[OP_SCRIPT_BEGIN] = 0;
    if (!p->config.controls)
        p->weight[OP_COLLECT] = p->weight[OP_ZERO] = p->weight[OP_FORK] = 0;
    for (unsigned i = 0; i < OPERATIONS; i++)
        p->weights += p->weight[i];
}

static void program_choose(struct program *p, uint64_t seed)
{
    *p = (struct program){.rng = {seed}};
    struct rng *r = &p->rng;
    p->config.resolution_bytes = 1u << rng_below(r, 5);
    p->config.n_routines = rng_once_in(r, 10) ? BUILDER_ROUTINES_MAX : 4 + rng_below(r, 20);
    p->config.repeats = rng_once_in(r, 3);
    p->config.linked = rng_once_in(r, 3);
    p->config.scripts = rng_once_in(r, 3);
    if (p->config.repeats)
        p->config.n_routines = 4 + rng_below(r, 3);
    p->config.controls = rng_once_in(r, 4);
    p->config.collect_at_start = !p->config.controls || !rng_once_in(r, 4);
    p->config.collect_in_toggles = p->config.controls && rng_once_in(r, 4);
    p->config.wide_frames = rng_once_in(r, 10);
    choose_areas(p);
    choose_mix(p);
    p->n_operations = 1u << (6 + rng_below(r, 7));
    p->threads_max = 1 + rng_below(r, 6);
    p->late_threads = rng_once_in(r, 3) ? rng_below(r, p->n_operations) : 0;
    p->wide_files = rng_once_in(r, 40);
    p->depth_max = 4u << rng_below(r, 6);
    if (rng_once_in(r, 30)) {
        p->depth_max = 3000;
        p->weight[OP_CALL] *= 3;
        p->weights += p->weight[OP_CALL] / 3 * 2;
    }
    if (p->config.wide_frames)
        p->depth_max = 64;
}

/* ---------------------------------------------------------------- one operation */

static struct area any_range(struct program *p, unsigned bytes_max)
{
    const struct area *area = &p->areas[rng_below(&p->rng, p->n_areas)];
    unsigned bytes = 1 + rng_below(&p->rng, area->bytes < bytes_max ? area->bytes : bytes_max);
    return (struct area){area->base + rng_below(&p->rng, area->bytes - bytes + 1), bytes};
}

/* Returns accesses as compilers generate them: mostly aligned powers of two. */
static struct area any_access(struct program *p)
{
    static const unsigned sizes[] = {1, 2, 4, 4, 4, 8, 8, 8, 16, 32};
    const struct area *area = &p->areas[rng_below(&p->rng, p->n_areas)];
    unsigned bytes = sizes[rng_below(&p->rng, 10)];
    if (rng_once_in(&p->rng, 8))
        return any_range(p, 64);
    return (struct area){area->base + rng_below(&p->rng, area->bytes / bytes) * bytes, bytes};
}

/* Returns whole cells of any resolution, because the kernel maps and moves whole pages. */
static struct area any_pages(struct program *p)
{
    const struct area *area = &p->areas[rng_below(&p->rng, p->n_areas)];
    unsigned first = rng_below(&p->rng, area->bytes / 16);
    unsigned n = 1 + rng_below(&p->rng, area->bytes / 16 - first);
    return (struct area){area->base + first * 16, n * 16};
}

static unsigned any_routine(struct program *p)
{
    unsigned few = rng_once_in(&p->rng, 2) ? 4 : p->config.n_routines;
    return rng_below(&p->rng, few);
}

static void map_file(struct program *p, struct builder *b)
{
    struct area pages = any_pages(p);
    if (p->wide_files && rng_once_in(&p->rng, 4)) {
        pages.base = 0x10000000 - 4096 * rng_below(&p->rng, 16);
        pages.bytes = 4096 * (1 + rng_below(&p->rng, 32));
    }
    builder_map_file(b, pages.base, pages.bytes);
}

static void forget(struct program *p, struct builder *b)
{
    struct area pages = any_pages(p);
    uintptr_t chunk = CHUNK_CELLS * (uintptr_t)p->config.resolution_bytes;
    if (rng_once_in(&p->rng, 8)) {
        pages.base -= pages.base % chunk;
        builder_forget(b, pages.base, chunk * (1 + rng_below(&p->rng, 4)));
        return;
    }
    builder_forget(b, pages.base, pages.bytes);
}

static void move(struct program *p, struct builder *b)
{
    struct area from = any_pages(p), to = any_pages(p);
    unsigned bytes = from.bytes < to.bytes ? from.bytes : to.bytes;
    if (from.base + bytes > to.base && to.base + bytes > from.base)
        return;
    builder_move(b, from.base, to.base, bytes);
}

static unsigned any_thread(struct program *p)
{
    return 1 + rng_below(&p->rng, p->last_thread);
}

static void start_thread(struct program *p, struct builder *b)
{
    if (p->n_threads == p->threads_max || p->last_thread == BUILDER_THREADS_MAX - 1)
        return;
    p->n_threads++;
    builder_thread_start(b, ++p->last_thread);
}

static void end_thread(struct program *p, struct builder *b)
{
    unsigned number = any_thread(p);
    if (p->n_threads < 2 || !builder_thread_alive(b, number))
        return;
    p->n_threads--;
    builder_thread_end(b, number);
}

static void switch_thread(struct program *p, struct builder *b)
{
    unsigned number = any_thread(p);
    if (builder_thread_alive(b, number))
        builder_thread_switch(b, number);
}

static void collect(struct program *p, struct builder *b)
{
    builder_collect(b, EVENT_COLLECT_ON + rng_below(&p->rng, 3));
}

static void access_memory(struct program *p, struct builder *b, enum access_kind kind)
{
    struct area a = any_access(p);
    builder_access(b, kind, a.base, a.bytes);
}

static void kernel(struct program *p, struct builder *b, enum operation op)
{
    struct area a = any_range(p, 200);
    if (op == OP_KERNEL_READ)
        builder_kernel_read(b, a.base, a.bytes);
    else
        builder_kernel_write(b, a.base, a.bytes);
}

static void call(struct program *p, struct builder *b, enum operation op)
{
    if (builder_depth(b) >= p->depth_max)
        return;
    if (op == OP_CALL)
        builder_call(b, any_routine(p));
    else if (op == OP_BIND)
        builder_call_by_binder(b, any_routine(p));
    else
        builder_tail_call(b, any_routine(p));
}

static void begin_script(struct program *p, struct builder *b)
{
    unsigned routine = rng_below(&p->rng, p->config.n_routines / 4) * 4 + 1;
    if (builder_depth(b) < p->depth_max)
        builder_script_begin(b, routine, rng_once_in(&p->rng, 2));
}

static void perform(struct program *p, struct builder *b, enum operation op, unsigned at)
{
    switch (op) {
    case OP_READ:
        access_memory(p, b, ACCESS_READ);
        break;
    case OP_WRITE:
        access_memory(p, b, ACCESS_WRITE);
        break;
    case OP_MODIFY:
        access_memory(p, b, ACCESS_MODIFY);
        break;
    case OP_STACK:
        builder_access_stack(b);
        break;
    case OP_SEGMENT:
        builder_segment(b);
        break;
    case OP_CALL:
    case OP_BIND:
    case OP_TAIL_CALL:
        call(p, b, op);
        break;
    case OP_RETURN:
        builder_return(b);
        break;
    case OP_UNWIND:
        builder_unwind(b, 1 + rng_below(&p->rng, 6));
        break;
    case OP_REGION_BEGIN:
        if (builder_depth(b) < p->depth_max)
            builder_region_begin(b, rng_below(&p->rng, BUILDER_REGIONS));
        break;
    case OP_REGION_END:
        builder_region_end(b);
        break;
    case OP_SCRIPT_BEGIN:
        begin_script(p, b);
        break;
    case OP_SCRIPT_END:
        builder_script_end(b);
        break;
    case OP_PAUSE:
        builder_pause(b, rng_once_in(&p->rng, 2));
        break;
    case OP_SWITCH:
        switch_thread(p, b);
        break;
    case OP_THREAD_START:
        if (at >= p->late_threads)
            start_thread(p, b);
        break;
    case OP_THREAD_END:
        end_thread(p, b);
        break;
    case OP_SIGNAL:
        if (at >= p->late_threads)
            builder_signal_enter(b);
        break;
    case OP_SIGNAL_LEAVE:
        builder_signal_leave(b);
        break;
    case OP_SIGNAL_LONGJMP:
        builder_signal_longjmp(b);
        break;
    case OP_COROUTINE:
        if (at >= p->late_threads)
            builder_coroutine_new(b, any_routine(p));
        break;
    case OP_RESUME:
        builder_coroutine_resume(b);
        break;
    case OP_STACK_MOVED:
        builder_coroutine_move(b);
        break;
    case OP_STACK_FREED:
        builder_coroutine_free(b);
        break;
    case OP_KERNEL_READ:
    case OP_KERNEL_WRITE:
        kernel(p, b, op);
        break;
    case OP_MAP_FILE:
        map_file(p, b);
        break;
    case OP_FORGET:
        forget(p, b);
        break;
    case OP_MOVE:
        move(p, b);
        break;
    case OP_COLLECT:
        collect(p, b);
        break;
    case OP_ZERO:
        builder_zero(b);
        break;
    default:
        builder_fork(b);
        p->n_threads = 1;
    }
}

static enum operation any_operation(struct program *p)
{
    unsigned at = rng_below(&p->rng, p->weights), op = 0;
    while (at >= p->weight[op])
        at -= p->weight[op++];
    return (enum operation)op;
}

static struct builder *program_run(struct program *p)
{
    struct builder *b = builder_new(&p->config, &p->rng);
    builder_thread_start(b, 1);
    p->n_threads = p->last_thread = 1;
    for (unsigned i = 0; i < p->n_operations; i++)
        perform(p, b, any_operation(p), i);
    builder_finish(b);
    return b;
}

/* ---------------------------------------------------------------- one round */

static uint64_t total_records, total_renumberings, total_exec_contexts, total_operations;

/* Consumes whole records, in pieces such as a front end's buffers. */
static void consume_in_pieces(struct engine *engine, const aprof_word *words, size_t n,
                              struct rng *rng)
{
    uint32_t piece_words = 1u << rng_below(rng, 13);
    size_t from = 0, to = 0;
    while (to < n) {
        to += 1 + ((const struct event_desc *)words[to])->words;
        total_records++;
        if (to - from < piece_words && to < n)
            continue;
        engine_consume(engine, words + from, words + to);
        from = to;
    }
}

static bool engine_agrees(struct program *p, struct builder *b, const struct engine_config *config)
{
    size_t n;
    const aprof_word *words = builder_words(b, &n);
    builder_reset_routines(b);
    struct engine *engine = engine_new(config);
    consume_in_pieces(engine, words, n, &p->rng);
    engine_finish(engine);

    struct engine_stats stats;
    engine_get_stats(engine, &stats);
    total_renumberings += stats.renumberings;
    total_exec_contexts += stats.exec_contexts;
    bool agree = tables_agree(builder_oracle(b), engine);
    engine_free(engine);
    if (host_test_live_bytes(NULL)) {
        host_test_report_live();
        agree = false;
    }
    if (!agree)
        fprintf(stderr, "  resolution %u, counter of %u bits, %u operations, contexts %u\n",
                p->config.resolution_bytes, config->counter_bits, p->n_operations,
                config->contexts.mode);
    return agree;
}

/* No contexts in half of the rounds; otherwise all contexts, or hot contexts with so few counters
 * that contexts are evicted. */
static struct contexts_config any_contexts(struct rng *rng)
{
    static const uint32_t epsilons[] = {FRACTION_ONE / 3, FRACTION_ONE / 10, FRACTION_ONE / 40};
    struct contexts_config config = {.mode = (enum process_contexts_mode)rng_below(rng, 4)};
    if (config.mode > CONTEXTS_HOT)
        config.mode = CONTEXTS_OFF;
    config.by_cost = rng_once_in(rng, 2);
    config.fold_recursion = rng_once_in(rng, 2);
    config.epsilon = epsilons[rng_below(rng, 3)];
    config.phi = config.epsilon * 2;
    return config;
}

static bool round_agrees(uint64_t seed, unsigned operations_max)
{
    struct program program;
    program_choose(&program, seed);
    if (program.n_operations > operations_max)
        program.n_operations = operations_max;
    struct builder *b = program_run(&program);
    total_operations += program.n_operations;
    size_t n;
    const aprof_word *words = builder_words(b, &n);
    if (getenv("APROF_DUMP"))
        stream_dump(stdout, words, words + n);

    bool agree = true;
    const unsigned widths[] = {4, 5 + rng_below(&program.rng, 10), 31};
    for (unsigned i = 0; agree && i < 3; i++) {
        struct engine_config config = {
            .resolution_log2 = (uint8_t)__builtin_ctz(program.config.resolution_bytes),
            .counter_bits = (uint8_t)widths[i],
            .trms = !rng_once_in(&program.rng, 10),
            .rms = true,
            .separate_threads = rng_once_in(&program.rng, 2),
            .collect_at_start = program.config.collect_at_start,
            .collect_in_toggles = program.config.collect_in_toggles,
            .linked = program.config.linked,
            .edges = !rng_once_in(&program.rng, 4),
            .lines = !rng_once_in(&program.rng, 4),
            .contexts = any_contexts(&program.rng),
        };
        config.rms = !config.trms || !rng_once_in(&program.rng, 10);
        agree = engine_agrees(&program, b, &config);
    }
    builder_delete(b);
    return agree;
}

static void the_engine_measures_what_the_definition_says(void **state)
{
    (void)state;
    uint64_t seed = setting("APROF_SEED", 1), rounds = setting("APROF_ROUNDS", ROUNDS);
    unsigned operations = (unsigned)setting("APROF_OPERATIONS", ~0u);
    for (uint64_t i = 0; i < rounds; i++) {
        if (!round_agrees(seed + i, operations))
            fail_msg("they differ: APROF_SEED=%" PRIu64 " APROF_ROUNDS=1", seed + i);
    }
    printf("test_trms: seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " operations, %" PRIu64
           " records, %" PRIu64 " execution contexts, %" PRIu64 " renumberings: all equal\n",
           seed, seed + rounds - 1, total_operations, total_records, total_exec_contexts,
           total_renumberings);
}

/* Seeds above ROUNDS, for ambiguous programs that the engine once interpreted differently. */
static void programs_that_once_differed_agree(void **state)
{
    static const uint64_t seeds[] = {
        1049, /* a coroutine resumes with the stack pointer with which it began */
        5401, /* calls that begin no activation take more than a megabyte of a coroutine's stack */
    };
    (void)state;
    if (getenv("APROF_SEED"))
        skip();
    for (unsigned i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
        if (!round_agrees(seeds[i], ~0u))
            fail_msg("they differ: APROF_SEED=%" PRIu64 " APROF_ROUNDS=1", seeds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_measures_what_the_definition_says),
        cmocka_unit_test(programs_that_once_differed_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
