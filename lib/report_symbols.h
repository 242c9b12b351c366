/* Files, lines and names that a report lacks, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program with a compiled-in profiler knows where its routines are and what its symbol tables
 * call them; debug data is not read in it, but here, from the objects as they are now.
 */
#ifndef LIB_REPORT_SYMBOLS_H
#define LIB_REPORT_SYMBOLS_H

#include "lib/report.h"

/* Of a report whose tool is "compiled": routines without a file get file and line, calls with an
 * address a line and what is inlined there. Of any other: functions that are inlined get class, namespace
 * and parameters, which their names lack, in routines where what is inlined costs 1% of all or more. Only
 * if their object still has all routines where they were; nothing without libdw. */
void report_find_lines(struct report *report);

/* report_read_file, and this. */
bool report_read_with_lines(struct report *report, const char *path, struct failure *why);

#endif
