/* The report of a compiled-in runtime: a text file as aprof-out(5) has them, or none at all.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing but system calls and static memory: a report can be written inside a signal handler. It
 * is written to NAME.tmp-PID, which gets its name when it is complete; mode 0600. If that fails it
 * is written again to $TMPDIR or /tmp, with a message. Names follow the Valgrind tool's: %p is the
 * process id, %q{VAR} a variable of the environment, %% a percent sign; relative names begin at the
 * directory that the program was started in. A forked child whose name would be its parent's
 * appends .PID; what ran before a successful exec is NAME.exec1, .exec2, ...
 *
 *     native_output_choose("APROF_CONTEXTS", config.out);          in client->start
 *     ...
 *     native_output_write(write_lines, context, reason);           in client->finish
 *
 *     static void write_lines(struct record_writer *out, void *context)
 *     {
 *         record_put_line(out, "aprof-contexts", "1");
 *         native_output_head(out);                                 creator, command, process
 *         ...
 *         record_writer_finish(out);
 *     }
 */
#ifndef NATIVE_BASE_REPORT_OUTPUT_H
#define NATIVE_BASE_REPORT_OUTPUT_H

#include "ground/record_writer.h"
#include "native/base/native.h"

/* Expands the pattern, and proves that a file can be made there: if not, there is a message now,
 * and the report goes to $TMPDIR or /tmp. `variable` names the option's origin in messages. */
NATIVE_HIDDEN void native_output_choose(const char *variable, const char *pattern);

/* Calls `write` with a writer that was started, to finish it; closes and renames. On failure (a full
 * disk) `write` is called a second time for the directory of temporary files, so it must not change
 * what it writes. `reason` as in native_client.finish. False: nothing could be written, and a
 * message has said so. One report at a time. */
NATIVE_HIDDEN bool native_output_write(void (*write)(struct record_writer *out, void *context),
                                       void *context, const char *reason);

/* Has a report of this process been written elsewhere than it was to, or not at all? */
NATIVE_HIDDEN bool native_output_is_displaced(void);

/* Goes to a device or a pipe, one report after the other. */
NATIVE_HIDDEN bool native_output_is_special(void);

/* Before a copy of this process writes the report: the name is known here too, to be removed. */
NATIVE_HIDDEN void native_output_expect(const char *reason);

/* The program is about to change its root: the report's folder stays within reach, by a descriptor
 * that is looked at again before it is used. */
NATIVE_HIDDEN void native_output_keep_folder(void);
/* That descriptor, or 0. */
NATIVE_HIDDEN int native_output_kept_folder(void);

/* After native_output_expect("exec"): removes the one that was written while the program ran. */
NATIVE_HIDDEN void native_output_withdraw(void);

/* Removes the report of an exec that has failed. */
NATIVE_HIDDEN void native_output_remove(void);

/* Where the report is or will be, as the user would type it. */
NATIVE_HIDDEN const char *native_output_name(void);

/* The records creator, command and process. */
NATIVE_HIDDEN void native_output_head(struct record_writer *out);
/* The words of the record process after its tag (pid, host=, rank=), ending with NULL. */
NATIVE_HIDDEN const char *const *native_output_process_words(void);

/* Builds a text without stdio: appends to buffer[*n], keeps it terminated, cuts at `size`. */
NATIVE_HIDDEN void native_text_append(char *buffer, size_t size, size_t *n, const char *text);
NATIVE_HIDDEN void native_text_append_decimal(char *buffer, size_t size, size_t *n, uint64_t value);
NATIVE_HIDDEN void native_text_append_hex(char *buffer, size_t size, size_t *n, uint64_t value);
/* Six significant digits in the shortest form that reads back the same: 0.0001, 2e-05, 1.5. */
NATIVE_HIDDEN void native_text_append_real(char *buffer, size_t size, size_t *n, double value);

#endif
