/* Compares two reports routine by routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pairing.h pairs the routines. Costs are compared at input sizes that both reports have, so that a
 * larger workload alone is no change. If both runs had the same workload, self costs are compared
 * first, because a fault may only cause larger inputs or more calls. The fitted curves decide
 * outside of the common sizes.
 */
#ifndef LIB_COMPARE_COMPARE_H
#define LIB_COMPARE_COMPARE_H

#include "lib/growth/routine_growth.h"

/* A routine in one of the two reports. */
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

/* A function that a routine calls, or that is inlined into it, in only one of the reports; and its
 * cost there.
 */
struct compare_replaced {
    const char *name; /* NULL: none */
    double cost;
};

struct compare_routine {
    struct compare_side base, new;
    double own_ratio, calls_ratio,
        input_ratio;     /* for the same workload: new / base; 0: not known */
    double whole_ratio;  /* own_ratio without the cost that moved between routines */
    double own_change;   /* change of self cost in percent of the whole base cost */
    double excess;       /* the part of own_change that additional calls do not explain */
    double total_change; /* change of total cost in percent of the whole base cost */
    /* change of its input without its callees' input, in percent of all input */
    double input_change;
    double moved_in,
        moved_out; /* self cost that belonged to another routine in base, or does so in new */
    double callee_input_rise; /* cells that its callees read in addition to base */
    struct compare_replaced lost, gained;
    bool is_recompiled; /* recompiled with most of its object: see COMPARE_RECOMPILED */
    bool is_replaced;   /* `gained` replaced `lost`, which changed the cost */
    size_t common_sizes;
    /* part of the calls that have common sizes, in the report with fewer calls */
    double common_part;
    double self_ratio;           /* like cost_ratio, of self cost */
    double cost_ratio;           /* new / base mean cost over the common sizes; 0: none */
    double common_size;          /* largest size in the range of both curves */
    double curve_ratio;          /* ratio of the curves there; 0: not known */
    double later_ratio;          /* ratio of the curves at GROWTH_TIMES that size; 0: not known */
    bool class_rose, class_fell; /* change of the best fitting class */
    bool claim_rose;             /* change of the validated class */
    enum compare_verdict verdict;
    bool is_cause; /* first routine of the list: the cause of a rise in other routines */
    double impact; /* rank in the list: larger values come first */
};

typedef VECTOR(struct compare_routine) compare_list;

/* If most routines of an object have equal calls and other costs than before, the compiler
 * generated other code for all of them. Some routines of the object cost more even if its total
 * falls. Therefore a routine of a recompiled object is worse only above this threshold. Measured
 * over seven programs between -O0 and -O3: the self cost of single routines rises by up to a third
 * while the whole gets cheaper. */
#define COMPARE_RECOMPILED 0.5

/* A smaller change of the whole cost, in percent, is not attributed to any routine. */
#define COMPARE_CHANGE_MIN 0.5

struct compare_limits {
    double threshold; /* a ratio of 1 + threshold is worse */
    double share;     /* in percent: routines with a smaller share in both reports are ignored */
    /* both runs had the same workload: their costs are compared first, whatever the sizes */
    bool one_workload;
};

/* The calling context in `new` in which a routine's self cost rose most. */
struct compare_context {
    const struct report_context *context; /* of the new report; NULL: none */
    uint64_t base, new;                   /* self cost in this context */
};

/* Needs contexts in both reports. The cost of a context that base lacks has risen from zero. */
struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c);

extern const char *const compare_verdict_names[];

/* New / base total cost of a routine that both reports have. */
double compare_total_ratio(const struct compare_routine *c);

/* True if the reports measure the same thing in the same unit. */
bool compare_allowed(const struct report *base, const struct report *new, struct failure *why);

/* All routines of both reports, the strongest change first. The reports must outlive the list. */
void compare_reports(const struct report *base, const struct report *new, enum report_metric metric,
                     const struct compare_limits *limits, compare_list *list);

#endif
