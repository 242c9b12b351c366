/* Compares the analyses with brute force, for each way in which a runtime passes events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each round (APROF_ROUNDS [20], from APROF_SEED [1] on) makes the events of a few random threads.
 * The reports of every analysis must be equal for single events, random batches and a ring from
 * another thread, in any order of merging. The call tree is compared with sets that are built
 * activation by activation. The cache is compared with a simulator that keeps sets of lines with
 * the times of their latest uses; slices of the cache must add up to the whole.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "cab/cab.h"
#include "cab/cab_futex.h"
#include "tests/analyses/harness.h"
#include "tests/unit/cmocka_all.h"
#include "tests/host_test.h"
#include "tests/property/rng.h"
#include "tests/setting.h"

#define THREADS      3
#define EVENTS       6000
#define ROUTINES     9
#define MEMORY_BYTES (1u << 21)

#define CHECK(expr)                                                                                \
    do {                                                                                           \
        if (!(expr))                                                                               \
            fail_msg("%s (APROF_SEED=%" PRIu64 " APROF_ROUNDS=1)", #expr, seed);                   \
    } while (0)

static uint64_t seed;

struct stream {
    uint64_t events[EVENTS + 2];
    size_t count;
};

/* ---------------------------------------------------------------- Random events */

static uint64_t random_routine(struct rng *rng)
{
    return 0x401000 + rng_below(rng, ROUTINES) * 0x40;
}

/* Returns addresses that mostly sweep over memory, often over recently used memory. */
static uint64_t random_address(struct rng *rng, uint64_t *at)
{
    if (rng_once_in(rng, 50))
        *at = rng_below(rng, MEMORY_BYTES);
    else if (rng_once_in(rng, 3))
        *at = (*at + 4096 * rng_below(rng, 40)) % MEMORY_BYTES;
    else
        *at = (*at + rng_below(rng, 200)) % MEMORY_BYTES;
    return 0x7f0000000000 + *at;
}

static void stream_make(struct stream *stream, struct rng *rng)
{
    uint64_t stack[EVENTS], at = 0;
    size_t depth = 0;

    stream->count = 0;
    while (stream->count < EVENTS) {
        uint64_t *event = &stream->events[stream->count++];
        switch (rng_below(rng, 8)) {
        case 0:
        case 1:
            stack[depth++] = random_routine(rng);
            *event = event_enter(stack[depth - 1]);
            break;
        case 2:
            *event = event_leave(1); /* leaves a routine that was never entered */
            if (depth > 0) {
                depth = rng_once_in(rng, 10) ? rng_below(rng, (uint32_t)depth) : depth - 1;
                *event = event_leave(stack[depth]);
            }
            break;
        case 3:
            stream->count += event_path(event, rng_below(rng, 4),
                                        rng_once_in(rng, 2) ? rng_below(rng, 9)
                                                            : UINT64_MAX - rng_below(rng, 9)) -
                             1;
            break;
        case 4:
            *event = event_call(rng_below(rng, 5) + 1, rng_below(rng, 5) + 1);
            break;
        default:
            *event = event_access(rng_once_in(rng, 3) ? EVENT_STORE : EVENT_LOAD,
                                  random_address(rng, &at), 1u << rng_below(rng, 6));
        }
    }
}

/* ---------------------------------------------------------------- Ways of feeding */

static void feed_singly(const struct analysis *analysis, void *state, const struct stream *stream)
{
    for (size_t i = 0; i < stream->count; i++)
        analysis->consume(state, &stream->events[i], 1);
}

static void feed_batches(const struct analysis *analysis, void *state, const struct stream *stream)
{
    struct rng rng = {seed};

    for (size_t i = 0, n; i < stream->count; i += n) {
        n = rng_below(&rng, 400);
        n = n < stream->count - i ? n : stream->count - i;
        analysis->consume(state, &stream->events[i], n);
    }
}

struct producer {
    struct cab *cab;
    const struct stream *stream;
};

static void *produce(void *argument)
{
    struct producer *producer = argument;
    struct cab_cursor cursor;

    cab_cursor_init(&cursor, producer->cab);
    for (size_t i = 0; i < producer->stream->count; i++)
        cab_enqueue64(&cursor, producer->stream->events[i]);
    cab_close(&cursor);
    return NULL;
}

static void feed_ring(const struct analysis *analysis, void *state, const struct stream *stream)
{
    struct cab_config config = {.mode = CAB_EXHAUSTIVE,
                                .word_bytes = 8,
                                .ring_bytes = 4096,
                                .chunk_bytes = 512,
                                .wait = cab_futex_wait,
                                .wake = cab_futex_wake};
    void *memory = NULL;
    struct cab_batch batch;
    pthread_t thread;

    CHECK(posix_memalign(&memory, CAB_LINE_BYTES, cab_memory_bytes(&config)) == 0);
    memset(memory, 0, cab_memory_bytes(&config));
    struct producer producer = {cab_open(&config, memory), stream};
    CHECK(pthread_create(&thread, NULL, produce, &producer) == 0);
    while (cab_batch_wait(producer.cab, &batch)) {
        analysis->consume(state, batch.events, batch.count);
        cab_batch_release(producer.cab);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    free(memory);
}

typedef void feeder(const struct analysis *, void *, const struct stream *);

static char *threads_report(const struct analysis *analysis, const struct stream *streams,
                            feeder *feed, bool backwards)
{
    void *total = state_new(analysis);
    char *report;

    analysis->finish(total);
    for (unsigned i = 0; i < THREADS; i++) {
        void *state = state_new(analysis);
        feed(analysis, state, &streams[backwards ? THREADS - 1 - i : i]);
        analysis->finish(state);
        analysis->merge(total, state);
        state_free(analysis, state);
    }
    report = report_of(analysis, total);
    state_free(analysis, total);
    return report;
}

static void ways_agree(const struct analysis *analysis, const struct stream *streams)
{
    char *expected = threads_report(analysis, streams, feed_singly, false);
    feeder *const feeders[] = {feed_singly, feed_batches, feed_ring};

    for (unsigned i = 0; i < 3; i++) {
        char *report = threads_report(analysis, streams, feeders[i], true);
        CHECK(strcmp(report, expected) == 0);
        free(report);
    }
    free(expected);
}

/* ---------------------------------------------------------------- Call trees by brute force */

struct naive_tree {
    struct {
        uint64_t routine;
        unsigned callees; /* bit mask of random routines */
    } stack[EVENTS];
    size_t depth;
    uint64_t patterns[ROUTINES][1 << ROUTINES];
};

static unsigned routine_index(uint64_t routine)
{
    return (unsigned)((routine - 0x401000) / 0x40);
}

static void naive_tree_end(struct naive_tree *tree, size_t depth)
{
    while (tree->depth > depth) {
        tree->depth--;
        tree->patterns[routine_index(tree->stack[tree->depth].routine)]
                      [tree->stack[tree->depth].callees]++;
    }
}

static void naive_tree_feed(struct naive_tree *tree, const struct stream *stream)
{
    for (size_t i = 0; i < stream->count; i++) {
        uint64_t event = stream->events[i];
        if (event_kind_of(event) == EVENT_ENTER) {
            unsigned index = routine_index(event_routine(event));
            if (tree->depth > 0)
                tree->stack[tree->depth - 1].callees |= 1u << index;
            tree->stack[tree->depth].routine = event_routine(event);
            tree->stack[tree->depth++].callees = 0;
        }
        size_t depth = event_kind_of(event) == EVENT_LEAVE ? tree->depth : 0;
        while (depth > 0 && tree->stack[depth - 1].routine != event_routine(event))
            depth--;
        if (depth > 0)
            naive_tree_end(tree, depth - 1);
    }
    naive_tree_end(tree, 0);
}

/* Removing the report's masks and counts from the naive tree must leave an empty tree. */
static void calltree_is_naive(const struct stream *streams)
{
    const struct analysis *analysis = analysis_find("calltree");
    struct naive_tree *tree = calloc(1, sizeof(*tree));
    char *report = threads_report(analysis, streams, feed_batches, false), *line = report;
    unsigned index_of[ROUTINES], id, rows = 0;
    unsigned long long offset;

    for (unsigned i = 0; i < THREADS; i++)
        naive_tree_feed(tree, &streams[i]);
    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned long long fields[ROUTINES + 2];
        unsigned n = 0, mask = 0;
        if (sscanf(line, "routine\t%u\t0\t%llx", &id, &offset) == 2)
            index_of[id] = routine_index(offset);
        if (strncmp(line, "tree\t", 5) != 0)
            continue;
        for (char *at = line + 4; *at == '\t'; n++)
            fields[n] = strtoull(at + 1, &at, 10);
        for (unsigned i = 1; i + 1 < n; i++)
            mask |= 1u << index_of[fields[i]];
        CHECK(tree->patterns[index_of[fields[0]]][mask] == fields[n - 1]);
        tree->patterns[index_of[fields[0]]][mask] = 0;
        rows++;
    }
    CHECK(rows > 0);
    for (unsigned i = 0; i < ROUTINES << ROUTINES; i++)
        CHECK(tree->patterns[i >> ROUTINES][i & ((1 << ROUTINES) - 1)] == 0);
    free(report);
    free(tree);
}

/* ---------------------------------------------------------------- Caches by brute force */

struct naive_cache {
    unsigned ways, sets;
    struct {
        uint64_t line, used;
    } lines[8192];
    unsigned count;
    uint64_t misses[2], accesses[2];
};

static struct naive_cache naive[2];
static uint64_t naive_time;

static void naive_remove(struct naive_cache *cache, uint64_t line)
{
    for (unsigned i = 0; i < cache->count; i++)
        if (cache->lines[i].line == line)
            cache->lines[i] = cache->lines[--cache->count];
}

/* Returns true for a hit. On a miss, *victim becomes the evicted line, if any. */
static bool naive_access(struct naive_cache *cache, uint64_t line, unsigned kind, uint64_t *victim)
{
    unsigned in_set = 0, oldest = 0;

    cache->accesses[kind]++;
    for (unsigned i = 0; i < cache->count; i++) {
        if (cache->lines[i].line == line) {
            cache->lines[i].used = ++naive_time;
            return true;
        }
        if (cache->lines[i].line % cache->sets == line % cache->sets &&
            (in_set++ == 0 || cache->lines[i].used < cache->lines[oldest].used))
            oldest = i;
    }
    cache->misses[kind]++;
    if (in_set == cache->ways) {
        *victim = cache->lines[oldest].line;
        naive_remove(cache, *victim);
    }
    cache->lines[cache->count].line = line;
    cache->lines[cache->count++].used = ++naive_time;
    return false;
}

static bool naive_holds(const struct naive_cache *cache, uint64_t line)
{
    for (unsigned i = 0; i < cache->count; i++)
        if (cache->lines[i].line == line)
            return true;
    return false;
}

static void naive_caches_feed(const struct stream *stream)
{
    memset(naive, 0, sizeof(naive));
    naive[0].ways = 4;
    naive[0].sets = 128;
    naive[1].ways = 8;
    naive[1].sets = 1024;
    for (size_t i = 0; i < stream->count; i++) {
        uint64_t event = stream->events[i];
        unsigned kind = event_kind_of(event) == EVENT_STORE;
        if (event_kind_of(event) != EVENT_LOAD && event_kind_of(event) != EVENT_STORE)
            continue;
        for (uint64_t line = event_address(event) / 64;
             line <= (event_address(event) + event_bytes(event) - 1) / 64; line++) {
            uint64_t victim = 0;
            if (naive_access(&naive[0], line, kind, &victim))
                continue;
            victim = 0;
            if (!naive_access(&naive[1], line, kind, &victim) && victim)
                naive_remove(&naive[0], victim);
        }
    }
    for (unsigned i = 0; i < naive[0].count; i++)
        CHECK(naive_holds(&naive[1], naive[0].lines[i].line));
}

/* A small number of accesses never fills a cache of 512 KiB, so the lines of the stream are spread
 * over few sets. */
static void stream_crowd(struct stream *to, const struct stream *from)
{
    *to = *from;
    for (size_t i = 0; i < to->count; i++) {
        uint64_t event = to->events[i], address = event_address(event);
        if (event_kind_of(event) == EVENT_LOAD || event_kind_of(event) == EVENT_STORE)
            to->events[i] = event_access(event_kind_of(event),
                                         (address & ~UINT64_C(0x1f000)) + (address >> 12 & 3) * 64 +
                                             (address & UINT64_C(0x1f000)) * 64,
                                         event_bytes(event));
    }
}

static void cache_is_naive(const struct stream *stream)
{
    const struct analysis *analysis = analysis_find("cache");
    void *state = state_new(analysis), *total = state_new(analysis);
    char *report, *sliced, expected[400];

    naive_caches_feed(stream);
    feed_batches(analysis, state, stream);
    report = report_of(analysis, state);
    for (unsigned i = 0; i < 2; i++) {
        snprintf(expected, sizeof(expected), "\ncache\t%u\t%llu\t%llu\t%llu\t%llu\n", i + 1,
                 (unsigned long long)naive[i].accesses[0], (unsigned long long)naive[i].misses[0],
                 (unsigned long long)naive[i].accesses[1], (unsigned long long)naive[i].misses[1]);
        CHECK(strstr(report, expected));
    }
    for (unsigned slice = 0; slice < 8; slice++) {
        void *part = calloc(1, analysis->state_bytes);
        analysis->init(part, &(struct analysis_options){.slice = slice, .slices = 8});
        feed_batches(analysis, part, stream);
        analysis->merge(total, part);
        state_free(analysis, part);
    }
    sliced = report_of(analysis, total);
    CHECK(strcmp(report, sliced) == 0);
    free(report);
    free(sliced);
    state_free(analysis, state);
    state_free(analysis, total);
}

static void analyses_find_what_their_definitions_say(void **state)
{
    uint64_t rounds = setting("APROF_ROUNDS", 20), evicted = 0;
    static struct stream streams[THREADS], crowded;

    (void)state;
    seed = setting("APROF_SEED", 1);
    for (uint64_t round = 0; round < rounds; round++, seed++) {
        struct rng rng = {seed};
        for (unsigned i = 0; i < THREADS; i++)
            stream_make(&streams[i], &rng);
        for (unsigned i = 0; analyses[i]; i++)
            ways_agree(analyses[i], streams);
        calltree_is_naive(streams);
        cache_is_naive(&streams[0]);
        stream_crowd(&crowded, &streams[0]);
        cache_is_naive(&crowded);
        evicted += naive[1].misses[0] + naive[1].misses[1] - naive[1].count;
    }
    CHECK(evicted > 100 * rounds);
    CHECK(host_test_report_live() == 0);
    printf("%" PRIu64 " rounds, %" PRIu64 " lines evicted from the second level\n", rounds,
           evicted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyses_find_what_their_definitions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
