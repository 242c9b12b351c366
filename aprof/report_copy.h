/* Writes a report in the middle of a run, in a copy of the process.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A copy is needed because writing a report ends every activation, but the program must continue
 * unchanged.
 */
#ifndef APROF_REPORT_COPY_H
#define APROF_REPORT_COPY_H

#include "aprof/report_file.h"

/* Writes the report of the run so far as if the run ended now, but without a message. The stream
 * must be drained before this call. The program does not notice the copy, because the end of the
 * copy sends no SIGCHLD. */
struct report_outcome report_copy_write(struct engine *engine, const HChar *suffix,
                                        const HChar *end);

#endif
