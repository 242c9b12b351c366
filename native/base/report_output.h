/* Writes a runtime's report: a complete text file as in aprof-out(5), or no file.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only system calls and static memory are used, so a report can be written inside a signal handler.
 * The report is written to NAME.tmp-PID with mode 0600, and the complete file is renamed. If
 * writing fails, the report is written again to $TMPDIR or /tmp, with a message. Names have the
 * syntax of the Valgrind tool: %p is the process id, %q{VAR} an environment variable, %% a percent
 * sign. Relative names are relative to the directory in which the program was started. If a forked
 * child has the same report name as its parent, .PID is appended. Reports that are written before
 * successful execs get the names NAME.exec1, NAME.exec2, ...
 *
 *     native_output_choose("APROF_CONTEXTS", config.out);          in client->start
 *     ...
 *     native_output_write(write_lines, context, reason);           in client->finish
 *
 *     static void write_lines(struct record_writer *out, void *context)
 *     {
 *         record_put_first(out, RECORD_CONTEXTS_FIRST, 1);
 *         ...
 *         record_writer_finish(out);
 *     }
 */
#ifndef NATIVE_BASE_REPORT_OUTPUT_H
#define NATIVE_BASE_REPORT_OUTPUT_H

#include "ground/record_writer.h"
#include "native/base/native.h"

/* Expands the pattern, and tests whether a file can be made at the resulting path. If no file can
 * be made, prints a message at once; the report then goes to $TMPDIR or /tmp. `variable` is the
 * environment variable that messages name. */
NATIVE_HIDDEN void native_output_choose(const char *variable, const char *pattern);

/* Opens the file and starts a record writer, calls `write`, which must finish this writer, then
 * closes and renames the file. On failure, such as a full disk, `write` is called again for the
 * directory of temporary files; therefore `write` must not change its data. `reason` is the
 * argument of native_client.finish. If no file could be written, prints a message and returns
 * false. Only one report may be written at a time. */
NATIVE_HIDDEN bool native_output_write(void (*write)(struct record_writer *out, void *context),
                                       void *context, const char *reason);

/* Returns true if this process's report was written to a path other than the chosen path, or could
 * not be written. */
NATIVE_HIDDEN bool native_output_is_displaced(void);

/* Returns whether reports go to a device or a pipe. No report replaces an earlier report there. */
NATIVE_HIDDEN bool native_output_is_special(void);

/* Call this function before a forked copy of this process writes the report. This process, not the
 * copy, then owns the report's name, and can remove the report. */
NATIVE_HIDDEN void native_output_expect(const char *reason);

/* Call this function before the program changes its root. The function opens a descriptor, which
 * keeps the report's folder accessible. The descriptor is checked before each use. */
NATIVE_HIDDEN void native_output_keep_folder(void);
/* Returns the descriptor that native_output_keep_folder opened, or 0. */
NATIVE_HIDDEN int native_output_kept_folder(void);

/* Divides reports into parts; the latest `kept` parts are kept (0: no parts). Call this function
 * also in a forked child, where the first part has the number 1. */
NATIVE_HIDDEN void native_output_keep_parts(uint64_t kept);
/* Call this function before forking the copy of this process that writes a part. */
NATIVE_HIDDEN void native_output_begin_part(void);
/* Returns the number of the part that a report with this `end` covers; 0: there are no parts. */
NATIVE_HIDDEN uint64_t native_output_part(const char *reason);

/* Removes the report that was written while the program ran. Call this function after
 * native_output_expect("exec"). */
NATIVE_HIDDEN void native_output_withdraw(void);

/* Removes the report of an exec that has failed. */
NATIVE_HIDDEN void native_output_remove(void);

/* Returns the words that follow the tag in the record `process`: pid, host=, rank=. The list ends
 * with NULL. */
NATIVE_HIDDEN const char *const *native_output_process_words(void);

/* Builds a text without stdio: appends to buffer[*n], keeps the buffer terminated, and cuts the
 * text at `size` bytes. */
NATIVE_HIDDEN void native_text_append(char *buffer, size_t size, size_t *n, const char *text);
NATIVE_HIDDEN void native_text_append_decimal(char *buffer, size_t size, size_t *n, uint64_t value);
/* Appends a number with up to six significant digits, in its shortest form: 0.0001, 2e-05, 1.5. */
NATIVE_HIDDEN void native_text_append_real(char *buffer, size_t size, size_t *n, double value);

#endif
