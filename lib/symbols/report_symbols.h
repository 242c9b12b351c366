/* Adds missing files, lines and names to a report, from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiled-in profilers record the addresses and symbols of routines, and read no debug data.
 * Later, the command reads debug data from the objects on this machine, including data that
 * Valgrind's core cannot read.
 */
#ifndef LIB_SYMBOLS_REPORT_SYMBOLS_H
#define LIB_SYMBOLS_REPORT_SYMBOLS_H

#include "lib/report/report.h"

/* In objects whose debug data the profiler did not read, routines without a file get file and line.
 * In objects whose debug data the profiler did not read, calls and costs with an address also get a
 * line and inlined functions. In objects whose debug data the profiler read, names of inlined
 * functions get class, namespace and parameters. Routines in which inlined functions cost less than
 * 1% of the total are skipped. An object is used only if it has the right build id, or all routines
 * at their recorded addresses. Without libdw, the function does nothing. The report's notes list
 * the remaining unknown data. */
void report_find_lines(struct report *report);

/* Adds only file and line to routines without a file, in reports of the Valgrind tool, so that
 * other machines can read the reports. */
void report_find_unread(struct report *report);

#endif
