/* The report of a compiled-in runtime: a complete text file as in aprof-out(5), or none.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only system calls and static memory: a report can be written inside a signal handler. It is
 * written to NAME.tmp-PID, which is renamed when it is complete; mode 0600. If that fails it is
 * written again to $TMPDIR or /tmp, with a message. Names follow the Valgrind tool's: %p is the
 * process id, %q{VAR} a variable of the environment, %% a percent sign; relative names are relative
 * to the directory in which the program was started. A forked child whose name would be its
 * parent's appends .PID; a report before a successful exec is NAME.exec1, .exec2, ...
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

/* Expands the pattern, and tests that a file can be made there. If not, there is a message now,
 * and the report goes to $TMPDIR or /tmp. `variable` names the option's origin in messages. */
NATIVE_HIDDEN void native_output_choose(const char *variable, const char *pattern);

/* Calls `write` with a writer that was started, and which it finishes; closes and renames. On
 * failure (a full disk) `write` is called a second time for the directory of temporary files, so
 * it must not change its data. `reason` as in native_client.finish. False: nothing could be
 * written, and a message has said so. One report at a time. */
NATIVE_HIDDEN bool native_output_write(void (*write)(struct record_writer *out, void *context),
                                       void *context, const char *reason);

/* Was a report of this process written to another place, or not at all? */
NATIVE_HIDDEN bool native_output_is_displaced(void);

/* True if the target is a device or a pipe: one report follows the other. */
NATIVE_HIDDEN bool native_output_is_special(void);

/* Before a copy of this process writes the report: this process also learns the name, to remove
 * it. */
NATIVE_HIDDEN void native_output_expect(const char *reason);

/* The program is about to change its root. The report's folder stays accessible by a descriptor,
 * which is checked again before it is used. */
NATIVE_HIDDEN void native_output_keep_folder(void);
/* That descriptor, or 0. */
NATIVE_HIDDEN int native_output_kept_folder(void);

/* After native_output_expect("exec"): removes the report that was written while the program ran. */
NATIVE_HIDDEN void native_output_withdraw(void);

/* Removes the report of an exec that has failed. */
NATIVE_HIDDEN void native_output_remove(void);

/* The words of the record process after its tag (pid, host=, rank=), ending with NULL. */
NATIVE_HIDDEN const char *const *native_output_process_words(void);

/* Builds a text without stdio: appends to buffer[*n], keeps it terminated, cuts at `size`. */
NATIVE_HIDDEN void native_text_append(char *buffer, size_t size, size_t *n, const char *text);
NATIVE_HIDDEN void native_text_append_decimal(char *buffer, size_t size, size_t *n, uint64_t value);
/* Six significant digits in the shortest form that reads back the same: 0.0001, 2e-05, 1.5. */
NATIVE_HIDDEN void native_text_append_real(char *buffer, size_t size, size_t *n, double value);

#endif
