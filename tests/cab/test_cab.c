/* Unit tests of rings in one thread: the events, sleeps and wake-ups of each side.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `wait` runs the other side: while the producer sleeps, the consumer runs, and vice versa. So
 * every order of events in this file could also be produced by two threads.
 */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "cab/cab_ring.h"

#define CHUNK_BYTES 128
#define CHUNK64     (CHUNK_BYTES / 8 - 1) /* events of a chunk, 8 bytes each */
#define CHUNKS      5

static struct {
    void (*during_wait)(void);
    unsigned waits, wakes;
    struct cab *cab;
    struct cab_cursor cursor;
    uint64_t enqueued, consumed;
} test;

static void test_wait(void *context, _Atomic uint32_t *word, uint32_t expected)
{
    assert_ptr_equal(context, &test);
    assert_int_equal(expected, 1);
    test.waits++;
    if (atomic_load(word) == expected)
        test.during_wait();
}

static void test_wake(void *context, _Atomic uint32_t *word)
{
    assert_ptr_equal(context, &test);
    assert_int_equal(atomic_load(word), 0);
    test.wakes++;
}

static uint64_t test_clock(void *context)
{
    static uint64_t now;

    (void)context;
    return now += 7;
}

static struct cab_config config_of(enum cab_mode mode)
{
    return (struct cab_config){
        .mode = mode,
        .word_bytes = sizeof(uintptr_t),
        .chunk_bytes = CHUNK_BYTES,
        .ring_bytes = CHUNKS * CHUNK_BYTES,
        .burst_words = 4,
        .stride_words = 4,
        .spins = 1,
        .wait = test_wait,
        .wake = test_wake,
        .clock_ns = test_clock,
        .context = &test,
    };
}

static void open_ring(struct cab_config config)
{
    void *memory = NULL;

    free(test.cab);
    memset(&test, 0, sizeof(test));
    assert_int_equal(posix_memalign(&memory, CAB_LINE_BYTES, cab_memory_bytes(&config)), 0);
    memset(memory, 0, cab_memory_bytes(&config));
    test.cab = cab_open(&config, memory);
    assert_non_null(test.cab);
    cab_cursor_init(&test.cursor, test.cab);
}

static void enqueue(unsigned n)
{
    while (n-- > 0)
        cab_enqueue64(&test.cursor, ++test.enqueued);
}

/* Dequeues all events; each event must be the next of the stream. */
static enum cab_state consume(void)
{
    struct cab_batch batch;
    enum cab_state state;

    while ((state = cab_batch_try(test.cab, &batch)) == CAB_READY) {
        assert_false(batch.after_gap);
        for (size_t i = 0; i < batch.count; i++)
            assert_int_equal(((const uint64_t *)batch.events)[i], ++test.consumed);
        cab_batch_release(test.cab);
    }
    return state;
}

static void consume_all(void)
{
    consume();
}

static int close_ring(void **state)
{
    (void)state;
    free(test.cab);
    test.cab = NULL;
    return 0;
}

/* ---------------------------------------------------------------- Configurations */

static void configurations_that_break_a_rule_are_refused(void **state)
{
    struct cab_config config = config_of(CAB_EXHAUSTIVE);

    (void)state;
#define REFUSED(mode, member, value)                                                               \
    config = config_of(mode);                                                                      \
    assert_int_not_equal(cab_memory_bytes(&config), 0);                                            \
    config.member = value;                                                                         \
    assert_int_equal(cab_memory_bytes(&config), 0);                                                \
    assert_null(cab_open(&config, &test))
    REFUSED(CAB_EXHAUSTIVE, mode, (enum cab_mode)3);
    REFUSED(CAB_EXHAUSTIVE, word_bytes, 2);
    REFUSED(CAB_RECORDS, word_bytes, 4);
    REFUSED(CAB_EXHAUSTIVE, chunk_bytes, 64);
    REFUSED(CAB_EXHAUSTIVE, chunk_bytes, 136);
    REFUSED(CAB_EXHAUSTIVE, ring_bytes, 2 * CHUNK_BYTES);
    REFUSED(CAB_EXHAUSTIVE, ring_bytes, 3 * CHUNK_BYTES + 8);
    REFUSED(CAB_EXHAUSTIVE, ring_bytes, (size_t)65537 * CHUNK_BYTES);
    REFUSED(CAB_SAMPLING, burst_words, 0);
    REFUSED(CAB_SAMPLING, burst_words, CAB_BURST_MAX_WORDS + 1);
    REFUSED(CAB_SAMPLING, stride_words, 3);
    REFUSED(CAB_EXHAUSTIVE, wait, NULL);
    REFUSED(CAB_EXHAUSTIVE, wake, NULL);
#undef REFUSED
}

/* ---------------------------------------------------------------- Exhaustive */

static void the_consumer_stays_two_chunks_behind(void **state)
{
    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    enqueue(2 * CHUNK64);
    assert_int_equal(consume(), CAB_EMPTY);
    assert_int_equal(test.consumed, 0);
    enqueue(1);
    assert_int_equal(consume(), CAB_EMPTY);
    assert_int_equal(test.consumed, CHUNK64);
    enqueue(CHUNK64);
    consume();
    assert_int_equal(test.consumed, 2 * CHUNK64);
}

static void a_flush_hands_over_what_is_there(void **state)
{
    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    for (unsigned n = 0; n < 4 * CHUNK64; n++) {
        enqueue(n);
        cab_flush(&test.cursor);
        assert_int_equal(consume(), CAB_EMPTY);
        assert_int_equal(test.consumed, test.enqueued);
    }
}

static void released_slots_are_clear_and_marks_stay(void **state)
{
    const uint64_t *words;

    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    for (unsigned i = 0; i < 20; i++) {
        enqueue(CHUNK64);
        consume();
    }
    cab_flush(&test.cursor);
    consume();
    words = (const uint64_t *)test.cab->ring;
    for (unsigned i = 0; i < CHUNKS * (CHUNK64 + 1); i++)
        assert_int_equal(words[i], i % (CHUNK64 + 1) == CHUNK64 ? CAB_MAGIC64 : CAB_CLEAR);
}

static void a_producer_waits_for_two_free_chunks(void **state)
{
    struct cab_stats stats;

    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = consume_all;
    enqueue(CHUNKS * CHUNK64);
    assert_int_equal(test.waits, 0);
    enqueue(1);
    assert_int_equal(test.waits, 1);
    /* While the producer slept, all events within this distance were consumed. */
    assert_int_equal(test.consumed, (CHUNKS - 1) * CHUNK64);
    assert_int_not_equal(test.wakes, 0);
    enqueue(2 * CHUNK64);
    assert_int_equal(test.waits, 1);
    cab_stats_get(test.cab, &stats);
    assert_int_equal(stats.producer.waits, 1);
    assert_int_equal(stats.producer.sleeps, 1);
    assert_int_equal(stats.producer.sleep_ns, 7);
    assert_int_equal(stats.most_chunks, CHUNKS);
    assert_int_equal(stats.chunks_in_ring, CHUNKS);
}

static void the_smallest_ring_goes_on(void **state)
{
    struct cab_config config = config_of(CAB_EXHAUSTIVE);

    (void)state;
    config.ring_bytes = 3 * CHUNK_BYTES;
    open_ring(config);
    test.during_wait = consume_all;
    enqueue(100 * CHUNK64);
    cab_close(&test.cursor);
    assert_int_equal(consume(), CAB_CLOSED);
    assert_int_equal(test.consumed, test.enqueued);
}

static void a_drain_waits_for_the_last_event(void **state)
{
    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = consume_all;
    cab_drain(&test.cursor);
    for (unsigned i = 1; i < 3 * CHUNK64; i++) {
        enqueue(i);
        cab_drain(&test.cursor);
        assert_int_equal(test.consumed, test.enqueued);
    }
}

static void enqueue_while_the_consumer_sleeps(void)
{
    enqueue(2 * CHUNK64);
    assert_int_equal(test.wakes, 0);
    enqueue(1);
    assert_int_equal(test.wakes, 1);
}

static void a_sleeping_consumer_is_woken_by_the_second_chunk(void **state)
{
    struct cab_batch batch;

    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = enqueue_while_the_consumer_sleeps;
    assert_true(cab_batch_wait(test.cab, &batch));
    assert_int_equal(batch.count, CHUNK64);
    cab_batch_release(test.cab);
    assert_int_equal(test.waits, 1);
    /* No thread sleeps, so no thread is woken. */
    enqueue(3 * CHUNK64);
    assert_int_equal(test.wakes, 1);
}

static void close_while_the_consumer_sleeps(void)
{
    cab_close(&test.cursor);
}

static void closing_wakes_the_consumer(void **state)
{
    struct cab_batch batch;

    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = close_while_the_consumer_sleeps;
    assert_false(cab_batch_wait(test.cab, &batch));
    assert_int_equal(test.wakes, 1);
}

static void chunk_numbers_may_overflow(void **state)
{
    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = consume_all;
    test.cab->producer_chunk = test.cab->consumer_chunk = UINT32_MAX - 7;
    test.cab->produced = test.cab->consumed = UINT32_MAX - 7;
    /* The state after 2^31 chunks without a flush, except for the effects of chunk_next. */
    test.cab->flush_chunk = UINT32_MAX - 7 - (1u << 30);
    enqueue(2 * CHUNK64);
    consume();
    assert_int_equal(test.consumed, 0);
    for (unsigned i = 0; i < 100; i++)
        enqueue(CHUNK64 - 1);
    cab_drain(&test.cursor);
    assert_int_equal(test.consumed, test.enqueued);
    assert_true(test.cab->producer_chunk < 200);
}

static void old_flushes_are_renewed(void **state)
{
    (void)state;
    open_ring(config_of(CAB_EXHAUSTIVE));
    test.during_wait = consume_all;
    test.cab->producer_chunk = test.cab->consumer_chunk = (1u << 30) + 5;
    test.cab->produced = test.cab->consumed = (1u << 30) + 5;
    enqueue(2 * CHUNK64 + 1);
    assert_int_equal(test.cab->flush_chunk, (1u << 30) + 4);
    consume();
    assert_int_equal(test.consumed, CHUNK64);
}

static void words_of_32_bits_reach_both_sentinels_neighbours(void **state)
{
    struct cab_config config = config_of(CAB_EXHAUSTIVE);
    struct cab_batch batch;

    (void)state;
    config.word_bytes = 4;
    open_ring(config);
    cab_enqueue32(&test.cursor, CAB_CLEAR + 1);
    cab_enqueue32(&test.cursor, CAB_MAGIC32 - 1);
    cab_close(&test.cursor);
    assert_int_equal(cab_batch_try(test.cab, &batch), CAB_READY);
    assert_int_equal(batch.count, 2);
    assert_int_equal(((const uint32_t *)batch.events)[0], 1);
    assert_int_equal(((const uint32_t *)batch.events)[1], 0xfffffffe);
    cab_batch_release(test.cab);
    assert_int_equal(cab_batch_try(test.cab, &batch), CAB_CLOSED);
}

static void memory_of_a_closed_ring_can_be_used_again(void **state)
{
    struct cab_config config = config_of(CAB_EXHAUSTIVE);

    (void)state;
    open_ring(config);
    enqueue(3 * CHUNK64 + 4);
    cab_close(&test.cursor);
    assert_int_equal(consume(), CAB_CLOSED);
    assert_ptr_equal(cab_open(&config, test.cab), test.cab);
    cab_cursor_init(&test.cursor, test.cab);
    assert_int_equal(consume(), CAB_EMPTY);
    enqueue(CHUNK64 + 1);
    cab_close(&test.cursor);
    assert_int_equal(consume(), CAB_CLOSED);
    assert_int_equal(test.consumed, test.enqueued);
}

/* ---------------------------------------------------------------- Sampling */

static void overwrite(unsigned n)
{
    while (n-- > 0)
        cab_overwrite64(&test.cursor, ++test.enqueued);
}

/* Takes all batches; returns the number of events, and adds the gaps to *gaps. */
static unsigned sample(unsigned *gaps)
{
    struct cab_batch batch;
    unsigned seen = 0;

    while (cab_batch_try(test.cab, &batch) == CAB_READY) {
        const uint64_t *events = batch.events;
        *gaps += batch.after_gap;
        assert_true(batch.after_gap ? events[0] > test.consumed + 1
                                    : events[0] == test.consumed + 1);
        for (size_t i = 1; i < batch.count; i++)
            assert_int_equal(events[i], events[0] + i);
        test.consumed = events[batch.count - 1];
        seen += (unsigned)batch.count;
        cab_batch_release(test.cab);
    }
    return seen;
}

static void a_rate_of_one_sees_everything(void **state)
{
    unsigned gaps = 0, seen = 0;

    (void)state;
    open_ring(config_of(CAB_SAMPLING));
    for (unsigned i = 0; i < 50; i++) {
        overwrite(CHUNK64 - 2);
        seen += sample(&gaps);
    }
    cab_close(&test.cursor);
    seen += sample(&gaps);
    assert_int_equal(seen, test.enqueued);
    assert_int_equal(gaps, 0);
}

static void bursts_come_at_the_rate_that_was_asked_for(void **state)
{
    struct cab_config config = config_of(CAB_SAMPLING);
    unsigned gaps = 0, seen = 0;

    (void)state;
    config.burst_words = 8;
    config.stride_words = 160;
    open_ring(config);
    for (unsigned i = 0; i < 10000; i++) {
        overwrite(CHUNK64);
        seen += sample(&gaps);
    }
    /* 5 %: the distances are random, with an average within some per cent of 7500. */
    assert_in_range(seen, 7200, 7800);
    assert_in_range(gaps, 900, 980);
    cab_sampling_set(test.cab, 8, 16);
    seen = 0;
    for (unsigned i = 0; i < 10000; i++) {
        overwrite(CHUNK64);
        seen += sample(&gaps);
    }
    assert_in_range(seen, 72000, 78000);
}

static void overwritten_chunks_are_counted_and_skipped(void **state)
{
    struct cab_stats stats;
    unsigned gaps = 0;

    (void)state;
    open_ring(config_of(CAB_SAMPLING));
    /* Overwrites events of chunk number 20, which begins with the event 20 * CHUNK64 + 1. */
    overwrite(20 * CHUNK64 + 1);
    assert_int_equal(cab_backlog_chunks(test.cab), 20);
    assert_int_equal(sample(&gaps), CHUNK64);
    assert_int_equal(gaps, 1);
    assert_int_equal(test.consumed, 19 * CHUNK64);
    cab_stats_get(test.cab, &stats);
    assert_int_equal(stats.overwritten_chunks, 18);
    assert_int_equal(stats.events, CHUNK64);
}

/* The producer is in the first slot of the next chunk, chunk CHUNKS. Chunk 0 is lost, though most
 * of its words still exist. */
static void a_chunk_is_lost_with_its_first_word(void **state)
{
    struct cab_stats stats;
    unsigned gaps = 0;

    (void)state;
    open_ring(config_of(CAB_SAMPLING));
    overwrite(CHUNKS * CHUNK64);
    cab_flush(&test.cursor);
    assert_int_equal(sample(&gaps), CHUNKS * CHUNK64);
    open_ring(config_of(CAB_SAMPLING));
    overwrite(CHUNKS * CHUNK64 + 1);
    cab_flush(&test.cursor);
    assert_int_equal(sample(&gaps), 2 * CHUNK64 + 1);
    assert_int_equal(gaps, 1);
    cab_stats_get(test.cab, &stats);
    assert_int_equal(stats.overwritten_chunks, 3);
}

/* ---------------------------------------------------------------- Records */

static uintptr_t *begun;

static void chunk_put(uintptr_t value, size_t words)
{
    size_t capacity;

    begun = cab_chunk_begin(test.cab, &capacity);
    assert_int_equal(capacity, (CHUNK_BYTES - CAB_LINE_BYTES) / sizeof(uintptr_t));
    for (size_t i = 0; i < words; i++)
        begun[i] = value;
    cab_chunk_end(test.cab, words);
}

static void chunk_expect(uintptr_t value, size_t words)
{
    const uintptr_t *from, *to;

    assert_int_equal(cab_chunk_try(test.cab, &from, &to), CAB_READY);
    assert_int_equal(to - from, words);
    for (; from < to; from++)
        assert_int_equal(*from, value);
    cab_chunk_release(test.cab);
}

static void chunks_arrive_with_any_values(void **state)
{
    const uintptr_t *from, *to;

    (void)state;
    open_ring(config_of(CAB_RECORDS));
    assert_int_equal(cab_chunk_try(test.cab, &from, &to), CAB_EMPTY);
    for (unsigned i = 0; i < 20; i++) {
        chunk_put(CAB_CLEAR, 8);
        chunk_put(UINTPTR_MAX, 3);
        chunk_expect(CAB_CLEAR, 8);
        chunk_expect(UINTPTR_MAX, 3);
    }
    chunk_put(7, 1);
    cab_chunks_close(test.cab);
    chunk_expect(7, 1);
    assert_int_equal(cab_chunk_try(test.cab, &from, &to), CAB_CLOSED);
}

static void an_empty_chunk_is_not_handed_over(void **state)
{
    const uintptr_t *from, *to;
    uintptr_t *before;

    (void)state;
    open_ring(config_of(CAB_RECORDS));
    chunk_put(1, 0);
    before = begun;
    assert_int_equal(cab_chunk_try(test.cab, &from, &to), CAB_EMPTY);
    chunk_put(2, 1);
    assert_ptr_equal(begun, before);
    chunk_expect(2, 1);
}

static void chunk_consume_one(void)
{
    chunk_expect(5, 2);
}

static void a_producer_of_records_waits_for_a_chunk(void **state)
{
    (void)state;
    open_ring(config_of(CAB_RECORDS));
    test.during_wait = chunk_consume_one;
    for (unsigned i = 0; i < CHUNKS; i++)
        chunk_put(5, 2);
    assert_int_equal(test.waits, 0);
    chunk_put(5, 2);
    assert_int_equal(test.waits, 1);
    assert_int_equal(test.wakes, 1);
    cab_chunks_drain(test.cab);
    assert_int_equal(test.waits, 1 + CHUNKS);
    assert_int_equal(cab_backlog_chunks(test.cab), 0);
    cab_chunks_drain(test.cab);
    assert_int_equal(test.waits, 1 + CHUNKS);
}

static void chunk_put_one(void)
{
    chunk_put(9, 1);
}

static void a_sleeping_consumer_of_records_is_woken(void **state)
{
    const uintptr_t *from, *to;

    (void)state;
    open_ring(config_of(CAB_RECORDS));
    test.during_wait = chunk_put_one;
    assert_true(cab_chunk_wait(test.cab, &from, &to));
    assert_int_equal(*from, 9);
    assert_int_equal(test.wakes, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, close_ring)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_that_break_a_rule_are_refused),
        TEST(the_consumer_stays_two_chunks_behind),
        TEST(a_flush_hands_over_what_is_there),
        TEST(released_slots_are_clear_and_marks_stay),
        TEST(a_producer_waits_for_two_free_chunks),
        TEST(the_smallest_ring_goes_on),
        TEST(a_drain_waits_for_the_last_event),
        TEST(a_sleeping_consumer_is_woken_by_the_second_chunk),
        TEST(closing_wakes_the_consumer),
        TEST(chunk_numbers_may_overflow),
        TEST(old_flushes_are_renewed),
        TEST(words_of_32_bits_reach_both_sentinels_neighbours),
        TEST(memory_of_a_closed_ring_can_be_used_again),
        TEST(a_rate_of_one_sees_everything),
        TEST(bursts_come_at_the_rate_that_was_asked_for),
        TEST(overwritten_chunks_are_counted_and_skipped),
        TEST(a_chunk_is_lost_with_its_first_word),
        TEST(chunks_arrive_with_any_values),
        TEST(an_empty_chunk_is_not_handed_over),
        TEST(a_producer_of_records_waits_for_a_chunk),
        TEST(a_sleeping_consumer_of_records_is_woken),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
