/* Compares two reports routine by routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pairing.h tells which routines are the same. Costs are compared where both have activations of
 * the same input size, so that a larger workload alone is no change; where both ran one workload,
 * what it costs each routine's own code comes first, for a fault may show in larger inputs or more
 * calls only. The fitted curves tell what the points in common do not reach.
 */
#ifndef LIB_COMPARE_COMPARE_H
#define LIB_COMPARE_COMPARE_H

#include "lib/growth/routine_growth.h"

/* One routine in one of the reports. */
struct compare_side {
    const struct report_routine *routine; /* NULL: not there */
    const struct report_profile *profile;
    struct routine_growth growth;
    double total_share, self_share; /* of the report's cost, in percent */
};

enum compare_verdict {
    COMPARE_SAME,
    COMPARE_WORSE,
    COMPARE_BETTER,
    COMPARE_APPEARED,
    COMPARE_VANISHED
};

struct compare_routine {
    struct compare_side base, new;
    double own_ratio, calls_ratio, input_ratio; /* of one workload: new / base; 0: not known */
    double own_change; /* of one workload: of the routine's own code, in percent of all base cost */
    double total_change; /* the same with what it calls */
    double input_change; /* the same of its input, in percent of that of all activations */
    size_t common_sizes;
    double common_part; /* of the calls of the one that has fewer, at these sizes */
    double
        self_ratio; /* as cost_ratio, of the routine's own code alone: callers are not to blame */
    double cost_ratio;           /* new / base mean cost over the common sizes; 0: there are none */
    double common_size;          /* the largest that both curves reach */
    double curve_ratio;          /* of the curves there; 0: not known */
    double later_ratio;          /* of the curves at GROWTH_TIMES that size; 0: not known */
    bool class_rose, class_fell; /* of the curves that fit best */
    bool claim_rose;             /* of what stood a test */
    enum compare_verdict verdict;
    bool
        is_cause; /* worse because of what it has done more often by others, the first of the list */
    double impact; /* larger ones are told first */
};

typedef VECTOR(struct compare_routine) compare_list;

struct compare_limits {
    double threshold;  /* a ratio of 1 + threshold is worse */
    double share;      /* in percent: routines with less in both reports do not count */
    bool one_workload; /* both ran the same: what it costs is compared first, whatever the sizes */
};

/* The calling context in which a routine's self cost rose most, of those that `new` has. */
struct compare_context {
    const struct report_context *context; /* of the new report; NULL: there is none */
    uint64_t base, new;                   /* self cost in it */
};

/* Where both reports have contexts; what is called in other places has risen there from nothing. */
struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c);

extern const char *const compare_verdict_names[];

/* Do the reports measure the same thing in the same unit? */
bool compare_allowed(const struct report *base, const struct report *new, struct failure *why);

/* All routines of both, the strongest change first. The reports must outlive the list. */
void compare_reports(const struct report *base, const struct report *new, enum report_metric metric,
                     const struct compare_limits *limits, compare_list *list);

#endif
