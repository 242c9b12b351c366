/* Reads and compares two reports, or folders of them, for `aprof diff` and `aprof gate`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_COMPARE_COMPARISON_H
#define LIB_COMPARE_COMPARISON_H

#include "lib/compare/compare.h"

struct comparison_options {
    struct compare_limits limits;
    const char *metric_name; /* NULL: the first that base has */
    const char *map;         /* "OLD=NEW,...": renamed objects; NULL: none */
    bool mine;               /* omits routines of system libraries */
};

/* The threshold is in percent until the command has taken its options. */
#define COMPARISON_DEFAULTS                                                                        \
    {                                                                                              \
        .limits = {.threshold = 10, .share = 0.1 }                                                 \
    }

/* Starts with zeroes. */
struct comparison {
    struct report base, new; /* threads added up */
    enum report_metric metric;
    struct compare_limits limits;
    compare_list list;
    size_t verdicts[COMPARE_VANISHED + 1];
    bool same_run;          /* the only comparison was of a run with itself */
    const char *recompiled; /* the most expensive recompiled object; NULL: none */
    double appeared_rise;   /* cost of routines that appeared, in percent of base; 0: not worse */
    double total_ratio; /* in percent of all cost; 0 if the commands differ or base has no cost */
};

bool comparison_make(struct comparison *c, const char *base, const char *new,
                     const struct comparison_options *options, struct failure *why);

/* True if a routine is worse, or the total of one workload, or what appeared. */
bool comparison_is_worse(const struct comparison *c);
void comparison_free(struct comparison *c);

#endif
