/* One robust least-squares fit of cost = a + b * f(n), from which growth.c chooses a class.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Costs vary by a factor, not by an amount. A routine that is 10 % off at n = 10 is also 10 % off
 * at n = 10^6. Therefore residuals are ln(cost) - ln(a + b f(n)), and small sizes count as much as
 * large sizes. Residuals are assumed to have Student's t distribution, which allows for a few
 * outliers; reweighted least squares maximise the likelihood.
 */
#ifndef LIB_GROWTH_GROWTH_CURVE_H
#define LIB_GROWTH_GROWTH_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/* Costs are counts, so values below this minimum are raised to it before logarithms are taken. */
#define GROWTH_COST_MIN 0.5

/* Residuals below one per cent are never evidence against a curve, because lower-order terms and
 * rounding cause them. */
#define GROWTH_SIGMA_MIN 0.01

/* Degrees of freedom of the residuals. With GROWTH_FREEDOM, one outlier in ten points hardly
 * changes a fit, and a fit without outliers loses little precision. With GROWTH_FREEDOM_ANY, the
 * residuals are normal, and every point has its full weight. */
#define GROWTH_FREEDOM     5.0
#define GROWTH_FREEDOM_ANY 1e6

/* Points in ascending n, prepared for fitting. Costs are divided by exp(log_unit). */
struct growth_samples {
    size_t count;
    double *n, *log_cost;
    double *weight;   /* weight of each point: 1 / the relative variance, scaled to a mean of 1 */
    double *basis;    /* f(n) / f(largest n) of the curve being fitted */
    double *residual; /* residuals of the latest fit */
    double *trial;    /* residuals of a step that may be rejected */
    double *target, *pull;
    double log_unit;
    double freedom; /* GROWTH_FREEDOM, unless the caller changes it */
    /* number of points, and number of distinct n, before neighbours were merged */
    size_t used, sizes;
    double n_min, n_max;
    double cost_last; /* largest cost at the size n_max */
};

/* In a shape, a and b refer to the scaled costs and the scaled basis. */
struct growth_shape {
    double a, b;
    double sigma;    /* scatter of the residuals */
    double deviance; /* -2 ln(likelihood), without a term common to all curves */
    double rms;      /* weighted root mean square of the residuals */
    double rise;     /* the curve at the last sample divided by the curve at the first */
};

/* Whether the point is used. Points with a negative, infinite or NaN value, or without weight, are
 * ignored. */
bool growth_point_is_usable(double n, double cost, double weight);

/* Selects the usable points, sorts them, and merges neighbours if there are very many.
 * growth_samples_free frees the samples. `weight` may be NULL, and `count` may be 0. Unless `whole`
 * is true, sizes below a hundredth of the largest size are ignored if enough sizes remain. */
void growth_samples_make(struct growth_samples *samples, const double *n, const double *cost,
                         const double *weight, size_t count, bool whole);
void growth_samples_free(struct growth_samples *samples);

/* Finds the best a with b = 0. */
void growth_shape_fit_constant(struct growth_samples *samples, struct growth_shape *shape);

/* Finds the best a and b >= 0 for samples->basis, which ascends to 1. If shape->b is above 0, the
 * search starts from *shape. */
void growth_shape_fit(struct growth_samples *samples, struct growth_shape *shape);

#endif
