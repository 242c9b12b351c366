/* Reads reports and completes them from debug data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_REPORT_LOAD_H
#define TOOLS_REPORT_LOAD_H

#include "lib/report/report.h"

/* Calls report_read_file and report_load_lines. */
bool report_load(struct report *report, const char *path, struct failure *why);

/* Calls report_find_lines and report_load_notes. */
void report_load_lines(struct report *report);

/* Prints to standard error which names and lines remain unknown. */
void report_load_notes(const struct report *report);

#endif
