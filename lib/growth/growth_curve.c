/* One robust least-squares fit of cost = a + b * f(n); see growth_curve.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The method is from Lange, Little and Taylor, "Robust statistical modeling using the t
 * distribution", 1989. The weight w of a point with residual r is multiplied by u = (T + 1) / (T +
 * w r^2 / sigma^2). So an outlier at ten sigma hardly counts. With these weights, a Gauss-Newton
 * step fits a weighted straight line through (f, m (1 + r)). Here m = a + b f is the current curve.
 */
#include "lib/growth/growth_curve.h"
#include "lib/base/memory.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Above this number, further calls of equal size add little information about the curve. The
 * variance of an average is taken as 1 / calls + 1 / CALLS_ENOUGH. */
#define CALLS_ENOUGH 16.0

/* The maximum number of samples; if there are more, neighbours are merged. */
#define SAMPLES_MAX 200

/* The maximum ratio of the largest to the smallest used size, and the minimum number of sizes in
 * this range. */
#define RANGE_MOST      100.0
#define RANGE_SIZES_MIN 12

#define STEPS_MAX          60
#define HALVINGS_MAX       30
#define DEVIANCE_TOLERANCE 1e-5

/* The limit of each factor is far below the square root of DBL_MAX, so no product overflows. */
#define PRODUCT_MAX 1e150

/* ---------------------------------------------------------------- Samples */

bool growth_point_is_usable(double n, double cost, double weight)
{
    return isfinite(n) && n >= 0 && isfinite(cost) && cost >= 0 && isfinite(weight) && weight > 0;
}

struct place {
    double n;
    size_t index;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->n < b->n || a->n > b->n)
        return a->n < b->n ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void samples_allocate(struct growth_samples *s, size_t count)
{
    double *block = memory_get_zeroed(8 * count + 1, sizeof *block);
    *s = (struct growth_samples){.n = block, .freedom = GROWTH_FREEDOM};
    s->log_cost = block + count;
    s->weight = block + 2 * count;
    s->basis = block + 3 * count;
    s->residual = block + 4 * count;
    s->trial = block + 5 * count;
    s->target = block + 6 * count;
    s->pull = block + 7 * count;
}

/* Large sizes show the growth; small sizes show lower-order terms and special cases. Therefore
 * sizes below a hundredth of the largest size are ignored, if enough sizes remain. Returns the
 * index of the first used size. */
static size_t range_begin(const struct place *places, size_t count, bool whole)
{
    size_t begin = 0, sizes = 0;
    while (begin < count && places[begin].n < places[count - 1].n / RANGE_MOST)
        begin++;
    for (size_t i = begin; i < count; i++)
        sizes += i == begin || places[i].n > places[i - 1].n;
    return sizes >= RANGE_SIZES_MIN && !whole ? begin : 0;
}

/* Copies the usable points in ascending order of n; points with equal n keep their order. */
static void samples_copy_usable(struct growth_samples *s, const double *n, const double *cost,
                                const double *weight, size_t count, bool whole)
{
    struct place *places = memory_get_zeroed(count + 1, sizeof *places);
    for (size_t i = 0; i < count; i++) {
        if (growth_point_is_usable(n[i], cost[i], weight ? weight[i] : 1))
            places[s->count++] = (struct place){n[i], i};
    }
    qsort(places, s->count, sizeof *places, compare_places);
    size_t begin = range_begin(places, s->count, whole);
    s->count -= begin;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = places[begin + k].index;
        s->n[k] = n[i];
        s->log_cost[k] = log(fmax(cost[i], GROWTH_COST_MIN));
        s->weight[k] = weight ? weight[i] : 1;
        if (k == 0 || n[i] > s->n[k - 1]) {
            s->sizes++;
            s->cost_last = 0;
        }
        s->cost_last = fmax(s->cost_last, cost[i]);
    }
    free(places);
    s->used = s->count;
    if (s->count > 0) {
        s->n_min = s->n[0];
        s->n_max = s->n[s->count - 1];
    }
}

/* Merges the samples from..end-1 into one sample, their weighted geometric mean. */
static void samples_join(struct growth_samples *s, size_t from, size_t end, size_t to)
{
    double weight = 0, log_n = 0, log_cost = 0;
    for (size_t i = from; i < end; i++) {
        weight += s->weight[i];
        log_n += s->weight[i] * log(fmax(s->n[i], 1));
        log_cost += s->weight[i] * s->log_cost[i];
    }
    if (s->n[from] < s->n[end - 1])
        s->n[to] = exp(log_n / weight);
    else
        s->n[to] = s->n[from];
    s->log_cost[to] = log_cost / weight;
    s->weight[to] = weight;
}

/* Merges the samples of each interval of a logarithmic scale, so that small sizes stay separate.
 * Size 0 has an interval of its own. */
static void samples_thin_out(struct growth_samples *s)
{
    double first = log(fmax(s->n[0], 1)), last = log(fmax(s->n[s->count - 1], 1));
    double cells_per_unit = last > first ? (SAMPLES_MAX - 1) / (last - first) : 0;
    size_t kept = 0;
    for (size_t from = 0, end; from < s->count; from = end) {
        double cell = floor((log(fmax(s->n[from], 1)) - first) * cells_per_unit);
        for (end = from + 1; end < s->count; end++) {
            if ((s->n[from] < 1) != (s->n[end] < 1) ||
                floor((log(fmax(s->n[end], 1)) - first) * cells_per_unit) != cell)
                break;
        }
        samples_join(s, from, end, kept++);
    }
    s->count = kept;
}

/* Scales the weights to a mean of 1 and the logarithms of costs to a mean of 0. */
static void samples_normalise(struct growth_samples *s)
{
    double weight = 0, log_cost = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->weight[i] = 1 / (1 / s->weight[i] + 1 / CALLS_ENOUGH);
        weight += s->weight[i] / (double)s->count;
        log_cost += s->log_cost[i] / (double)s->count;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->weight[i] /= weight;
        s->log_cost[i] -= log_cost;
    }
    s->log_unit = log_cost;
}

void growth_samples_make(struct growth_samples *s, const double *n, const double *cost,
                         const double *weight, size_t count, bool whole)
{
    samples_allocate(s, count);
    samples_copy_usable(s, n, cost, weight, count, whole);
    if (s->count > SAMPLES_MAX)
        samples_thin_out(s);
    samples_normalise(s);
}

void growth_samples_free(struct growth_samples *s)
{
    free(s->n);
    s->n = NULL;
    s->count = 0;
}

/* ---------------------------------------------------------------- Likelihood */

static double pull_of(const struct growth_samples *s, size_t i, double variance)
{
    double r = s->residual[i];
    return (s->freedom + 1) / (s->freedom + s->weight[i] * r * r / variance);
}

/* Division by the sum of the weights u has the same fixed point as division by the count, and
 * converges much faster (Kent, Tyler and Vardi 1994). */
static void update_sigma(const struct growth_samples *s, struct growth_shape *shape)
{
    double variance = shape->sigma * shape->sigma, sum = 0, pulls = 0;
    for (size_t i = 0; i < s->count; i++) {
        double pull = pull_of(s, i, variance);
        sum += pull * s->weight[i] * s->residual[i] * s->residual[i];
        pulls += pull;
    }
    shape->sigma = fmax(sqrt(sum / pulls), GROWTH_SIGMA_MIN);
}

/* Sums the logarithms of 1 + x. One logarithm is computed for the product of many factors, because
 * fits spend most of their time on logarithms. */
static double deviance_of(const struct growth_samples *s, const double *residual, double sigma)
{
    double scale = 1 / (s->freedom * sigma * sigma), product = 1, logs = 0;
    for (size_t i = 0; i < s->count; i++) {
        product *= 1 + s->weight[i] * residual[i] * residual[i] * scale;
        if (product > PRODUCT_MAX) {
            logs += log(product);
            product = 1;
        }
    }
    logs += log(product);
    return 2 * (double)s->count * log(sigma) + (s->freedom + 1) * logs;
}

static double rms_of(const struct growth_samples *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++)
        sum += s->weight[i] * s->residual[i] * s->residual[i];
    return sqrt(sum / (double)s->count);
}

static void finish(const struct growth_samples *s, struct growth_shape *shape)
{
    shape->deviance = deviance_of(s, s->residual, shape->sigma);
    shape->rms = rms_of(s);
}

/* ---------------------------------------------------------------- Constant */

static void set_residuals_from(struct growth_samples *s, double log_level)
{
    for (size_t i = 0; i < s->count; i++)
        s->residual[i] = s->log_cost[i] - log_level;
}

static double pulled_mean(const struct growth_samples *s, double sigma)
{
    double sum = 0, pulls = 0;
    for (size_t i = 0; i < s->count; i++) {
        double pull = pull_of(s, i, sigma * sigma) * s->weight[i];
        sum += pull * s->log_cost[i];
        pulls += pull;
    }
    return sum / pulls;
}

void growth_shape_fit_constant(struct growth_samples *s, struct growth_shape *shape)
{
    double level = 0, before = INFINITY;
    set_residuals_from(s, level);
    shape->sigma = fmax(rms_of(s), GROWTH_SIGMA_MIN);
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        level = pulled_mean(s, shape->sigma);
        set_residuals_from(s, level);
        update_sigma(s, shape);
        finish(s, shape);
        if (before - shape->deviance < DEVIANCE_TOLERANCE)
            break;
        before = shape->deviance;
    }
    shape->a = exp(level);
    shape->b = 0;
    shape->rise = 1;
}

/* ---------------------------------------------------------------- Curve */

/* Computes the residuals; returns false if the curve is not positive at every sample. */
static bool residuals_of(const struct growth_samples *s, double a, double b, double *residual)
{
    if (b <= 0 || a + b * s->basis[0] <= 0)
        return false;
    for (size_t i = 0; i < s->count; i++)
        residual[i] = s->log_cost[i] - log(a + b * s->basis[i]);
    return true;
}

/* Starts the search with the line that has the smallest errors relative to the costs. If this line
 * is not valid, the search starts with the line from half the lowest cost to the last cost, which
 * is always valid. */
static void guess(struct growth_samples *s, struct growth_shape *shape)
{
    double lowest = INFINITY, unused;
    for (size_t i = 0; i < s->count; i++) {
        s->target[i] = exp(s->log_cost[i]);
        s->pull[i] = s->weight[i] / (s->target[i] * s->target[i]);
        lowest = fmin(lowest, s->target[i]);
    }
    gsl_fit_wlinear(s->basis, 1, s->pull, 1, s->target, 1, s->count, &shape->a, &shape->b, &unused,
                    &unused, &unused, &unused);
    if (isfinite(shape->a) && isfinite(shape->b) &&
        residuals_of(s, shape->a, shape->b, s->residual))
        return;
    shape->a = lowest / 2;
    shape->b = fmax(s->target[s->count - 1] - shape->a, shape->a);
    residuals_of(s, shape->a, shape->b, s->residual);
}

static void solve_step(struct growth_samples *s, const struct growth_shape *shape, double *a,
                       double *b)
{
    double variance = shape->sigma * shape->sigma, unused;
    for (size_t i = 0; i < s->count; i++) {
        double model = shape->a + shape->b * s->basis[i];
        s->target[i] = model * (1 + s->residual[i]);
        s->pull[i] = pull_of(s, i, variance) * s->weight[i] / (model * model);
    }
    gsl_fit_wlinear(s->basis, 1, s->pull, 1, s->target, 1, s->count, a, b, &unused, &unused,
                    &unused, &unused);
}

/* Moves the curve to (a, b) or, if the deviance would rise, only a part of the way. */
static void advance(struct growth_samples *s, struct growth_shape *shape, double a, double b)
{
    if (!isfinite(a) || !isfinite(b))
        return;
    double part = 1;
    for (unsigned halving = 0; halving < HALVINGS_MAX; halving++, part /= 2) {
        double next_a = shape->a + part * (a - shape->a);
        double next_b = shape->b + part * (b - shape->b);
        if (!residuals_of(s, next_a, next_b, s->trial) ||
            deviance_of(s, s->trial, shape->sigma) > shape->deviance)
            continue;
        shape->a = next_a;
        shape->b = next_b;
        double *accepted = s->trial;
        s->trial = s->residual;
        s->residual = accepted;
        return;
    }
}

void growth_shape_fit(struct growth_samples *s, struct growth_shape *shape)
{
    if (!(shape->b > 0) || !residuals_of(s, shape->a, shape->b, s->residual))
        guess(s, shape);
    shape->sigma = fmax(rms_of(s), GROWTH_SIGMA_MIN);
    update_sigma(s, shape);
    finish(s, shape);
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        double a, b, before = shape->deviance;
        solve_step(s, shape, &a, &b);
        advance(s, shape, a, b);
        update_sigma(s, shape);
        finish(s, shape);
        if (before - shape->deviance < DEVIANCE_TOLERANCE)
            break;
    }
    shape->rise = (shape->a + shape->b) / (shape->a + shape->b * s->basis[0]);
}
