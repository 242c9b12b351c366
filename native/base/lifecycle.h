/* What the parts of native/base that watch a process's life tell each other; not for runtimes.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NATIVE_BASE_LIFECYCLE_H
#define NATIVE_BASE_LIFECYCLE_H

#include "native/base/native.h"

/* Looks up the functions that we stand before. */
NATIVE_HIDDEN void native_interpose_init(void);
/* The C library's function of this name, into the pointer to a function at `function`. */
NATIVE_HIDDEN void native_look_up(const char *name, void *function);

/* The report of what ran before exec, other threads paused. False: there is none to write, and
 * nothing to resume. */
NATIVE_HIDDEN bool native_finish_before_exec(void);
NATIVE_HIDDEN void native_resume_after_exec(void);

/* A report of what has run so far, by a thread that the C library does not know: client's
 * finish_in_copy, in a copy. Nothing if the process is writing its last one. False: the report is
 * not where it belongs, and a message has said why. Where it is, `written` becomes true before exec, which
 * would take it away, or the last report can begin. */
NATIVE_HIDDEN bool native_report_while_running(const char *reason, bool *written);

/* Shares its parent's memory, which must not be touched: vfork, or a raw clone. */
NATIVE_HIDDEN bool native_is_vfork_child(void);

enum native_fork_moment { NATIVE_FORK_PREPARE, NATIVE_FORK_PARENT, NATIVE_FORK_CHILD };
NATIVE_HIDDEN void native_around_fork(enum native_fork_moment moment);

#endif
