/* Sums of growth terms; see growth_terms.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/growth_terms.h"
#include "lib/base/memory.h"
#include "lib/growth/growth_curve.h"

#include <float.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

/* Formulas omit terms below this part of the largest cost. */
#define TERM_SHOWN 1e-3

/* Costs are limited so that sums stay finite. */
#define COST_MAX 1e150

/* If more than this part of all pairs of neighbouring sizes have equal costs, the costs are assumed
 * to be rounded to integers. */
#define STEPS_SHARE   0.1
#define ROUNDING_COST 0.3 /* standard deviation of rounding to an integer */

#define TERMS_MIN 3 /* number of sizes that determine two terms and an offset */

/* ---------------------------------------------------------------- Sizes */

void growth_sizes_make(struct growth_sizes *s, const double *n, const double *cost,
                       const double *weight, size_t count)
{
    size_t *order = memory_get_zeroed(2 * count + 1, sizeof *order), *place = order + count;
    double *block = memory_get_zeroed(3 * count + 1, sizeof *block);
    *s = (struct growth_sizes){0, block, block + count, block + 2 * count};
    size_t usable = 0;
    for (size_t i = 0; i < count; i++) {
        if (growth_point_is_usable(n[i], cost[i], weight ? weight[i] : 1))
            place[usable++] = i;
    }
    for (size_t k = 0; k < usable; k++)
        s->n[k] = n[place[k]];
    gsl_sort_index(order, s->n, 1, usable);
    for (size_t k = 0; k < usable; k++) {
        size_t i = place[order[k]];
        double w = weight ? weight[i] : 1;
        size_t at = s->count > 0 && s->n[s->count - 1] >= n[i] ? s->count - 1 : s->count++;
        double both = s->weight[at] + w;
        s->n[at] = n[i];
        s->cost[at] =
            (s->cost[at] * s->weight[at] + fmin(fmax(cost[i], GROWTH_COST_MIN), COST_MAX) * w) /
            both;
        s->weight[at] = both;
    }
    free(order);
}

void growth_sizes_free(struct growth_sizes *s)
{
    free(s->n);
    *s = (struct growth_sizes){0};
}

/* The distance, in logarithms, of the cost of size i from the line between its neighbours'
 * costs. */
static double distance_from_neighbours(const struct growth_sizes *s, size_t i)
{
    double left = log(fmax(s->n[i - 1], 0.5)), right = log(fmax(s->n[i + 1], 0.5));
    double part = right > left ? (log(fmax(s->n[i], 0.5)) - left) / (right - left) : 0.5;
    double line = (1 - part) * log(s->cost[i - 1]) + part * log(s->cost[i + 1]);
    return fabs(log(s->cost[i]) - line);
}

static bool are_equal(double x, double y)
{
    return x >= y && y >= x;
}

/* If costs differ from a straight line only by noise, the distance is 1.2 times the noise. */
double growth_sizes_scatter(const struct growth_sizes *s, size_t count)
{
    double *distances = memory_get_zeroed(count + 1, sizeof *distances);
    size_t found = 0, steps = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        distances[found++] = distance_from_neighbours(s, i) / 1.2 / 0.6745;
        steps += are_equal(s->cost[i], s->cost[i - 1]);
    }
    gsl_sort(distances, 1, found);
    double median = found > 0 ? distances[found / 2] : 0;
    if ((double)steps > STEPS_SHARE * (double)found)
        median = fmax(median, ROUNDING_COST / s->cost[count / 2]);
    free(distances);
    return median;
}

/* ---------------------------------------------------------------- Terms */

double growth_terms_value(const struct growth_terms *t, double n)
{
    double value = t->a;
    if (t->b > 0)
        value += t->b * growth_class_value(t->f, n);
    if (t->c != 0)
        value += t->c * growth_class_value(t->g, n);
    return fmax(fmin(value, DBL_MAX), 0);
}

bool growth_terms_fit(struct growth_terms *t, enum growth_class class, const struct growth_sizes *s,
                      size_t count)
{
    struct growth_curve curve = {.class = class};
    growth_fit_class(&curve, s->n, s->cost, count);
    *t = (struct growth_terms){curve.a, curve.b, 0, class, class};
    return class == GROWTH_CONSTANT || curve.b > 0;
}

/* k (n - d)^2 is k n^2 - 2 k d n + k d^2. So if d of the n cells of each call take no part in
 * its quadratic work, the lower term is negative. The lower-order term must not make the curve
 * fall. */
static bool lower_term_fits(const struct growth_terms *t, const struct growth_sizes *s)
{
    return t->c > 0 || (t->f == GROWTH_SQUARE && t->g == GROWTH_LINEAR && t->c < 0 &&
                        2 * t->b * s->n[0] + t->c >= 0);
}

/* Row i is divided by cost[i], so that each size counts by its relative error. */
static void set_row(gsl_matrix *rows, size_t i, const struct growth_terms *t,
                    const struct growth_sizes *s, const double *unit)
{
    gsl_matrix_set(rows, i, 0, unit[0] / s->cost[i]);
    gsl_matrix_set(rows, i, 1, growth_class_value(t->f, s->n[i]) * unit[1] / s->cost[i]);
    gsl_matrix_set(rows, i, 2, growth_class_value(t->g, s->n[i]) * unit[2] / s->cost[i]);
}

static bool solve_rows(const gsl_matrix *rows, double x[3])
{
    size_t count = rows->size1;
    double square_sum;
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(count, 3);
    gsl_matrix *covariance = gsl_matrix_alloc(3, 3);
    gsl_vector *ones = gsl_vector_alloc(count), *solution = gsl_vector_alloc(3);
    gsl_vector_set_all(ones, 1);
    int status = gsl_multifit_linear(rows, ones, solution, covariance, &square_sum, work);
    for (size_t k = 0; k < 3; k++)
        x[k] = gsl_vector_get(solution, k);
    gsl_vector_free(ones);
    gsl_vector_free(solution);
    gsl_matrix_free(covariance);
    gsl_multifit_linear_free(work);
    return status == 0 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

bool growth_terms_fit_two(struct growth_terms *t, const struct growth_sizes *s, size_t count)
{
    double x[3], last = s->cost[count - 1], n_max = s->n[count - 1];
    double unit[3] = {last, last / growth_class_value(t->f, n_max),
                      last / growth_class_value(t->g, n_max)};
    if (count < TERMS_MIN || !isfinite(unit[1]) || !isfinite(unit[2]))
        return false;
    gsl_matrix *rows = gsl_matrix_alloc(count, 3);
    for (size_t i = 0; i < count; i++)
        set_row(rows, i, t, s, unit);
    bool solved = solve_rows(rows, x);
    gsl_matrix_free(rows);
    if (!solved || x[1] <= 0)
        return false;
    t->a = x[0] * unit[0];
    t->b = x[1] * unit[1];
    t->c = x[2] * unit[2];
    return lower_term_fits(t, s);
}

const enum growth_class growth_pairs[GROWTH_PAIRS][2] = {{GROWTH_LINEARITHMIC, GROWTH_LINEAR},
                                                         {GROWTH_SQUARE, GROWTH_LINEAR},
                                                         {GROWTH_SQUARE, GROWTH_LINEARITHMIC},
                                                         {GROWTH_CUBE, GROWTH_SQUARE},
                                                         {GROWTH_POWER_3_2, GROWTH_LINEAR}};
double growth_terms_error(const struct growth_terms *t, const struct growth_sizes *s, size_t from,
                          size_t end)
{
    double sum = 0, weights = 0;
    for (size_t i = from; i < end; i++) {
        double weight = 1 / (1 / s->weight[i] + 1 / 16.0);
        double error = log(s->cost[i] / fmax(growth_terms_value(t, s->n[i]), DBL_MIN));
        sum += weight * error * error;
        weights += weight;
    }
    return weights > 0 ? sqrt(sum / weights) : INFINITY;
}

char *growth_terms_words(const struct growth_terms *t, double n_max)
{
    double whole = TERM_SHOWN * growth_terms_value(t, n_max);
    char *lower = t->c != 0 ? memory_format(" %c %.3g %s", t->c < 0 ? '-' : '+', fabs(t->c),
                                            growth_class_name(t->g))
                            : memory_copy_string("");
    char *offset = fabs(t->a) > whole && t->b > 0
                       ? memory_format(" %c %.3g", t->a < 0 ? '-' : '+', fabs(t->a))
                       : memory_copy_string("");
    char *all = t->b > 0
                    ? memory_format("%.3g %s%s%s", t->b, growth_class_name(t->f), lower, offset)
                    : memory_format("%.3g", t->a);
    free(lower);
    free(offset);
    return all;
}
