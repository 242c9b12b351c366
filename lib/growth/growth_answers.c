/* Names, values and texts for a fit of growth classes; see growth.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/growth.h"
#include "lib/base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Formulas omit an offset below this part of the largest cost. */
#define OFFSET_SHOWN 1e-3

/* ---------------------------------------------------------------- Classes */

static const char *const class_names[GROWTH_CLASS_COUNT] = {
    "1", "log n", "sqrt n", "n", "n log n", "n^1.5", "n^2", "n^2 log n", "n^3", "2^n"};

const char *growth_class_name(enum growth_class class)
{
    return class_names[class];
}

static double log_of(double n)
{
    return n > 1 ? log2(n) : 0;
}

static double class_value(enum growth_class class, double n)
{
    switch (class) {
    case GROWTH_LOG:
        return log_of(n);
    case GROWTH_SQRT:
        return sqrt(n);
    case GROWTH_LINEAR:
        return n;
    case GROWTH_LINEARITHMIC:
        return n * log_of(n);
    case GROWTH_POWER_3_2:
        return n * sqrt(n);
    case GROWTH_SQUARE:
        return n * n;
    case GROWTH_SQUARE_LOG:
        return n * n * log_of(n);
    case GROWTH_CUBE:
        return n * n * n;
    case GROWTH_EXPONENTIAL:
        return exp2(n);
    default:
        return 1;
    }
}

double growth_class_value(enum growth_class class, double n)
{
    return fmin(class_value(class, n), DBL_MAX);
}

double growth_curve_function(const struct growth_curve *curve, double n)
{
    double value = curve->class == GROWTH_POWER ? pow(n, curve->c) : class_value(curve->class, n);
    return fmin(value, DBL_MAX);
}

/* ---------------------------------------------------------------- Answers */

bool growth_is_known(const struct growth_fit *fit)
{
    return fit->verdict > GROWTH_NO_FIT;
}

const struct growth_curve *growth_best(const struct growth_fit *fit)
{
    return fit->verdict == GROWTH_BETWEEN ? &fit->power : &fit->curves[fit->class];
}

static bool is_candidate(const struct growth_fit *fit, enum growth_class class)
{
    for (size_t i = 0; i < fit->candidate_count; i++) {
        if (fit->candidates[i] == class)
            return true;
    }
    return false;
}

const struct growth_curve *growth_rival(const struct growth_fit *fit)
{
    const struct growth_curve *rival = NULL;
    bool ambiguous = fit->candidate_count > 1;
    for (int class = 0; class < GROWTH_CLASS_COUNT; class ++) {
        const struct growth_curve *curve = &fit->curves[class];
        bool may_be = class != (int)fit->class && curve->usable &&
                      (!ambiguous || is_candidate(fit, (enum growth_class) class));
        if (may_be && (!rival || curve->aicc < rival->aicc))
            rival = curve;
    }
    return rival ? rival : growth_best(fit);
}

double growth_curve_value(const struct growth_curve *curve, double n)
{
    double value = curve->a;
    if (curve->b > 0)
        value += curve->b * growth_curve_function(curve, n);
    return fmax(fmin(value, DBL_MAX), 0);
}

double growth_predict(const struct growth_fit *fit, double n)
{
    if (fit->verdict == GROWTH_FEW_POINTS)
        return fit->cost_last;
    return growth_curve_value(growth_best(fit), n);
}

/* If there are at most two candidates, the text names all; otherwise, it names the first and the
 * last. */
static char *candidate_words(const struct growth_fit *fit)
{
    const char *first = growth_class_name(fit->candidates[0]);
    const char *last = growth_class_name(fit->candidates[fit->candidate_count - 1]);
    return memory_format("%s %s %s", first, fit->candidate_count == 2 ? "or" : "...", last);
}

char *growth_words(const struct growth_fit *fit)
{
    switch (fit->verdict) {
    case GROWTH_FEW_POINTS:
        return memory_copy_string("too few sizes");
    case GROWTH_NO_FIT:
        return memory_copy_string("no simple curve");
    case GROWTH_AMBIGUOUS:
        return candidate_words(fit);
    case GROWTH_BETWEEN:
        return memory_format("about n^%.2f", fit->power.c);
    case GROWTH_DECIDED:
        break;
    }
    return memory_copy_string(growth_class_name(fit->class));
}

char *growth_formula(const struct growth_curve *curve, double n_max)
{
    if (!(curve->b > 0))
        return memory_format("%.4g", curve->a);
    char *formula = curve->class == GROWTH_POWER
                        ? memory_format("%.4g n^%.3g", curve->b, curve->c)
                        : memory_format("%.4g %s", curve->b, growth_class_name(curve->class));
    if (fabs(curve->a) > OFFSET_SHOWN * curve->b * growth_curve_function(curve, n_max)) {
        char *longer =
            memory_format("%s %c %.4g", formula, curve->a < 0 ? '-' : '+', fabs(curve->a));
        free(formula);
        formula = longer;
    }
    return formula;
}

const char *growth_pattern_name(enum growth_pattern pattern)
{
    static const char *const names[] = {"random", "curved", "growing", "falling"};
    return names[pattern];
}
