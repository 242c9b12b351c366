/* How the cost of one routine grows: worst case, average, branches, and at ten times the input.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The outlook. Each activation gets GROWTH_TIMES its input. Its cost then grows linearly, unless
 * the points rule that out: then by the curve of the average cost (of the worst, if the average
 * follows none), and of several possible classes by the one that is nearest to linear. No cost
 * grows by more than GROWTH_FACTOR_MAX, whatever the curve says.
 */
#ifndef LIB_ROUTINE_GROWTH_H
#define LIB_ROUTINE_GROWTH_H

#include "lib/growth.h"
#include "lib/report.h"

#define GROWTH_TIMES 10.0 /* how much larger the input is that rankings look at */

/* What n^3 has; steeper curves (2^n, most of all) say no more than "too much". */
#define GROWTH_FACTOR_MAX 1000.0

/* Of sizes within a smaller range, an extrapolation by GROWTH_TIMES is longer than what it rests
 * on. */
#define GROWTH_RANGE_SURE 10.0

struct routine_growth {
    struct growth_fit worst;   /* of the largest costs; of the dearest branch if there are some */
    struct growth_fit average; /* of the mean costs, weighted by calls */
    struct growth_branches branches; /* of the largest and least costs; the cheapest first */
    double factor; /* by which its cost grows when each of its inputs is GROWTH_TIMES as large */
    bool is_sure;  /* the factor is that of one named class, measured over a fair range */
};

enum growth_costs { GROWTH_WORST, GROWTH_BEST, GROWTH_AVERAGE, GROWTH_EXTREMES };

/* The points of a profile by ascending size, as growth.h wants them. */
struct growth_points {
    size_t count;
    double *n, *cost, *weight;
};

/* GROWTH_EXTREMES has largest and least costs. */
struct growth_points routine_growth_points(const struct report *report,
                                           const struct report_profile *profile,
                                           enum report_metric metric, enum growth_costs costs);
void growth_points_free(struct growth_points *points);

/* One fit alone. */
void routine_growth_fit(const struct report *report, const struct report_profile *profile,
                        enum report_metric metric, enum growth_costs costs, struct growth_fit *fit);

void routine_growth_analyse(const struct report *report, const struct report_profile *profile,
                            enum report_metric metric, struct routine_growth *growth);

/* Adds the power laws to the worst case, if there are no branches, and the average. */
void routine_growth_add_powers(const struct report *report, const struct report_profile *profile,
                               enum report_metric metric, struct routine_growth *growth);

/* "n log n", or "n log n / 1" for branches; the caller frees it. */
char *routine_growth_worst_words(const struct routine_growth *growth);

#endif
