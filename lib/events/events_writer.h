/* Writes reports of analyses in the format of docs/analyses.md.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_EVENTS_EVENTS_WRITER_H
#define LIB_EVENTS_EVENTS_WRITER_H

#include "lib/events/events_report.h"

#include <stdio.h>

/* The caller must check the stream for errors. */
void events_write(const struct events_report *report, FILE *to);

#endif
