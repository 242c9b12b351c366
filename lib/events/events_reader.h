/* Reads whole reports of analyses in one pass, and rejects invalid ones.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EVENTS_EVENTS_READER_H
#define LIB_EVENTS_EVENTS_READER_H

#include "lib/events/events_report.h"

/* Fills `report` from a file ("-": standard input), which may be compressed with gzip or zstd. On
 * failure, the report is empty, and `why` names the file and, if known, the line. */
bool events_read_file(struct events_report *report, const char *path, struct failure *why);

/* Reads a report from memory; `name` replaces the path in messages. */
bool events_read_memory(struct events_report *report, const void *bytes, size_t count,
                        const char *name, struct failure *why);

#endif
