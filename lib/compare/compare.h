/* Compares two reports routine by routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pairing.h pairs the routines. Costs are compared at input sizes that both reports have, so that a
 * larger workload alone does not count as a change. If both runs had the same workload, self costs
 * are compared first. A comparison at equal sizes would miss a fault that only causes larger inputs
 * or more calls. Outside of the common sizes, the fitted curves are compared.
 *
 * For equal workloads, an expensive function that both builds inline into a changed routine has an
 * entry of its own. The routine's entry then excludes the function's cost:
 *
 *     base   main: self cost 80009, of which insert, inlined in main, has 20000
 *     new    main: self cost 380009, of which insert has 320000: insert is worse, main is the same
 *
 * Compilers may attribute the same code to different functions. So an inlined function is worse
 * (better) only if its routine, together with all inlined functions, is worse (better).
 */
#ifndef LIB_COMPARE_COMPARE_H
#define LIB_COMPARE_COMPARE_H

#include "lib/growth/routine_growth.h"

/* A routine in one of the two reports. */
struct compare_side {
    const struct report_routine *routine; /* NULL if this report lacks the routine */
    const struct report_profile *profile;
    struct routine_growth growth;
    uint64_t calls, cost_total, cost_self; /* of the routine, or of the inlined function */
    double total_share, self_share;        /* total and self cost in percent of the report's cost */
};

enum compare_verdict {
    COMPARE_SAME,
    COMPARE_WORSE,
    COMPARE_BETTER,
    COMPARE_APPEARED,
    COMPARE_VANISHED
};

/* A function that a routine calls or inlines in only one of the reports, with its cost in that
 * report.
 */
struct compare_replaced {
    const char *name; /* NULL: none */
    double cost;
};

struct compare_routine {
    struct compare_side base, new;
    /* The inlined function for which this entry counts the cost; `routine` is then the routine into
     * which it is inlined. NULL: the entry counts the cost of the routine. */
    const char *inlined;
    double own_ratio, calls_ratio,
        input_ratio;     /* ratios new / base for equal workloads; 0: not known */
    double whole_ratio;  /* own_ratio, but computed without cost that moved between routines */
    double own_change;   /* change of self cost in percent of the whole base cost */
    double excess;       /* the part of own_change that additional calls do not explain */
    double total_change; /* change of total cost in percent of the whole base cost */
    /* change of the routine's input, excluding its callees' input, in percent of all input */
    double input_change;
    /* self cost of code that moved into this routine (moved_in), or out of this routine into other
     * routines (moved_out), from the base report to the new report */
    double moved_in, moved_out;
    double callee_input_rise; /* rise of the number of cells that the routine's callees read */
    struct compare_replaced lost, gained;
    bool is_recompiled; /* whether most of the routine's object was recompiled: see
                         * COMPARE_RECOMPILED */
    bool is_divided;    /* whether inlined functions of the routine have entries of their own */
    bool is_replaced;   /* whether replacing the callee `lost` by `gained` changed the cost */
    size_t common_sizes;
    /* fraction of the calls with sizes that both reports have, in the report with fewer calls */
    double common_part;
    /* ratio new / base of the mean self cost over the common sizes; 0: not known */
    double self_ratio;
    /* ratio new / base of the mean total cost over the common sizes; 0: not known */
    double cost_ratio;
    double common_size;          /* largest size in the range of both curves */
    double curve_ratio;          /* ratio of the curves at common_size; 0: not known */
    double later_ratio;          /* ratio of the curves at GROWTH_TIMES * common_size; 0: unknown */
    bool class_rose, class_fell; /* whether the best fitting growth class rose or fell */
    bool claim_rose;             /* whether the validated growth class rose */
    enum compare_verdict verdict;
    bool is_cause; /* whether the routine causes a rise in other routines; only the first entry of a
                    * list can be a cause */
    double impact; /* rank in the list: larger values come first */
};

typedef VECTOR(struct compare_routine) compare_list;

/* If most routines of an object have as many calls as before but other costs, the compiler has
 * generated different code for the object. Some routines of a recompiled object cost more even if
 * the total cost of the object falls. Therefore a routine of such an object counts as worse only
 * above this threshold. In seven programs compiled with -O0 to -O3, the self costs of single
 * routines rise by up to a third even where the whole program gets cheaper. */
#define COMPARE_RECOMPILED 0.5

/* A change of cost below this percentage of the whole cost is not attributed to any routine. */
#define COMPARE_CHANGE_MIN 0.5

struct compare_limits {
    double threshold; /* a routine is worse if its cost ratio new / base exceeds 1 + threshold */
    double share;     /* routines below this percentage of the cost in both reports are ignored */
    /* whether both runs had the same workload; self costs are then compared first, whatever the
     * input sizes */
    bool one_workload;
    /* Whether the reports are of two processor architectures. Every object then counts as
     * recompiled. If only one report has a routine of a system library, the routine counts as
     * unchanged. */
    bool other_arch;
};

/* The calling context in `new` in which a routine's self cost rose most. */
struct compare_context {
    const struct report_context *context; /* the context in the new report; NULL: there is none */
    uint64_t base, new;                   /* self cost in this context */
};

/* Finds the calling context in which the routine's self cost rose most. If base lacks a context,
 * its cost has risen from zero. */
struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c);

extern const char *const compare_verdict_names[];

/* The ratio new / base of the total cost of a routine that both reports have. */
double compare_total_ratio(const struct compare_routine *c);

/* True if both reports are of whole runs, with the same resolution and unit of cost. */
bool compare_allowed(const struct report *base, const struct report *new, struct failure *why);

/* Lists all routines of both reports, the strongest change first. The reports must outlive the
 * list. */
void compare_reports(const struct report *base, const struct report *new, enum report_metric metric,
                     const struct compare_limits *limits, compare_list *list);

#endif
