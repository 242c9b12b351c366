/* Property test: what the engine measures of random programs is what the definition says.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each round makes one random program (its mix of operations, memory, threads, resolution), feeds
 * its stream to engines of several counter widths, in pieces, and compares every table of points
 * with the brute force. A narrow counter renumbers all the time (Figure 13), a wide one never, so
 * that equality with the oracle also is equality between them.
 *
 *     test_trms                           the rounds of `make check`
 *     APROF_ROUNDS=100000 test_trms       a soak
 *     APROF_SEED=123 APROF_ROUNDS=1 test_trms     one round again, as a failure prints it
 *     APROF_OPERATIONS=500                at most so many operations per program: to shrink a
 * failure APROF_DUMP=1                        print the streams
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/state.h"
#include "stream_builder.h"
#include "stream_dump.h"
#include "tests/host_test.h"

enum { ROUNDS = 1000, AREAS_MAX = 5, CHUNK_SPREAD = 256 };

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
    OPERATIONS
};

/* How often an operation is chosen where a program has it at all, and the chance that it has. */
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
    [OP_ZERO] = {1, 30},           [OP_FORK] = {1, 20},
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

/* Memory where it is hardest: around the borders of chunks and of tables, at the end of the address
 * space, and where two chunks meet in one remembered place. */
static void choose_areas(struct program *p)
{
    uintptr_t chunk = CHUNK_CELLS * (uintptr_t)p->config.resolution_bytes;
    const uintptr_t centres[AREAS_MAX] = {0x10000000, 0x10000000 + CHUNK_SPREAD * chunk,
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

/* As compilers access memory: mostly aligned powers of two. */
static struct area any_access(struct program *p)
{
    static const unsigned sizes[] = {1, 2, 4, 4, 4, 8, 8, 8, 16, 32};
    const struct area *area = &p->areas[rng_below(&p->rng, p->n_areas)];
    unsigned bytes = sizes[rng_below(&p->rng, 10)];
    if (rng_once_in(&p->rng, 8))
        return any_range(p, 64);
    return (struct area){area->base + rng_below(&p->rng, area->bytes / bytes) * bytes, bytes};
}

/* Whole cells of any resolution, as the kernel maps and moves whole pages. */
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

/* ---------------------------------------------------------------- tables, flat */

typedef unsigned __int128 wide;

/* A point; or, with metric METRICS, the sums of a routine in `calls`, `sum` (outermost) and `self`.
 */
struct row {
    uint32_t thread, routine, metric;
    uint64_t input, calls;
    wide sum, squares;
    uint64_t min, max, self, induced[ORACLE_ORIGINS];
};

struct table {
    struct row *rows;
    size_t n, room;
};

static struct row *row_add(struct table *t, uint32_t thread, uint32_t routine, uint32_t metric)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->rows = realloc(t->rows, t->room * sizeof(*t->rows));
        if (!t->rows)
            abort();
    }
    struct row *row = &t->rows[t->n++];
    memset(row, 0, sizeof(*row));
    row->thread = thread;
    row->routine = routine;
    row->metric = metric;
    return row;
}

static int compare_keys(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->routine != b->routine)
        return a->routine < b->routine ? -1 : 1;
    if (a->metric != b->metric)
        return a->metric < b->metric ? -1 : 1;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* Rows of one key become one. */
static void table_merge(struct table *t)
{
    size_t n = 0;
    if (!t->n)
        return;
    qsort(t->rows, t->n, sizeof(*t->rows), compare_keys);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *from = &t->rows[i];
        if (n == 0 || compare_keys(&t->rows[n - 1], from)) {
            t->rows[n++] = *from;
            continue;
        }
        struct row *to = &t->rows[n - 1];
        to->calls += from->calls;
        to->sum += from->sum;
        to->squares += from->squares;
        to->min = from->min < to->min ? from->min : to->min;
        to->max = from->max > to->max ? from->max : to->max;
        to->self += from->self;
        to->induced[0] += from->induced[0];
        to->induced[1] += from->induced[1];
    }
    t->n = n;
}

/* ---------------------------------------------------------------- what it should be */

static void expect_activation(struct table *t, const struct oracle_activation *a,
                              const struct engine_config *config)
{
    uint32_t thread = config->separate_threads ? a->thread : 0;
    const bool wanted[METRICS] = {config->trms, config->rms};
    if (!a->measured)
        return;
    struct row *sums = row_add(t, thread, a->routine, METRICS);
    sums->calls = 1;
    sums->sum = a->outermost ? a->cost : 0;
    sums->self = a->self;
    for (uint32_t m = 0; m < METRICS; m++) {
        if (!wanted[m])
            continue;
        struct row *row = row_add(t, thread, a->routine, m);
        row->input = a->input[m];
        row->calls = 1;
        row->sum = row->min = row->max = a->cost;
        row->squares = (wide)a->cost * a->cost;
        row->self = a->self;
        memcpy(row->induced, a->induced, sizeof(row->induced));
    }
}

static void expect_all(struct table *t, const struct oracle *oracle,
                       const struct engine_config *config)
{
    size_t n;
    const struct oracle_activation *a = oracle_activations(oracle, &n);
    t->n = 0;
    for (size_t i = 0; i < n; i++)
        expect_activation(t, &a[i], config);
    table_merge(t);
}

/* ---------------------------------------------------------------- what was measured */

struct gathering {
    struct table *table;
    uint32_t thread;
    unsigned metrics;
};

static wide wide_of(struct u128 u)
{
    return (wide)u.high << 64 | u.low;
}

static void gather_point(struct row *row, const struct point *point)
{
    row->input = point->input;
    row->calls = point->calls;
    row->sum = wide_of(point->cost_sum);
    row->squares = wide_of(point->cost_squares);
    row->min = point->cost_min;
    row->max = point->cost_max;
    row->self = point->self_sum;
    row->induced[ORACLE_THREAD] = point->induced_thread;
    row->induced[ORACLE_EXTERNAL] = point->induced_external;
}

static void gather_routine(void *context, struct routine_profile *p)
{
    struct gathering *g = context;
    if (!p->calls && !p->cost_total && !p->cost_self)
        return; /* its measurements were cleared */
    struct row *sums = row_add(g->table, g->thread, p->routine->id, METRICS);
    sums->calls = p->calls;
    sums->sum = p->cost_total;
    sums->self = p->cost_self;
    for (unsigned m = 0; m < METRICS; m++) {
        const struct point_table *points = profile_table(p, (enum metric)m, g->metrics);
        for (uint32_t i = 0; i < points->n_points; i++)
            gather_point(row_add(g->table, g->thread, p->routine->id, m), &points->points[i]);
    }
}

static void gather_all(struct table *t, const struct engine *engine)
{
    t->n = 0;
    for (uint32_t thread = 0; thread < engine->n_gathered; thread++) {
        struct gathering g = {t, thread, engine->metrics};
        profile_each(&engine->gathered[thread], gather_routine, &g);
    }
    table_merge(t);
}

/* ---------------------------------------------------------------- comparison */

static void row_print(const char *who, const struct table *t, size_t i)
{
    if (i >= t->n) {
        fprintf(stderr, "  %s: no such row\n", who);
        return;
    }
    const struct row *r = &t->rows[i];
    static const char *const kinds[] = {"trms", "rms", "sums"};
    fprintf(stderr,
            "  %s: thread %u routine %u %s %" PRIu64 ": calls %" PRIu64 " sum %" PRIu64
            " squares %" PRIu64 " min %" PRIu64 " max %" PRIu64 " self %" PRIu64 " induced %" PRIu64
            "+%" PRIu64 "\n",
            who, r->thread, r->routine, kinds[r->metric], r->input, r->calls, (uint64_t)r->sum,
            (uint64_t)r->squares, r->min, r->max, r->self, r->induced[0], r->induced[1]);
}

static bool tables_agree(const struct table *expected, const struct table *measured)
{
    size_t i = 0;
    while (i < expected->n && i < measured->n &&
           !memcmp(&expected->rows[i], &measured->rows[i], sizeof(struct row)))
        i++;
    if (i == expected->n && i == measured->n)
        return true;
    row_print("expected", expected, i);
    row_print("measured", measured, i);
    return false;
}

static bool total_agrees(const char *what, uint64_t expected, uint64_t measured)
{
    if (expected != measured)
        fprintf(stderr, "  total %s: expected %" PRIu64 ", measured %" PRIu64 "\n", what, expected,
                measured);
    return expected == measured;
}

static bool totals_agree(const struct oracle *o, const struct engine *e)
{
    return total_agrees("cost", oracle_total_cost(o), e->cost_total) &
           total_agrees("reads", oracle_total_reads(o), e->reads) &
           total_agrees("induced by threads", oracle_total_induced(o, ORACLE_THREAD),
                        e->induced_thread) &
           total_agrees("induced externally", oracle_total_induced(o, ORACLE_EXTERNAL),
                        e->induced_external);
}

/* ---------------------------------------------------------------- one round */

static uint64_t total_records, total_renumberings, total_strands, total_operations;

/* Whole records, in pieces as a front end's buffer gives them. */
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
    static struct table expected, measured;
    size_t n;
    const aprof_word *words = builder_words(b, &n);
    builder_reset_routines(b);
    struct engine *engine = engine_new(config);
    consume_in_pieces(engine, words, n, &p->rng);
    engine_finish(engine);

    struct engine_stats stats;
    engine_get_stats(engine, &stats);
    total_renumberings += stats.renumberings;
    total_strands += stats.strands;
    expect_all(&expected, builder_oracle(b), config);
    gather_all(&measured, engine);
    bool agree = tables_agree(&expected, &measured);
    agree &= totals_agree(builder_oracle(b), engine);
    engine_free(engine);
    if (host_test_live_bytes(NULL)) {
        host_test_report_live();
        agree = false;
    }
    if (!agree)
        fprintf(stderr, "  resolution %u, counter of %u bits, %u operations\n",
                p->config.resolution_bytes, config->counter_bits, p->n_operations);
    return agree;
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
        };
        config.rms = !config.trms || !rng_once_in(&program.rng, 10);
        agree = engine_agrees(&program, b, &config);
    }
    builder_delete(b);
    return agree;
}

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

int main(void)
{
    uint64_t seed = number_from("APROF_SEED", 1), rounds = number_from("APROF_ROUNDS", ROUNDS);
    unsigned operations = (unsigned)number_from("APROF_OPERATIONS", ~0u);
    for (uint64_t i = 0; i < rounds; i++) {
        if (round_agrees(seed + i, operations))
            continue;
        fprintf(stderr,
                "test_trms: engine and definition differ: APROF_SEED=%" PRIu64 " APROF_ROUNDS=1\n",
                seed + i);
        return 1;
    }
    printf("test_trms: seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " operations, %" PRIu64
           " records, %" PRIu64 " strands, %" PRIu64 " renumberings: all equal\n",
           seed, seed + rounds - 1, total_operations, total_records, total_strands,
           total_renumberings);
    return 0;
}
