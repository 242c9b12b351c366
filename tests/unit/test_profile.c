/* Unit tests of the tables of points and of 128-bit sums.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "points/profile.h"
#include "tests/host_test.h"

static int nothing_is_left(void **state)
{
    (void)state;
    return host_test_report_live() != 0;
}

/* ---------------------------------------------------------------- 128-bit sums */

static uint64_t interesting(unsigned i)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x1ffffffff,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xfffffffffffffffe,
                                     0xffffffffffffffff};
    const unsigned n = sizeof(edges) / sizeof(edges[0]);
    if (i < n)
        return edges[i];
    return ((uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand()) >> (i % 64);
}

static void squares_are_those_of_int128(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t root = interesting(i);
        struct wide sum = {0, 0};
        wide_add_square(&sum, root);
        assert_true(u128_of(sum) == (u128)root * root);
    }
}

static void sums_are_those_of_int128_until_they_saturate(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        struct wide a = {interesting(rand() % 40), interesting(rand() % 40)};
        struct wide b = {interesting(rand() % 40), interesting(rand() % 40)};
        u128 expected = u128_of(a) + u128_of(b);
        if (expected < u128_of(a))
            expected = ~(u128)0;
        struct wide c = a;
        wide_add(&a, b);
        assert_true(u128_of(a) == expected);
        wide_add(&c, (struct wide){b.low, 0});
        a = c;
        wide_add_word(&a, b.low);
        wide_add(&c, (struct wide){b.low, 0});
        assert_true(u128_of(a) == u128_of(c));
    }
}

static void a_saturated_sum_stays_so(void **state)
{
    (void)state;
    struct wide sum = {~(uint64_t)0, ~(uint64_t)0};
    wide_add(&sum, (struct wide){0, 0});
    assert_true(u128_of(sum) == ~(u128)0);
    wide_add(&sum, (struct wide){1, 0});
    assert_true(u128_of(sum) == ~(u128)0);
    wide_add_word(&sum, 1);
    assert_true(u128_of(sum) == ~(u128)0);
    wide_add_square(&sum, 12345);
    assert_true(u128_of(sum) == ~(u128)0);
}

static void two_of_the_largest_squares_saturate(void **state)
{
    (void)state;
    struct wide sum = {0, 0};
    wide_add_square(&sum, ~(uint64_t)0);
    assert_true(u128_of(sum) == (u128) ~(uint64_t)0 * ~(uint64_t)0);
    wide_add_square(&sum, ~(uint64_t)0);
    assert_true(u128_of(sum) == ~(u128)0);
}

/* ---------------------------------------------------------------- points */

static struct measurement measured(uint64_t trms, uint64_t rms, uint64_t cost, uint64_t self)
{
    return (struct measurement){.input = {[METRIC_TRMS] = trms, [METRIC_RMS] = rms},
                                .cost = cost,
                                .self = self,
                                .induced_thread = 1,
                                .induced_external = 2};
}

static void a_point_sums_what_it_got(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 3};
    struct routine_profile *p = profile_get(&profile, &routine);
    struct measurement a = measured(10, 4, 7, 2), b = measured(10, 5, 3, 1);
    profile_add(p, &a, BOTH_METRICS);
    profile_add(p, &b, BOTH_METRICS);

    assert_int_equal(p->calls, 2);
    assert_int_equal(p->cost_self, 3);
    assert_int_equal(p->table[METRIC_TRMS].n_points, 1);
    assert_int_equal(p->table[METRIC_RMS].n_points, 2);
    const struct point *point = point_table_get(&p->table[METRIC_TRMS], 10);
    assert_int_equal(point->calls, 2);
    assert_true(u128_of(point->cost_sum) == 10);
    assert_true(u128_of(point->cost_squares) == 58);
    assert_int_equal(point->cost_min, 3);
    assert_int_equal(point->cost_max, 7);
    assert_int_equal(point->self_sum, 3);
    assert_int_equal(point->induced_thread, 2);
    assert_int_equal(point->induced_external, 4);
    profile_free(&profile);
}

static void only_the_metrics_asked_for_are_kept(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 0};
    struct routine_profile *p = profile_get(&profile, &routine);
    struct measurement m = measured(1, 2, 3, 3);
    profile_add(p, &m, 1u << METRIC_RMS);
    assert_int_equal(p->table[METRIC_TRMS].n_points, 0);
    assert_int_equal(p->table[METRIC_RMS].n_points, 1);
    profile_free(&profile);
}

static const struct point_table *by(const struct routine_profile *p, enum metric metric)
{
    return profile_table(p, metric, BOTH_METRICS);
}

/* One table represents both metrics until an activation has different values. */
static void the_metrics_part_when_they_differ(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 0};
    struct routine_profile *p = profile_get(&profile, &routine);
    for (uint64_t i = 0; i < 100; i++) {
        struct measurement same = measured(i, i, i, 1);
        profile_add(p, &same, BOTH_METRICS);
    }
    assert_ptr_equal(by(p, METRIC_TRMS), by(p, METRIC_RMS));
    struct measurement differs = measured(1000, 7, 3, 1);
    profile_add(p, &differs, BOTH_METRICS);
    assert_int_equal(by(p, METRIC_TRMS)->n_points, 101);
    assert_int_equal(by(p, METRIC_RMS)->n_points, 100);
    assert_int_equal(by(p, METRIC_RMS)->points[7].input, 7);
    assert_int_equal(by(p, METRIC_RMS)->points[7].calls, 2);
    assert_int_equal(by(p, METRIC_RMS)->points[7].cost_min, 3);
    assert_int_equal(by(p, METRIC_TRMS)->points[7].calls, 1);
    assert_int_equal(by(p, METRIC_RMS)->points[99].calls, 1);
    profile_free(&profile);
}

/* If either of the two profiles has separate tables, the sum has separate tables. */
static void moving_joins_parted_and_common_tables(void **state)
{
    (void)state;
    struct routine routine = {.id = 0};
    for (int parted = 0; parted < 4; parted++) {
        struct profile from = {0}, to = {0};
        struct measurement same = measured(5, 5, 1, 1), differs = measured(9, 5, 1, 1);
        profile_add(profile_get(&from, &routine), &same, BOTH_METRICS);
        profile_add(profile_get(&to, &routine), &same, BOTH_METRICS);
        if (parted & 1)
            profile_add(profile_get(&from, &routine), &differs, BOTH_METRICS);
        if (parted & 2)
            profile_add(profile_get(&to, &routine), &differs, BOTH_METRICS);
        profile_move(&to, &from);
        const struct routine_profile *sum = profile_get(&to, &routine);
        unsigned n_parted = (parted & 1) + (parted >> 1);
        assert_int_equal(by(sum, METRIC_TRMS)->n_points, parted ? 2 : 1);
        assert_int_equal(by(sum, METRIC_TRMS)->points[0].calls, 2);
        assert_int_equal(by(sum, METRIC_RMS)->n_points, 1);
        assert_int_equal(by(sum, METRIC_RMS)->points[0].calls, 2 + n_parted);
        profile_add(profile_get(&from, &routine), &same, BOTH_METRICS);
        assert_int_equal(by(profile_get(&from, &routine), METRIC_RMS)->points[0].calls, 1);
        profile_free(&from);
        profile_free(&to);
    }
}

/* The sum of costs exceeds 64 bits and must not wrap. */
static void the_sum_of_large_costs_does_not_wrap(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 0};
    struct routine_profile *p = profile_get(&profile, &routine);
    struct measurement m = measured(1, 1, ~(uint64_t)0, 1);
    for (int i = 0; i < 3; i++)
        profile_add(p, &m, BOTH_METRICS);
    const struct point *point = point_table_get(&p->table[METRIC_TRMS], 1);
    assert_true(u128_of(point->cost_sum) == (u128) ~(uint64_t)0 * 3);
    assert_true(u128_of(point->cost_squares) == ~(u128)0);
    profile_free(&profile);
}

static void induced_counts_saturate(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 0};
    struct routine_profile *p = profile_get(&profile, &routine);
    struct measurement m = measured(1, 1, 1, 1);
    m.induced_thread = m.induced_external = ~(uint64_t)0 - 1;
    profile_add(p, &m, BOTH_METRICS);
    profile_add(p, &m, BOTH_METRICS);
    const struct point *point = point_table_get(&p->table[METRIC_TRMS], 1);
    assert_true(point->induced_thread == ~(uint64_t)0);
    assert_true(point->induced_external == ~(uint64_t)0);
    profile_free(&profile);
}

/* Finds points through every growth of the table, from the tiny array to the hash index. */
static void many_points_are_found_again(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 0};
    struct routine_profile *p = profile_get(&profile, &routine);
    for (uint64_t pass = 1; pass <= 2; pass++) {
        for (uint64_t i = 0; i < 5000; i++) {
            struct measurement m = measured(i * i * 64, i, i, i);
            profile_add(p, &m, BOTH_METRICS);
        }
    }
    assert_int_equal(p->table[METRIC_TRMS].n_points, 5000);
    for (uint64_t i = 0; i < 5000; i++) {
        const struct point *point = point_table_get(&p->table[METRIC_TRMS], i * i * 64);
        assert_int_equal(point->calls, 2);
        assert_int_equal(point->cost_max, i);
    }
    assert_int_equal(point_table_get(&p->table[METRIC_TRMS], 3)->calls, 0);
    profile_free(&profile);
}

/* ---------------------------------------------------------------- profiles */

struct seen {
    uint32_t ids[8];
    int n;
};

static void note(void *context, struct routine_profile *p)
{
    struct seen *seen = context;
    seen->ids[seen->n++] = p->routine->id;
}

static void routines_come_in_order_of_id(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routines[] = {
        {.id = 100000}, {.id = 0}, {.id = PROFILE_BLOCK}, {.id = PROFILE_BLOCK - 1}};
    for (int i = 0; i < 4; i++)
        assert_ptr_equal(profile_get(&profile, &routines[i]), profile_get(&profile, &routines[i]));
    struct seen seen = {{0}, 0};
    profile_each(&profile, note, &seen);
    assert_int_equal(seen.n, 4);
    assert_int_equal(seen.ids[0], 0);
    assert_int_equal(seen.ids[1], PROFILE_BLOCK - 1);
    assert_int_equal(seen.ids[2], PROFILE_BLOCK);
    assert_int_equal(seen.ids[3], 100000);
    profile_free(&profile);
}

static void moving_adds_and_leaves_pending_counts(void **state)
{
    (void)state;
    struct profile from = {0}, to = {0};
    struct routine routine = {.id = 1};
    struct measurement cheap = measured(8, 8, 2, 1), dear = measured(8, 8, 9, 1),
                       other = measured(9, 9, 1, 1);
    profile_add(profile_get(&to, &routine), &cheap, BOTH_METRICS);
    struct routine_profile *p = profile_get(&from, &routine);
    profile_add(p, &dear, BOTH_METRICS);
    profile_add(p, &other, BOTH_METRICS);
    p->cost_total = 12;
    p->pending = 3;

    profile_move(&to, &from);
    assert_int_equal(p->pending, 3);
    assert_int_equal(p->calls, 0);
    assert_int_equal(p->cost_total, 0);
    assert_int_equal(p->table[METRIC_TRMS].n_points, 0);
    struct routine_profile *sum = profile_get(&to, &routine);
    assert_int_equal(sum->calls, 3);
    assert_int_equal(sum->pending, 0);
    assert_int_equal(sum->cost_total, 12);
    const struct point *point = point_table_get(&sum->table[METRIC_TRMS], 8);
    assert_int_equal(point->calls, 2);
    assert_int_equal(point->cost_min, 2);
    assert_int_equal(point->cost_max, 9);
    assert_true(u128_of(point->cost_squares) == 85);
    profile_free(&from);
    profile_free(&to);
}

static void clearing_forgets_points_but_not_routines(void **state)
{
    (void)state;
    struct profile profile = {0};
    struct routine routine = {.id = 1};
    struct routine_profile *p = profile_get(&profile, &routine);
    struct measurement m = measured(1, 1, 1, 1);
    profile_add(p, &m, BOTH_METRICS);
    p->pending = 2;
    profile_clear(&profile);
    assert_ptr_equal(profile_get(&profile, &routine), p);
    assert_int_equal(p->calls, 0);
    assert_int_equal(p->pending, 2);
    assert_int_equal(host_test_live_bytes("aprof.profile.points"), 0);
    profile_free(&profile);
}

#define TEST(function) cmocka_unit_test_teardown(function, nothing_is_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(squares_are_those_of_int128),
        TEST(sums_are_those_of_int128_until_they_saturate),
        TEST(a_saturated_sum_stays_so),
        TEST(two_of_the_largest_squares_saturate),
        TEST(a_point_sums_what_it_got),
        TEST(only_the_metrics_asked_for_are_kept),
        TEST(the_metrics_part_when_they_differ),
        TEST(moving_joins_parted_and_common_tables),
        TEST(the_sum_of_large_costs_does_not_wrap),
        TEST(induced_counts_saturate),
        TEST(many_points_are_found_again),
        TEST(routines_come_in_order_of_id),
        TEST(moving_adds_and_leaves_pending_counts),
        TEST(clearing_forgets_points_but_not_routines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
