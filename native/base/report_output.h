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
 *     native_output_choose("APROF_CONTEXTS", config.out);          // in client->start
 *     ...
 *     native_output_write_report(write_lines, context, reason);    // in client->finish
 *
 *     static void write_lines(struct native_output *out, void *context)
 *     {
 *         native_output_tag(out, "aprof-contexts");
 *         native_output_decimal(out, 1);
 *         native_output_end(out);
 *         native_output_head(out);                                 // creator, command, process
 *         ...
 *     }                                                            // `complete` is written for it
 */
#ifndef NATIVE_BASE_REPORT_OUTPUT_H
#define NATIVE_BASE_REPORT_OUTPUT_H

#include "native/base/native.h"

struct native_output; /* one report that is being written */

/* Expands the pattern, and proves that a file can be made there: if not, there is a message now,
 * and the report goes to $TMPDIR or /tmp. `variable` names the option's origin in messages. */
NATIVE_HIDDEN void native_output_choose(const char *variable, const char *pattern);

/* Calls `write` with an open report and finishes the file: adds the line `complete`, closes,
 * renames. On failure (a full disk) `write` is called a second time for the directory of temporary
 * files, so it must not change what it writes. `reason` as in native_client.finish. False: nothing
 * could be written, and a message has said so. One report at a time. */
NATIVE_HIDDEN bool native_output_write_report(void (*write)(struct native_output *out,
                                                            void *context),
                                              void *context, const char *reason);

/* Without the line `complete`, for writers that make their own (points/points_report.h). */
NATIVE_HIDDEN bool native_output_write_raw(void (*write)(struct native_output *out, void *context),
                                           void *context, const char *reason);

/* Before a copy of this process writes the report: the name is known here too, to be removed. */
NATIVE_HIDDEN void native_output_expect(const char *reason);

/* Removes the report of a failed exec. */
NATIVE_HIDDEN void native_output_remove(void);

/* Where the report is or will be, as the user would type it. */
NATIVE_HIDDEN const char *native_output_name(void);

/* Bytes as they are. */
NATIVE_HIDDEN void native_output_bytes(struct native_output *out, const char *bytes, size_t n);

/* A record: the tag, fields with a TAB before each, the end. Text is escaped; NULL and "" are -. */
NATIVE_HIDDEN void native_output_tag(struct native_output *out, const char *tag);
NATIVE_HIDDEN void native_output_text(struct native_output *out, const char *text);
NATIVE_HIDDEN void native_output_decimal(struct native_output *out, uint64_t value);
NATIVE_HIDDEN void native_output_hex(struct native_output *out, uint64_t value); /* 0x... */
NATIVE_HIDDEN void native_output_hex_bytes(struct native_output *out, const uint8_t *bytes,
                                           size_t n); /* no 0x; - if there are none */
/* Six significant digits in the shortest form that reads back the same: 0.0001, 2e-05, 1.5. */
NATIVE_HIDDEN void native_output_real(struct native_output *out, double value);
NATIVE_HIDDEN void native_output_end(struct native_output *out);

/* The records creator, command and process. */
NATIVE_HIDDEN void native_output_head(struct native_output *out);
/* The words of the record process after its tag (pid, host=, rank=), ending with NULL. */
NATIVE_HIDDEN const char *const *native_output_process_words(void);

/* Builds a text without stdio: appends to buffer[*n], keeps it terminated, cuts at `size`. */
NATIVE_HIDDEN void native_text_append(char *buffer, size_t size, size_t *n, const char *text);
NATIVE_HIDDEN void native_text_append_decimal(char *buffer, size_t size, size_t *n, uint64_t value);
NATIVE_HIDDEN void native_text_append_hex(char *buffer, size_t size, size_t *n, uint64_t value);
NATIVE_HIDDEN void native_text_append_real(char *buffer, size_t size, size_t *n, double value);

#endif
