/* Growth of the cost of one routine with its own input: worst case, average, branches.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For each kind of costs, a fit describes the measured costs, and a claim predicts larger inputs.
 * Reports show claims. A larger run often has more calls rather than larger inputs, so scale.h
 * predicts the costs of runs.
 */
#ifndef LIB_GROWTH_ROUTINE_GROWTH_H
#define LIB_GROWTH_ROUTINE_GROWTH_H

#include "lib/growth/growth_claim.h"
#include "lib/report/report.h"

#define GROWTH_TIMES 10.0 /* predicted input size divided by the largest measured input size */

struct routine_growth {
    struct growth_fit worst;   /* growth of the largest costs, or of the most expensive branch if
                                * branches exist */
    struct growth_fit average; /* growth of the mean costs, weighted by calls */
    struct growth_branches branches; /* branches of the largest and least costs; the cheapest branch
                                      * first */
    struct growth_claim worst_claim, average_claim;
};

enum growth_costs { GROWTH_WORST, GROWTH_BEST, GROWTH_AVERAGE, GROWTH_EXTREMES };

/* The points of a profile by ascending size, as arrays for growth.h. */
struct growth_points {
    size_t count;
    double *n, *cost, *weight;
};

/* `kind` selects the costs; GROWTH_EXTREMES selects the largest and the least costs. */
struct growth_points routine_growth_points(const struct report *report,
                                           const struct report_profile *profile,
                                           enum report_metric metric, enum growth_costs costs);
void growth_points_free(struct growth_points *points);

void routine_growth_analyse(const struct report *report, const struct report_profile *profile,
                            enum report_metric metric, struct routine_growth *growth);

/* Adds a power law to the average and, if there are no branches, to the worst case. */
void routine_growth_add_powers(const struct report *report, const struct report_profile *profile,
                               enum report_metric metric, struct routine_growth *growth);

/* The growth as text: "n log n", or "n log n / 1" for branches. The caller frees the text. */
char *routine_growth_worst_words(const struct routine_growth *growth);

#endif
