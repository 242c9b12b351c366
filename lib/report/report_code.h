/* The code in a report: call edges, cost per line and inlined functions, in one canonical order.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A code location is a line of a file with its chain of inlined functions. `inlined` is the
 * innermost function, its parent is the function around it, and so on up to the routine itself.
 *
 * Example: Book::insert is inlined into main at line 30, and std::swap is inlined into Book::insert
 * at line 7:
 *
 *     inlined 0: parent none, "insert", main.cc:30      inlined 1: parent 0, "swap", main.cc:7
 *
 * The cost of swap in main is in the lines of main with `inlined` 1.
 */
#ifndef LIB_REPORT_REPORT_CODE_H
#define LIB_REPORT_REPORT_CODE_H

#include "lib/report/report.h"

/* The line of a code location; 0 if the line is unknown, even if the address is known. */
static inline uint32_t place_line(const struct report_place *place)
{
    return place->file == REPORT_NONE ? 0 : place->line;
}

static inline bool report_has_code(const struct report *report)
{
    return report->code.edges.count > 0 || report->code.lines.count > 0;
}

/* Appends the code of `from` to the code of `to`. Routine i of `from` is routine `number[i]` of
 * `to`. */
void report_code_append(struct report *to, const struct report *from, const uint32_t *number);

/* Sorts files, inlined functions, edges and lines, and adds up entries of one code location. The
 * result does not depend on the order of appending. */
void report_code_merge(struct report *report);

/* Compares two edges or lines; returns a number below 0, 0 or a number above 0. */
int edge_compare(const struct report_edge *a, const struct report_edge *b);
int line_compare(const struct report_line_cost *a, const struct report_line_cost *b);

#endif
