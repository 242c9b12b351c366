/* What of routines' costs has only moved between them, and which callee took another's place.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compilers inline other functions at another level, or after an edit. So a routine is judged
 * together with what it has absorbed:
 *
 *     base   sort: self cost 100, calls compare 90 times     compare: self cost 900
 *     new    sort: self cost 950, compare is inlined
 *
 * 900 of the 950 have moved to sort. Debug data say so exactly: they name the inlined functions,
 * and a function that costs no more than before, wherever its code is, has not got worse. Without
 * them, calls say so: what a routine calls less often may have moved into it, and what it calls
 * more often may have come out of it.
 */
#ifndef LIB_COMPARE_COMPARE_MOVED_H
#define LIB_COMPARE_COMPARE_MOVED_H

#include "lib/compare/compare.h"

/* Fills in what has moved, what callees read, and the replaced callees, of all routines that both
 * reports have. */
void compare_find_moved(const struct report *base, const struct report *new, compare_list *list);

#endif
