/* Declared bounds of growth and of numbers, and whether a routine exceeds them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     # pattern   bound
 *     parse_*     n log n
 *     lookup      log n
 *     join(int, int)   n^1.2
 *     malloc      calls 100000
 *     render      cost 5%
 *     index       input 4096
 *
 * A bound of growth is a class, or n^K for any K. A class is exceeded if all claimed classes of the
 * worst case are higher. n^K is exceeded if a call with ten times the largest input costs more than
 * 10^K times as much as a call with the largest input. The whole interval of the predicted cost
 * must be above 10^K times the cost at the largest input. Without a validated claim, the result for
 * a bound of growth is unknown. Bounds of numbers limit the calls, the self cost or the largest
 * input of a call, for each routine that matches the pattern. Self cost is limited by a number, or
 * by a share of all cost. The result for a bound of numbers is always known.
 */
#ifndef LIB_GROWTH_BOUNDS_H
#define LIB_GROWTH_BOUNDS_H

#include "lib/growth/routine_growth.h"

enum bound_kind { BOUND_GROWTH, BOUND_CALLS, BOUND_COST, BOUND_SHARE, BOUND_INPUT };

struct bound {
    const char *pattern, *words; /* texts in the bounds' arena */
    enum bound_kind kind;
    int class; /* GROWTH_POWER for n^K */
    double exponent;
    double most;   /* limit of a bound of numbers; for BOUND_SHARE in percent */
    uint32_t line; /* line in the file of bounds; 0: not read from a file */
};

struct bounds {
    struct arena strings;
    VECTOR(struct bound) list;
};

bool bounds_read(struct bounds *bounds, const char *path, struct failure *why);
void bounds_free(struct bounds *bounds);

/* Adds one line of a file of bounds; returns false if the line is not PATTERN and BOUND. */
bool bounds_add(struct bounds *bounds, const char *line);

/* Lists the forms of all bounds: "1, log n, ..., input N". The caller frees the text. */
char *bounds_known_words(void);

/* Whether the bound was read from the given line of a file of bounds. */
bool bounds_is_line(const struct bound *bound, const char *line);

enum bound_answer { BOUND_KEPT, BOUND_BROKEN, BOUND_UNKNOWN };

/* A size with a worst cost above the bound's curve, which is fitted to the smaller half of the
 * sizes. */
struct bound_excess {
    const struct report_point *point;
    double allowed;
};

/* Whether one routine exceeds a bound, and at which input sizes. */
struct bound_result {
    enum bound_answer answer;
    char *measured; /* measured growth or number, in words */
    VECTOR(struct bound_excess)
    excess; /* violations of a bound of growth, the largest sizes
                                         * first */
    /* size from which on all costs are above the bound; NULL: no such size exists */
    const struct report_point *from;
};

void bound_check(const struct bound *bound, const struct report *report,
                 const struct report_profile *profile, enum report_metric metric,
                 struct bound_result *result);
void bound_result_free(struct bound_result *result);

#endif
