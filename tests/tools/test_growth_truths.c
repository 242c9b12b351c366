/* Property test of growth claims: known curves of every class, over many tables of sizes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A trial draws a class f, coefficients, sizes and noise, computes the costs round(b f(n) + a), and
 * asks for a claim.
 *
 *     class wrong       the claim names classes, and f is none of them
 *     prediction wrong  one call at 10 n is off by more than 1.25 x
 *     outside           the interval of the cost at 10 n does not contain the true cost
 *
 * Limits: below 0.5 % of the claims may name a wrong class, and below 2 % may predict wrongly. In
 * each class, at least 90 % of the intervals contain the true cost. A curve that rises by less than
 * 5 % over its sizes may be called constant. APROF_SEED and APROF_ROUNDS choose the trials.
 */
#include "tests/unit/cmocka_all.h"

#include "lib/growth/growth_claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZES_MAX        10000
#define ROUNDS           4
#define WRONG_CLASS_MAX  0.005
#define PREDICTION_MAX   0.02
#define PREDICTION_RATIO 1.25
#define INSIDE_MIN       0.9
#define FLAT             1.05
#define LOWER_MAX        0.3

static uint64_t random_state;
static double n[SIZES_MAX], cost[SIZES_MAX];

static const size_t size_counts[] = {8, 12, 20, 53, 100, 300, 849, 2000, SIZES_MAX};
static const double noises[] = {0, 0.0005, 0.01, 0.05};

enum size_layout { CONSECUTIVE, EVERY_TENTH, GEOMETRIC, WITH_GAP, LAYOUT_COUNT };

/* At the largest size, a lower term costs up to LOWER_MAX of the leading term; at small sizes, it
 * exceeds the leading term. */
struct truth {
    enum growth_class class, lower;
    double a, b, c;
};

struct outcomes {
    size_t trials, claims, wrong_class, predictions, wrong_prediction;
    size_t intervals[GROWTH_CLASS_COUNT], outside[GROWTH_CLASS_COUNT]; /* by the true class */
};

/* splitmix64, which gives equal numbers on all machines. */
static double random_uniform(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_between(double low, double high)
{
    return low * pow(high / low, random_uniform());
}

static double random_factor(double sigma)
{
    double radius = sqrt(-2 * log(random_uniform()));
    return exp(sigma * radius * cos(2 * M_PI * random_uniform()));
}

static double truth_value(const struct truth *t, double x)
{
    return t->a + t->b * growth_class_value(t->class, x) + t->c * growth_class_value(t->lower, x);
}

static void set_sizes(size_t count, enum size_layout layout)
{
    double first = floor(random_between(1, 200)), range = random_between(2, 3000);
    for (size_t i = 0; i < count; i++) {
        double x = (double)i;
        if (layout == CONSECUTIVE)
            n[i] = first + x;
        else if (layout == EVERY_TENTH)
            n[i] = 10 * (first + x);
        else if (layout == GEOMETRIC)
            n[i] = floor(first * pow(range, x / (double)(count - 1)) + x);
        else
            n[i] = first + x + (i > count / 2 ? 4 * (first + (double)(count / 2)) : 0);
    }
}

/* The offset is up to the cost of a size within the range. */
static struct truth truth_of(enum growth_class class, size_t count)
{
    struct truth t = {class, GROWTH_LINEAR, 0, random_between(0.5, 50), 0};
    double within = n[(size_t)(random_uniform() * (double)count)];
    if (random_uniform() < 0.7)
        t.a = floor(random_uniform() * t.b * growth_class_value(class, within));
    if (class == GROWTH_CONSTANT)
        t.a = 100;
    if (class > GROWTH_LINEAR && random_uniform() < 0.3) {
        double largest = n[count - 1];
        t.lower = class > GROWTH_SQUARE ? GROWTH_SQUARE : GROWTH_LINEAR;
        t.c = LOWER_MAX * random_uniform() * t.b * growth_class_value(class, largest) /
              growth_class_value(t.lower, largest);
    }
    return t;
}

static void set_costs(const struct truth *t, size_t count, double noise)
{
    for (size_t i = 0; i < count; i++)
        cost[i] = floor(truth_value(t, n[i]) * random_factor(noise) + 0.5);
}

static bool is_right(const struct growth_claim *claim, const struct truth *t, size_t count)
{
    if (claim->first <= t->class && t->class <= claim->last)
        return true;
    return claim->first == GROWTH_CONSTANT &&
           truth_value(t, n[count - 1]) < FLAT * truth_value(t, n[0]);
}

static void show(const char *what, const struct growth_claim *claim, const struct truth *t,
                 size_t count, double noise, double off)
{
    char *words = growth_claim_words(claim),
         *terms = growth_terms_words(&claim->terms, claim->n_max);
    print_message("%s: %.4g %s + %.4g %s + %.4g, %zu sizes %.0f..%.0f, noise %.2g %%: %s (%s), off "
                  "by %.3g, basis %d\n",
                  what, t->b, growth_class_name(t->class), t->c, growth_class_name(t->lower), t->a,
                  count, n[0], n[count - 1], 100 * noise, words, terms, off, claim->basis);
    free(words);
    free(terms);
}

static void try_one(struct outcomes *outcomes, enum growth_class class, size_t count,
                    enum size_layout layout, double noise)
{
    struct growth_claim claim;
    set_sizes(count, layout);
    struct truth t = truth_of(class, count);
    set_costs(&t, count, noise);
    growth_claim_make(&claim, n, cost, NULL, count, NULL);
    outcomes->trials++;
    if (!growth_is_claimed(&claim))
        return;
    outcomes->claims++;
    double truth = truth_value(&t, 10 * claim.n_max) / truth_value(&t, claim.n_max);
    double off = claim.times > 0 ? fabs(log(claim.times / truth)) : 0;
    bool is_wrong = !is_right(&claim, &t, count);
    bool is_outside = truth < claim.times_low || truth > claim.times_high;
    outcomes->intervals[class] += claim.times > 0;
    outcomes->outside[class] += claim.times > 0 && is_outside;
    outcomes->wrong_class += is_wrong;
    outcomes->predictions += claim.times > 0;
    outcomes->wrong_prediction += off > log(PREDICTION_RATIO);
    if (is_wrong)
        show("wrong class", &claim, &t, count, noise, exp(off));
    else if (off > log(PREDICTION_RATIO))
        show("wrong prediction", &claim, &t, count, noise, exp(off));
}

static unsigned long number_from(const char *variable, unsigned long otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

static void claims_of_known_curves_are_right(void **state)
{
    (void)state;
    struct outcomes outcomes = {0};
    unsigned long rounds = number_from("APROF_ROUNDS", ROUNDS);
    random_state = number_from("APROF_SEED", 1);
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
        for (size_t k = 0; k < sizeof size_counts / sizeof *size_counts; k++) {
            for (size_t s = 0; s < sizeof noises / sizeof *noises; s++) {
                for (unsigned long i = 0; i < rounds * LAYOUT_COUNT; i++)
                    try_one(&outcomes, (enum growth_class) class, size_counts[k],
                            (enum size_layout)(i % LAYOUT_COUNT), noises[s]);
            }
        }
    }
    print_message("%zu trials, %zu claims, %zu of a wrong class; %zu of %zu predictions off by "
                  "more than %.2f x\n",
                  outcomes.trials, outcomes.claims, outcomes.wrong_class, outcomes.wrong_prediction,
                  outcomes.predictions, PREDICTION_RATIO);
    for (int class = GROWTH_CONSTANT; class < GROWTH_EXPONENTIAL; class ++) {
        size_t intervals = outcomes.intervals[class], outside = outcomes.outside[class];
        print_message("%s: %zu of %zu intervals contain the true cost\n",
                      growth_class_name((enum growth_class) class), intervals - outside, intervals);
        assert_true((double)outside <= (1 - INSIDE_MIN) * (double)intervals);
    }
    assert_true(outcomes.claims > outcomes.trials / 2);
    assert_true((double)outcomes.wrong_class < WRONG_CLASS_MAX * (double)outcomes.claims);
    assert_true((double)outcomes.wrong_prediction < PREDICTION_MAX * (double)outcomes.predictions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(claims_of_known_curves_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
