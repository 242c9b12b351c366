/* Posterior estimate of a larger run: an average of curves, weighted by their fit to three runs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An exact curve through three points treats every deviation as growth, even a single long search
 * in the largest run. The model is an unknown curve times unknown noise:
 *
 *     a + b x^c      prior: half of the weight on c = 1, the rest spread around 1. The offset a is
 *                    the cost of start-up, any part of the largest run; a small weight is on a < 0
 *     a - b x^-c     prior: a fifth; costs that saturate, like the number of different words in a
 *                    text
 *
 * The assumed noise is 0.05 to 40 %. If the number of calls grows, an error of an eighth of a call
 * is added to the noise (as a sum of squares); this error matters only if there are few calls. The
 * weight of a curve is its prior times the likelihood of the three costs (Bayes). The estimate is
 * the weighted geometric mean of all curves' predictions.
 *
 * Example: sizes 1000, 2000, 4000; costs 1000, 2010, 3950. The exact curve bends (c = 0.94) and
 * predicts 8.9 times the cost at ten times the size; the estimate predicts 10.0 times.
 */
#ifndef LIB_GROWTH_SCALE_POSTERIOR_H
#define LIB_GROWTH_SCALE_POSTERIOR_H

/* Returns the predicted cost of a run that is `times` times as large as the third run. The three
 * runs must have ascending sizes, and costs and calls above 0. */
double scale_posterior_predict(const double *size, const double *cost, const double *calls,
                               double times);

#endif
