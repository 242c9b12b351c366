/* Reads and compares two reports, or two folders of reports, for `aprof diff` and `aprof gate`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_COMPARE_COMPARISON_H
#define LIB_COMPARE_COMPARISON_H

#include "lib/compare/compare.h"

struct comparison_options {
    struct compare_limits limits;
    const char *metric_name; /* the metric; NULL: the first metric that base has */
    const char *map;         /* renamed objects, as "OLD=NEW,..."; NULL: there are none */
    bool mine;               /* whether routines of system libraries are omitted */
};

/* The threshold is in percent until the command has processed its options. */
#define COMPARISON_DEFAULTS                                                                        \
    {                                                                                              \
        .limits = {.threshold = 10, .share = 0.1 }                                                 \
    }

/* A comparison starts with zeroes. */
struct comparison {
    struct report base, new; /* reports with merged threads */
    enum report_metric metric;
    struct compare_limits limits;
    compare_list list;
    size_t verdicts[COMPARE_VANISHED + 1];
    bool same_run;          /* whether the only comparison was between a run and itself */
    const char *recompiled; /* the most expensive recompiled object; NULL: there is none */
    double appeared_rise;   /* cost of routines that only new has, in percent of base's cost; 0: not
                             * worse */
    double total_ratio;     /* ratio new / base of the run's total cost; 0 if the commands differ or
                         * base has no cost */
};

bool comparison_make(struct comparison *c, const char *base, const char *new,
                     const struct comparison_options *options, struct failure *why);

/* True if a routine is worse, if the total cost of the same workload rose, or if the routines that
 * only the new report has raise the cost. */
bool comparison_is_worse(const struct comparison *c);
void comparison_free(struct comparison *c);

#endif
