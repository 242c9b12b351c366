/* Writes a report that is in memory: the same bytes that the reader would need to give it back.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_REPORT_WRITER_H
#define TOOLS_REPORT_WRITER_H

#include "report.h"

#include <stdio.h>

/* Whether all was written is for the stream's owner to check. */
void report_write(const struct report *report, FILE *to);

#endif
