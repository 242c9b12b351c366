/* The life of a profiled process: when a runtime starts, its callbacks, and when it must report.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Solved here once for every runtime: constructors before main and destructors after it, fork, exec, _exit,
 * quick_exit, abort and fatal signals, dlclose, threads. The runtime defines its reaction to each of these in
 * `native_client`; members may be NULL.
 *
 *     preinit  ->  start  ->  thread_started ... thread_ended  ->  finish(reason)
 *                                 fork_prepare, forked_parent | forked_child
 *                                 prepare_copy, and in a copy of the process finish_in_copy(reason)
 *
 * Limits: a raw system call for fork, exec or exit, SIGKILL, and the second signal for a handler with SA_RESETHAND
 * are not noticed. A child of vfork counts as its parent until it calls exec.
 */
#ifndef NATIVE_BASE_PROCESS_H
#define NATIVE_BASE_PROCESS_H

#include "native/base/native.h"

struct native_client {
    const char *name;    /* "contexts": for messages */
    size_t thread_bytes; /* zeroed bytes of the client after each struct native_thread */

    /* Before main, once, or at the first hook if that comes earlier; other threads may exist. Reads the options
     * (environment.h). The target of the report (report_output.h) must be chosen here. False: the program runs
     * without a profile. */
    bool (*start)(void);

    /* Called in the thread itself, with its record; hooks of this thread do nothing meanwhile. thread_ended
     * keeps the data for the report. It is called for threads that end before the process, for any reason, and
     * not for those that live at the end. May be inside a signal handler whose code is the first instrumented
     * code of the thread. */
    void (*thread_started)(struct native_thread *self);
    void (*thread_ended)(struct native_thread *self);

    /* Writes the report. `reason` is the `end` of the report: "exit", "_exit", "quick_exit", "signal 11". No
     * hook of any other thread is running, nor will one. The calling thread itself may have been interrupted
     * inside a hook: its data may be inconsistent, and locks that it holds are not released. It may be in a
     * signal handler on a stack of 64 KiB. Called once, and once in each forked process. */
    void (*finish)(const char *reason);

    /* A report in the middle of the run: before exec, which may fail ("exec"), and of a running program
     * (dump.h). The first function brings all data to a consistent state, while hooks wait; `self` is
     * native_self, or NULL in a thread that the C library does not know, which must not use thread-local
     * variables. The second writes the report in a copy of the process, which has one thread, and none of the
     * client's own; it may leave data inconsistent. */
    void (*prepare_copy)(struct native_thread *self);
    void (*finish_in_copy)(const char *reason);

    /* Around fork, in the thread that calls it, which is the only one in the child. forked_child must discard
     * all data that the parent will report. Records of the threads that do not exist in the child have been
     * freed before it, without thread_ended; the caller's record keeps its data. In the parent of _Fork (which
     * may be called in a handler) the first two are called too. */
    void (*fork_prepare)(void);
    void (*forked_parent)(void);
    void (*forked_child)(void);

    /* Before dlclose, while every object still exists: modules (modules.h) are up to date. */
    void (*before_dlclose)(void);
};

/* Defined by the runtime, once per archive. */
extern NATIVE_HIDDEN const struct native_client native_client;

/* Starts the runtime unless it has started. False: there is no profile in this process. */
NATIVE_HIDDEN bool native_start(void);

/* Closes the gate (gate.h) and calls the client to write its report, once, in the first caller; later callers
 * wait until it is done, except from inside the writer itself. */
NATIVE_HIDDEN void native_finish(const char *reason);

/* The first of all records; follow `next`. Those with live == 1 are threads. */
NATIVE_HIDDEN struct native_thread *native_threads(void);

/* The process's id, without a system call; changes in forked children. */
NATIVE_HIDDEN int native_pid(void);

/* The environment and arguments at the start of the process. */
NATIVE_HIDDEN const char *native_getenv(const char *name);
NATIVE_HIDDEN const char *const *native_arguments(void);

#endif
