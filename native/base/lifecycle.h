/* Functions of native/base for the life of a process; process.h is the interface for runtimes.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_BASE_LIFECYCLE_H
#define NATIVE_BASE_LIFECYCLE_H

#include "native/base/native.h"

/* Looks up the C library's versions of the interposed functions. */
NATIVE_HIDDEN void native_interpose_init(void);
/* Stores the C library's function of this name in the function pointer at `function`. */
NATIVE_HIDDEN void native_look_up(const char *name, void *function);

/* Writes the report of the program before exec, while other threads are paused. Returns false if no
 * report was due; in this case no thread was paused. */
NATIVE_HIDDEN bool native_finish_before_exec(void);
NATIVE_HIDDEN void native_resume_after_exec(void);

/* Writes a report of the run so far: a copy of the process calls the client's finish_in_copy. The
 * caller is a raw thread (raw_thread.h). If the process is already writing its last report, the
 * function does nothing. If the report could not be written to its path, the function prints a
 * message and returns false. If the report was written, *written becomes true before the last
 * report or a report of an exec can begin. */
NATIVE_HIDDEN bool native_report_while_running(const char *reason, bool *written);
/* Writes a report of the time since the previous part (native_output_keep_parts), if the client can
 * begin a new part now. Returns false if the report was not written; the measurements for this
 * report are then lost. */
NATIVE_HIDDEN bool native_report_part(const char *reason);

/* Returns whether the process shares its parent's memory, as after vfork or a raw clone. A process
 * that shares its parent's memory must not change this memory. */
NATIVE_HIDDEN bool native_is_vfork_child(void);

enum native_fork_moment { NATIVE_FORK_PREPARE, NATIVE_FORK_PARENT, NATIVE_FORK_CHILD };
NATIVE_HIDDEN void native_around_fork(enum native_fork_moment moment);

#endif
