/* Tests of predictions from several runs: known curves, thresholds, odd numbers, axes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "lib/growth/scale.h"
#include "lib/growth/scale_posterior.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double sizes[] = {1000, 2000, 4000};

static struct scale_outlook extrapolate(double (*cost)(double))
{
    struct scale_outlook outlook;
    double costs[3];
    for (size_t i = 0; i < 3; i++)
        costs[i] = cost(sizes[i]);
    scale_extrapolate(&outlook, sizes, costs, 3);
    return outlook;
}

static double with_start_up(double n)
{
    return 50000 + 3 * n;
}

static double square(double n)
{
    return n * n / 8 + 500;
}

static double with_less(double n)
{
    return 20 * (n - 600);
}

static double cube(double n)
{
    return n * n * n / 64 + 1e6;
}

static double fourth_power(double n)
{
    return n * n * n * n / 64;
}

static double constant(double n)
{
    return n > 0 ? 777 : 0;
}

static double linearithmic(double n)
{
    return n * log2(n);
}

static double saturating(double n)
{
    return 1e6 * (1 - 8 / sqrt(n));
}

static void assert_near(double value, double truth, double factor)
{
    assert_true(value <= truth * factor && value >= truth / factor);
}

static void curves_with_an_offset_are_foretold(void **state)
{
    (void)state;
    assert_near(extrapolate(with_start_up).later, with_start_up(40000), 1.001);
    assert_near(extrapolate(square).later, square(40000), 1.001);
    assert_near(extrapolate(with_less).later, with_less(40000), 1.001);
    assert_near(extrapolate(constant).later, 777, 1.001);
    assert_near(extrapolate(linearithmic).later, linearithmic(40000), 1.05);
    assert_near(extrapolate(saturating).later, saturating(40000), 1.001);
}

/* The growth from the smallest to the middle run equals the growth to the largest run: a law, not a
 * threshold. */
static void steady_growth_is_foretold_however_steep(void **state)
{
    (void)state;
    double (*const laws[])(double) = {cube, fourth_power};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        struct scale_outlook o = extrapolate(laws[i]);
        assert_false(o.begun);
        assert_near(o.later, laws[i](40000), 1.05);
    }
}

/* For three close sizes, any growth looks steady. */
static void steep_growth_between_close_sizes_is_no_law(void **state)
{
    (void)state;
    const double sizes[] = {1000, 1100, 1200};
    double costs[3];
    struct scale_outlook o;
    for (size_t i = 0; i < 3; i++)
        costs[i] = 1e6 * exp(sizes[i] / 400);
    scale_extrapolate(&o, sizes, costs, 3);
    assert_false(o.steady);
    assert_near(o.later, 100 * costs[2], 1.001);
}

static void what_is_checked_has_a_narrow_interval(void **state)
{
    (void)state;
    struct scale_outlook o;
    const double proportional[] = {10000, 20010, 40100}, wild[] = {100, 5000, 5100};
    scale_extrapolate(&o, sizes, proportional, 3);
    assert_true(o.is_known && o.error < 0.02 && o.high < 1.11 * o.low);
    o = extrapolate(linearithmic);
    assert_true(o.error < 0.02 && o.low < linearithmic(40000) && linearithmic(40000) < o.high);
    assert_true(o.is_known && o.high > 3 * o.low);
    scale_extrapolate(&o, sizes, wild, 3);
    assert_true(!o.is_known && o.error > 1 && o.high > 4 * o.low);
}

static void two_runs_check_nothing(void **state)
{
    (void)state;
    struct scale_outlook o;
    const double costs[] = {1000, 4000};
    scale_extrapolate(&o, sizes, costs, 2);
    assert_true(isinf(o.error) && fabs(o.exponent - 2) < 1e-9);
    assert_near(o.later, 400000, 1.001);
    assert_true(o.high > 4 * o.low);
}

/* A cost that grew faster than x^3 in the last step has just begun, whatever it was before. */
static void what_the_last_run_begins_is_told(void **state)
{
    (void)state;
    struct scale_outlook o;
    const double once[] = {0, 0, 500}, late[] = {20, 30, 2600}, cubic[] = {100, 800, 6400};
    scale_extrapolate(&o, sizes, once, 3);
    assert_true(o.begun);
    assert_near(o.later, 50000, 1.001);
    scale_extrapolate(&o, sizes, late, 3);
    assert_true(o.begun);
    scale_extrapolate(&o, sizes, cubic, 3);
    assert_false(o.begun);
}

/* Costs that appear in the last run, vanish, or fall. */
static void odd_costs_have_finite_answers(void **state)
{
    (void)state;
    static const double odd[][3] = {{0, 0, 0}, {0, 0, 5}, {0, 5, 0},      {5, 0, 0},
                                    {9, 5, 1}, {5, 1, 9}, {1, 1e9, 1e18}, {1, 1, DBL_MAX}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct scale_outlook o;
        scale_extrapolate(&o, sizes, odd[i], 3);
        assert_true(isfinite(o.later) && isfinite(o.exponent));
        assert_true(0 <= o.low && o.low <= o.later && o.later <= o.high && isfinite(o.high));
    }
}

/* ---------------------------------------------------------------- Beliefs */

static const double many[] = {1e6, 2e6, 4e6};

static double estimate_in(double (*cost)(double))
{
    const double costs[] = {cost(sizes[0]), cost(sizes[1]), cost(sizes[2])};
    return scale_posterior_predict(sizes, costs, many, 10);
}

static double proportional(double n)
{
    return 12 * n;
}

static void exact_costs_are_believed(void **state)
{
    (void)state;
    assert_near(estimate_in(proportional), proportional(40000), 1.01);
    assert_near(estimate_in(with_start_up), with_start_up(40000), 1.05);
    assert_near(estimate_in(square), square(40000), 1.1);
    assert_near(estimate_in(constant), 777, 1.05);
    assert_near(estimate_in(linearithmic), linearithmic(40000), 1.1);
    assert_near(estimate_in(saturating), saturating(40000), 1.1);
}

/* The largest run costs some percent too much, because a table is nearly full. The exact curve
 * treats this as a law. */
static void a_wobble_is_half_a_law(void **state)
{
    (void)state;
    const double wobble[] = {10000, 20000, 43000};
    struct scale_outlook curve;
    scale_extrapolate(&curve, sizes, wobble, 3);
    double estimate = scale_posterior_predict(sizes, wobble, many, 10);
    assert_true(estimate > 430000 && estimate < 0.95 * curve.later);
}

/* Blocks of an input, rounded up: with 2, 3 and 5 blocks, no value is exact to a percent. */
static void few_calls_are_noise(void **state)
{
    (void)state;
    const double blocks[] = {282000, 524000, 1121000}, few[] = {2, 3, 5};
    double rounded = scale_posterior_predict(sizes, blocks, few, 10);
    double exact = scale_posterior_predict(sizes, blocks, many, 10);
    assert_near(rounded, 12000000, 1.15);
    assert_true(rounded < exact);
}

/* The units of cost and size have no effect. */
static void an_estimate_has_no_units(void **state)
{
    (void)state;
    const double costs[] = {1300, 2900, 7000}, dear[] = {1.3e12, 2.9e12, 7e12}, small[] = {1, 2, 4};
    double estimate = scale_posterior_predict(sizes, costs, many, 10);
    assert_near(scale_posterior_predict(small, dear, many, 10), 1e9 * estimate, 1.0001);
}

/* ---------------------------------------------------------------- Reports */

struct work {
    const char *symbol;
    uint64_t cost, calls, input, external;
};

static struct report make_report(const struct work *work, size_t count, uint64_t external)
{
    struct report r = {.path = memory_copy_string("run"), .cost_unit = "bb"};
    r.has_metric[METRIC_TRMS] = true;
    r.resolution_bytes = 4;
    r.totals.induced_external = external;
    vector_push(&r.objects, "app");
    for (size_t i = 0; i < count; i++) {
        struct report_routine routine = {
            .symbol = work[i].symbol, .name = memory_copy_string(work[i].symbol), .file = ""};
        struct report_profile profile = {.routine = (uint32_t)i,
                                         .calls = work[i].calls,
                                         .cost_self = work[i].cost,
                                         .cost_total = work[i].cost,
                                         .first = {r.points[METRIC_TRMS].count, 0},
                                         .count = {1, 0}};
        struct report_point point = {.input = work[i].input,
                                     .calls = work[i].calls,
                                     .cost_sum = work[i].cost,
                                     .induced_external = work[i].external};
        vector_push(&r.routines, routine);
        vector_push(&r.profiles, profile);
        vector_push(&r.points[METRIC_TRMS], point);
    }
    return r;
}

/* Each append walks a list; all other work is linear, and routines and runs are in other orders. */
static void a_walk_rises_and_the_rest_does_not(void **state)
{
    (void)state;
    struct report runs[3];
    const struct report *reports[3];
    struct scale scale;
    struct failure why;
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = (uint64_t)sizes[2 - i];
        const struct work work[] = {{"append", n * n / 500, n, n / 2, 0},
                                    {"parse", 40 * n, n, 7, 0},
                                    {"start", 90000, 1, 100, 0}};
        runs[i] = make_report(work, 3, 100 + n);
        reports[i] = &runs[i];
    }
    assert_true(scale_make(&scale, reports, NULL, 3, METRIC_TRMS, true, &why));
    assert_int_equal(scale.list.count, 3);
    assert_true(scale.size[0] == 1100 && scale.size[2] == 4100);
    const struct scale_routine *append = &scale.list.at[0];
    assert_string_equal(append->routine->name, "append");
    assert_true(append->rises && append->reasons == SCALE_LARGER_INPUTS);
    assert_false(scale.list.at[1].rises || scale.list.at[2].rises);
    assert_true(append->share_low < append->share_later);
    assert_true(append->share_later < append->share_high);
    scale_free(&scale);
    for (size_t i = 0; i < 3; i++)
        report_free(&runs[i]);
}

/* `inner` is inlined into the function `outer` of main, and costs n^2 / 50. `outer` costs 30 n,
 * main's own code 20 n. `small`, also in `outer`, costs 9 altogether, too little for a row. */
static void what_is_inlined_has_a_row_of_its_own(void **state)
{
    (void)state;
    struct report runs[3];
    const struct report *reports[3];
    struct scale scale;
    struct failure why;
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = (uint64_t)sizes[i];
        const uint64_t cost[] = {20 * n, 30 * n, n * n / 50, 9};
        const struct work work[] = {{"main", cost[0] + cost[1] + cost[2] + cost[3], 1, n, 0}};
        const struct report_inlined functions[] = {{{REPORT_NONE, REPORT_NONE, 5}, "outer"},
                                                   {{0, REPORT_NONE, 15}, "inner"},
                                                   {{0, REPORT_NONE, 16}, "small"}};
        runs[i] = make_report(work, 1, 100 + n);
        runs[i].totals.cost = work[0].cost;
        for (uint32_t f = 0; f < 3; f++)
            vector_push(&runs[i].code.inlined, functions[f]);
        for (uint32_t line = 0; line < 4; line++) {
            struct report_line_cost own = {
                0, {line ? line - 1 : REPORT_NONE, REPORT_NONE, line}, cost[line]};
            vector_push(&runs[i].code.lines, own);
        }
        reports[i] = &runs[i];
    }
    assert_true(scale_make(&scale, reports, sizes, 3, METRIC_TRMS, true, &why));
    assert_int_equal(scale.list.count, 3);
    char *name = scale_routine_words(&scale.list.at[0]);
    assert_string_equal(name, "inner (inlined in main)");
    free(name);
    assert_near(scale.list.at[0].outlook.exponent, 2, 1.001);
    assert_near(scale.list.at[0].outlook.later, 40000.0 * 40000 / 50, 1.05);
    assert_true(scale.list.at[0].rises && !scale.list.at[1].rises && !scale.list.at[2].rises);
    assert_string_equal(scale.list.at[1].inlined, "outer");
    assert_true(scale.list.at[1].cost[2] == 30 * 4000.0);
    assert_null(scale.list.at[2].inlined);
    assert_true(scale.list.at[2].cost[2] == 20 * 4000.0 + 9);
    scale_free(&scale);
    assert_true(scale_make(&scale, reports, sizes, 3, METRIC_TRMS, false, &why));
    assert_int_equal(scale.list.count, 1);
    assert_true(scale.list.at[0].cost[2] == scale.total[2]);
    scale_free(&scale);
    for (size_t i = 0; i < 3; i++)
        report_free(&runs[i]);
}

/* Generated code has other addresses in each run, and larger runs have more generated code. */
static void code_of_no_file_is_one_routine(void **state)
{
    (void)state;
    struct report runs[3];
    const struct report *reports[3];
    struct scale scale;
    struct failure why;
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = (uint64_t)sizes[i];
        const struct work work[] = {
            {"", 3 * n, n, 5, 0}, {"", 2 * n, n, 5, 0}, {"main", 9 * n, 1, 5, 0}};
        runs[i] = make_report(work, 3, 100 + n);
        vector_push(&runs[i].objects, "");
        for (uint64_t k = 0; k < 2; k++) {
            runs[i].routines.at[k].object = 1;
            runs[i].routines.at[k].offset = 0x7000 + n + k;
        }
        reports[i] = &runs[i];
    }
    assert_true(scale_make(&scale, reports, sizes, 3, METRIC_TRMS, true, &why));
    assert_int_equal(scale.list.count, 2);
    assert_string_equal(scale_routine_name(&scale.list.at[1]), "code without a file");
    assert_true(scale.list.at[1].cost[0] == 5000 && scale.list.at[1].cost[2] == 20000);
    assert_near(scale.list.at[1].outlook.exponent, 1, 1.001);
    scale_free(&scale);
    for (size_t i = 0; i < 3; i++)
        report_free(&runs[i]);
}

/* A table that overflows only in the largest run: its small share must not suppress the
 * prediction. */
static void what_has_just_begun_rises(void **state)
{
    (void)state;
    struct report runs[2];
    const struct report *reports[] = {&runs[0], &runs[1]};
    struct scale scale;
    struct failure why;
    const struct work small[] = {{"walk", 1000000, 9, 9, 0}, {"spill", 0, 0, 0, 0}};
    const struct work large[] = {{"walk", 4000000, 9, 9, 0}, {"spill", 100000, 1, 9, 0}};
    const double two[] = {1000, 2000};
    runs[0] = make_report(small, 2, 100);
    runs[1] = make_report(large, 2, 200);
    assert_true(scale_make(&scale, reports, two, 2, METRIC_TRMS, true, &why));
    const struct scale_routine *spill = &scale.list.at[1];
    assert_string_equal(spill->routine->name, "spill");
    assert_true(spill->rises && spill->reasons == SCALE_JUST_BEGUN);
    assert_false(scale.list.at[0].rises);
    scale_free(&scale);
    report_free(&runs[0]);
    report_free(&runs[1]);
}

/* Code that the smallest run does not reach grows like the two larger runs. */
static void what_the_smallest_run_lacks_follows_the_other_runs(void **state)
{
    (void)state;
    struct scale_outlook o;
    const double square[] = {0, 250, 1000}, steep[] = {0, 160, 1000}, falling[] = {0, 500, 400};
    scale_extrapolate(&o, sizes, square, 3);
    assert_true(!o.begun && !o.step && !o.is_known);
    assert_near(o.later, 100000, 1.001);
    scale_extrapolate(&o, sizes, steep, 3);
    assert_near(o.later, 100000, 1.001);
    scale_extrapolate(&o, sizes, falling, 3);
    assert_true(o.later < 400 && o.later > 100);
}

/* Costs that double twice, within 2 %, are predicted without the bend that is accidental. */
static void nearly_proportional_costs_are_proportional(void **state)
{
    (void)state;
    struct report runs[3];
    const struct report *reports[3];
    struct scale scale;
    struct failure why;
    const uint64_t bent[] = {10000, 20200, 40000};
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = (uint64_t)sizes[i];
        const struct work work[] = {{"bent", bent[i], n, 7, 0}};
        runs[i] = make_report(work, 1, 100 + n);
        reports[i] = &runs[i];
    }
    assert_true(scale_make(&scale, reports, sizes, 3, METRIC_TRMS, true, &why));
    assert_near(scale.list.at[0].outlook.later, 400000, 1.000001);
    assert_true(scale.list.at[0].outlook.low < 400000 && 400000 < scale.list.at[0].outlook.high);
    scale_free(&scale);
    for (size_t i = 0; i < 3; i++)
        report_free(&runs[i]);
}

/* The largest run costs twice the prediction of the smaller two. That curve has the weight 0.6,
 * and the whole run has the weight 0.4, whether the whole is linear or square. */
static void a_step_is_believed_in_part(void **state)
{
    (void)state;
    for (int power = 1; power <= 2; power++) {
        struct report runs[3];
        const struct report *reports[3];
        struct scale scale;
        struct failure why;
        struct scale_outlook curve;
        const double step[] = {20000, 30000, 90000};
        for (size_t i = 0; i < 3; i++) {
            uint64_t n = (uint64_t)sizes[i];
            const struct work work[] = {{"even", power == 1 ? 900 * n : 9 * n * n / 10, n, 7, 0},
                                        {"step", (uint64_t)step[i], n, 7, 0}};
            runs[i] = make_report(work, 2, 100 + n);
            reports[i] = &runs[i];
        }
        assert_true(scale_make(&scale, reports, sizes, 3, METRIC_TRMS, true, &why));
        scale_extrapolate(&curve, sizes, step, 3);
        assert_true(curve.step && scale.list.at[1].outlook.step);
        assert_false(scale.list.at[0].outlook.step);
        double whole = power == 1 ? 10 : 100;
        double tempered = pow(curve.later, 0.6) * pow(90000 * whole, 0.4);
        double estimate = scale_posterior_predict(sizes, step, sizes, 10);
        assert_near(scale.list.at[1].outlook.later, sqrt(tempered * estimate), 1.05);
        assert_true(scale.list.at[1].outlook.low < scale.list.at[1].outlook.later);
        scale_free(&scale);
        for (size_t i = 0; i < 3; i++)
            report_free(&runs[i]);
    }
}

/* The input consists of a loader, a script and a file. `scale` selects the file, whichever routine
 * reads the other parts. */
static void assert_axis(const uint64_t *file, uint64_t start_up, uint64_t unfilled,
                        const double *axis)
{
    struct report runs[3];
    const struct report *reports[3];
    struct scale scale;
    struct failure why;
    for (size_t i = 0; i < 3; i++) {
        const struct work work[] = {{"loader", 9, 1, 9, start_up},
                                    {"main", 9, 1, 9, file[i] + 70},
                                    {"read_all", 9, 1, 9, file[i]},
                                    {"fill", 9, 1, 9, file[i] - unfilled},
                                    {"some", 9, 1, 9, file[i] / 2}};
        runs[i] = make_report(work, 5, file[i] + 70 + start_up);
        reports[2 - i] = &runs[i];
    }
    assert_int_equal(scale_make(&scale, reports, NULL, 3, METRIC_TRMS, true, &why), axis != NULL);
    for (size_t i = 0; axis && i < 3; i++)
        assert_true(scale.size[i] == axis[i]);
    scale_free(&scale);
    for (size_t i = 0; i < 3; i++)
        report_free(&runs[i]);
}

static void what_start_up_reads_is_no_size(void **state)
{
    (void)state;
    const uint64_t file[] = {3000, 6000, 12000}, argument[] = {1, 5, 10};
    const double axis[] = {3000, 6000, 12000}, below[] = {2900, 5900, 11900};
    assert_axis(file, 1300, 0, axis);
    assert_axis(file, 30000, 0, axis);
    assert_axis(file, 30000, 100, below);
    assert_axis(file, 30000, 2048, axis); /* two pages of cells: the first buffer */
    assert_axis(argument, 1300, 0, NULL);
}

static void without_an_axis_there_is_no_answer(void **state)
{
    (void)state;
    const struct work work[] = {{"work", 100, 1, 1, 0}};
    struct report one = make_report(work, 1, 100), other = make_report(work, 1, 150);
    const struct report *reports[] = {&one, &other};
    const double equal[] = {5, 5}, given[] = {4, 8};
    struct scale scale;
    struct failure why;
    assert_false(scale_make(&scale, reports, NULL, 2, METRIC_TRMS, true, &why));
    assert_non_null(strstr(why.text, "--sizes"));
    assert_false(scale_make(&scale, reports, equal, 2, METRIC_TRMS, true, &why));
    assert_true(scale_make(&scale, reports, given, 2, METRIC_TRMS, true, &why));
    scale_free(&scale);
    one.size = 3;
    other.size = 6;
    assert_true(scale_make(&scale, reports, NULL, 2, METRIC_TRMS, true, &why));
    assert_true(scale.size[0] == 3 && scale.size[1] == 6);
    scale_free(&scale);
    report_free(&one);
    report_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_with_an_offset_are_foretold),
        cmocka_unit_test(steady_growth_is_foretold_however_steep),
        cmocka_unit_test(steep_growth_between_close_sizes_is_no_law),
        cmocka_unit_test(what_is_checked_has_a_narrow_interval),
        cmocka_unit_test(two_runs_check_nothing),
        cmocka_unit_test(what_the_last_run_begins_is_told),
        cmocka_unit_test(odd_costs_have_finite_answers),
        cmocka_unit_test(exact_costs_are_believed),
        cmocka_unit_test(a_wobble_is_half_a_law),
        cmocka_unit_test(few_calls_are_noise),
        cmocka_unit_test(an_estimate_has_no_units),
        cmocka_unit_test(a_walk_rises_and_the_rest_does_not),
        cmocka_unit_test(what_has_just_begun_rises),
        cmocka_unit_test(what_is_inlined_has_a_row_of_its_own),
        cmocka_unit_test(code_of_no_file_is_one_routine),
        cmocka_unit_test(what_the_smallest_run_lacks_follows_the_other_runs),
        cmocka_unit_test(nearly_proportional_costs_are_proportional),
        cmocka_unit_test(a_step_is_believed_in_part),
        cmocka_unit_test(what_start_up_reads_is_no_size),
        cmocka_unit_test(without_an_axis_there_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
