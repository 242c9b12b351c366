/* Choosing routines by name: exactly one name, or all that match a pattern.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name is the demangled name, the symbol, or the demangled name without its parameter list. The
 * prefix `FILE:` or `OBJECT:` (the end of a path) selects one of several routines of one name:
 * `lists.c:insert`.
 */
#ifndef LIB_REPORT_SELECT_H
#define LIB_REPORT_SELECT_H

#include "lib/report/report.h"

typedef VECTOR(uint32_t) routine_list;

/* All routines of that one name. False when there is none (the message names similar ones), or
 * when a name without parameters fits several overloads. */
bool select_routines(const struct report *report, const char *name, routine_list *found,
                     struct failure *why);

/* The same for exactly one routine: several of one name are a failure, whose message distinguishes
 * them. */
bool select_one_routine(const struct report *report, const char *name, uint32_t *found,
                        struct failure *why);

/* Does the pattern (ground/pattern.h) match the routine's name or symbol, or the name that it is
 * a copy of: `find` for `find.constprop.0`? */
bool select_matches(const struct report_routine *routine, const char *pattern);

/* Is it system code rather than the user's: an object in a system folder, or code without a
 * file? An installed program counts as the user's. */
bool select_is_foreign(const struct report *report, uint32_t object);

/* Does it run before or after main in every program, or is it part of Valgrind? */
bool select_is_startup(const struct report *report, const struct report_routine *routine);

#define SELECT_STARTUP_NAME "start-up, ld.so" /* the name of the line that sums up all these */

#endif
