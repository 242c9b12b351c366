/* The trend of costs that follow no curve: a power of the input size, with an interval.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If a routine's cost depends on more than its input size, the cost follows no curve, but has a
 * trend. Sizes are grouped into bins of a quarter octave, each with its mean cost. A straight line
 * is fitted to the logarithms of the bins' sizes and costs:
 *
 *     sizes 10 .. 4500, costs between 2 n and 9 n      about n^1.0 (0.9 to 1.1)
 *     sizes 10 .. 4500, first n^0.5, then n^1.5        no trend: the halves of the range disagree
 *
 * For the interval, lines are also fitted to parts of the range: to all except a fifth, to the
 * lower half, and to the upper half. The more the exponents of these lines differ, the wider the
 * interval is. A trend describes measured sizes and predicts no larger sizes.
 * docs/measurements/growth.md shows how often a trend holds in a run four times as large.
 */
#ifndef LIB_GROWTH_GROWTH_TREND_H
#define LIB_GROWTH_GROWTH_TREND_H

#include "lib/growth/growth_terms.h"

struct growth_trend {
    bool is_known;
    double exponent, low, high; /* exponent, with its interval */
    double n_min, n_max;
    /* largest factor between the mean cost and the trend, for the sizes of nine tenths of the
     * calls */
    double within;
    double most; /* factor of the upper bound: no size costs more than most * n^exponent */
};

void growth_trend_find(struct growth_trend *trend, const struct growth_sizes *sizes);

/* The trend as text: "about n^1.2 (1.1 to 1.3)", and "~n^1.2 (1.1..1.3)" for tables. The caller
 * frees the text. */
char *growth_trend_words(const struct growth_trend *trend);
char *growth_trend_brief(const struct growth_trend *trend);

#endif
