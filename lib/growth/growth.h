/* Finds how a routine's cost depends on its input size, and how certain this result is.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions do not depend on reports: points are arrays n[i], cost[i], weight[i].
 *
 *     struct growth_fit fit;
 *     growth_fit_points(&fit, n, worst_cost, NULL, count);     worst case: all sizes count alike
 *     growth_fit_points(&fit, n, average_cost, calls, count);  average: weighted by calls
 *
 *     growth_words(&fit);                           "n log n", "n or n log n", "about n^1.74",
 *                                                   "too few sizes", "no simple curve"
 *     growth_predict(&fit, 10 * fit.n_max);         cost at ten times the largest input
 *
 *     struct growth_branches branches;              a cache hit and a miss: two curves, one range
 *     growth_find_branches(&branches, n, cost, weight, count, NULL);
 *
 * Every number in the results is finite. A point is ignored if its n or cost is negative, infinite
 * or NaN, or if its weight is not positive. Points may be in any order, and an n may occur more
 * than once. docs/growth.md explains the method and its limits.
 */
#ifndef LIB_GROWTH_GROWTH_H
#define LIB_GROWTH_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

/* The growth classes, in ascending order of growth. */
enum growth_class {
    GROWTH_CONSTANT,
    GROWTH_LOG,
    GROWTH_SQRT,
    GROWTH_LINEAR,
    GROWTH_LINEARITHMIC,
    GROWTH_POWER_3_2,
    GROWTH_SQUARE,
    GROWTH_SQUARE_LOG,
    GROWTH_CUBE,
    GROWTH_EXPONENTIAL,
    GROWTH_CLASS_COUNT,
    GROWTH_POWER = GROWTH_CLASS_COUNT /* n^c, an alternative to the classes */
};

enum growth_verdict {
    GROWTH_FEW_POINTS, /* too few sizes, or sizes too close together */
    GROWTH_NO_FIT,     /* the costs do not follow any of the curves */
    GROWTH_AMBIGUOUS,  /* several classes explain the points: fit.candidates */
    GROWTH_BETWEEN,    /* no class explains the points, but n^c is clearly better: fit.power */
    GROWTH_DECIDED     /* fit.class */
};

/* Patterns of residuals that show a wrong curve. */
enum growth_pattern {
    GROWTH_PATTERN_RANDOM, /* no pattern */
    GROWTH_PATTERN_CURVED, /* neighbouring residuals have the same sign */
    /* curved residuals with costs above the curve at the end: predictions are too low */
    GROWTH_PATTERN_GROWING,
    /* curved residuals with costs below the curve at the end: predictions are too high */
    GROWTH_PATTERN_FALLING
};

/* The minima for a fit: the number of distinct sizes; the number of doublings that the sizes cover
 * (1, 2-3, 4-7, ...); the ratio of the largest to the smallest size. Within a short range all
 * curves are similar. */
#define GROWTH_SIZES_MIN     8
#define GROWTH_DOUBLINGS_MIN 3
#define GROWTH_RANGE_MIN     4.0

/* The least number of sizes for a branch. It is below GROWTH_SIZES_MIN, because each branch has
 * only a part of the routine's sizes. */
#define GROWTH_BRANCH_SIZES_MIN 5

/* If the typical residual is above this limit (a factor of exp(0.5)), no curve explains the
 * costs. */
#define GROWTH_SIGMA_MAX 0.5

/* A class is preferred if its AICc is lower than the AICc of every other class by at least this
 * difference, which means a likelihood ratio of 20.
 */
#define GROWTH_MARGIN 6.0

/* Residuals have a pattern if the result of the runs test is below this limit; by chance, this
 * occurs in one table out of a hundred. */
#define GROWTH_RUNS_Z (-2.33)

/* cost = a + b * f(n); logarithms are to the base 2, and log 0 counts as log 1. */
struct growth_curve {
    bool usable; /* whether the cost rises with n, and the class can be computed at n_max */
    enum growth_class class;
    double a, b;  /* b >= 0, and 0 only for GROWTH_CONSTANT */
    double c;     /* exponent of GROWTH_POWER: f(n) = n^c */
    double sigma; /* typical relative residual: 0.1 is 10 %; outliers hardly count */
    double rms;   /* typical relative residual with full weight for outliers */
    /* Explained part of the variance of ln(cost), 0..1, without outliers; meaningless for a
     * constant. */
    double r_squared;
    double aicc; /* information criterion; only differences between two fits are meaningful */
};

struct growth_fit {
    enum growth_verdict verdict;
    enum growth_class class; /* the best class, even if the verdict is ambiguous; CONSTANT if
                              * undecided */
    /* number of candidates: 0 if there are too few sizes, above 1 if the verdict is ambiguous */
    size_t candidate_count;
    enum growth_class candidates[GROWTH_CLASS_COUNT]; /* candidates in ascending order of growth */
    struct growth_curve curves[GROWTH_CLASS_COUNT];
    struct growth_curve power; /* power law; usable if the verdict is BETWEEN, or after
                                  * growth_add_power() */
    double c_low, c_high;      /* 95 % confidence interval of the power law's exponent */
    /* pattern of the residuals of the best class or, if the verdict is BETWEEN, of the power law */
    enum growth_pattern pattern;
    double runs_z; /* result of the runs test of the residuals */
    /* slope of a line through the residuals of the larger half of the sizes, divided by the slope's
     * error */
    double tail_t;
    size_t points, sizes; /* number of used points; number of distinct n among the used points */
    size_t ignored, outliers; /* number of unused points; number of points far from the curve */
    double n_min, n_max;
    double cost_last; /* largest cost at the size n_max */
};

void growth_fit_points(struct growth_fit *fit, const double *n, const double *cost,
                       const double *weight, size_t count);

/* Fits like growth_fit_points, but over the whole range of sizes, and with `sizes_min` as the
 * minimum number of sizes instead of GROWTH_SIZES_MIN.
 */
void growth_fit_some(struct growth_fit *fit, const double *n, const double *cost,
                     const double *weight, size_t count, size_t sizes_min);

/* Adds the power law to a fit of the same points, if growth is shown. To find a power law, a
 * hundred curves are fitted, so growth_fit_points does this only if the best class has a large
 * error. */
void growth_add_power(struct growth_fit *fit, const double *n, const double *cost,
                      const double *weight, size_t count);

/* The curve of the best class, or the power law if the verdict is BETWEEN. With too few sizes the
 * fit is the constant 0. */
const struct growth_curve *growth_best(const struct growth_fit *fit);

/* Returns the curve of the class that is second after the best class: another candidate, or the
 * class with the next larger AICc. Returns the curve of the best class if no other class can be
 * fitted. */
const struct growth_curve *growth_rival(const struct growth_fit *fit);

/* The cost at a size: at least 0, at most DBL_MAX. */
double growth_curve_value(const struct growth_curve *curve, double n);

/* The curve as text: "3.5 n log n + 12". The text has enough digits to evaluate the curve, and
 * omits an offset that is negligible at n_max. The caller frees the text. */
char *growth_formula(const struct growth_curve *curve, double n_max);

/* Fits only curve->class (with curve->c for the power law), whatever the number of points. */
void growth_fit_class(struct growth_curve *curve, const double *n, const double *cost,
                      size_t count);

/* Predicts from growth_best(). If there were too few sizes, the prediction is the cost of the
 * largest size. */
double growth_predict(const struct growth_fit *fit, double n);

/* The verdict as text: "n log n", "n or n log n", "log n ... n^2", "about n^1.74", "too few sizes"
 * or "no simple curve". The caller frees the text. */
char *growth_words(const struct growth_fit *fit);

/* Whether the fit has a curve for which R^2 and predictions are meaningful. */
bool growth_is_known(const struct growth_fit *fit);

/* The name of a class: "1", "log n", "sqrt n", ..., "2^n". */
const char *growth_class_name(enum growth_class class);

/* f(n) of a class, or of a curve, which may be a power law; at most DBL_MAX. */
double growth_class_value(enum growth_class class, double n);
double growth_curve_function(const struct growth_curve *curve, double n);

/* The name of a pattern: "random", "curved", "growing", "falling". */
const char *growth_pattern_name(enum growth_pattern pattern);

#define GROWTH_BRANCHES_MAX 3

/* The cheapest branch first. */
struct growth_branches {
    size_t count;      /* number of branches; 1: no branches, and branch[0] is the fit of all
                        * points */
    double separation; /* least distance of neighbouring branches divided by their scatter; 0 if
                        * count is 1 */
    struct {
        struct growth_fit fit;
        size_t points;
    } branch[GROWTH_BRANCHES_MAX];
};

/* Searches for separate bands of points over one range of sizes. The points must lie on the
 * branches, so the costs must be worst costs, or worst and best costs alternately. Mean costs would
 * lie between the branches. `labels`, if not NULL, receives `count` branch numbers; unused points
 * get 0. */
void growth_find_branches(struct growth_branches *branches, const double *n, const double *cost,
                          const double *weight, size_t count, unsigned char *labels);

#endif
