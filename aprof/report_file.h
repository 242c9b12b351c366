/* Chooses the names of report files, and writes reports completely or not at all.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_REPORT_FILE_H
#define APROF_REPORT_FILE_H

#include "aprof/valgrind_core.h"

struct engine;

/* Expands --aprof-out-file, and ends the process with a message if no file can be created under the
 * name. */
void report_file_init(void);

/* Returns whether reports are written to a device or a pipe. There, a later report cannot replace
 * an earlier report. */
Bool report_file_is_special(void);

/* Call report_file_reserve when the program is about to lose the right to create files.
 * report_file_reserve opens the file of the final report immediately. report_file_release closes
 * this file if the program has kept the right to create files. */
void report_file_reserve(void);
void report_file_release(void);

/* Call this function in a forked child. Afterwards the child's reports have names of their own, and
 * the exit status depends only on the child's reports. */
void report_file_forked(void);

/* Call this function before exec, so that the next program's exit status also depends on this
 * program's reports. `is_lost` says that the report written just before this exec could not be
 * written to its path. */
void report_file_exec(Bool is_lost);

/* The result of writing a report. */
struct report_outcome {
    /* the error that prevented writing the report under its name; 0 if there was no error */
    UWord error;
    /* after an `error`: the error that prevented saving the report in the directory for temporary
     * files; 0 if the report was saved there */
    UWord spare_error;
};

/* Writes the gathered measurements to a file with the report's name and `suffix` ("" or ".1"), and
 * prints a message. `end` says why the report is written. */
void report_file_write(struct engine *engine, const HChar *suffix, const HChar *end);

/* The two steps of report_file_write: a copy of the process writes the report, and the original
 * process prints the message. */
struct report_outcome report_file_write_silently(struct engine *engine, const HChar *suffix,
                                                 const HChar *end);
void report_file_announce(const HChar *suffix, struct report_outcome outcome);

/* Returns whether the report with this suffix exists, and whether this process wrote it, perhaps
 * before an exec. */
Bool report_file_is_ours(const HChar *suffix);

/* Removes the report with this suffix; `outcome` is the result of writing this report. */
void report_file_remove(const HChar *suffix, struct report_outcome outcome);

#endif
