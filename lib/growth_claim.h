/* What may be claimed of a routine's growth: only what was tested.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * growth.h finds the class that explains the points best. That is a description. It becomes a claim
 * when it has foretold something: fitted on the sizes below a quarter of the largest, the curve
 * foretells the costs of the others within 10 %. Sizes within one run stand for different jobs
 * (short lines and whole files), so a curve through all of them explains much and foretells little.
 *
 *     sizes 10 .. 1000, cost n^2 / 2 + 60 n     foretold from 10 .. 249: "n^2", 0.5 n^2 + 60 n
 *     sizes 400 .. 1400, cost n^1.5             too close together to test: "few points",
 *                                               described as "looks like n^1.5"
 *     sizes 1 .. 90 and one of 4590             the far one carries no curve: it is foretold or not
 *
 * Without a test a class near n is still claimed if it scatters by less than 10 % over 12 sizes or
 * more: ten times the input then costs 5 to 20 times as much, whatever the truth.
 */
#ifndef LIB_GROWTH_CLAIM_H
#define LIB_GROWTH_CLAIM_H

#include "lib/growth.h"

enum growth_basis {
    GROWTH_BASIS_FEW,      /* too few sizes, or too close together */
    GROWTH_BASIS_NO_FIT,   /* no curve foretells the larger sizes */
    GROWTH_BASIS_CLOUD,    /* neighbouring sizes differ: the cost depends on more than n */
    GROWTH_BASIS_NARROW,   /* claimed: little scatter, and near n */
    GROWTH_BASIS_FORETOLD, /* claimed: the smaller sizes foretold the larger */
};

/* a + b f(n) + c g(n), f the leading term; b is above 0, c beside n^2 may be below. */
struct growth_terms {
    double a, b, c;
    enum growth_class f, g;
};

struct growth_claim {
    enum growth_basis basis;
    enum growth_class first, last; /* the classes that are claimed, or that it looks like */
    struct growth_terms terms;     /* of the one that foretold best */
    double n_min, n_max;           /* sizes that carry the curve */
    size_t sizes, small, far;      /* so many; so many smaller, and beyond a gap, that do not */
    double gap;                    /* by this factor */
    double error;   /* of the test, |ln(measured / foretold)|; INFINITY: not tested */
    double scatter; /* of neighbouring sizes: 0.1 is 10 % */
    double cost;    /* of the curve at n_max */
    double times, times_low,
        times_high; /* what a call costs at 10 n_max over that; 0: not earned */
};

/* `fit` is that of the same points, if it is known already, else NULL: it is most of the work. */
void growth_claim_make(struct growth_claim *claim, const double *n, const double *cost,
                       const double *weight, size_t count, const struct growth_fit *fit);

bool growth_is_claimed(const struct growth_claim *claim);

double growth_terms_value(const struct growth_terms *terms, double n);

/* "n log n", "n or n log n", "few points", "no fit", "cloud"; the caller frees it. */
char *growth_claim_words(const struct growth_claim *claim);

/* "0.5 n^2 + 60 n - 12"; the caller frees it. */
char *growth_terms_words(const struct growth_terms *terms, double n_max);

/* "0.5 n^2", empty if there is no claim or it is constant; the caller frees it. */
char *growth_leading_term(const struct growth_claim *claim);

/* A sentence on what the claim, or its absence, rests on; the caller frees it. */
char *growth_claim_reason(const struct growth_claim *claim);

#endif
