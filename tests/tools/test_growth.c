/* Tests of the growth classes: seeded trials against the theory, odd input, branches.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The theory (docs/growth.md): let d be the root mean square of ln(truth) - ln(rival), for the best
 * fit of the rival. With K points and noise s, the likelihood ratio in favour of the truth is at
 * least K ln(1 + (d/s)^2 - 2 z (d/s) / sqrt(K)). One trial in a hundred is an exception (z = 2.33).
 * If this ratio exceeds the margin for every rival, the class must be named. Otherwise the class
 * must be named, or be among the candidates. misfit_of() finds d by search, without the tested
 * code.
 */
#include "tests/unit/cmocka_all.h"

#include "lib/growth/growth.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIALS   100
#define RIGHT    98
#define POINTS   60
#define NOISE    0.1
#define QUANTILE 2.33
#define ROOM     2000

/* ---------------------------------------------------------------- Noise */

static uint64_t random_state;

/* splitmix64, which gives equal numbers on all machines. */
static double random_uniform(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(void)
{
    double radius = sqrt(-2 * log(random_uniform()));
    return radius * cos(2 * M_PI * random_uniform());
}

static double noise(double sigma)
{
    return exp(sigma * random_normal());
}

/* ---------------------------------------------------------------- Points */

static double n[ROOM], cost[ROOM], calls[ROOM];

static void spread_sizes(double first, double last, size_t count)
{
    for (size_t i = 0; i < count; i++)
        n[i] = first * pow(last / first, (double)i / (double)(count - 1));
}

static void set_costs(enum growth_class class, double a, double b, double sigma, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cost[i] = (a + b * growth_class_value(class, n[i])) * noise(sigma);
}

static void assert_words(const struct growth_fit *fit, const char *expected)
{
    char *words = growth_words(fit);
    assert_string_equal(words, expected);
    free(words);
}

static bool is_candidate(const struct growth_fit *fit, enum growth_class class)
{
    for (size_t i = 0; i < fit->candidate_count; i++) {
        if (fit->candidates[i] == class)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------- Theory */

/* Standard deviation of ln cost - ln (shift + f(n) - f(n[0])) over the points. */
static double misfit_at(enum growth_class rival, double shift, size_t count)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double model = shift + growth_class_value(rival, n[i]) - growth_class_value(rival, n[0]);
        double residual = log(cost[i]) - log(model);
        mean += residual / (double)count;
        square += residual * residual / (double)count;
    }
    return sqrt(fmax(square - mean * mean, 0));
}

/* The deviation of the costs, which have no noise here, from the best a + b f(n). */
static double misfit_of(enum growth_class rival, size_t count)
{
    double best = INFINITY, last = growth_class_value(rival, n[count - 1]);
    for (double exponent = -16; exponent < 16; exponent += 0.01)
        best = fmin(best, misfit_at(rival, last * exp(exponent), count));
    return best;
}

static bool theory_separates(double misfit, size_t count)
{
    double ratio = misfit / NOISE, points = (double)count;
    double gain = ratio * ratio - 2 * QUANTILE * ratio / sqrt(points);
    return gain > 0 && points * log1p(gain) > GROWTH_MARGIN;
}

/* n[] and cost[] hold the curve without noise. */
static bool theory_decides(enum growth_class class, size_t count)
{
    for (int rival = GROWTH_LOG; rival < GROWTH_CLASS_COUNT; rival++) {
        if (rival == (int)class || growth_class_value(rival, n[count - 1]) > 1e300)
            continue;
        if (!theory_separates(misfit_of(rival, count), count))
            return false;
    }
    return true;
}

struct outcomes {
    unsigned named, allowed; /* number of trials that named the class, or allowed it */
};

static struct outcomes run_trials(enum growth_class class, double a, size_t count)
{
    struct outcomes outcomes = {0, 0};
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct growth_fit fit;
        random_state = 1000 * trial + class;
        set_costs(class, a, 7, NOISE, count);
        growth_fit_points(&fit, n, cost, NULL, count);
        outcomes.named += fit.verdict == GROWTH_DECIDED && fit.class == class;
        outcomes.allowed += is_candidate(&fit, class) && fit.verdict != GROWTH_BETWEEN;
    }
    return outcomes;
}

static void try_class(enum growth_class class, double first, double last, double offset)
{
    spread_sizes(first, last, POINTS);
    double a = offset * 7 * growth_class_value(class, first);
    set_costs(class, a, 7, 0, POINTS);
    bool decides = class == GROWTH_CONSTANT || theory_decides(class, POINTS);
    struct outcomes outcomes = run_trials(class, a, POINTS);
    print_message("%-9s %5g..%-6g a = %gf: %-13s named %3u, allowed %3u\n",
                  growth_class_name(class), first, last, offset,
                  decides ? "told apart," : "not told,", outcomes.named, outcomes.allowed);
    assert_in_range(outcomes.allowed, RIGHT, TRIALS);
    if (decides)
        assert_in_range(outcomes.named, RIGHT, TRIALS);
}

static void classes_are_named_where_theory_tells_them_apart(void **state)
{
    (void)state;
    for (double offset = 0; offset <= 1; offset++) {
        for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
            try_class(class, 10, 1000, offset);
            try_class(class, 1000, 100000, offset);
        }
        try_class(GROWTH_EXPONENTIAL, 1, 100, offset);
    }
}

/* Tests the table of the documentation, and that all classes are distinguished from 10 to 1000. */
static void theory_is_as_documented(void **state)
{
    (void)state;
    spread_sizes(10, 1000, 100);
    set_costs(GROWTH_LINEAR, 0, 1, 0, 100);
    assert_true(fabs(misfit_of(GROWTH_LINEARITHMIC, 100) - 0.114) < 0.001);
    set_costs(GROWTH_LINEARITHMIC, 0, 1, 0, 100);
    assert_true(fabs(misfit_of(GROWTH_LINEAR, 100) - 0.147) < 0.001);
    spread_sizes(1000, 100000, 100);
    set_costs(GROWTH_LINEAR, 0, 1, 0, 100);
    assert_true(fabs(misfit_of(GROWTH_LINEARITHMIC, 100) - 0.063) < 0.001);
    spread_sizes(10, 1000, POINTS);
    for (int class = GROWTH_LOG; class < GROWTH_EXPONENTIAL; class ++) {
        set_costs(class, 0, 1, 0, POINTS);
        assert_true(theory_decides(class, POINTS));
    }
}

/* ---------------------------------------------------------------- Fits */

static void exact_costs_give_their_coefficients(void **state)
{
    (void)state;
    struct growth_fit fit;
    for (int class = GROWTH_LOG; class < GROWTH_EXPONENTIAL; class ++) {
        spread_sizes(8, 4096, 30);
        set_costs(class, 50, 3, 0, 30);
        growth_fit_points(&fit, n, cost, NULL, 30);
        assert_words(&fit, growth_class_name(class));
        assert_true(fabs(fit.curves[class].a - 50) < 0.05);
        assert_true(fabs(fit.curves[class].b - 3) < 0.003);
        assert_true(fit.curves[class].r_squared > 0.99999);
        assert_int_equal(fit.pattern, GROWTH_PATTERN_RANDOM);
        double expected = 50 + 3 * growth_class_value(class, 40960);
        assert_true(fabs(growth_predict(&fit, 40960) / expected - 1) < 0.001);
    }
}

static void the_exponent_has_a_true_interval(void **state)
{
    (void)state;
    unsigned inside = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct growth_fit fit;
        random_state = trial;
        spread_sizes(10, 1000, POINTS);
        for (size_t i = 0; i < POINTS; i++)
            cost[i] = 5 * pow(n[i], 1.5) * noise(NOISE);
        growth_fit_points(&fit, n, cost, NULL, POINTS);
        growth_add_power(&fit, n, cost, NULL, POINTS);
        assert_true(fit.power.usable && fit.c_low <= fit.power.c);
        assert_true(fit.power.c <= fit.c_high && fit.c_high < 1.8);
        inside += fit.c_low <= 1.5 && 1.5 <= fit.c_high;
    }
    assert_in_range(inside, 88, 100);
}

static void what_lies_between_two_classes_is_said_to(void **state)
{
    (void)state;
    struct growth_fit fit;
    random_state = 1;
    spread_sizes(10, 1000, 100);
    for (size_t i = 0; i < 100; i++)
        cost[i] = 5 * pow(n[i], 1.75) * noise(0.02);
    growth_fit_points(&fit, n, cost, NULL, 100);
    assert_int_equal(fit.verdict, GROWTH_BETWEEN);
    assert_true(fabs(fit.power.c - 1.75) < 0.02);
    assert_true(fabs(growth_predict(&fit, 10000) / (5 * pow(10000, 1.75)) - 1) < 0.1);
}

/* Insertion sort: for any number of sizes, the lower terms do not prove another class. */
static void lower_order_terms_do_not_mislead(void **state)
{
    (void)state;
    struct growth_fit fit;
    for (size_t count = 50; count <= ROOM; count *= 2) {
        for (size_t i = 0; i < count; i++) {
            n[i] = (double)i + 1;
            cost[i] = n[i] * n[i] / 2 + 2.5 * n[i] + 3;
        }
        growth_fit_points(&fit, n, cost, NULL, count);
        assert_true(is_candidate(&fit, GROWTH_SQUARE));
        assert_int_equal(fit.class, GROWTH_SQUARE);
    }
}

/* The predictions of all candidates. */
static void predict_range(const struct growth_fit *fit, double n, double *low, double *high)
{
    *low = *high = growth_predict(fit, n);
    for (size_t i = 0; fit->verdict == GROWTH_AMBIGUOUS && i < fit->candidate_count; i++) {
        double value = growth_curve_value(&fit->curves[fit->candidates[i]], n);
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

static void neighbouring_errors_are_no_evidence(void **state)
{
    (void)state;
    struct growth_fit fit;
    double low, high;
    spread_sizes(10, 1000, 60);
    for (size_t i = 0; i < 60; i++)
        cost[i] = n[i] * log2(n[i]) + 10 * n[i];
    growth_fit_points(&fit, n, cost, NULL, 60);
    assert_words(&fit, "n or n log n");
    predict_range(&fit, 10000, &low, &high);
    assert_true(low < growth_predict(&fit, 10000) * 1.001 && low < high);
    double truth = 10000 * (log2(10000) + 10);
    assert_true(low < truth && truth < high);
}

static void residuals_say_where_the_curve_fails(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(10, 1000, 60);
    for (size_t i = 0; i < 60; i++)
        cost[i] = pow(n[i], 1.3);
    growth_fit_points(&fit, n, cost, NULL, 60);
    assert_int_equal(fit.class, GROWTH_LINEARITHMIC);
    assert_int_equal(fit.pattern, GROWTH_PATTERN_GROWING);
    assert_true(fit.runs_z < GROWTH_RUNS_Z && fit.tail_t > 2);
    for (size_t i = 0; i < 60; i++)
        cost[i] = n[i] * log2(n[i]) + 3 * n[i];
    growth_fit_points(&fit, n, cost, NULL, 60);
    assert_int_equal(fit.pattern, GROWTH_PATTERN_FALLING);
}

static void calls_weigh_averages(void **state)
{
    (void)state;
    unsigned weighted = 0, plain = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct growth_fit fit;
        random_state = trial;
        spread_sizes(10, 1000, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            calls[i] = i % 2 ? 1000 : 1;
            cost[i] = 5 * n[i] * noise(0.5 / sqrt(calls[i]));
        }
        growth_fit_points(&fit, n, cost, calls, POINTS);
        weighted += fit.verdict == GROWTH_DECIDED && fit.class == GROWTH_LINEAR;
        growth_fit_points(&fit, n, cost, NULL, POINTS);
        plain += fit.verdict == GROWTH_DECIDED && fit.class == GROWTH_LINEAR;
    }
    print_message("averages: right %u weighted, %u not\n", weighted, plain);
    assert_in_range(weighted, 90, 100);
    assert_true(weighted > plain);
}

static void wild_points_do_not_bend_the_curve(void **state)
{
    (void)state;
    unsigned right = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct growth_fit fit;
        random_state = trial;
        spread_sizes(10, 1000, POINTS);
        set_costs(GROWTH_LINEAR, 0, 7, NOISE, POINTS);
        for (size_t i = trial % 12; i < POINTS; i += 12)
            cost[i] *= i % 24 < 12 ? 20 : 0.05;
        growth_fit_points(&fit, n, cost, NULL, POINTS);
        right += fit.verdict == GROWTH_DECIDED && fit.class == GROWTH_LINEAR;
        assert_in_range(fit.outliers, 4, 8);
    }
    assert_in_range(right, 90, TRIALS);
}

static void what_follows_no_curve_has_no_fit(void **state)
{
    (void)state;
    struct growth_fit fit;
    random_state = 5;
    for (size_t i = 0; i < 100; i++) {
        n[i] = 10 + 10 * (double)i;
        cost[i] = pow(10, 1 + 4 * random_uniform());
    }
    growth_fit_points(&fit, n, cost, NULL, 100);
    assert_words(&fit, "no simple curve");
    for (size_t i = 0; i < 25; i++)
        cost[i] = 5 * pow(1.618, n[i] = (double)i + 1);
    growth_fit_points(&fit, n, cost, NULL, 25);
    assert_words(&fit, "no simple curve");
}

static void two_high_costs_are_no_steep_curve(void **state)
{
    (void)state;
    struct growth_fit fit;
    for (size_t i = 0; i < 12; i++) {
        n[i] = 10 + (double)(5 * i);
        cost[i] = i < 10 ? 100 : i < 11 ? 300 : 2000;
    }
    growth_fit_points(&fit, n, cost, NULL, 12);
    assert_true(!growth_is_known(&fit) || is_candidate(&fit, GROWTH_CONSTANT));
}

/* The last points are outliers in one direction, so they count as growth. */
static void a_late_rise_is_not_an_outlier(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(10, 1000, 60);
    for (size_t i = 0; i < 60; i++)
        cost[i] = n[i] < 500 ? 1000 : 1000 + 50 * (n[i] - 500);
    growth_fit_points(&fit, n, cost, NULL, 60);
    assert_true(fit.class > GROWTH_CONSTANT);
    assert_true(growth_predict(&fit, 10000) > 10 * cost[59]);
}

/* ---------------------------------------------------------------- Little to go by */

static void few_sizes_are_not_enough(void **state)
{
    (void)state;
    const double sizes[] = {10, 10, 20, 20, 30, 40, 40, 40}, costs[] = {1, 2, 3, 4, 5, 9, 8, 7};
    struct growth_fit fit;
    for (size_t count = 0; count <= 8; count++) {
        growth_fit_points(&fit, sizes, costs, NULL, count);
        assert_int_equal(fit.verdict, GROWTH_FEW_POINTS);
        assert_words(&fit, "too few sizes");
        assert_int_equal(fit.points, count);
        assert_int_equal(fit.candidate_count, 0);
    }
    assert_int_equal(fit.sizes, 4);
    assert_true(fit.cost_last == 9 && growth_predict(&fit, 1e6) == 9);
    assert_true(fit.n_min == 10 && fit.n_max == 40);
}

static void eight_exact_sizes_are_enough(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(10, 100000, 8);
    set_costs(GROWTH_SQUARE, 3, 2, 0, 8);
    growth_fit_points(&fit, n, cost, NULL, 8);
    assert_words(&fit, "n^2");
}

/* Eight sizes are within one doubling, or all except one are. */
static void sizes_close_together_are_few(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(100, 200, 40);
    set_costs(GROWTH_SQUARE, 0, 2, 0, 40);
    growth_fit_points(&fit, n, cost, NULL, 40);
    assert_words(&fit, "too few sizes");
    for (size_t i = 0; i < 20; i++)
        n[i] = i == 0 ? 3 : 100 + (double)i;
    growth_fit_points(&fit, n, cost, NULL, 20);
    assert_words(&fit, "too few sizes");
}

static void a_narrow_range_is_ambiguous(void **state)
{
    (void)state;
    struct growth_fit fit;
    random_state = 5;
    spread_sizes(100, 500, 30);
    set_costs(GROWTH_LINEAR, 0, 5, 0.3, 30);
    growth_fit_points(&fit, n, cost, NULL, 30);
    assert_int_equal(fit.verdict, GROWTH_AMBIGUOUS);
    assert_true(fit.candidate_count > 3 && is_candidate(&fit, GROWTH_LINEAR));
    assert_words(&fit, "log n ... n^2");
    double low, high;
    predict_range(&fit, 2000, &low, &high);
    assert_true(low < 5 * 2000 && 5 * 2000 < high);
}

static void weak_growth_with_few_points_is_ambiguous(void **state)
{
    (void)state;
    const double sizes[] = {10, 15, 20, 40, 80, 120, 160, 320};
    const double costs[] = {100, 150, 190, 105, 260, 130, 170, 390};
    struct growth_fit fit;
    growth_fit_points(&fit, sizes, costs, NULL, 8);
    assert_int_equal(fit.verdict, GROWTH_AMBIGUOUS);
    assert_true(is_candidate(&fit, GROWTH_CONSTANT) && fit.candidate_count > 1);
}

static void constants_are_constant(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(1, 1e6, 50);
    set_costs(GROWTH_CONSTANT, 0, 42, 0, 50);
    growth_fit_points(&fit, n, cost, NULL, 50);
    assert_words(&fit, "1");
    assert_true(fabs(growth_predict(&fit, 1e7) - 42) < 1e-6);
    assert_false(fit.power.usable);
    for (size_t i = 0; i < 50; i++)
        cost[i] = 1e6 / n[i];
    growth_fit_points(&fit, n, cost, NULL, 50);
    assert_words(&fit, "no simple curve");
    assert_int_equal(fit.pattern, GROWTH_PATTERN_FALLING);
    for (size_t i = 0; i < 50; i++)
        cost[i] = 0;
    growth_fit_points(&fit, n, cost, NULL, 50);
    assert_words(&fit, "1");
}

static void noise_is_not_growth(void **state)
{
    (void)state;
    unsigned grows = 0, doubtful = 0;
    for (unsigned trial = 0; trial < 1000; trial++) {
        struct growth_fit fit;
        size_t count = 5 + trial % 96;
        random_state = trial;
        spread_sizes(10, 1000, count);
        set_costs(GROWTH_CONSTANT, 0, 100, trial % 2 ? 0.5 : 0.02, count);
        growth_fit_points(&fit, n, cost, NULL, count);
        doubtful += fit.verdict == GROWTH_AMBIGUOUS && is_candidate(&fit, GROWTH_CONSTANT);
        grows += growth_is_known(&fit) && !is_candidate(&fit, GROWTH_CONSTANT);
    }
    print_message("noise: %u of 1000 growing, %u doubtful\n", grows, doubtful);
    assert_in_range(grows, 0, 20);
    assert_in_range(doubtful, 0, 50);
}

/* ---------------------------------------------------------------- Odd input */

static void sizes_0_and_1_are_sizes(void **state)
{
    (void)state;
    struct growth_fit fit;
    for (int class = GROWTH_LOG; class < GROWTH_EXPONENTIAL; class ++) {
        for (size_t i = 0; i < 200; i++) {
            n[i] = (double)i;
            cost[i] = 10 + 3 * growth_class_value(class, n[i]);
        }
        growth_fit_some(&fit, n, cost, NULL, 200, GROWTH_SIZES_MIN);
        assert_words(&fit, growth_class_name(class));
        assert_true(fit.n_min == 0 && fit.sizes == 200);
        assert_true(isfinite(growth_predict(&fit, 0)));
    }
}

static void order_and_repetition_do_not_matter(void **state)
{
    (void)state;
    struct growth_fit fit, shuffled;
    random_state = 3;
    spread_sizes(10, 1000, POINTS);
    set_costs(GROWTH_LINEARITHMIC, 0, 7, NOISE, POINTS);
    growth_fit_points(&fit, n, cost, NULL, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        size_t from = i * 37 % POINTS;
        n[POINTS + i] = n[from];
        cost[POINTS + i] = cost[from];
    }
    growth_fit_points(&shuffled, n + POINTS, cost + POINTS, NULL, POINTS);
    assert_memory_equal(&fit, &shuffled, sizeof fit);
    growth_fit_points(&shuffled, n, cost, NULL, 2 * POINTS);
    assert_int_equal(shuffled.sizes, POINTS);
    assert_int_equal(shuffled.points, 2 * POINTS);
    assert_words(&shuffled, "n log n");
}

static void huge_values_are_values(void **state)
{
    (void)state;
    struct growth_fit fit;
    spread_sizes(1e15, 1e18, 40);
    set_costs(GROWTH_LINEAR, 0, 1, 0, 40);
    growth_fit_points(&fit, n, cost, NULL, 40);
    assert_words(&fit, "n");
    assert_true(fabs(growth_predict(&fit, 1e19) / 1e19 - 1) < 0.01);
    spread_sizes(10, 1000, 40);
    for (size_t i = 0; i < 40; i++)
        cost[i] = 1e18 + 1e15 * n[i];
    growth_fit_points(&fit, n, cost, NULL, 40);
    assert_words(&fit, "n");
}

static void many_points_are_joined(void **state)
{
    (void)state;
    struct growth_fit fit;
    random_state = 9;
    for (size_t i = 0; i < ROOM; i++) {
        n[i] = (double)i;
        cost[i] = (5 + 3 * n[i]) * noise(NOISE);
    }
    growth_fit_points(&fit, n, cost, NULL, ROOM);
    assert_words(&fit, "n");
    assert_true(fit.points == fit.sizes && fit.n_max == ROOM - 1);
    assert_true(fit.n_min == ceil((ROOM - 1) / 100.0) && fit.points == ROOM - fit.n_min);
}

/* The first sizes are cheaper than the curve of the large ones by a constant. The curve cannot have
 * this constant, because it would be negative at size 1. */
static void small_sizes_do_not_decide(void **state)
{
    (void)state;
    struct growth_fit fit;
    random_state = 11;
    spread_sizes(10, 100000, 80);
    for (size_t i = 0; i < 80; i++)
        cost[i] = n[i] < 300 ? n[i] / 3 : 3 * n[i] * log2(n[i]) * noise(NOISE);
    growth_fit_points(&fit, n, cost, NULL, 80);
    assert_words(&fit, "n log n");
    assert_true(fit.n_min >= 1000);
}

static void assert_finite(const struct growth_fit *fit)
{
    double low, high;
    for (int class = 0; class < GROWTH_CLASS_COUNT; class ++) {
        const struct growth_curve *c = &fit->curves[class];
        assert_true(isfinite(c->a) && isfinite(c->b) && isfinite(c->rms) && isfinite(c->aicc));
        assert_true(c->r_squared >= 0 && c->r_squared <= 1 && c->b >= 0);
    }
    const struct growth_curve *p = &fit->power;
    assert_true(isfinite(p->a) && isfinite(p->b) && isfinite(p->rms) && isfinite(p->aicc));
    assert_true(p->r_squared >= 0 && p->r_squared <= 1);
    assert_true(fit->c_low <= p->c && p->c <= fit->c_high && isfinite(fit->c_high));
    assert_true(isfinite(fit->runs_z) && isfinite(fit->tail_t) && isfinite(fit->cost_last));
    assert_true(isfinite(fit->n_min) && isfinite(fit->n_max));
    for (double at = 0; at < 1e300; at = at * 1e9 + 1) {
        predict_range(fit, at, &low, &high);
        assert_true(0 <= low && low <= high && high <= DBL_MAX);
    }
}

static double odd_number(void)
{
    static const double odd[] = {
        0,     0,       1,       1,   2,        3,         -1, 1e18, 1.8446744073709552e19,
        1e300, DBL_MAX, DBL_MIN, NAN, INFINITY, -INFINITY, 0.3};
    size_t count = sizeof odd / sizeof odd[0];
    double u = random_uniform() * 4 * (double)count;
    return u < (double)count ? odd[(size_t)u] : floor(pow(10, 18 * random_uniform()));
}

static void nothing_is_ever_nan(void **state)
{
    (void)state;
    static unsigned char labels[ROOM];
    for (unsigned trial = 0; trial < 1000; trial++) {
        struct growth_fit fit;
        struct growth_branches branches;
        random_state = trial;
        size_t count = trial % 60;
        for (size_t i = 0; i < count; i++) {
            n[i] = odd_number();
            cost[i] = odd_number();
            calls[i] = odd_number();
        }
        growth_fit_points(&fit, n, cost, trial % 2 ? calls : NULL, count);
        assert_finite(&fit);
        assert_int_equal(fit.points + fit.ignored, count);
        growth_find_branches(&branches, n, cost, trial % 2 ? calls : NULL, count, labels);
        assert_true(branches.count >= 1 && isfinite(branches.separation));
        for (size_t i = 0; i < branches.count; i++)
            assert_finite(&branches.branch[i].fit);
    }
}

static void patterns_have_names(void **state)
{
    (void)state;
    assert_string_equal(growth_pattern_name(GROWTH_PATTERN_GROWING), "growing");
}

/* ---------------------------------------------------------------- Branches */

static void hits_and_misses_are_fitted_apart(void **state)
{
    (void)state;
    unsigned found = 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct growth_branches branches;
        unsigned char labels[80], wrong = 0;
        bool miss[80];
        random_state = trial;
        spread_sizes(10, 10000, 80);
        for (size_t i = 0; i < 80; i++) {
            miss[i] = random_uniform() < 0.4;
            cost[i] = (miss[i] ? 500 + 20 * n[i] : 60) * noise(NOISE);
        }
        growth_find_branches(&branches, n, cost, NULL, 80, labels);
        if (branches.count != 2)
            continue;
        for (size_t i = 0; i < 80; i++)
            wrong += labels[i] != miss[i];
        found += wrong == 0 && branches.branch[0].fit.class == GROWTH_CONSTANT &&
                 branches.branch[1].fit.class == GROWTH_LINEAR;
    }
    print_message("branches: %u of %u\n", found, TRIALS);
    assert_in_range(found, 95, TRIALS);
}

static void best_and_worst_of_each_size_are_branches(void **state)
{
    (void)state;
    struct growth_branches branches;
    random_state = 2;
    for (size_t i = 0; i < 80; i += 2) {
        n[i] = n[i + 1] = floor(10 * pow(100, (double)i / 78));
        cost[i] = 30 * log2(n[i]) * noise(0.02);
        cost[i + 1] = n[i] * n[i] * noise(0.02);
    }
    growth_find_branches(&branches, n, cost, NULL, 80, NULL);
    assert_int_equal(branches.count, 2);
    assert_words(&branches.branch[0].fit, "log n");
    assert_words(&branches.branch[1].fit, "n^2");
    assert_int_equal(branches.branch[0].points + branches.branch[1].points, 80);
}

static void three_branches_are_three(void **state)
{
    (void)state;
    struct growth_branches branches;
    const double factors[] = {1, 8, 64};
    random_state = 4;
    spread_sizes(10, 1000, 120);
    for (size_t i = 0; i < 120; i++)
        cost[i] = 9 * n[i] * factors[(size_t)(3 * random_uniform())] * noise(NOISE);
    growth_find_branches(&branches, n, cost, NULL, 120, NULL);
    assert_int_equal(branches.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(branches.branch[i].fit.class, GROWTH_LINEAR);
}

static void one_curve_has_no_branches(void **state)
{
    (void)state;
    struct growth_branches branches;
    unsigned found = 0;
    for (unsigned trial = 0; trial < 500; trial++) {
        random_state = trial;
        size_t count = 10 + trial % 90;
        spread_sizes(10, 1000, count);
        for (size_t i = 0; i < count; i++)
            cost[i] = 9 * n[i] * (trial % 2 ? noise(0.5) : exp(3 * random_uniform()));
        growth_find_branches(&branches, n, cost, NULL, count, NULL);
        found += branches.count > 1;
    }
    print_message("false branches: %u of 500\n", found);
    assert_in_range(found, 0, 5);
    for (size_t i = 0; i < 60; i++)
        cost[i] = pow(1.6, n[i] = (double)i);
    growth_find_branches(&branches, n, cost, NULL, 60, NULL);
    assert_int_equal(branches.count, 1);
}

/* A cache that is too small above some size: two ranges, not two branches. */
static void a_threshold_is_no_branch(void **state)
{
    (void)state;
    struct growth_branches branches;
    random_state = 6;
    spread_sizes(10, 1000, 80);
    for (size_t i = 0; i < 80; i++)
        cost[i] = n[i] * (n[i] < 100 ? 1 : 10) * noise(NOISE);
    growth_find_branches(&branches, n, cost, NULL, 80, NULL);
    assert_int_equal(branches.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_named_where_theory_tells_them_apart),
        cmocka_unit_test(theory_is_as_documented),
        cmocka_unit_test(exact_costs_give_their_coefficients),
        cmocka_unit_test(the_exponent_has_a_true_interval),
        cmocka_unit_test(what_lies_between_two_classes_is_said_to),
        cmocka_unit_test(lower_order_terms_do_not_mislead),
        cmocka_unit_test(neighbouring_errors_are_no_evidence),
        cmocka_unit_test(residuals_say_where_the_curve_fails),
        cmocka_unit_test(calls_weigh_averages),
        cmocka_unit_test(wild_points_do_not_bend_the_curve),
        cmocka_unit_test(what_follows_no_curve_has_no_fit),
        cmocka_unit_test(two_high_costs_are_no_steep_curve),
        cmocka_unit_test(a_late_rise_is_not_an_outlier),
        cmocka_unit_test(few_sizes_are_not_enough),
        cmocka_unit_test(eight_exact_sizes_are_enough),
        cmocka_unit_test(sizes_close_together_are_few),
        cmocka_unit_test(a_narrow_range_is_ambiguous),
        cmocka_unit_test(weak_growth_with_few_points_is_ambiguous),
        cmocka_unit_test(constants_are_constant),
        cmocka_unit_test(noise_is_not_growth),
        cmocka_unit_test(sizes_0_and_1_are_sizes),
        cmocka_unit_test(order_and_repetition_do_not_matter),
        cmocka_unit_test(huge_values_are_values),
        cmocka_unit_test(many_points_are_joined),
        cmocka_unit_test(small_sizes_do_not_decide),
        cmocka_unit_test(nothing_is_ever_nan),
        cmocka_unit_test(patterns_have_names),
        cmocka_unit_test(hits_and_misses_are_fitted_apart),
        cmocka_unit_test(best_and_worst_of_each_size_are_branches),
        cmocka_unit_test(three_branches_are_three),
        cmocka_unit_test(one_curve_has_no_branches),
        cmocka_unit_test(a_threshold_is_no_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
