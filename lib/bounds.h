/* Declared bounds of growth, and whether points keep them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     # pattern   bound
 *     parse_*     n log n
 *     lookup      log n
 *     join(int, int)   n^1.2
 *
 * A bound is a growth class, or n^K for any K. It is broken when all classes that are claimed of the
 * worst case are higher ones, or when ten times the input costs surely more than 10^K times as much.
 * Where nothing stood a test, nothing is decided.
 */
#ifndef LIB_BOUNDS_H
#define LIB_BOUNDS_H

#include "lib/routine_growth.h"

struct bound {
    const char *pattern, *words; /* in the arena */
    int class;                   /* GROWTH_POWER for n^K */
    double exponent;
};

struct bounds {
    struct arena strings;
    VECTOR(struct bound) list;
};

bool bounds_read(struct bounds *bounds, const char *path, struct failure *why);
void bounds_free(struct bounds *bounds);

enum bound_answer { BOUND_KEPT, BOUND_BROKEN, BOUND_UNKNOWN };

/* How one routine keeps a bound. `offending` gets the indices of the points above what the bound
 * allows, given the smaller half of the sizes; free it with vector_free(). */
typedef VECTOR(size_t) point_list;
enum bound_answer bound_check(const struct bound *bound, const struct report *report,
                              const struct report_profile *profile, enum report_metric metric,
                              const struct routine_growth *growth, point_list *offending);

#endif
