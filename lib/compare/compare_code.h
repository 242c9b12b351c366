/* Where in the code a routine got worse: the line and the calls that cost more than before.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines move when sources are edited. So those of a routine are aligned, file by file, in their
 * order, such that as much cost as possible is in both: a line without a counterpart is new.
 *
 * Example. A line before the loop, and a search inside:
 *
 *     base    10: 100   11: 1000                12: 100
 *     new     10: 100   11: 5      12: 1000     13: 9000   14: 100
 *
 * 11 of base is 12 of new, and 12 is 14; what rose most is 13, from nothing to 9000.
 */
#ifndef LIB_COMPARE_COMPARE_CODE_H
#define LIB_COMPARE_COMPARE_CODE_H

#include "lib/compare/compare.h"

/* The line of a routine, or of what is inlined there, whose self cost rose most. Library code that
 * is inlined counts for the line of the user that calls it. */
struct compare_line {
    uint32_t file, line; /* of the new report */
    uint64_t base, new;  /* equal: there is none */
};

/* The calls between the routine and another one. */
struct compare_call {
    const struct report_routine *other; /* of the new report; NULL: there is none */
    struct report_place place;          /* of the most expensive of them in the new report */
    uint64_t base_calls, new_calls, base_cost, new_cost;
};

struct compare_line compare_find_line(const struct report *base, const struct report *new,
                                      const struct compare_routine *c);

/* Of those that call it, the one that calls it so much more often. */
struct compare_call compare_find_caller(const struct report *base, const struct report *new,
                                        const struct compare_routine *c);

/* Of what it calls, what costs so much more. */
struct compare_call compare_find_callee(const struct report *base, const struct report *new,
                                        const struct compare_routine *c);

#endif
