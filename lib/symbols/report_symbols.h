/* Adds missing files, lines and names to a report, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiled-in profilers record the addresses and symbols of routines, and read no debug data. The
 * command reads debug data later, from the objects on this machine, including data that Valgrind's
 * core cannot read.
 */
#ifndef LIB_SYMBOLS_REPORT_SYMBOLS_H
#define LIB_SYMBOLS_REPORT_SYMBOLS_H

#include "lib/report/report.h"

/* If the profiler did not read an object's debug data, routines of the object without a file get
 * file and line. Calls and costs with an address in such an object also get a line and inlined
 * functions. If the profiler did read an object's debug data, names of inlined functions get class,
 * namespace and parameters. Routines in which inlined functions cost less than 1% of the total are
 * skipped. An object is used only if it has the right build id, or all routines at their recorded
 * addresses. Does nothing without libdw. Data that remain unknown are listed in the report's
 * notes. */
void report_find_lines(struct report *report);

/* In reports of the Valgrind tool, adds only file and line to routines without a file, so that
 * other machines can read the reports. */
void report_find_unread(struct report *report);

#endif
