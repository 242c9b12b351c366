/* Selects routines by name: exactly one routine, or all routines that match a pattern.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name is the demangled name, the symbol, or the demangled name without its parameter list. The
 * prefix `FILE:` or `OBJECT:` (the end of a path) selects one of several routines with the same
 * name: `lists.c:insert`.
 */
#ifndef LIB_REPORT_SELECT_H
#define LIB_REPORT_SELECT_H

#include "lib/report/report.h"

typedef VECTOR(uint32_t) routine_list;

/* Finds all routines with this name. Returns false if no routine has the name (the message names
 * similar routines), or if a name without parameters matches several overloads. */
bool select_routines(const struct report *report, const char *name, routine_list *found,
                     struct failure *why);

/* Finds exactly one routine. Also returns false if several routines have the name; the message then
 * lists them. */
bool select_one_routine(const struct report *report, const char *name, uint32_t *found,
                        struct failure *why);

/* Whether the pattern (ground/pattern.h) matches the routine's name, its symbol or a shorter name.
 * Shorter names lack the parameters (`parse` for `parse(int)`) or the suffix of a copy (`find` for
 * `find.constprop.0`). */
bool select_matches(const struct report_routine *routine, const char *pattern);

/* Whether the object is system code: a library in a system folder, or code without a file. An
 * installed program is not system code. */
bool select_is_foreign(const struct report *report, uint32_t object);

/* Whether the routine runs before or after main in every program, or is part of Valgrind. */
bool select_is_startup(const struct report *report, const struct report_routine *routine);

#define SELECT_STARTUP_NAME "start-up, ld.so" /* name of the table line for all start-up routines */

#endif
