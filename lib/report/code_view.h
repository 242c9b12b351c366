/* Queries about the code in a report: a routine's callers, callees, lines and inlined functions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each function fills an empty list, with the most expensive entries first; vector_free() frees the
 * list.
 */
#ifndef LIB_REPORT_CODE_VIEW_H
#define LIB_REPORT_CODE_VIEW_H

#include "lib/report/report.h"

/* All calls from the requested routine to one other routine, or in the opposite direction. */
struct code_neighbour {
    uint32_t routine;
    struct report_place place; /* code location of the most expensive edge */
    size_t places;
    uint64_t calls, cost, input, highest; /* highest cost of one edge */
};
typedef VECTOR(struct code_neighbour) code_neighbours;

void code_callers(const struct report *report, uint32_t routine, code_neighbours *list);
void code_callees(const struct report *report, uint32_t routine, code_neighbours *list);

/* Whether the file belongs to a compiler or a package, and therefore not to the user. */
bool code_is_library_source(const struct report *report, uint32_t file);

/* For a code location in a library's header: the inlined library function that the user's code
 * calls. REPORT_NONE if the location itself is in the user's code, or if none of the functions
 * around it belongs to the user. */
uint32_t code_user_call(const struct report *report, const struct report_place *place);

/* Lists the self cost by file and line, including inlined functions. The cost of inlined library
 * code is added to the user's line that calls this code. REPORT_NONE selects all routines. */
struct code_line {
    uint32_t file, line; /* file and line; REPORT_NONE and 0: not known */
    uint64_t cost;
    uint64_t library; /* cost of library code that is inlined at this line, a part of `cost` */
};
typedef VECTOR(struct code_line) code_lines;

void code_lines_of(const struct report *report, uint32_t routine, code_lines *list);

/* A function that is inlined into a routine. Except in the list of code_inlined_alone(), its cost
 * includes the cost of all functions that are inlined into the function. */
struct code_inlined {
    uint32_t routine;
    const char *name;
    struct report_place call; /* code location of the first inlined call */
    size_t places;
    uint64_t cost;
};
typedef VECTOR(struct code_inlined) code_inlined_list;

void code_inlined_into(const struct report *report, uint32_t routine, code_inlined_list *list);

/* Lists all inlined functions, by routine and then by name. In this list, the cost of a function
 * excludes the cost of functions inlined into the function. */
void code_inlined_alone(const struct report *report, code_inlined_list *list);

/* Whether two names have the same base name and, if both have a class, the same class. */
bool code_same_base(const char *name, const char *wanted);

/* Lists all code locations where a function of the given name is inlined. Namespace, template and
 * parameters are ignored; the class is compared if the record has a class. For example,
 * Book::insert(Order) matches insert. */
void code_inlined_named(const struct report *report, const char *name, code_inlined_list *list);

/* If the name belongs to an inlined function and not to a routine, explains where the function was
 * inlined and how to prevent inlining. */
bool code_explain_inlined(const struct report *report, const char *name, struct failure *why);

/* Whether the code location is in an inlined function of the given name. */
bool code_is_inside(const struct report *report, const struct report_place *place,
                    const char *name);

/* The code location as text: "shop.cc:30", or "?". The caller frees the text. */
char *code_place_words(const struct report *report, uint32_t file, uint32_t line);

#endif
