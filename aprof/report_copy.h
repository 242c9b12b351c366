/* A report in the midst of a run, written by a copy of the process.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report ends every activation, and the program is to go on as if nothing had been.
 */
#ifndef APROF_REPORT_COPY_H
#define APROF_REPORT_COPY_H

#include "aprof/report_file.h"

/* Writes the report of all that ran until now, as if it ended here, without telling the user. The
 * stream is drained. The program does not notice the copy: it makes no SIGCHLD. */
struct report_outcome report_copy_write(struct engine *engine, const HChar *suffix,
                                        const HChar *end);

#endif
