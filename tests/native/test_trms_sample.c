/* Sampling decisions of routines: their number, even spread, and repetition for the same seed.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "native/trms/calls/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALLS 262144 /* TRMS_SAMPLE_FIRST times a power of 4 */
#define KINDS 12

/* Updates the sampling state of a routine like compiled code; returns the call's weight, 0 if it is
 * not recorded. */
static uint32_t call(struct trms_sampling *sampling, uint32_t rate, struct trms_chance *chance)
{
    if (sampling->left) {
        sampling->left--;
        return 0;
    }
    return trms_sampling_decide(sampling, rate, chance);
}

/* The expected number of recorded calls: 48 / rate up to the 64th call, then twice as many up to
 * the 256th call, and so on. */
static double expected(uint32_t rate)
{
    double recorded = 0, piece = 3.0 * TRMS_SAMPLE_FIRST / rate;
    for (uint64_t calls = TRMS_SAMPLE_FIRST; calls < CALLS; calls *= 4, piece *= 2)
        recorded += piece;
    return recorded;
}

static void recorded_as_often_as_said(void **state)
{
    (void)state;
    for (uint32_t rate = 2; rate <= 64; rate *= 2) {
        double sum = 0;
        const int seeds = 64;
        for (int seed = 0; seed < seeds; seed++) {
            struct trms_sampling sampling = {0};
            struct trms_chance chance = trms_chance((uint64_t)seed, 1);
            for (int i = 0; i < CALLS; i++)
                sum += call(&sampling, rate, &chance) > 0;
            assert_true(sampling.calls + sampling.gap - sampling.left == CALLS);
        }
        assert_true(fabs(sum / seeds / expected(rate) - 1) < 0.05);
    }
}

static void none_of_the_first_calls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct trms_sampling sampling = {0};
        struct trms_chance chance = trms_chance(seed, 7);
        for (int i = 0; i < TRMS_SAMPLE_FIRST; i++)
            assert_false(call(&sampling, 2, &chance));
    }
}

/* If calls alternate between kinds, each kind gets its share, for any period. */
static void no_pattern_of_calls_falls_in_with_turns(void **state)
{
    (void)state;
    for (int kinds = 2; kinds <= KINDS; kinds++) {
        double of_kind[KINDS] = {0}, sum = 0;
        for (uint64_t seed = 0; seed < 64; seed++) {
            struct trms_sampling sampling = {0};
            struct trms_chance chance = trms_chance(seed, 1);
            for (int i = 0; i < CALLS; i++) {
                bool recorded = call(&sampling, 8, &chance);
                of_kind[i % kinds] += recorded;
                sum += recorded;
            }
        }
        for (int kind = 0; kind < kinds; kind++)
            assert_true(fabs(of_kind[kind] * kinds / sum - 1) < 0.06);
    }
}

/* After the first calls, each call counts once on average, in every stage. */
static void weights_are_one_over_the_probability(void **state)
{
    (void)state;
    enum { SEEDS = 4096, PARTS = 32, EACH = 4096 / PARTS };
    double sum[PARTS] = {0}, known = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trms_sampling sampling = {0};
        struct trms_chance chance = trms_chance(seed, 1);
        for (int i = 0; i < PARTS * EACH; i++)
            sum[i / EACH] += call(&sampling, 24, &chance);
        known += (double)trms_sampling_known(&sampling);
    }
    sum[0] *= EACH / (EACH - (double)TRMS_SAMPLE_FIRST);
    for (int part = 0; part < PARTS; part++)
        assert_true(fabs(sum[part] / SEEDS / EACH - 1) < 0.06);
    assert_true(fabs(known / SEEDS / (PARTS * EACH) - 1) < 0.01);
}

/* The weights of a stratum add up to its number of calls, also if the last stratum is
 * shorter. */
static void strata_are_whole(void **state)
{
    (void)state;
    struct trms_sampling sampling = {0};
    struct trms_chance chance = trms_chance(3, 1);
    uint64_t sum = 0;
    for (int i = 1; i <= 4096; i++) {
        sum += call(&sampling, 100, &chance);
        if (i == 64 || i == 256 || i == 1024 || i == 4096)
            assert_int_equal(sum, i - TRMS_SAMPLE_FIRST);
    }
}

/* The rate depends on what was recorded before, as with a budget; each call still counts once. */
static void weights_are_right_when_the_rate_changes(void **state)
{
    (void)state;
    enum { SEEDS = 8192, PARTS = 16, EACH = 1024, ROUTINES = 2, RATES = 6 };
    static const uint32_t rates[RATES] = {2, 300, 8, 64, 2048, 24};
    double sum[ROUTINES][PARTS] = {{0}}, known = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trms_sampling sampling[ROUTINES] = {{0}, {0}};
        struct trms_chance chance = trms_chance(seed, 1);
        uint32_t recorded = 0;
        for (int i = 0; i < PARTS * EACH; i++) {
            for (int k = 0; k < ROUTINES; k++) {
                uint32_t weight = call(&sampling[k], rates[recorded % RATES], &chance);
                sum[k][i / EACH] += weight;
                recorded += weight > 0;
            }
        }
        known += (double)trms_sampling_known(&sampling[0]);
    }
    for (int k = 0; k < ROUTINES; k++) {
        sum[k][0] *= EACH / (EACH - (double)TRMS_SAMPLE_FIRST);
        for (int part = 0; part < PARTS; part++)
            assert_true(fabs(sum[k][part] / SEEDS / EACH - 1) < 0.06);
    }
    assert_true(fabs(known / SEEDS / (PARTS * EACH) - 1) < 0.02);
}

static void the_same_seed_and_thread_takes_the_same(void **state)
{
    (void)state;
    int differ = 0;
    struct trms_sampling a = {0}, b = {0}, c = {0}, d = {0};
    struct trms_chance first = trms_chance(5, 1), again = trms_chance(5, 1);
    struct trms_chance other_seed = trms_chance(6, 1), other_thread = trms_chance(5, 2);
    for (int i = 0; i < CALLS; i++) {
        uint32_t recorded = call(&a, 8, &first);
        assert_int_equal(recorded, call(&b, 8, &again));
        differ |= (recorded != call(&c, 8, &other_seed)) | (recorded != call(&d, 8, &other_thread))
                                                               << 1;
    }
    assert_int_equal(differ, 3);
}

/* A chain of routines: each calls the next one once, and the last one calls a leaf twice. All have
 * their share in each stage. If a call of a chain is recorded, nearly all its calls are. */
static void a_chain_is_recorded_together(void **state)
{
    (void)state;
    enum { CHAIN = 4, CALLED = 64, SEEDS = 4096 };
    double share[CHAIN + 1] = {0}, touched = 0, both = 0;
    const double expected_share = 48.0 / 8;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trms_sampling chain[CHAIN] = {0}, leaf = {0};
        struct trms_chance chance = trms_chance(seed, 1);
        for (int i = 0; i < CALLED; i++) {
            int recorded = 0;
            for (int k = 0; k < CHAIN; k++) {
                bool is_recorded = call(&chain[k], 8, &chance);
                share[k] += is_recorded;
                recorded += is_recorded;
            }
            touched += recorded > 0;
            bool one = call(&leaf, 8, &chance), other = call(&leaf, 8, &chance);
            share[CHAIN] += i < CALLED / 2 ? one + other : 0;
            both += i < CALLED / 2 && one && other;
        }
    }
    for (int k = 0; k <= CHAIN; k++)
        assert_true(fabs(share[k] / SEEDS / expected_share - 1) < 0.05);
    assert_true(fabs(touched / SEEDS / expected_share - 1) < 0.05);
    assert_true(fabs(both / SEEDS / (24.0 / 64) - 1) < 0.1);
}

/* Each of the first calls is sampled with an equal probability, independent of its neighbours. */
static void calls_of_a_routine_are_decided_independently(void **state)
{
    (void)state;
    enum { SEEDS = 65536, BYTES_PER_CHECK = 8 };
    double of_call[BYTES_PER_CHECK] = {0}, pairs = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct trms_sampling sampling = {0}, other = {0};
        struct trms_chance chance = trms_chance(seed, 1);
        bool before = false;
        for (int i = 0; i < TRMS_SAMPLE_FIRST + BYTES_PER_CHECK; i++) {
            bool recorded = call(&sampling, 4, &chance);
            if (i % 3 == 0)
                call(&other, 4, &chance);
            if (i < TRMS_SAMPLE_FIRST)
                continue;
            of_call[i - TRMS_SAMPLE_FIRST] += recorded;
            pairs += recorded && before;
            before = recorded;
        }
    }
    for (int i = 0; i < BYTES_PER_CHECK; i++)
        assert_true(fabs(of_call[i] * 4 / SEEDS - 1) < 0.04);
    assert_true(fabs(pairs * 16 / SEEDS / (BYTES_PER_CHECK - 1) - 1) < 0.04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_as_often_as_said),
        cmocka_unit_test(none_of_the_first_calls),
        cmocka_unit_test(no_pattern_of_calls_falls_in_with_turns),
        cmocka_unit_test(weights_are_one_over_the_probability),
        cmocka_unit_test(weights_are_right_when_the_rate_changes),
        cmocka_unit_test(strata_are_whole),
        cmocka_unit_test(a_chain_is_recorded_together),
        cmocka_unit_test(calls_of_a_routine_are_decided_independently),
        cmocka_unit_test(the_same_seed_and_thread_takes_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
