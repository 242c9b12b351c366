/* Measures how well one report of an analysis approximates another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_EVENTS_ACCURACY_H
#define TOOLS_EVENTS_ACCURACY_H

#include "lib/events/events_join.h"

/* A count: one column of one row, in both reports. */
struct events_pair {
    size_t row; /* index of the joined row */
    size_t column;
    uint64_t actual, sampled;
};

/* The metrics; the errors and the overlap are in percent. */
struct events_accuracy {
    double rate;          /* sampling rate, by which the sampled counts are divided */
    double error_average; /* the paper's error rate, computed over all pairs of the reference */
    double error_most;    /* largest error of any pair that is in the reference */
    /* each pair has a share in both reports; the overlap is the sum of the smaller shares */
    double overlap;
    size_t actual_count, sampled_count; /* numbers of pairs with a count above 0: in the reference,
                                         * and in the new report */
    size_t missed;                      /* number of pairs that are only in the reference */
    size_t foreign;                     /* number of pairs that are only in the new report */
};

struct events_comparison {
    struct events_joined joined;
    VECTOR(struct events_pair) pairs;
    double actual_total, sampled_total;
};

/* Joins the rows of the reference and of the new report. Fails if the reports are of different
 * analyses. The caller frees `comparison` in any case. */
bool events_comparison_start(struct events_comparison *comparison,
                             const struct events_report *actual,
                             const struct events_report *sampled, struct failure *why);
void events_comparison_free(struct events_comparison *comparison);

/* The error of one pair in percent of the actual count; infinite if the actual count is 0. */
double events_pair_error(const struct events_pair *pair, double rate);

/* Computes the metrics of paper 001, section 6.4, for this sampling rate, which must be above 0. */
void events_measure(const struct events_comparison *comparison, double rate,
                    struct events_accuracy *accuracy);

#endif
