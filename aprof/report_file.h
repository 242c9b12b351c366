/* Names of report files, and their writing: completely or not at all.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_REPORT_FILE_H
#define APROF_REPORT_FILE_H

#include "aprof/valgrind_core.h"

struct engine;

/* Expands --aprof-out-file and ends the process with a message if no file can be created there. */
void report_file_init(void);

/* True for a device or a pipe: a report cannot replace an earlier one there. */
Bool report_file_is_special(void);

/* Called when the program is about to lose the right to create files. The first function opens the
 * file of the final report now. The second closes it again if the program has kept the right. */
void report_file_reserve(void);
void report_file_release(void);

/* After a fork: the child's reports get their own names, and its exit status stays its own. */
void report_file_forked(void);

/* Before exec: the next program's exit status also depends on this program's reports. `is_lost`:
 * the report of the exec was not written to its place. */
void report_file_exec(Bool is_lost);

/* The result of writing a report. */
struct report_outcome {
    UWord error;       /* 0: written under its name; otherwise why it was not */
    UWord spare_error; /* if `error` is not 0; 0: saved in the directory for temporary files;
                        * otherwise why the report is lost */
};

/* Writes what the engine has gathered to the report's name and `suffix` ("" or ".1"), and prints a
 * message. `end` is the reason. */
void report_file_write(struct engine *engine, const HChar *suffix, const HChar *end);

/* Two steps of report_file_write: a copy of the process writes, and the original prints the
 * message. */
struct report_outcome report_file_write_silently(struct engine *engine, const HChar *suffix,
                                                 const HChar *end);
void report_file_tell(const HChar *suffix, struct report_outcome outcome);

/* Whether the report with that suffix exists and was written by this process, perhaps before it
 * called exec. */
Bool report_file_is_ours(const HChar *suffix);

/* Removes the report with that suffix, for which writing had this result. */
void report_file_remove(const HChar *suffix, struct report_outcome outcome);

#endif
