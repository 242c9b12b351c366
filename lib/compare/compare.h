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

/* A function that only one of the reports has in a routine, called or inlined, and its cost there.
 */
struct compare_replaced {
    const char *name; /* NULL: there is none */
    double cost;
};

struct compare_routine {
    struct compare_side base, new;
    double own_ratio, calls_ratio, input_ratio; /* of one workload: new / base; 0: not known */
    double whole_ratio;         /* own_ratio without cost that moved between routines */
    double own_change;          /* the same in percent of all base cost */
    double excess;              /* what of own_change more calls do not explain */
    double total_change;        /* the same with what it calls */
    double input_change;        /* of its input without its callees', in percent of all input */
    double moved_in, moved_out; /* self cost that another routine had in base, or has in new */
    double callee_input_rise;   /* what its callees read more than in base, in cells */
    struct compare_replaced lost, gained;
    bool is_recompiled; /* with most of its object: see COMPARE_RECOMPILED */
    bool is_replaced;   /* `gained` took the place of `lost`, and that changed the cost */
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
    bool is_cause; /* the first of the list, where a rise begins that others show */
    double impact; /* larger ones are told first */
};

typedef VECTOR(struct compare_routine) compare_list;

/* If most routines of an object that are called as often cost something else than before, a
 * compiler made other code of all of them. Some cost more then, whatever the whole does: none is
 * worse below this threshold. Measured over seven programs between -O0 and -O3: the self cost of
 * single routines rises by up to a third while the whole gets cheaper. */
#define COMPARE_RECOMPILED 0.5

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

/* New / base, with what it calls, of a routine that both have. */
double compare_total_ratio(const struct compare_routine *c);

/* Do the reports measure the same thing in the same unit? */
bool compare_allowed(const struct report *base, const struct report *new, struct failure *why);

/* All routines of both, the strongest change first. The reports must outlive the list. */
void compare_reports(const struct report *base, const struct report *new, enum report_metric metric,
                     const struct compare_limits *limits, compare_list *list);

#endif
