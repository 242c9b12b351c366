/* Tests rings with extreme sizes and delays: every event must arrive once, in order.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: stress [EVENTS [SEED]]
 *
 * The program spreads EVENTS (default two million) evenly over all rounds below. A round is a mode,
 * a size of words, chunks and ring, and a pair of temperaments. Each value is a function of its
 * position in the stream, so the consumer can check each value. The producer flushes and drains at
 * random; after a drain, all enqueued events must be consumed. If a wake-up is lost, the program
 * hangs, and an alarm reports the failure. For each mode the program prints one line of counts:
 * producer and consumer must have slept, flushed, wrapped and lost chunks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cab/cab.h"
#include "cab/cab_futex.h"

#define WATCHDOG_SECONDS    3600
#define RINGS_OF_ONE_THREAD 3

#define CHECK(expr)                                                                                \
    do {                                                                                           \
        if (!(expr)) {                                                                             \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #expr);                     \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* How a side is delayed. */
enum temper { STEADY, BUSY, YIELDS, SLEEPS, TEMPERS };

struct round {
    enum cab_mode mode;
    unsigned word_bytes;
    size_t chunk_bytes;
    unsigned chunks;
    unsigned spins;
    enum temper producer, consumer;
    unsigned burst_words, stride_words;
    uint64_t events;
    uint32_t seed;
    struct cab_bell *bell; /* NULL: the ring's own bell */
    struct cab *cab;
    _Atomic uint64_t seen; /* events that were consumed */
    uint64_t next;         /* position of the event that the consumer expects */
};

static uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void dawdle(enum temper temper, uint32_t *rng)
{
    uint32_t draw = random_next(rng);

    if (temper == BUSY && draw % 64 == 0)
        for (volatile unsigned i = 0; i < draw >> 20; i++)
            ;
    if (temper == YIELDS && draw % 64 == 0)
        sched_yield();
    if (temper == SLEEPS && draw % 8192 == 0)
        usleep(draw >> 26);
}

/* Values next to CLEAR and MAGIC, but never equal to them. */
static uint32_t value32(uint64_t position)
{
    return (uint32_t)(position % 0xfffffffe) + 1;
}

static uint64_t value64(uint64_t position)
{
    return position & 1 ? position : UINT64_MAX - 1 - position;
}

static uintptr_t value_record(uint64_t position)
{
    static const uintptr_t sentinels[] = {CAB_CLEAR, UINTPTR_MAX};

    return position % 4 < 2 ? sentinels[position % 4] : (uintptr_t)position;
}

/* ---------------------------------------------------------------- Producers */

static void enqueue(const struct round *round, struct cab_cursor *cursor, uint64_t position)
{
    if (round->mode == CAB_SAMPLING && round->word_bytes == 4)
        cab_overwrite32(cursor, value32(position));
    else if (round->mode == CAB_SAMPLING)
        cab_overwrite64(cursor, value64(position));
    else if (round->word_bytes == 4)
        cab_enqueue32(cursor, value32(position));
    else
        cab_enqueue64(cursor, value64(position));
}

static void produce_words(struct round *round)
{
    struct cab_cursor cursor;
    uint32_t rng = round->seed;

    cab_cursor_init(&cursor, round->cab);
    for (uint64_t i = 0; i < round->events; i++) {
        enqueue(round, &cursor, i);
        dawdle(round->producer, &rng);
        if (rng % 4096 == 1)
            cab_flush(&cursor);
        if (rng % 16384 == 2) {
            cab_drain(&cursor);
            CHECK(round->mode == CAB_SAMPLING || atomic_load(&round->seen) == i + 1);
        }
    }
    cab_close(&cursor);
}

static void produce_records(struct round *round)
{
    uint32_t rng = round->seed;
    size_t capacity;

    for (uint64_t done = 0; done < round->events;) {
        uintptr_t *words = cab_chunk_begin(round->cab, &capacity);
        size_t n = random_next(&rng) % 3 == 0 ? rng % (capacity + 1) : capacity;
        for (size_t i = 0; i < n; i++) {
            words[i] = value_record(done + i);
            dawdle(round->producer, &rng);
        }
        cab_chunk_end(round->cab, n);
        done += n;
        if (rng % 256 == 1) {
            cab_chunks_drain(round->cab);
            CHECK(atomic_load(&round->seen) == done);
        }
        if (done >= round->events)
            round->events = done;
    }
    cab_chunks_close(round->cab);
}

static void *produce(void *argument)
{
    struct round *round = argument;

    if (round->mode == CAB_RECORDS)
        produce_records(round);
    else
        produce_words(round);
    return NULL;
}

/* ---------------------------------------------------------------- Consumers */

static uint64_t value_at(const struct round *round, const void *events, size_t i)
{
    return round->word_bytes == 4 ? ((const uint32_t *)events)[i] : ((const uint64_t *)events)[i];
}

/* The position in the stream of a sampled batch's first event. */
static uint64_t position_of(const struct round *round, const struct cab_batch *batch)
{
    uint64_t value = value_at(round, batch->events, 0);

    if (round->word_bytes == 4)
        return value - 1;
    return value & 1 && value < UINT64_MAX / 2 ? value : UINT64_MAX - 1 - value;
}

static void batch_check(struct round *round, const struct cab_batch *batch, uint32_t *rng)
{
    if (batch->after_gap) {
        CHECK(round->mode == CAB_SAMPLING);
        CHECK(position_of(round, batch) > round->next);
        round->next = position_of(round, batch);
    }
    for (size_t i = 0; i < batch->count; i++, round->next++) {
        uint64_t expected = round->word_bytes == 4 ? value32(round->next) : value64(round->next);
        CHECK(value_at(round, batch->events, i) == expected);
        dawdle(round->consumer, rng);
    }
    atomic_store(&round->seen, atomic_load(&round->seen) + batch->count);
}

static void consume_words(struct round *round)
{
    struct cab_batch batch;
    uint32_t rng = round->seed + 1;

    while (cab_batch_wait(round->cab, &batch)) {
        batch_check(round, &batch, &rng);
        cab_batch_release(round->cab);
    }
}

static void consume_records(struct round *round)
{
    const uintptr_t *from, *to;
    uint32_t rng = round->seed + 1;

    while (cab_chunk_wait(round->cab, &from, &to)) {
        CHECK(from < to);
        for (; from < to; from++) {
            CHECK(*from == value_record(round->next++));
            dawdle(round->consumer, &rng);
        }
        atomic_store(&round->seen, round->next);
        cab_chunk_release(round->cab);
    }
}

/* ---------------------------------------------------------------- Rounds */

static void ring_make(struct round *round)
{
    struct cab_config config = {
        .mode = round->mode,
        .word_bytes = round->word_bytes,
        .chunk_bytes = round->chunk_bytes,
        .ring_bytes = round->chunk_bytes * round->chunks,
        .burst_words = round->burst_words,
        .stride_words = round->stride_words,
        .spins = round->spins,
        .bell = round->bell,
        .wait = cab_futex_wait,
        .wake = cab_futex_wake,
    };
    size_t bytes = cab_memory_bytes(&config);
    void *memory;

    CHECK(bytes > 0 && posix_memalign(&memory, CAB_LINE_BYTES, bytes) == 0);
    memset(memory, 0, bytes);
    round->cab = cab_open(&config, memory);
    CHECK(round->cab == memory);
}

static void stats_add(struct cab_stats *sum, const struct round *round)
{
    struct cab_stats stats;

    cab_stats_get(round->cab, &stats);
    CHECK(stats.events == round->seen);
    CHECK(stats.most_chunks <= stats.chunks_in_ring && stats.chunks_in_ring == round->chunks);
    CHECK(round->mode == CAB_SAMPLING || stats.overwritten_chunks == 0);
    sum->events += stats.events;
    sum->chunks += stats.chunks;
    sum->overwritten_chunks += stats.overwritten_chunks;
    sum->producer.sleeps += stats.producer.sleeps;
    sum->producer.waits += stats.producer.waits;
    sum->consumer.sleeps += stats.consumer.sleeps;
    sum->consumer.waits += stats.consumer.waits;
}

static void round_finish(struct round *round, struct cab_stats *sum)
{
    if (round->mode != CAB_SAMPLING)
        CHECK(round->seen == round->events && round->next == round->events);
    else
        CHECK(round->seen <= round->events && round->next <= round->events);
    stats_add(sum, round);
    free(round->cab);
}

static void round_run(struct round *round, struct cab_stats *sum)
{
    pthread_t producer;

    ring_make(round);
    CHECK(pthread_create(&producer, NULL, produce, round) == 0);
    if (round->mode == CAB_RECORDS)
        consume_records(round);
    else
        consume_words(round);
    CHECK(pthread_join(producer, NULL) == 0);
    round_finish(round, sum);
}

/* Makes one pass over the rings; returns how many rings are open, and whether any ring had
 * events. */
static unsigned rings_poll(struct round *rounds, bool *closed, uint32_t *rng, bool *found)
{
    unsigned open = 0;
    struct cab_batch batch;

    for (unsigned i = 0; i < RINGS_OF_ONE_THREAD; i++) {
        if (closed[i])
            continue;
        enum cab_state state = cab_batch_try(rounds[i].cab, &batch);
        if (state == CAB_READY) {
            batch_check(&rounds[i], &batch, rng);
            cab_batch_release(rounds[i].cab);
        }
        closed[i] = state == CAB_CLOSED;
        open += !closed[i];
        *found |= state != CAB_EMPTY;
    }
    return open;
}

/* Runs several producers, and one consumer with one bell. */
static void rounds_run_together(const struct round *like, struct cab_stats *sum)
{
    struct round rounds[RINGS_OF_ONE_THREAD];
    pthread_t producers[RINGS_OF_ONE_THREAD];
    bool closed[RINGS_OF_ONE_THREAD] = {false};
    struct cab_bell bell = {0};
    uint32_t rng = like->seed + 1;

    for (unsigned i = 0; i < RINGS_OF_ONE_THREAD; i++) {
        rounds[i] = *like;
        rounds[i].bell = &bell;
        rounds[i].seed += 17 * i;
        rounds[i].events /= RINGS_OF_ONE_THREAD;
        ring_make(&rounds[i]);
        CHECK(pthread_create(&producers[i], NULL, produce, &rounds[i]) == 0);
    }
    for (bool found = false; rings_poll(rounds, closed, &rng, &found) > 0; found = false) {
        if (found)
            continue;
        cab_bell_arm(&bell);
        rings_poll(rounds, closed, &rng, &found);
        if (!found)
            cab_bell_sleep(&bell, cab_futex_wait, NULL);
        cab_bell_disarm(&bell);
    }
    for (unsigned i = 0; i < RINGS_OF_ONE_THREAD; i++) {
        CHECK(pthread_join(producers[i], NULL) == 0);
        round_finish(&rounds[i], sum);
    }
}

static const struct {
    size_t chunk_bytes;
    unsigned chunks;
} sizes[] = {{128, 3}, {192, 4}, {128, 5}, {1024, 7}, {16384, 16}, {131072, 16}};

#define SIZES  (sizeof(sizes) / sizeof(sizes[0]))
#define ROUNDS (SIZES * TEMPERS * TEMPERS)

static void mode_run(enum cab_mode mode, unsigned word_bytes, bool together, uint64_t events,
                     uint32_t seed)
{
    static const char *const names[] = {"exhaustive", "sampling", "records"};
    struct cab_stats sum = {0};

    for (unsigned i = 0; i < ROUNDS; i++) {
        struct round round = {
            .mode = mode,
            .word_bytes = word_bytes,
            .chunk_bytes = sizes[i % SIZES].chunk_bytes,
            .chunks = sizes[i % SIZES].chunks,
            .spins = i % 5 == 0 ? 0 : 1 + i % 3,
            .producer = (enum temper)(i / SIZES % TEMPERS),
            .consumer = (enum temper)(i / SIZES / TEMPERS),
            .burst_words = 1 + i % 11,
            .stride_words = 1 + i % 11 + i % 7 * 13,
            .events = events / ROUNDS,
            .seed = seed + 1000 * i,
        };
        if (together)
            rounds_run_together(&round, &sum);
        else
            round_run(&round, &sum);
    }
    printf("%-10s %u-byte words%s: %llu events, %llu chunks, %llu overwritten; producer waited "
           "%llu, slept %llu; consumer waited %llu, slept %llu\n",
           names[mode], word_bytes, together ? ", one consumer" : "",
           (unsigned long long)sum.events, (unsigned long long)sum.chunks,
           (unsigned long long)sum.overwritten_chunks, (unsigned long long)sum.producer.waits,
           (unsigned long long)sum.producer.sleeps, (unsigned long long)sum.consumer.waits,
           (unsigned long long)sum.consumer.sleeps);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;

    alarm(WATCHDOG_SECONDS);
    mode_run(CAB_EXHAUSTIVE, 8, false, events / 6, seed);
    mode_run(CAB_EXHAUSTIVE, 4, false, events / 6, seed + 1);
    mode_run(CAB_EXHAUSTIVE, 8, true, events / 6, seed + 2);
    mode_run(CAB_RECORDS, sizeof(uintptr_t), false, events / 6, seed + 3);
    mode_run(CAB_SAMPLING, 8, false, events / 6, seed + 4);
    mode_run(CAB_SAMPLING, 4, false, events / 6, seed + 5);
    return 0;
}
