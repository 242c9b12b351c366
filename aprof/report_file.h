/* Report files: their names, and writing them so that there is a whole file or none.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_REPORT_FILE_H
#define APROF_REPORT_FILE_H

struct engine;

/* Expands --aprof-out-file and ends the process with a message if no file can be created there. */
void report_file_init(void);

/* After a fork: the child's reports get the child's name. */
void report_file_forked(void);

/* Writes what the engine has gathered to the report's name and `suffix` ("" or ".1"). `end` says
 * why. False: it could be written nowhere; the user was told. */
Bool report_file_write(struct engine *engine, const HChar *suffix, const HChar *end);

/* The same from a copy of the process, which must not speak; the original tells what was written.
 */
Bool report_file_write_silently(struct engine *engine, const HChar *suffix, const HChar *end);
void report_file_tell(const HChar *suffix);

/* Whether the report with that suffix exists and was written by this process, perhaps before it
 * called exec. */
Bool report_file_is_ours(const HChar *suffix);

/* Removes the report with that suffix. */
void report_file_remove(const HChar *suffix);

#endif
