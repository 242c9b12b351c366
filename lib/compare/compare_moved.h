/* Cost that has only moved between routines, and callees that were replaced.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * After an edit, or at another optimisation level, compilers inline different functions. Therefore
 * a routine is compared together with the functions that are inlined into it:
 *
 *     base   sort: self cost 100, calls compare 90 times     compare: self cost 900
 *     new    sort: self cost 950, compare is inlined
 *
 * In this example, sort has a self cost of 950, of which 900 have moved from compare. Debug data
 * name the inlined functions exactly. If a function's total cost did not rise, the function is not
 * worse, wherever its code is. Without debug data, moved cost is derived from numbers of calls. A
 * function that a routine calls less often may now be inlined into the routine. A function that the
 * routine calls more often may have been inlined before.
 */
#ifndef LIB_COMPARE_COMPARE_MOVED_H
#define LIB_COMPARE_COMPARE_MOVED_H

#include "lib/compare/compare.h"

/* A function that both builds have inlined into a routine. */
struct compare_inlined {
    size_t of; /* index of the routine in the list */
    const char *name;
    double base, new; /* costs of the function in this routine */
    /* cost of the function that came from other routines (moved_in), and that went to other
     * routines (moved_out) */
    double moved_in, moved_out;
};
typedef VECTOR(struct compare_inlined) compare_inlined_list;

/* For all routines that both reports have, sets the moved cost, the input that callees read, and
 * the replaced callees. Appends to `inlined` the functions that both reports have inlined, in the
 * order of `list`. */
void compare_find_moved(const struct report *base, const struct report *new, compare_list *list,
                        compare_inlined_list *inlined);

#endif
