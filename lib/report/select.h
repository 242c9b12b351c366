/* Choosing routines by name: exactly one name, or all that match a pattern.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A name is the demangled name, the symbol, or the demangled name without its parameter list. In
 * front of it, `FILE:` or `OBJECT:` (the end of a path) picks one of several routines of one name:
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

/* The same when one routine is needed: several of one name are a failure that tells them apart. */
bool select_one_routine(const struct report *report, const char *name, uint32_t *found,
                        struct failure *why);

/* Does the routine's name or symbol match a pattern (ground/pattern.h), or what it is a copy of:
 * `find` for `find.constprop.0`? */
bool select_matches(const struct report_routine *routine, const char *pattern);

/* Is it code of the machine's, not of who profiles: an object in a system's folder, or code of no
 * file? A program that is installed is its user's. */
bool select_is_foreign(const struct report *report, uint32_t object);

/* Does it run before main and after it in every program, or is it Valgrind's own part of it? */
bool select_is_startup(const struct report *report, const struct report_routine *routine);

#define SELECT_STARTUP_NAME "start-up, ld.so" /* of all these in one line */

#endif
