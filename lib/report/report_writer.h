/* Writes a report that is in memory: the same bytes that the reader would need to give it back.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_REPORT_REPORT_WRITER_H
#define LIB_REPORT_REPORT_WRITER_H

#include "lib/records/record_stream.h"
#include "lib/report/report.h"

#include <stdio.h>

/* Whether all was written is for the stream's owner to check. */
void report_write(const struct report *report, FILE *to);

/* The record of one routine, as other files have it too. */
void routine_write(struct record_writer *w, size_t id, const struct report_routine *routine);

#endif
