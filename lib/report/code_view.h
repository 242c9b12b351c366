/* Queries about the code in a report: a routine's callers, callees, lines and inlined functions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each function fills an empty list, the most expensive entries first; vector_free() frees the
 * list.
 */
#ifndef LIB_REPORT_CODE_VIEW_H
#define LIB_REPORT_CODE_VIEW_H

#include "lib/report/report.h"

/* All calls between the requested routine and one other routine. */
struct code_neighbour {
    uint32_t routine;
    struct report_place place; /* of the most expensive edge */
    size_t places;
    uint64_t calls, cost, input, highest; /* highest: cost of one edge */
};
typedef VECTOR(struct code_neighbour) code_neighbours;

void code_callers(const struct report *report, uint32_t routine, code_neighbours *list);
void code_callees(const struct report *report, uint32_t routine, code_neighbours *list);

/* Whether the file belongs to a compiler or a package, so that the user did not write it. */
bool code_is_library_source(const struct report *report, uint32_t file);

/* The function that the user's code calls, among the functions inlined around a place in a
 * library's header. REPORT_NONE: the place is in the user's code, or no code around it is. */
uint32_t code_user_call(const struct report *report, const struct report_place *place);

/* Self cost by file and line, including inlined functions. Library code that is inlined counts for
 * the user's line. */
struct code_line {
    uint32_t file, line; /* REPORT_NONE, 0: not known */
    uint64_t cost;
    uint64_t library; /* part of the cost: library code that is inlined there */
};
typedef VECTOR(struct code_line) code_lines;

void code_lines_of(const struct report *report, uint32_t routine, code_lines *list);

/* A function that is inlined into a routine, and its cost including functions inlined into it. */
struct code_inlined {
    uint32_t routine;
    const char *name;
    struct report_place call; /* the first one */
    size_t places;
    uint64_t cost;
};
typedef VECTOR(struct code_inlined) code_inlined_list;

void code_inlined_into(const struct report *report, uint32_t routine, code_inlined_list *list);

/* All inlined functions, by routine and then by name: the cost of each without the functions
 * inlined into it. */
void code_inlined_alone(const struct report *report, code_inlined_list *list);

/* All places where a function of that name is inlined. Namespace, template and parameters are
 * ignored; the class counts if the record has it: Book::insert(Order) matches insert. */
void code_inlined_named(const struct report *report, const char *name, code_inlined_list *list);

/* If the report has no routine of this name, but a function of this name was inlined, prints where,
 * and how to prevent inlining. */
bool code_tell_inlined(const struct report *report, const char *name, struct failure *why);

/* Whether the place is in an inlined function of this name. */
bool code_is_inside(const struct report *report, const struct report_place *place,
                    const char *name);

/* "shop.cc:30", or "?"; the caller frees it. */
char *code_place_words(const struct report *report, uint32_t file, uint32_t line);

#endif
