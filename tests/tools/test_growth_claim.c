/* Tests of growth claims: known curves with ten seeds and noises, and forbidden claims.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "lib/growth/growth_claim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define SEEDS 10
#define ROOM  400

static uint64_t random_state;
static double n[ROOM], cost[ROOM];

/* splitmix64, which gives equal numbers on all machines. */
static double random_uniform(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double noise(double sigma)
{
    double radius = sqrt(-2 * log(random_uniform()));
    return exp(sigma * radius * cos(2 * M_PI * random_uniform()));
}

static void spread(double first, double last, size_t count, double (*truth)(double), double sigma)
{
    for (size_t i = 0; i < count; i++) {
        n[i] = floor(first * pow(last / first, (double)i / (double)(count - 1)));
        cost[i] = truth(n[i]) * noise(sigma);
    }
}

static struct growth_claim claim_of(size_t count)
{
    struct growth_claim claim;
    growth_claim_make(&claim, n, cost, NULL, count, NULL);
    return claim;
}

static void assert_words(const struct growth_claim *claim, const char *expected)
{
    char *words = growth_claim_words(claim);
    assert_string_equal(words, expected);
    free(words);
}

static double square_and_less(double x)
{
    return x * x / 2 + 60 * x;
}

static double linear_minus(double x)
{
    return 20 * (x - 600);
}

static double square_minus(double x)
{
    return 1.5 * (x - 600) * (x - 600) + 20 * (x - 600);
}

static double linear_plus(double x)
{
    return 7 * x + 900;
}

static double sorting(double x)
{
    return 3 * x * log2(x);
}

static double square(double x)
{
    return x * x / 4 + 3;
}

static double cube(double x)
{
    return x * x * x / 6 + x * x / 2;
}

static double power_1_8(double x)
{
    return 4 * pow(x, 1.8);
}

/* A part of the input that every call reads (600 cells) and lower-order terms do not mislead. */
static void known_truths_are_claimed(void **state)
{
    (void)state;
    static const struct {
        double (*truth)(double);
        double first, last, sigma_most;
        const char *words;
    } known[] = {
        {square_and_less, 10, 2000, 0.01, "n^2"},
        {linear_minus, 700, 30000, 0.01, "n"},
        {linear_plus, 10, 20000, 0.05, "n"},
        {sorting, 10, 20000, 0.02, "n log n"},
        {square_minus, 650, 30000, 0.01, "n^2"},
        {square, 10, 2000, 0.05, "n^2"},
        {cube, 10, 1000, 0.01, "n^3"},
    };
    static const double sigmas[] = {0, 0.002, 0.005, 0.01, 0.02, 0.05};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        for (size_t s = 0; s < 6 && sigmas[s] <= known[k].sigma_most; s++) {
            for (unsigned seed = 0; seed < SEEDS; seed++) {
                random_state = seed * 100 + k;
                spread(known[k].first, known[k].last, 60, known[k].truth, sigmas[s]);
                struct growth_claim claim = claim_of(60);
                double truth = known[k].truth(10 * claim.n_max) / known[k].truth(claim.n_max);
                assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
                assert_words(&claim, known[k].words);
                assert_true(claim.times_low <= truth && truth <= claim.times_high);
            }
        }
    }
}

/* Sizes 10, 20 ... 210: five sizes below a quarter of the largest are enough for a curve without
 * noise. */
static void few_sizes_without_noise_are_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < 21; i++) {
        n[i] = 10 * (double)(i + 1);
        cost[i] = square(n[i]);
    }
    struct growth_claim claim = claim_of(21);
    assert_words(&claim, "n^2");
    random_state = 3;
    for (size_t i = 0; i < 21; i++)
        cost[i] = square(n[i]) * noise(0.08);
    claim = claim_of(21);
    assert_false(growth_is_claimed(&claim));
}

/* n^1.8 is not one of the classes. A class that predicts within 10 % may be claimed, but n may
 * not. */
static void what_lies_between_is_not_claimed_as_n(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        random_state = seed;
        spread(10, 5000, 60, power_1_8, 0.01);
        struct growth_claim claim = claim_of(60);
        assert_true(!growth_is_claimed(&claim) || claim.first > GROWTH_LINEARITHMIC);
    }
}

/* Two large activations after a gap, which are not on the curve of the small ones. */
static void far_points_carry_no_curve(void **state)
{
    (void)state;
    random_state = 3;
    spread(1, 90, 40, linear_plus, 0.3);
    n[40] = 4590;
    n[41] = 4700;
    cost[40] = cost[41] = 2e6;
    struct growth_claim claim = claim_of(42);
    assert_int_equal(claim.far, 2);
    assert_true(claim.gap > 50 && claim.n_max < 91);
    assert_false(growth_is_claimed(&claim));
    char *reason = growth_claim_reason(&claim);
    assert_non_null(strstr(reason, "2 sizes beyond a gap of 51 x"));
    free(reason);
}

static void far_points_that_were_predicted_are_evidence(void **state)
{
    (void)state;
    random_state = 4;
    spread(4, 90, 40, square, 0);
    n[40] = 4590;
    cost[40] = square(4590);
    struct growth_claim claim = claim_of(41);
    assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
    assert_words(&claim, "n^2");
    assert_true(claim.n_max == 4590);
}

/* The costs of a recursive walk over a document, as measured. All calls for children are small; the
 * calls for the root and its three descendants read 20 times as much. The larger runs of this
 * program cost 7 n to 96 n, so n^2 is wrong. */
static void far_points_do_not_make_growth_steep(void **state)
{
    (void)state;
    static const double measured[][2] = {
        {10, 24},     {17, 34},         {29, 63},         {34, 80},         {1576, 7108},
        {1577, 7108}, {1579, 7114},     {1600, 7215},     {1607, 7251},     {1609, 7248},
        {1610, 7247}, {31864, 2896865}, {31883, 2896921}, {31888, 2896938}, {31893, 2896952}};
    size_t count = sizeof measured / sizeof *measured;
    for (size_t i = 0; i < count; i++) {
        n[i] = measured[i][0];
        cost[i] = measured[i][1];
    }
    struct growth_claim claim = claim_of(count);
    assert_false(growth_is_claimed(&claim));
    assert_true(claim.times == 0);
}

static void sizes_too_close_are_described_only(void **state)
{
    (void)state;
    random_state = 6;
    spread(400, 1900, 11, square, 0.01);
    struct growth_claim claim = claim_of(11);
    assert_words(&claim, "too few sizes");
    char *reason = growth_claim_reason(&claim);
    assert_non_null(strstr(reason, "looks like n^2 between 400 and 1"));
    assert_non_null(strstr(reason, "not validated: the sizes are too close"));
    free(reason);
    assert_true(claim.times == 0);
}

/* The upper half of 53 exact costs is predicted to the last digit; n log n would miss by 0.5 %. */
static void twice_the_range_is_enough_without_noise(void **state)
{
    (void)state;
    static const struct {
        double (*truth)(double);
        const char *words;
    } known[] = {{linear_plus, "n"}, {sorting, "n log n"}, {square, "n^2"}};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < 53; i++) {
            n[i] = 40 + (double)i;
            cost[i] = floor(100 * known[k].truth(n[i]));
        }
        struct growth_claim claim = claim_of(53);
        assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
        assert_words(&claim, known[k].words);
    }
}

static void many_sizes_over_a_short_range_are_too_close(void **state)
{
    (void)state;
    for (size_t i = 0; i < 54; i++) {
        n[i] = 1000 + 15 * (double)i;
        cost[i] = 3 * n[i];
    }
    struct growth_claim claim = claim_of(54);
    char *reason = growth_claim_reason(&claim);
    assert_string_equal(reason, "54 input sizes, from 1000 to 1795, are too close together");
    free(reason);
}

/* The number of blocks that strlen_avx2 executes for a string of x cells: single vectors up to 40
 * cells, and then a loop that reads 32 cells in each step. */
static double blocks_of_strlen(double x)
{
    return x <= 40 ? 3 + floor((x - 1) / 8) : 8 + floor((x + 24) / 32);
}

static void short_calls_of_another_path_do_not_bend_growth(void **state)
{
    (void)state;
    for (size_t i = 0; i < 390; i++) {
        n[i] = 8 + floor(1.6 * (double)i);
        cost[i] = blocks_of_strlen(n[i]);
    }
    struct growth_claim claim = claim_of(390);
    assert_words(&claim, "n");
    double later = 10 * claim.n_max,
           truth = blocks_of_strlen(later) / blocks_of_strlen(claim.n_max);
    assert_true(claim.times_low <= truth && truth <= claim.times_high);
    assert_true(claim.small > 0);
}

static void two_groups_of_sizes_carry_a_claim(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        random_state = seed;
        for (size_t i = 0; i < 40; i++) {
            n[i] = i < 20 ? 10 + 2 * (double)i : 250 + 10 * (double)i;
            cost[i] = square(n[i]) * noise(0.03);
        }
        struct growth_claim claim = claim_of(40);
        assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
        assert_words(&claim, "n^2");
    }
}

/* The largest call took another path. The curve of the other calls remains, and the explanation
 * names this call. */
static void one_more_point_takes_no_claim_away(void **state)
{
    (void)state;
    for (double factor = 1.1; factor < 20; factor *= 1.3) {
        random_state = 5;
        spread(10, 400, 40, sorting, 0.01);
        n[40] = floor(400 * factor);
        cost[40] = 2.5 * sorting(n[40]);
        struct growth_claim claim = claim_of(41);
        assert_words(&claim, "n log n");
        assert_true(claim.far == 1 && claim.n_max < 401);
        assert_true(claim.far_times > 2.3 && claim.far_times < 2.7 && claim.times == 0);
        char *reason = growth_claim_reason(&claim);
        assert_non_null(strstr(reason, "1 larger size costs 2.5"));
        free(reason);
    }
}

static double linear_after_small_ones(double x)
{
    return x < 150 ? x * x : 7 * x;
}

/* Small calls may behave differently, such as a sort that inserts below some size. */
static void what_small_sizes_do_does_not_hide_growth(void **state)
{
    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        random_state = (uint64_t)seed;
        spread(10, 20000, 80, linear_after_small_ones, 0.02);
        struct growth_claim claim = claim_of(80);
        assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
        assert_words(&claim, "n");
        assert_true(claim.n_min >= 200 && claim.sizes + claim.small == 80);
        char *reason = growth_claim_reason(&claim);
        assert_non_null(strstr(reason, "left out"));
        free(reason);
    }
}

/* Each call of an interpreted function also reads 190 cells of the interpreter's data; the first
 * call reads 40 cells less. A list element has 9 cells. */
static void set_interpreted(double exponent)
{
    for (size_t i = 0; i < 40; i++) {
        double elements = 6 * ((double)i + 1);
        n[i] = 190 + 9 * elements - (i == 0 ? 40 : 0);
        cost[i] = floor(72 * pow(elements, exponent) + 0.5);
    }
}

static void what_the_first_call_reads_does_not_hide_a_square(void **state)
{
    (void)state;
    set_interpreted(2);
    struct growth_claim claim = claim_of(40);
    assert_int_equal(claim.basis, GROWTH_BASIS_VALIDATED);
    assert_words(&claim, "n^2");
    assert_true(fabs(claim.terms.b * 81 / 72 - 1) < 0.05);
    static const double others[] = {1.5, 1.6, 2.4, 3};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        set_interpreted(others[i]);
        claim = claim_of(40);
        assert_true(!growth_is_claimed(&claim) || claim.first != GROWTH_SQUARE ||
                    claim.last != GROWTH_SQUARE);
    }
}

/* memcpy copies by one instruction from some size on: n^3 with a factor of 1e-20 is no growth. */
static void what_hardly_rises_is_constant(void **state)
{
    (void)state;
    static const double large[] = {2055, 4103, 8199, 9761, 9763, 16391, 32775};
    size_t count = 40;
    for (size_t i = 0; i < count; i++) {
        n[i] = (double)(i < 30 ? 3 * i : 100 * (i - 29));
        cost[i] = floor(7 + n[i] / 32);
    }
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        n[count] = large[i];
        cost[count++] = 8;
    }
    struct growth_claim claim = claim_of(count);
    assert_words(&claim, "1");
    assert_true(claim.times == 1);
}

/* Without validation, no growth steeper than about n log n is claimed, even with little scatter. */
static void untested_claims_stay_near_n(void **state)
{
    (void)state;
    spread(400, 1900, 20, linear_plus, 0.01);
    struct growth_claim claim = claim_of(20);
    if (growth_is_claimed(&claim))
        assert_true(claim.times_high < 20);
    spread(400, 1900, 20, square, 0.01);
    claim = claim_of(20);
    assert_false(growth_is_claimed(&claim));
}

static void what_depends_on_more_than_n_is_a_cloud(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        random_state = seed;
        spread(10, 5000, 80, linear_plus, 0);
        for (size_t i = 0; i < 80; i++)
            cost[i] *= pow(10, random_uniform());
        struct growth_claim claim = claim_of(80);
        assert_words(&claim, "scattered");
    }
}

/* Costs that scatter by 2 to both sides of a power have no class, but the power is found. */
static void what_is_scattered_has_a_trend(void **state)
{
    (void)state;
    size_t within = 0, known = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        random_state = seed;
        double exponent = 0.5 + random_uniform() * 1.5;
        for (size_t i = 0; i < 300; i++) {
            n[i] = floor(10 * pow(500, (double)i / 299)) + (double)i;
            cost[i] = 50 * pow(n[i], exponent) * exp2(2 * random_uniform() - 1);
        }
        struct growth_claim claim = claim_of(300);
        const struct growth_trend *t = &claim.trend;
        assert_false(growth_is_claimed(&claim));
        known += t->is_known;
        within += t->is_known && t->low <= exponent && exponent <= t->high;
        assert_in_range((int)(100 * t->within), 150, 210);
        for (size_t i = 0; i < 300; i++)
            assert_true(cost[i] <= t->most * pow(n[i], t->exponent) * 1.0001);
    }
    assert_in_range(known, 96, 100);
    assert_in_range(within, known * 9 / 10, known);
}

/* Two regimes within the range have no common exponent. A claim needs no additional trend. */
static void what_bends_has_no_trend(void **state)
{
    (void)state;
    for (size_t i = 0; i < 300; i++) {
        n[i] = floor(10 * pow(500, (double)i / 299)) + (double)i;
        cost[i] = (n[i] < 300 ? 1000 : pow(n[i], 3)) * (i % 2 ? 2 : 1);
    }
    struct growth_claim claim = claim_of(300);
    assert_false(growth_is_claimed(&claim) || claim.trend.is_known);
    for (size_t i = 0; i < 300; i++)
        cost[i] = 7 * n[i];
    claim = claim_of(300);
    assert_true(growth_is_claimed(&claim) && !claim.trend.is_known);
    claim = claim_of(3);
    assert_false(growth_is_claimed(&claim) || claim.trend.is_known);
}

static void nothing_is_ever_nan(void **state)
{
    (void)state;
    static const double odd[] = {0,     0,       1,   2,        3,   -1, 1e18,
                                 1e300, DBL_MAX, NAN, INFINITY, 0.3, 7,  50};
    for (unsigned trial = 0; trial < 3000; trial++) {
        random_state = trial;
        size_t count = trial % 50;
        for (size_t i = 0; i < count; i++) {
            double u = random_uniform() * 40;
            n[i] = u < 14 ? odd[(size_t)u] : floor(pow(10, 6 * random_uniform()));
            u = random_uniform() * 40;
            cost[i] = u < 14 ? odd[(size_t)u] : floor(pow(10, 9 * random_uniform()));
        }
        struct growth_claim claim = claim_of(count);
        char *words = growth_claim_words(&claim), *reason = growth_claim_reason(&claim);
        char *formula = growth_terms_words(&claim.terms, claim.n_max);
        assert_true(isfinite(claim.times) && isfinite(claim.times_low) && isfinite(claim.cost));
        assert_true(isfinite(claim.times_high) && !isnan(claim.error) && isfinite(claim.scatter));
        assert_true(claim.times_low <= claim.times_high);
        free(words);
        free(reason);
        free(formula);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_truths_are_claimed),
        cmocka_unit_test(few_sizes_without_noise_are_enough),
        cmocka_unit_test(what_lies_between_is_not_claimed_as_n),
        cmocka_unit_test(far_points_carry_no_curve),
        cmocka_unit_test(far_points_that_were_predicted_are_evidence),
        cmocka_unit_test(far_points_do_not_make_growth_steep),
        cmocka_unit_test(sizes_too_close_are_described_only),
        cmocka_unit_test(twice_the_range_is_enough_without_noise),
        cmocka_unit_test(many_sizes_over_a_short_range_are_too_close),
        cmocka_unit_test(short_calls_of_another_path_do_not_bend_growth),
        cmocka_unit_test(two_groups_of_sizes_carry_a_claim),
        cmocka_unit_test(one_more_point_takes_no_claim_away),
        cmocka_unit_test(what_small_sizes_do_does_not_hide_growth),
        cmocka_unit_test(what_the_first_call_reads_does_not_hide_a_square),
        cmocka_unit_test(what_hardly_rises_is_constant),
        cmocka_unit_test(untested_claims_stay_near_n),
        cmocka_unit_test(what_depends_on_more_than_n_is_a_cloud),
        cmocka_unit_test(what_is_scattered_has_a_trend),
        cmocka_unit_test(what_bends_has_no_trend),
        cmocka_unit_test(nothing_is_ever_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
