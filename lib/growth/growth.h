/* Which function of the input size a routine's cost follows, and how sure that is.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Knows nothing of reports: points are arrays n[i], cost[i], weight[i].
 *
 *     struct growth_fit fit;
 *     growth_fit_points(&fit, n, worst_cost, NULL, count);     worst case: all sizes count alike
 *     growth_fit_points(&fit, n, average_cost, calls, count);  average: weighted by calls
 *
 *     growth_words(&fit);                           "n log n", "n or n log n", "about n^1.74",
 *                                                   "too few sizes", "no simple curve"
 *     growth_predict(&fit, 10 * fit.n_max);         cost at ten times the largest input
 *     growth_predict_range(&fit, n, &low, &high);   the same by all classes that remain possible
 *
 *     struct growth_branches branches;              a cache hit and a miss: two curves, one range
 *     growth_find_branches(&branches, n, cost, weight, count, NULL);
 *
 * Every number in the results is finite. Points with an n or cost that is negative, infinite or
 * NaN, or a weight that is not positive, are passed over. Order does not matter, and an n may occur
 * more than once. docs/growth.md explains the method and its limits.
 */
#ifndef LIB_GROWTH_GROWTH_H
#define LIB_GROWTH_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

/* In ascending order of growth. */
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
    GROWTH_POWER = GROWTH_CLASS_COUNT /* n^c, which stands beside the classes */
};

enum growth_verdict {
    GROWTH_FEW_POINTS, /* too few sizes, or too close together */
    GROWTH_NO_FIT,     /* the costs do not follow any of the curves */
    GROWTH_AMBIGUOUS,  /* several classes explain the points: fit.candidates */
    GROWTH_BETWEEN,    /* no class explains them, n^c clearly does better: fit.power */
    GROWTH_DECIDED     /* fit.class */
};

/* What the residuals do that a good curve's would not. */
enum growth_pattern {
    GROWTH_PATTERN_RANDOM,  /* nothing */
    GROWTH_PATTERN_CURVED,  /* neighbours err together */
    GROWTH_PATTERN_GROWING, /* so, and at the end costs outgrow the curve: predictions are too low
                             */
    GROWTH_PATTERN_FALLING  /* so, and at the end costs fall behind it: predictions are too high */
};

/* Fewer distinct sizes are too few; so are sizes of fewer doublings (1, 2-3, 4-7, ...), and a
 * largest one below so many times the least: within a short range all curves are alike. */
#define GROWTH_SIZES_MIN     8
#define GROWTH_DOUBLINGS_MIN 3
#define GROWTH_RANGE_MIN     4.0

/* A branch is fitted with so many sizes, for the other branch has the rest of them. */
#define GROWTH_BRANCH_SIZES_MIN 5

/* Costs that are typically off by more than this factor exp(0.5) follow nothing. */
#define GROWTH_SIGMA_MAX 0.5

/* A class is preferred when its AICc is lower than any other's by this: a likelihood ratio of 20.
 */
#define GROWTH_MARGIN 6.0

/* A runs test below this is a pattern: chance does it once in a hundred tables. */
#define GROWTH_RUNS_Z (-2.33)

/* cost = a + b * f(n); logarithms are to the base 2, and log 0 is taken as log 1. */
struct growth_curve {
    bool usable; /* the cost rises with n, and the class can be computed at n_max */
    enum growth_class class;
    double a, b;      /* b >= 0, and 0 only for GROWTH_CONSTANT */
    double c;         /* of GROWTH_POWER: f(n) = n^c */
    double sigma;     /* typical relative residual: 0.1 is 10 %; wild points hardly count */
    double rms;       /* the same, with wild points in full */
    double r_squared; /* part of the variance of ln(cost) that is explained, 0..1, without wild
                         points; says nothing of a constant */
    double aicc;      /* only differences mean something */
};

struct growth_fit {
    enum growth_verdict verdict;
    enum growth_class class; /* the best one, whatever the verdict; CONSTANT if not enough */
    size_t candidate_count;  /* 1 unless ambiguous, 0 if not enough */
    enum growth_class candidates[GROWTH_CLASS_COUNT]; /* in ascending order of growth */
    struct growth_curve curves[GROWTH_CLASS_COUNT];
    struct growth_curve power;   /* usable if BETWEEN, or after growth_add_power() */
    double c_low, c_high;        /* 95 % confidence of its exponent */
    enum growth_pattern pattern; /* of the best class, or of the power law if BETWEEN */
    double runs_z;               /* runs test of the residuals */
    double tail_t;               /* slope of the upper half of the residuals over its error */
    size_t points, sizes;        /* used; distinct n among them */
    size_t ignored, outliers;    /* not used; used, but far from the curve */
    double n_min, n_max;
    double cost_last; /* largest cost at n_max */
};

void growth_fit_points(struct growth_fit *fit, const double *n, const double *cost,
                       const double *weight, size_t count);

/* The same over the whole range of sizes, with another least number of them than GROWTH_SIZES_MIN.
 */
void growth_fit_some(struct growth_fit *fit, const double *n, const double *cost,
                     const double *weight, size_t count, size_t sizes_min);

/* Adds the power law to a fit of the same points, where growth has been shown. By itself it is
 * looked for only where a class is off by so much that it may be named: it takes a hundred fits. */
void growth_add_power(struct growth_fit *fit, const double *n, const double *cost,
                      const double *weight, size_t count);

/* The curve of the best class, or the power law if the verdict is BETWEEN. With too few sizes it is
 * the constant 0. */
const struct growth_curve *growth_best(const struct growth_fit *fit);

/* The class that comes closest to the best: another candidate, or the next by AICc; the best itself
 * if no other can be fitted. */
const struct growth_curve *growth_rival(const struct growth_fit *fit);

/* The cost at a size: at least 0, at most DBL_MAX. */
double growth_curve_value(const struct growth_curve *curve, double n);

/* "3.5 n log n + 12", in numbers that a reader can put n into, without the 12 if it is nothing
 * beside the cost at n_max; the caller frees it. */
char *growth_formula(const struct growth_curve *curve, double n_max);

/* Fits curve->class alone (with curve->c, if it is the power law), however few the points are. */
void growth_fit_class(struct growth_curve *curve, const double *n, const double *cost,
                      size_t count);

/* By growth_best(), or by the cost of the largest size, unchanged, if the points were few; the
 * range is that of all candidates. */
double growth_predict(const struct growth_fit *fit, double n);
void growth_predict_range(const struct growth_fit *fit, double n, double *low, double *high);

/* "n log n", "n or n log n", "log n ... n^2", "about n^1.74", "too few sizes" or "no simple curve"; the caller
 * frees it. */
char *growth_words(const struct growth_fit *fit);

/* Is there a curve that R^2 and predictions can be told of? */
bool growth_is_known(const struct growth_fit *fit);

/* "1", "log n", "sqrt n", ..., "2^n"; and back: false if the name is none of these. */
const char *growth_class_name(enum growth_class class);
bool growth_class_parse(const char *name, enum growth_class *class);

/* f(n) of a class, at most DBL_MAX; and of a curve, which may be a power law. */
double growth_class_value(enum growth_class class, double n);
double growth_curve_function(const struct growth_curve *curve, double n);

/* "random", "curved", "growing", "falling". */
const char *growth_pattern_name(enum growth_pattern pattern);

#define GROWTH_BRANCHES_MAX 3

/* The cheapest branch first. */
struct growth_branches {
    size_t count;      /* 1: no branches, branch[0] is the fit of all points */
    double separation; /* least distance of neighbours over their scatter; 0 if count is 1 */
    struct {
        struct growth_fit fit;
        size_t points;
    } branch[GROWTH_BRANCHES_MAX];
};

/* Looks for separate bands of points over one range of sizes. Pass points that lie on the branches:
 * worst costs, or best and worst costs of each size one after the other; averages lie between.
 * labels, if not NULL, has room for `count` branch numbers; points that were not used get 0. */
void growth_find_branches(struct growth_branches *branches, const double *n, const double *cost,
                          const double *weight, size_t count, unsigned char *labels);

#endif
