/* Files and lines of routines and calls of a report that has names and addresses.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program with a compiled-in profiler knows where its routines are and what its symbol tables
 * call them; debug data is not read in it, but here, from the objects as they are now.
 */
#ifndef LIB_REPORT_SYMBOLS_H
#define LIB_REPORT_SYMBOLS_H

#include "lib/report.h"

/* For a report whose tool is "compiled": routines without a file get file and line, calls with an
 * address a line and what is inlined there, if their object still has all routines where they were. Nothing otherwise, nor without libdw. */
void report_find_lines(struct report *report);

/* report_read_file, and this. */
bool report_read_with_lines(struct report *report, const char *path, struct failure *why);

#endif
