/* Fits growth classes and chooses one; see growth.h. growth_answers.c writes the texts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The criterion is AICc and not BIC, because profiles have many short tables: the extra term of
 * AICc for small tables prevents fits to noise. All classes except the constant have equally many
 * parameters. So for two growing classes, AICc and BIC give the same order as the likelihood ratio.
 *
 * A likelihood ratio counts every point as independent evidence. If the best curve is
 * systematically wrong, for example because it lacks a lower-order term, neighbouring residuals are
 * not independent. If residuals were treated as independent, a thousand points around a wrong curve
 * would prove any class. So a sequence of residuals with the same sign counts as one observation.
 */
#include "lib/growth/growth.h"
#include "lib/growth/growth_curve.h"
#include "lib/base/memory.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* A curve that rises by less than this factor over the whole range of sizes counts as a constant.
 */
#define RISE_MIN 1.05

/* Minimum number of samples above the flat part of a curve. */
#define RISING_SAMPLES_MIN 4

/* A growing class that is better than the constant by less than GROWTH_MARGIN is a candidate only
 * if two conditions hold: the rise of its curve is significant, and is a factor above
 * RISE_DOUBTFUL. The limit of significance, DEVIANCE_DOUBTFUL, is the upper 5 % of chi-square. Half
 * of these 5 % are falling curves, so the significance of a rise is 1 in 40.
 */
#define RISE_DOUBTFUL     1.5
#define DEVIANCE_DOUBTFUL 3.84

/* A power law replaces a class if the error of the class exceeds the noise by more than this
 * amount. */
#define MISFIT_MATERIAL 0.1

/* Residuals that have a pattern and are this large show that the curve is wrong. */
#define SIGMA_PATTERN_MAX 0.25

#define OUTLIER_SIGMAS 4.0
#define CONFIDENCE     0.95
#define TAIL_T         2.0
#define TAIL_SIZES_MIN 4
#define TAIL_OUTLIERS  3

/* Outside this range of exponents, a power law is practically a constant or an exponential. */
#define EXPONENT_MIN       0.05
#define EXPONENT_MAX       8.0
#define EXPONENT_TOLERANCE 1e-3

/* A class is not used if f(n) exceeds this limit at the largest size (mainly 2^n). */
#define CLASS_VALUE_MAX 1e300

#define CONSTANT_PARAMETERS 2 /* number of parameters of a constant: a and the scatter */
#define CLASS_PARAMETERS    3 /* number of parameters of a class: a, b and the scatter */
#define POWER_PARAMETERS    4 /* number of parameters of a power law: a, b, c and the scatter */

/* ---------------------------------------------------------------- Curves */

static double clamp_finite(double x)
{
    return fmax(fmin(x, DBL_MAX), -DBL_MAX);
}

static bool is_outlier(const struct growth_samples *s, size_t i, double sigma)
{
    return fabs(s->residual[i]) * sqrt(s->weight[i]) > OUTLIER_SIGMAS * sigma;
}

/* R^2 of the latest fit, without its outliers. */
static double r_squared_of(const struct growth_samples *s, double sigma)
{
    double weights = 0, mean = 0, total = 0, rest = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_outlier(s, i, sigma)) {
            mean += s->weight[i] * s->log_cost[i];
            weights += s->weight[i];
        }
    }
    for (size_t i = 0; i < s->count && weights > 0; i++) {
        if (!is_outlier(s, i, sigma)) {
            total += s->weight[i] * pow(s->log_cost[i] - mean / weights, 2);
            rest += s->weight[i] * pow(s->residual[i], 2);
        }
    }
    return total > rest ? 1 - rest / total : 0;
}

static double aicc_of(double deviance, double count, double parameters)
{
    double left = count - parameters - 1;
    if (left <= 0)
        return DBL_MAX;
    return deviance + 2 * parameters + 2 * parameters * (parameters + 1) / left;
}

static void curve_set_quality(struct growth_curve *curve, const struct growth_samples *s,
                              const struct growth_shape *shape, double parameters)
{
    curve->sigma = fmin(shape->sigma, shape->rms);
    curve->rms = shape->rms;
    curve->r_squared = r_squared_of(s, shape->sigma);
    curve->aicc = aicc_of(shape->deviance, (double)s->count, parameters);
}

static void fit_constant(struct growth_fit *fit, struct growth_samples *s,
                         struct growth_shape *shape)
{
    growth_shape_fit_constant(s, shape);
    struct growth_curve *curve = &fit->curves[GROWTH_CONSTANT];
    *curve = (struct growth_curve){.usable = true, .class = GROWTH_CONSTANT};
    curve->a = clamp_finite(shape->a * exp(s->log_unit));
    curve_set_quality(curve, s, shape, CONSTANT_PARAMETERS);
}

static void set_class_basis(struct growth_samples *s, enum growth_class class)
{
    double last = growth_class_value(class, s->n[s->count - 1]);
    for (size_t i = 0; i < s->count; i++)
        s->basis[i] = growth_class_value(class, s->n[i]) / last;
}

/* Returns true only if several costs are high, because any steep curve above a large constant fits
 * one or two high costs at the end. */
static bool rises_in_time(const struct growth_samples *s, const struct growth_shape *shape)
{
    double flat = RISE_MIN * (shape->a + shape->b * s->basis[0]);
    size_t rising = 0;
    for (size_t i = 0; i < s->count; i++)
        rising += shape->a + shape->b * s->basis[i] >= flat;
    return rising >= RISING_SAMPLES_MIN;
}

static void fit_class(struct growth_fit *fit, struct growth_samples *s, enum growth_class class,
                      struct growth_shape *shape)
{
    struct growth_curve *curve = &fit->curves[class];
    double last = growth_class_value(class, s->n[s->count - 1]);
    *shape = (struct growth_shape){0};
    *curve = (struct growth_curve){.class = class, .aicc = DBL_MAX};
    if (last <= 0 || last > CLASS_VALUE_MAX)
        return;
    set_class_basis(s, class);
    growth_shape_fit(s, shape);
    curve->a = clamp_finite(shape->a * exp(s->log_unit));
    curve->b = clamp_finite(shape->b * exp(s->log_unit) / last);
    curve->usable = curve->b > 0 && shape->rise >= RISE_MIN && rises_in_time(s, shape);
    curve_set_quality(curve, s, shape, CLASS_PARAMETERS);
}

/* ---------------------------------------------------------------- Power law */

/* The deviance of the power law with the exponent c. The fit of the next exponent starts from the
 * resulting shape. */
static double power_deviance(struct growth_samples *s, double c, struct growth_shape *shape)
{
    double n_max = s->n[s->count - 1];
    for (size_t i = 0; i < s->count; i++)
        s->basis[i] = pow(s->n[i] / n_max, c);
    growth_shape_fit(s, shape);
    return shape->deviance;
}

/* The best exponent of a grid with steps of a factor of 1.5. */
static double power_search_coarse(struct growth_samples *s, struct growth_shape *shape)
{
    double best = EXPONENT_MIN, lowest = INFINITY;
    for (double c = EXPONENT_MIN; c < EXPONENT_MAX * 1.2; c *= 1.5) {
        double deviance = power_deviance(s, fmin(c, EXPONENT_MAX), shape);
        if (deviance < lowest) {
            lowest = deviance;
            best = fmin(c, EXPONENT_MAX);
        }
    }
    return best;
}

/* Searches by golden sections between the neighbours of the grid's best exponent. */
static double power_search_fine(struct growth_samples *s, double c, struct growth_shape *shape)
{
    const double golden = (sqrt(5) - 1) / 2;
    double low = fmax(c / 1.5, EXPONENT_MIN), high = fmin(c * 1.5, EXPONENT_MAX);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = power_deviance(s, left, shape), at_right = power_deviance(s, right, shape);
    while (high - low > EXPONENT_TOLERANCE * c) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = power_deviance(s, left, shape);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = power_deviance(s, right, shape);
        }
    }
    return (low + high) / 2;
}

/* The exponent between `inside` and `outside` at which the deviance exceeds `level`. */
static double power_bound(struct growth_samples *s, double inside, double outside, double level,
                          struct growth_shape shape)
{
    if (power_deviance(s, outside, &shape) <= level)
        return outside;
    while (fabs(outside - inside) > EXPONENT_TOLERANCE * inside) {
        double middle = (inside + outside) / 2;
        if (power_deviance(s, middle, &shape) <= level)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* Sets the profile-likelihood interval of c, with the quantile of Student's t. The quantile of the
 * normal distribution would be right only for many points. */
static void power_set_confidence(struct growth_fit *fit, struct growth_samples *s,
                                 const struct growth_shape *shape)
{
    double count = (double)s->count, left = fmax(count - POWER_PARAMETERS + 1, 1);
    double t = gsl_cdf_tdist_Pinv((1 + CONFIDENCE) / 2, left);
    double level = shape->deviance + count * log1p(t * t / left);
    fit->c_low = power_bound(s, fit->power.c, EXPONENT_MIN, level, *shape);
    fit->c_high = power_bound(s, fit->power.c, EXPONENT_MAX, level, *shape);
}

/* Fits the power law without the interval of its exponent, which would double the time. */
static void fit_power(struct growth_fit *fit, struct growth_samples *s, struct growth_shape *shape)
{
    struct growth_curve *power = &fit->power;
    *shape = (struct growth_shape){0};
    power->c = power_search_fine(s, power_search_coarse(s, shape), shape);
    power_deviance(s, power->c, shape);
    power->a = clamp_finite(shape->a * exp(s->log_unit));
    power->b = clamp_finite(shape->b * exp(s->log_unit) / pow(s->n[s->count - 1], power->c));
    power->class = GROWTH_POWER;
    curve_set_quality(power, s, shape, POWER_PARAMETERS);
    power->usable = power->b > 0 && shape->rise >= RISE_MIN;
    if (!power->usable)
        *power = (struct growth_curve){0};
}

/* ---------------------------------------------------------------- Residuals */

/* Replaces the residuals of each size by their mean, so that their order within a size has no
 * effect. */
static size_t join_sizes(const struct growth_samples *s, double *mean)
{
    size_t sizes = 0;
    for (size_t i = 0, end; i < s->count; i = end) {
        double sum = 0;
        for (end = i; end < s->count && s->n[end] <= s->n[i]; end++)
            sum += s->residual[end];
        mean[sizes++] = sum / (double)(end - i);
    }
    return sizes;
}

static size_t count_runs(const double *residual, size_t count, size_t *above)
{
    size_t runs = count > 0;
    *above = 0;
    for (size_t i = 0; i < count; i++) {
        *above += residual[i] > 0;
        runs += i > 0 && (residual[i] > 0) != (residual[i - 1] > 0);
    }
    return runs;
}

/* The runs test of Wald and Wolfowitz: how far the number of runs deviates from a random order, in
 * standard deviations. */
static double runs_z(double runs, double above, double below)
{
    double count = above + below;
    double expected = 2 * above * below / count + 1;
    double variance = (expected - 1) * (expected - 2) / (count - 1);
    return variance > 0 ? (runs - expected) / sqrt(variance) : 0;
}

/* Student's t of the slope of a line through the residuals of the larger half of the sizes. `rank`
 * has space for one number per residual of this half. */
static double tail_t(const double *residual, size_t count, double *rank)
{
    size_t from = count / 2, used = count - from;
    double intercept, slope, unused, variance, rest;
    if (used < TAIL_SIZES_MIN)
        return 0;
    for (size_t i = 0; i < used; i++)
        rank[i] = (double)i;
    gsl_fit_linear(rank, 1, residual + from, 1, used, &intercept, &slope, &unused, &unused,
                   &variance, &rest);
    return variance > 0 ? clamp_finite(slope / sqrt(variance)) : 0;
}

static size_t count_outliers(const struct growth_samples *s, size_t from, double sigma)
{
    size_t outliers = 0;
    for (size_t i = from; i < s->count; i++)
        outliers += is_outlier(s, i, sigma);
    return outliers;
}

static enum growth_pattern pattern_of(const struct growth_fit *fit, double rms)
{
    if (fit->runs_z > GROWTH_RUNS_Z || rms < GROWTH_SIGMA_MIN)
        return GROWTH_PATTERN_RANDOM;
    if (fit->tail_t > TAIL_T)
        return GROWTH_PATTERN_GROWING;
    return fit->tail_t < -TAIL_T ? GROWTH_PATTERN_FALLING : GROWTH_PATTERN_CURVED;
}

/* Judges the latest fit; returns the number of independent observations per sample (see the head
 * comment). */
static double judge_residuals(struct growth_fit *fit, struct growth_samples *s,
                              const struct growth_shape *shape)
{
    size_t above, sizes = join_sizes(s, s->target);
    size_t runs = count_runs(s->target, sizes, &above);
    fit->outliers = count_outliers(s, 0, shape->sigma);
    fit->runs_z = runs_z((double)runs, (double)above, (double)(sizes - above));
    fit->tail_t = tail_t(s->target, sizes, s->pull);
    fit->pattern = pattern_of(fit, shape->rms);
    return fit->pattern == GROWTH_PATTERN_RANDOM ? 1 : (double)runs / (double)s->count;
}

/* ---------------------------------------------------------------- Verdict */

struct contest {
    struct growth_fit *fit;
    struct growth_samples *samples;
    struct growth_shape shapes[GROWTH_CLASS_COUNT];
    size_t tail_outliers; /* number of outliers of the best class among the upper half of the
                           * samples */
    double evidence;      /* independent observations per sample */
};

static void fit_all(struct contest *c)
{
    fit_constant(c->fit, c->samples, &c->shapes[GROWTH_CONSTANT]);
    for (int class = GROWTH_LOG; class < GROWTH_CLASS_COUNT; class ++)
        fit_class(c->fit, c->samples, (enum growth_class) class, &c->shapes[class]);
}

/* The best class that grows; CONSTANT if no growing class was fitted. */
static enum growth_class best_growth(const struct growth_fit *fit)
{
    int best = GROWTH_CONSTANT;
    for (int class = GROWTH_LOG; class < GROWTH_CLASS_COUNT; class ++) {
        if (fit->curves[class].usable &&
            (best == GROWTH_CONSTANT || fit->curves[class].aicc < fit->curves[best].aicc))
            best = class;
    }
    return (enum growth_class)best;
}

static void judge_class(struct contest *c, enum growth_class class)
{
    struct growth_samples *s = c->samples;
    struct growth_shape shape = c->shapes[class];
    if (class == GROWTH_CONSTANT) {
        growth_shape_fit_constant(s, &shape);
    } else {
        set_class_basis(s, class);
        growth_shape_fit(s, &shape);
    }
    c->fit->class = class;
    c->evidence = judge_residuals(c->fit, s, &shape);
    c->tail_outliers = count_outliers(s, s->count / 2, shape.sigma);
}

static void add_candidate(struct growth_fit *fit, enum growth_class class)
{
    fit->candidates[fit->candidate_count++] = class;
}

static void add_growing_candidates(struct contest *c, enum growth_class best)
{
    struct growth_fit *fit = c->fit;
    for (int class = GROWTH_LOG; class < GROWTH_CLASS_COUNT; class ++) {
        double behind = fit->curves[class].aicc - fit->curves[best].aicc;
        if (fit->curves[class].usable && behind * c->evidence < GROWTH_MARGIN)
            add_candidate(fit, (enum growth_class) class);
    }
}

/* The square of Spearman's rank correlation, if the cost rises with the size. */
static double trend_of(const struct growth_samples *s)
{
    double *ranks = memory_get_zeroed(2 * s->count, sizeof *ranks);
    double correlation = gsl_stats_spearman(s->n, 1, s->log_cost, 1, s->count, ranks);
    free(ranks);
    return correlation > 0 ? correlation * correlation : 0;
}

/* The constant is a special case of every class, so no class is much less likely than the constant.
 * This function tests whether growth is significant. A steady rise is significant even if the
 * residuals of its best curve rarely change their sign. */
static void decide_class(struct contest *c)
{
    struct growth_fit *fit = c->fit;
    double count = (double)c->samples->count;
    enum growth_class best = best_growth(fit);
    judge_class(c, best);
    double gain = c->shapes[GROWTH_CONSTANT].deviance - c->shapes[best].deviance;
    double price = aicc_of(0, count, CLASS_PARAMETERS) - aicc_of(0, count, CONSTANT_PARAMETERS);
    gain *= fmax(c->evidence, trend_of(c->samples));
    fit->candidate_count = 0;
    if (best != GROWTH_CONSTANT && gain - price > GROWTH_MARGIN) {
        add_growing_candidates(c, best);
        return;
    }
    add_candidate(fit, GROWTH_CONSTANT);
    if (best != GROWTH_CONSTANT && gain > DEVIANCE_DOUBTFUL && c->shapes[best].rise > RISE_DOUBTFUL)
        add_growing_candidates(c, best);
    else
        judge_class(c, GROWTH_CONSTANT);
}

/* Several outliers in one direction at the end of the range are not accidental: costs of larger
 * sizes will probably deviate in the same way. Therefore the curve must fit the outliers, too. */
static bool tail_was_neglected(const struct contest *c)
{
    return c->fit->pattern > GROWTH_PATTERN_CURVED && c->tail_outliers >= TAIL_OUTLIERS;
}

/* Keeps the power law only if growth is shown and the power law is better than the best class. */
static void decide_power(struct contest *c)
{
    struct growth_fit *fit = c->fit, by_power = *fit;
    struct growth_shape shape;
    fit_power(&by_power, c->samples, &shape);
    double sigma = c->shapes[fit->class].sigma;
    double misfit = sigma * sigma - shape.sigma * shape.sigma;
    if (!by_power.power.usable || misfit < MISFIT_MATERIAL * MISFIT_MATERIAL)
        return;
    double evidence = judge_residuals(&by_power, c->samples, &shape);
    if ((fit->curves[fit->class].aicc - by_power.power.aicc) * evidence < GROWTH_MARGIN)
        return;
    power_set_confidence(&by_power, c->samples, &shape);
    *fit = by_power;
    fit->verdict = GROWTH_BETWEEN;
}

/* Returns true if no curve describes the costs. There are three reasons: too much scatter around
 * the best curve; a pattern around a constant, such as falling costs; growth faster than any curve
 * (another exponential). */
static bool follows_nothing(const struct growth_fit *fit)
{
    const struct growth_curve *best = growth_best(fit);
    if (best->sigma > GROWTH_SIGMA_MAX)
        return true;
    return fit->pattern != GROWTH_PATTERN_RANDOM && best->sigma > SIGMA_PATTERN_MAX;
}

static void decide(struct contest *c)
{
    struct growth_fit *fit = c->fit;
    fit_all(c);
    decide_class(c);
    if (tail_was_neglected(c)) {
        c->samples->freedom = GROWTH_FREEDOM_ANY;
        fit_all(c);
        decide_class(c);
    }
    fit->verdict = fit->candidate_count > 1 ? GROWTH_AMBIGUOUS : GROWTH_DECIDED;
    if (fit->candidates[0] != GROWTH_CONSTANT && c->shapes[fit->class].sigma > MISFIT_MATERIAL)
        decide_power(c);
    if (follows_nothing(fit))
        fit->verdict = GROWTH_NO_FIT;
}

/* The number of doublings that the sizes cover; the sizes are in ascending order. */
static size_t count_doublings(const struct growth_samples *s)
{
    size_t doublings = 0;
    int before = 0;
    for (size_t i = 0; i < s->count; i++) {
        int exponent;
        frexp(fmax(s->n[i], 1), &exponent);
        doublings += exponent != before;
        before = exponent;
    }
    return doublings;
}

static bool are_enough(const struct growth_samples *s, size_t sizes_min)
{
    return s->sizes >= sizes_min && s->n_max >= GROWTH_RANGE_MIN * fmax(s->n_min, 1) &&
           count_doublings(s) >= GROWTH_DOUBLINGS_MIN;
}

static void fit_samples(struct growth_fit *fit, const double *n, const double *cost,
                        const double *weight, size_t count, size_t sizes_min, bool whole)
{
    struct growth_samples samples;
    struct contest contest = {.fit = fit, .samples = &samples};
    growth_samples_make(&samples, n, cost, weight, count, whole);
    *fit = (struct growth_fit){.verdict = GROWTH_FEW_POINTS,
                               .points = samples.used,
                               .sizes = samples.sizes,
                               .ignored = count - samples.used,
                               .n_min = samples.n_min,
                               .n_max = samples.n_max,
                               .cost_last = samples.cost_last};
    if (are_enough(&samples, sizes_min))
        decide(&contest);
    growth_samples_free(&samples);
}

void growth_fit_some(struct growth_fit *fit, const double *n, const double *cost,
                     const double *weight, size_t count, size_t sizes_min)
{
    fit_samples(fit, n, cost, weight, count, sizes_min, true);
}

void growth_fit_points(struct growth_fit *fit, const double *n, const double *cost,
                       const double *weight, size_t count)
{
    fit_samples(fit, n, cost, weight, count, GROWTH_SIZES_MIN, false);
}

void growth_add_power(struct growth_fit *fit, const double *n, const double *cost,
                      const double *weight, size_t count)
{
    struct growth_samples samples;
    struct growth_shape shape;
    if (!growth_is_known(fit) || fit->candidates[0] == GROWTH_CONSTANT || fit->power.usable)
        return;
    growth_samples_make(&samples, n, cost, weight, count, false);
    fit_power(fit, &samples, &shape);
    if (fit->power.usable)
        power_set_confidence(fit, &samples, &shape);
    growth_samples_free(&samples);
}

static void fit_alone(struct growth_curve *curve, struct growth_samples *s,
                      struct growth_shape *shape)
{
    double last = growth_curve_function(curve, s->n_max);
    if (curve->class == GROWTH_CONSTANT || last <= 0 || last > CLASS_VALUE_MAX) {
        growth_shape_fit_constant(s, shape);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        s->basis[i] = growth_curve_function(curve, s->n[i]) / last;
    growth_shape_fit(s, shape);
    curve->b = clamp_finite(shape->b * exp(s->log_unit) / last);
}

void growth_fit_class(struct growth_curve *curve, const double *n, const double *cost, size_t count)
{
    struct growth_samples samples;
    struct growth_shape shape = {0};
    *curve = (struct growth_curve){.usable = true, .class = curve->class, .c = curve->c};
    growth_samples_make(&samples, n, cost, NULL, count, false);
    if (samples.count > 0)
        fit_alone(curve, &samples, &shape);
    curve->a = clamp_finite(shape.a * exp(samples.log_unit));
    curve->sigma = shape.sigma;
    curve->rms = shape.rms;
    growth_samples_free(&samples);
}
