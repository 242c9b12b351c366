/* Files, lines and names that a report lacks, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program with a compiled-in profiler knows where its routines are and what its symbol tables
 * call them; debug data is not read in it, but here, from the objects as they are now. So are those
 * that Valgrind's core cannot read.
 */
#ifndef LIB_SYMBOLS_REPORT_SYMBOLS_H
#define LIB_SYMBOLS_REPORT_SYMBOLS_H

#include "lib/report/report.h"

/* In objects whose debug data were not read when the report was made, routines without a file get file
 * and line; calls and costs with an address get a line, and what is inlined there. In the others, functions
 * that are inlined get class, namespace and parameters, which their names lack, in routines where what
 * is inlined costs 1% of all or more. Only if the object is that of the build id, or still has all routines
 * where they were; nothing without libdw. The report's notes say what remains unknown. */
void report_find_lines(struct report *report);

/* The first of these alone, for the Valgrind tool's reports: they can be read elsewhere then. */
void report_find_unread(struct report *report);

#endif
