/* Reads the reports that the command line names: files, and folders of files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_LOAD_REPORT_SET_H
#define LIB_LOAD_REPORT_SET_H

#include "lib/report/report.h"

typedef VECTOR(char *) path_list;

/* Lists the files that the operands name. Files of a folder are sorted by name; hidden files are
 * ignored. Returns false if a folder cannot be read or is empty. */
bool report_set_expand(const string_list *operands, path_list *paths, struct failure *why);
void report_set_free(path_list *paths);

/* Whether the name is a report's default name (aprof.out.*) or ends in .aprof. */
bool report_set_is_name(const char *path);

/* The newest report in the current folder with a name that satisfies report_set_is_name(); NULL if
 * there is none. The caller frees the name. */
char *report_set_newest(struct failure *why);

/* A file that the operands name twice, perhaps by different paths; NULL if no file is repeated. */
const char *report_set_repeated(const path_list *paths);

/* Reads one path: a report, or the sum of a folder's reports. */
bool report_set_read(const char *path, struct report *report, struct failure *why);

/* Reads the sum of several files, which messages call `name`. */
bool report_set_read_sum(const path_list *paths, const char *name, struct report *sum,
                         struct failure *why);

/* Reads and adds all reports, with only one report in memory at a time, and shows progress. */
bool report_set_sum(const path_list *paths, struct report *sum, struct failure *why);

#endif
