/* Reads whole report files in one pass, and rejects invalid files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_REPORT_REPORT_READER_H
#define LIB_REPORT_REPORT_READER_H

#include "lib/records/record_reader.h"
#include "lib/report/report.h"

/* Fills `report` from a file ("-": standard input), which may be compressed with gzip or zstd. On
 * failure, the report is empty, and `why` names the file and, if known, the line. */
bool report_read_file(struct report *report, const char *path, struct failure *why);

/* Reads a report from memory; `name` replaces the path in messages. */
bool report_read_memory(struct report *report, const void *bytes, size_t count, const char *name,
                        struct failure *why);

/* Reads the record of one routine in a report or in another file of records. The routine's id must
 * be `id`, and its object's id must be below `objects`. This function does not set the routine's
 * name for users. */
bool routine_read(struct record_reader *r, size_t id, size_t objects,
                  struct report_routine *routine);

#endif
