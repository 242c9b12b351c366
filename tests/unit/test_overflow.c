/* Unit tests of the renumbering of timestamps (Figure 13 of paper 003).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each test sets timestamps by hand, renumbers once, and checks single timestamps. The bottom of
 * the execution context has time 1 and rank 1; the activations have times 10 and 20, ranks 2 and 3.
 * Rank q gets the times 3q to 3q + 2: 3 to 5, 6 to 8 and 9 to 11. The counter continues at 12.
 */
#include "tests/unit/cmocka_all.h"

#include "tests/unit/feed.h"
#include "tests/host_test.h"

enum { CELL = 100, NOW = 30 };

static uint32_t *accessed(struct engine *e, struct exec_context *ctx)
{
    return &shadow_make(&ctx->accessed, &e->pool, 0)[CELL];
}

static uint32_t *written(struct engine *e)
{
    return &memory_written_chunk(e, 0)[CELL];
}

static struct routine routines[2] = {{.id = 0}, {.id = 1}};

/* Two pending activations, at the times 10 and 20. */
static int setup(void **state)
{
    static struct feed feed;
    feed_new(&feed);
    struct engine *e = feed.engine;
    trms_call(e, e->ctx, &routines[0], 0x8000);
    trms_call(e, e->ctx, &routines[1], 0x7000);
    e->ctx->stamps[1] = 10 << 1;
    e->ctx->stamps[2] = 20 << 1;
    e->now = NOW << 1;
    *state = &feed;
    return 0;
}

static int teardown(void **state)
{
    feed_delete(*state);
    return host_test_report_live() != 0;
}

static void activations_get_three_times_their_rank(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    overflow_renumber(e);
    assert_int_equal(e->ctx->stamps[0], 3 << 1);
    assert_int_equal(e->ctx->stamps[1], 6 << 1);
    assert_int_equal(e->ctx->stamps[2], 9 << 1);
    assert_int_equal(e->now, 12 << 1);
    assert_int_equal(e->stats.renumberings, 1);
}

struct sample {
    uint32_t accessed, written;         /* times, 0 = never */
    uint32_t new_accessed, new_written; /* times */
};

static void check(struct engine *e, const struct sample *s)
{
    *accessed(e, e->ctx) = s->accessed << 1;
    *written(e) = s->written << 1;
    e->ctx->stamps[1] = 10 << 1;
    e->ctx->stamps[2] = 20 << 1;
    e->now = NOW << 1;
    overflow_renumber(e);
    assert_int_equal(*accessed(e, e->ctx), s->new_accessed << 1);
    assert_int_equal(*written(e), s->new_written << 1);
}

static void cells_keep_their_place_among_activations(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    static const struct
        sample
            samples
                [] =
                    {
                        {0, 0, 0, 0},  /* never accessed stays so */
                        {5, 0, 3, 0},  /* before every activation, but not never */
                        {10, 0, 6, 0}, /* the time of a call belongs to the callee */
                        {19, 0, 6, 0},    {20, 0, 9, 0},  {25, 0, 9, 0},
                        {0, 25, 0, 10},   {0, 5, 0, 4},   {0, 10, 0, 7},
                        {15, 15, 7, 7}, /* equal timestamps stay equal: written by the execution
                                         * context
                                                           itself */
                        {14, 15, 6, 7}, /* written after the access: induced */
                        {16, 15, 8, 7}, /* accessed after the write: not induced */
                        {10, 15, 6, 7},   {10, 10, 7, 7}, {19, 10, 8, 7},
                        {9, 15, 3, 7}, /* in different gaps */
                        {25, 15, 9, 7},   {20, 19, 9, 7}, {19, 20, 6, 10},
                        {29, 29, 10, 10},
                    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
        check(e, &samples[i]);
}

static void bits_of_stamps_stay_with_them(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    *accessed(e, e->ctx) = 15 << 1 | STAMP_BIT;
    *written(e) = 12 << 1 | STAMP_BIT;
    overflow_renumber(e);
    assert_int_equal(*accessed(e, e->ctx), 8 << 1 | STAMP_BIT);
    assert_int_equal(*written(e), 7 << 1 | STAMP_BIT);
}

/* The ranks include all execution contexts: an activation of another context is in between. */
static void activations_of_all_threads_count(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    struct exec_context *first = e->ctx;
    FEED((struct feed *)*state, EVENT_THREAD_START, 2, 0x200000, 0x300000);
    FEED((struct feed *)*state, EVENT_THREAD_SWITCH, 2);
    trms_call(e, e->ctx, &routines[0], 0x208000);
    e->ctx->stamps[1] = 15 << 1;
    e->now = NOW << 1;
    *accessed(e, first) = 12 << 1;
    *accessed(e, e->ctx) = 17 << 1;
    *written(e) = 16 << 1;
    overflow_renumber(e);
    assert_int_equal(first->stamps[1], 6 << 1);
    assert_int_equal(e->ctx->stamps[1], 9 << 1);
    assert_int_equal(first->stamps[2], 12 << 1);
    assert_int_equal(*accessed(e, first), 6 << 1);
    assert_int_equal(*accessed(e, e->ctx), 11 << 1);
    assert_int_equal(*written(e), 10 << 1);
    assert_int_equal(e->now, 15 << 1);
}

/* If there are more pending activations than values of the counter, the counter is widened as long
 * as necessary. */
static void a_counter_too_narrow_for_the_stack_is_widened(void **state)
{
    (void)state;
    struct feed narrow;
    struct engine_config config = feed_config;
    config.counter_bits = 4;
    feed_new_with(&narrow, &config);
    struct engine *e = narrow.engine;
    for (aprof_word i = 0; i < 1000; i++)
        trms_call(e, e->ctx, &routines[i % 2], 0xf0000 - 16 * i);
    for (size_t i = 1; i <= e->ctx->top; i++)
        assert_true(e->ctx->stamps[i - 1] < e->ctx->stamps[i]);
    assert_true(e->ctx->stamps[1000] <= e->now);
    assert_true(e->stats.renumberings > 10);
    while (e->ctx->top)
        trms_return(e, e->ctx);
    for (int i = 0; i < 50; i++)
        trms_tick(e);
    assert_true(e->now < 16 << 1);
    feed_delete(&narrow);
}

/* Only existing chunks are visited, so one chunk at each end of the address space takes no time. */
static void far_apart_chunks_cost_nothing(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    shadow_make(&e->ctx->accessed, &e->pool, (ADDRESS_MASK >> 2) >> CHUNK_CELLS_LOG2)[7] = 15 << 1;
    for (int i = 0; i < 200; i++)
        overflow_renumber(e);
    assert_int_equal(shadow_find(&e->ctx->accessed, (ADDRESS_MASK >> 2) >> CHUNK_CELLS_LOG2)[7],
                     6 << 1);
}

/* A mapping's timestamp is renumbered, too, although no cell of the mapping was touched yet. */
static void stamps_of_file_mappings_are_renumbered(void **state)
{
    struct engine *e = ((struct feed *)*state)->engine;
    memory_map_file(e, 0x10000000, 4096);
    assert_int_equal(e->files[0].stamp, (NOW + 1) << 1 | STAMP_BIT);
    overflow_renumber(e);
    assert_int_equal(e->files[0].stamp, 10 << 1 | STAMP_BIT);
}

/* Zeroing restarts all times, including the time of the bottom; otherwise a new activation could
 * have the bottom's time. */
static void the_bottom_is_oldest_after_zeroing(void **state)
{
    struct feed *feed = *state;
    struct engine *e = feed->engine;
    overflow_renumber(e);
    FEED(feed, EVENT_ZERO);
    assert_int_equal(e->ctx->stamps[0], BOTTOM_STAMP);
    assert_true(e->ctx->stamps[0] < e->ctx->stamps[1]);
    overflow_renumber(e);
    assert_int_equal(e->ctx->stamps[0], 3 << 1);
    assert_int_equal(e->ctx->stamps[1], 6 << 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(activations_get_three_times_their_rank),
        TEST(cells_keep_their_place_among_activations),
        TEST(bits_of_stamps_stay_with_them),
        TEST(activations_of_all_threads_count),
        cmocka_unit_test(a_counter_too_narrow_for_the_stack_is_widened),
        TEST(far_apart_chunks_cost_nothing),
        TEST(stamps_of_file_mappings_are_renumbered),
        TEST(the_bottom_is_oldest_after_zeroing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
