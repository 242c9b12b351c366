/* Explains scattered costs by several curves: one for each caller, or one for each kind of input.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The cost of a routine may depend on more than its input's size. Two causes of scattered costs can
 * be separated:
 *
 *     who calls it        insert costs 3 n for load, and n^2 for parse  (a report with contexts)
 *     what it reads       read_block costs 40 n of the cells from outside, and its own cells
 *                         nothing
 *
 * A split is reported only if its parts are validated like other claims (growth_claim.h).
 */
#ifndef LIB_GROWTH_GROWTH_SPLIT_H
#define LIB_GROWTH_GROWTH_SPLIT_H

#include "lib/growth/growth_claim.h"
#include "lib/report/report.h"

enum growth_split_by {
    GROWTH_SPLIT_NONE,
    GROWTH_SPLIT_CALLER,
    GROWTH_SPLIT_EXTERNAL, /* the cost follows external input */
    GROWTH_SPLIT_THREAD,   /* the cost follows input that other threads wrote */
    GROWTH_SPLIT_OWN, /* the cost follows input that is neither external nor from other threads */
};

struct growth_split_part {
    const char *caller; /* caller; NULL if the part is the only one */
    double share;       /* share of the routine's cost including callees, in percent */
    struct growth_claim claim;
};

struct growth_split {
    enum growth_split_by by;
    VECTOR(struct growth_split_part) parts; /* sorted by cost, the most expensive first */
};

/* Whether a split is needed, because the cost depends on more than n or follows no curve. */
bool growth_split_may_help(const struct growth_claim *claim);

/* Searches for a split of all activations of a routine. */
void growth_split_find(const struct report *report, const struct report_profile *profile,
                       enum report_metric metric, struct growth_split *split);
void growth_split_free(struct growth_split *split);

/* The parts as text: "by its callers: n^2 from parse (91 %), n from load (8 %), 3 more (1 %)", or
 * "by what comes from outside: n". The caller frees the text. */
char *growth_split_words(const struct growth_split *split);

#endif
