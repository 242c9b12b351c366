/* In a routine that became worse, finds the line and the calls with the largest rise of cost.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines move when sources are edited. Therefore a routine's lines are aligned in order, file by
 * file, with the largest possible common cost. A line without a counterpart is new.
 *
 * Example: a line was added before a loop, and a search was added inside the loop:
 *
 *     base    10: 100   11: 1000                12: 100
 *     new     10: 100   11: 5      12: 1000     13: 9000   14: 100
 *
 * Line 11 of base is line 12 of new, and line 12 of base is line 14 of new. The largest rise is on
 * line 13, from 0 to 9000.
 */
#ifndef LIB_COMPARE_COMPARE_CODE_H
#define LIB_COMPARE_COMPARE_CODE_H

#include "lib/compare/compare.h"

/* The line with the largest rise of self cost: a line of the routine, or of code inlined into it.
 * The cost of inlined library code counts for the user's line that calls the library. */
struct compare_line {
    uint32_t file, line; /* code location in the new report */
    uint64_t base, new;  /* the line's self costs; if they are equal, no line's self cost rose */
};

/* The calls between the routine and another routine. */
struct compare_call {
    /* the other routine, in the new report; NULL: there is none */
    const struct report_routine *other;
    struct report_place place; /* line of the most expensive call between the two routines, in the
                                * new report */
    uint64_t base_calls, new_calls, base_cost, new_cost;
};

struct compare_line compare_find_line(const struct report *base, const struct report *new,
                                      const struct compare_routine *c);

/* Returns the caller of the routine that has the largest increase in its calls of the routine. */
struct compare_call compare_find_caller(const struct report *base, const struct report *new,
                                        const struct compare_routine *c);

/* Returns the routine's callee that has the largest increase in cost. */
struct compare_call compare_find_callee(const struct report *base, const struct report *new,
                                        const struct compare_routine *c);

#endif
