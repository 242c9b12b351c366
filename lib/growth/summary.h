/* One line per routine: calls, costs, input sizes and their shares.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_GROWTH_SUMMARY_H
#define LIB_GROWTH_SUMMARY_H

#include "lib/growth/routine_growth.h"

struct summary {
    const struct report_profile *profile;
    const struct report_routine *routine;
    const struct report_context *context; /* calling context; NULL: all activations, from any
                                           * caller */
    size_t points;                        /* number of distinct input sizes */
    u128 input;                           /* sum of the activations' input sizes */
    u128 trms_input; /* sum of input sizes by trms, for any metric, because only trms includes
                      * induced input */
    u128 induced_thread, induced_external;
    uint64_t input_max, cost_worst, cost_least; /* largest input, highest and least cost of calls */
    uint64_t input_worst, input_least;          /* input sizes of the calls with cost_worst and
                                                 * cost_least */
    size_t members; /* number of routines if the line is a group, which has no curve; 0: the line is
                     * a single routine */
    struct routine_growth growth; /* see summary_add_growth() */
};

typedef VECTOR(struct summary) summary_list;

/* Summarises one profile or context without its growth. Computing the growth takes a thousand times
 * as long as this summary. */
struct summary summary_of(const struct report *report, const struct report_profile *profile,
                          enum report_metric metric);

/* Adds the growth to a summary; no other step takes as long. A caller with many summaries keeps
 * only the sort key of each summary, and makes the summaries of the displayed lines again. */
void summary_add_growth(const struct report *report, enum report_metric metric, struct summary *s);

/* Makes one summary for each profile, without growth, in the report's order. The report must
 * outlive the list. */
void summary_make(const struct report *report, enum report_metric metric, summary_list *list);

/* The sum of all activations' input sizes: the base of each routine's share of the input. */
u128 summary_total_input(const summary_list *list);

/* The ratio part / whole in percent; 0 if the whole is 0. */
double summary_percent(u128 part, u128 whole);

#endif
