/* Adds missing files, lines and names to a report, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiled-in profilers record the addresses and symbols of routines, and read no debug data. The
 * command reads debug data later from the objects on this machine, also data that Valgrind's core
 * cannot read.
 */
#ifndef LIB_SYMBOLS_REPORT_SYMBOLS_H
#define LIB_SYMBOLS_REPORT_SYMBOLS_H

#include "lib/report/report.h"

/* For objects whose debug data were not read when the report was made, routines without a file get
 * file and line. Calls and costs with an address get a line and inlined functions. For the other
 * objects, inlined functions get class, namespace and parameters, which their names lack, in
 * routines where inlined functions cost at least 1% of the total. An object is used only if it has
 * the right build id, or all routines at their recorded addresses. Without libdw, nothing is done.
 * The report's notes list what remains unknown. */
void report_find_lines(struct report *report);

/* Only adds file and line to routines without a file, in reports of the Valgrind tool, so that
 * other machines can read the reports. */
void report_find_unread(struct report *report);

#endif
