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

/* The threshold is in percent here; the commands divide it by 100 after they have read their
 * options. */
#define COMPARISON_DEFAULTS                                                                        \
    {                                                                                              \
        .limits = {.threshold = 10, .share = 0.1 }                                                 \
    }

/* The caller sets all members to 0 before a comparison. */
struct comparison {
    struct report base, new; /* reports with merged threads */
    enum report_metric metric;
    struct compare_limits limits;
    compare_list list;
    size_t verdicts[COMPARE_VANISHED + 1];
    bool same_run;          /* whether base and new are reports of the same run */
    const char *recompiled; /* the most expensive recompiled object; NULL: there is none */
    /* cost of the routines that only the new report has, in percent of the base's cost; 0 if this
     * cost does not make the report worse */
    double appeared_rise;
    double total_ratio; /* ratio new / base of the run's total cost; 0 if the commands differ or
                         * base has no cost */
};

bool comparison_make(struct comparison *c, const char *base, const char *new,
                     const struct comparison_options *options, struct failure *why);

/* True if a routine is worse, if the total cost of the same workload rose, or if the routines that
 * only the new report has raise the cost. */
bool comparison_is_worse(const struct comparison *c);
void comparison_free(struct comparison *c);

#endif
