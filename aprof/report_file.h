/* Report files: their names, and writing them so that there is a whole file or none.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_REPORT_FILE_H
#define APROF_REPORT_FILE_H

#include "aprof/valgrind_core.h"

struct engine;

/* Expands --aprof-out-file and ends the process with a message if no file can be created there. */
void report_file_init(void);

/* It is a device or a pipe: one report cannot take the place of another. */
Bool report_file_is_special(void);

/* The program will not be able to create a file: opens that of the report now, for the report of
 * the end alone. And gives it up again: the program has not lost that right. */
void report_file_reserve(void);
void report_file_release(void);

/* After a fork: the child's reports get the child's name, and its exit status stays its own. */
void report_file_forked(void);

/* Before exec: the next program's exit status depends on the reports of this one, too. `is_lost`:
 * that of the exec is not where it belongs. */
void report_file_exec(Bool is_lost);

/* What has become of a report. */
struct report_outcome {
    UWord error;       /* 0: it has its name; else why not, and then: */
    UWord spare_error; /* 0: it is in the directory for temporary files; else why it is lost */
};

/* Writes what the engine has gathered to the report's name and `suffix` ("" or ".1"), and tells the
 * user. `end` says why. */
void report_file_write(struct engine *engine, const HChar *suffix, const HChar *end);

/* The same in two steps: a copy of the process writes, the original tells. */
struct report_outcome report_file_write_silently(struct engine *engine, const HChar *suffix,
                                                 const HChar *end);
void report_file_tell(const HChar *suffix, struct report_outcome outcome);

/* Whether the report with that suffix exists and was written by this process, perhaps before it
 * called exec. */
Bool report_file_is_ours(const HChar *suffix);

/* Removes the report with that suffix, of which this had become. */
void report_file_remove(const HChar *suffix, struct report_outcome outcome);

#endif
