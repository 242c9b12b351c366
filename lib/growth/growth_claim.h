/* Decides which growth is claimed for a routine: only validated growth is claimed.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * growth.h describes the points by the class that explains them best. A fit becomes a claim only if
 * it predicts the costs of larger sizes. A curve fitted to sizes below a quarter of the largest
 * must predict the other costs within 10 %. The sizes of one run belong to different tasks (short
 * lines and whole files), so a curve through all sizes may explain much but predict little.
 *
 *     sizes 10 .. 1000, cost n^2 / 2 + 60 n    fitted to 10 .. 249, predicts the others: "n^2", 0.5
 *                                              n^2 + 60 n
 *     sizes 40 .. 92, cost exactly 7 n + 3     fitted to 40 .. 60, predicts the others: "n"
 *     sizes 400 .. 1400, cost n^1.5, noise 1 % too close together to test: described as "looks
 *                                              like n^1.5"
 *     sizes 1 .. 90 and one of 4590            the far size does not determine the curve: it is
 *                                              predicted, or left out
 *
 * Without validation, a class near n is still claimed if costs scatter around it by less than 10 %
 * over 12 sizes or more. For each class claimed without validation, a call with ten times
 * the input costs 5 to 20 times as much.
 */
#ifndef LIB_GROWTH_GROWTH_CLAIM_H
#define LIB_GROWTH_GROWTH_CLAIM_H

#include "lib/growth/growth_terms.h"
#include "lib/growth/growth_trend.h"

enum growth_basis {
    GROWTH_BASIS_FEW,       /* too few sizes, or sizes too close together */
    GROWTH_BASIS_NO_FIT,    /* no curve predicts the larger sizes */
    GROWTH_BASIS_SCATTERED, /* costs of neighbouring sizes differ: the cost depends on more than
                             * n */
    GROWTH_BASIS_NARROW,    /* claimed: growth near n with little scatter */
    /* claimed: a curve through the smaller sizes predicted the larger sizes */
    GROWTH_BASIS_VALIDATED,
};

struct growth_claim {
    enum growth_basis basis;
    /* lowest and highest class that is claimed or, without a claim, describes the points */
    enum growth_class first, last;
    struct growth_terms terms; /* model of the class that predicted best */
    double n_min, n_max;       /* range of sizes that determine the curve */
    size_t sizes, small, far;  /* numbers of sizes: in the curve's range; omitted smaller
                                    * sizes; omitted sizes after the gap */
    double gap; /* the largest size divided by the largest size that determines the curve */
    /* cost of the largest size after the gap divided by the curve's value; 0 if the curve predicted
     * this cost, or if nothing is claimed */
    double far_times;
    /* error of the validation, |ln(measured / predicted)|; INFINITY if there was no validation */
    double error;
    double scatter; /* scatter of neighbouring sizes: 0.1 is 10 % */
    double cost;    /* cost at n_max by the curve */
    double times, times_low,
        times_high; /* cost of a call at 10 n_max divided by the cost at n_max; 0: no claim */
    struct growth_trend trend; /* trend; only if nothing is claimed */
};

/* If the caller already has a fit of the points, `fit` is this fit, which saves most of the time;
 * otherwise `fit` is NULL. */
void growth_claim_make(struct growth_claim *claim, const double *n, const double *cost,
                       const double *weight, size_t count, const struct growth_fit *fit);

bool growth_is_claimed(const struct growth_claim *claim);

/* The claim as text: "n log n", "n or n log n", "too few sizes", "no simple curve", "scattered".
 * The caller frees the text. */
char *growth_claim_words(const struct growth_claim *claim);

/* Like growth_claim_words(), but "too few sizes", "no simple curve" and "scattered" are replaced by
 * the trend if it exists. */
char *growth_claim_or_trend_brief(const struct growth_claim *claim);

/* The curve as text: "0.5 n^2"; empty if nothing is claimed, or if a constant is claimed. The
 * caller frees the text. */
char *growth_leading_term(const struct growth_claim *claim);

/* A sentence with the evidence for the claim, or with the reason why nothing is claimed. The caller
 * frees the text. */
char *growth_claim_reason(const struct growth_claim *claim);

#endif
