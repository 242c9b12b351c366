/* Descriptions of a changed routine, for `aprof diff` and `aprof gate`.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The caller frees all texts. Names of routines in the texts are short.
 */
#ifndef LIB_COMPARE_COMPARE_WORDS_H
#define LIB_COMPARE_COMPARE_WORDS_H

#include "lib/compare/comparison.h"
#include "lib/compare/compare_code.h"

/* A ratio as text: "+300.0%", "x27.0", or "-" if the ratio is not known. */
char *compare_change_words(double ratio);

/* The short name of a routine, or "insert (inlined in main)". */
char *compare_name_words(const struct compare_routine *c);

/* The change of the growth class: "n log n -> n^2"; only one class if both reports have the
 * same. */
char *compare_growth_words(const struct compare_routine *c);

/* The cause of a change: "n log n -> n^2: calls quad instead of heap, total cost x27.0". For the
 * routine that causes a rise: "about as many calls as before, total cost +300.0%"; NULL if no cause
 * is known. */
char *compare_cause_words(const struct compare_routine *c);

/* If the routine causes a rise, returns its callee with the largest increase in cost. If the
 * routine is only called more often, returns its caller with the largest increase in calls. */
struct compare_call compare_risen_call(const struct comparison *comparison,
                                       const struct compare_routine *c);

/* If the routine's self cost rose, returns the line with the largest rise. If no line's self cost
 * rose, the returned line has equal costs in base and new.
 */
struct compare_line compare_risen_line(const struct comparison *comparison,
                                       const struct compare_routine *c);

/* The context of a rise: "insert < parse < main: self cost 331100 -> 993300"; NULL if it is not
 * known. */
char *compare_context_words(const struct comparison *comparison, const struct compare_routine *c);

/* The calls of a rise: "compare, called by find at book.cc:44: calls 8 -> 80, cost 120 -> 1200";
 * NULL if they are not known. */
char *compare_call_words(const struct comparison *comparison, const struct compare_routine *c);

/* The line of a rise: "compare: book.h:12: self cost 60 -> 1140"; NULL if it is not known. */
char *compare_line_words(const struct comparison *comparison, const struct compare_routine *c);

#endif
