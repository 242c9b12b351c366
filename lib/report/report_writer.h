/* Writes a report from memory; reading the written file gives an equal report.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_REPORT_REPORT_WRITER_H
#define LIB_REPORT_REPORT_WRITER_H

#include "lib/records/record_stream.h"
#include "lib/report/report.h"

#include <stdio.h>

/* The caller must check the stream for write errors. */
void report_write(const struct report *report, FILE *to);

/* Writes the record of one routine to a report or to another file of records. */
void routine_write(struct record_writer *w, size_t id, const struct report_routine *routine);

#endif
