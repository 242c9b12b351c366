/* Reports named on the command line: files, and folders full of them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_LOAD_REPORT_SET_H
#define LIB_LOAD_REPORT_SET_H

#include "lib/report/report.h"

typedef VECTOR(char *) path_list;

/* The files that the operands name, a folder's in the order of their names (hidden ones are left
 * out). False when a folder cannot be read or is empty. */
bool report_set_expand(const string_list *operands, path_list *paths, struct failure *why);
void report_set_free(path_list *paths);

/* Is it a report's default name (aprof.out.*), or a name ending in .aprof? */
bool report_set_is_name(const char *path);

/* The newest report with such a name in this folder; NULL: there is none. The caller frees it. */
char *report_set_newest(struct failure *why);

/* A file that is named twice, perhaps by different paths; NULL: there is none. */
const char *report_set_repeated(const path_list *paths);

/* Reads one path: a report, or the sum of a folder's. */
bool report_set_read(const char *path, struct report *report, struct failure *why);

/* Reads and adds all of them, one in memory at a time, and shows progress. */
bool report_set_sum(const path_list *paths, struct report *sum, struct failure *why);

#endif
