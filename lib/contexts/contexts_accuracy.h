/* Measures how well one tree of calling contexts approximates another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The metrics are defined in section 5.2 of *Mining Hot Calling Contexts in Small Space*. The
 * reference has the true counts w, for example a full tree of the same run. The measured tree has
 * estimates, for example a hot tree. The definitions use the total weight N and a share phi:
 *
 *     H     contexts of the reference with w >= floor(phi N)
 *     A     monitored contexts of the measured tree with an estimate >= floor(phi N)
 *     HCCT  A and all ancestors: what a query returns
 *
 * The root has no routine and is never counted.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_ACCURACY_H
#define LIB_CONTEXTS_CONTEXTS_ACCURACY_H

#include "lib/contexts/contexts_profile.h"

/* Two aligned trees: common.contexts holds the counts of the measured tree. */
struct context_pair {
    struct context_profile common; /* has one tree */
    uint64_t true_total;
    uint64_t *truth;                  /* true count w of each context */
    bool *in_reference, *in_measured; /* for each context, whether each tree has it */
};

/* Adds up all threads of each profile, or selects one thread, and aligns the two trees. If `scale`
 * is true, the estimates are multiplied by the ratio of the two totals, so that runs of different
 * length can be compared. */
bool contexts_pair(const struct context_profile *reference, const struct context_profile *measured,
                   uint32_t thread, bool sites, bool scale, struct context_pair *pair,
                   struct failure *why);
void contexts_pair_free(struct context_pair *pair);

struct contexts_accuracy {
    double phi;
    size_t reference_nodes, measured_nodes, common_nodes;
    size_t true_hot;        /* |H| */
    size_t reported;        /* |A| */
    size_t hcct_nodes;      /* |HCCT| */
    size_t false_positives; /* |A \ H| */
    size_t missed;          /* number of false negatives, |H \ A| */
    size_t missed_twice;    /* number of false negatives with w >= 2 phi N */
    /* number of contexts in HCCT that the reference lacks, or that have w = 0 there */
    size_t foreign;
    double overlap;                          /* sum of w over HCCT, in percent of N */
    double uncovered_max, uncovered_average; /* largest and mean w outside HCCT, in percent of the
                                              * largest w */
    /* largest and mean |estimate - w| / w of the contexts in HCCT, in percent */
    double error_max, error_average;
    /* like `error_max` and `error_average`, over A instead of HCCT */
    double hot_error_max, hot_error_average;
};

/* Computes the metrics for phi. `marks` has one byte for each context; the function stores there
 * whether the context is in HCCT and in A. */
void contexts_measure(const struct context_pair *pair, double phi, unsigned char *marks,
                      struct contexts_accuracy *result);

/* Hot edge coverage: HCCT contains this percentage of all contexts of the reference with w >= tau *
 * the largest w. The coverage is 100 if no context reaches this weight. */
double contexts_coverage(const struct context_pair *pair, const unsigned char *marks, double tau);

#endif
