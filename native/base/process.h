/* The life of a profiled process: the start, callbacks and reports of a runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This module handles constructors, destructors, fork, exec, _exit, quick_exit, abort, fatal
 * signals, dlclose and threads for all runtimes. A runtime defines its callbacks in
 * `native_client`, whose members may be NULL.
 *
 *     preinit  ->  start  ->  thread_started ... thread_ended  ->  finish(reason)
 *                                 fork_prepare, forked_parent | forked_child
 *                                 prepare_copy, and in a copy of the process finish_in_copy(reason)
 *
 * Limits: the module does not notice raw system calls (fork, exec, exit), SIGKILL, or the second
 * signal to a handler with SA_RESETHAND. A child of vfork is treated like its parent until it calls
 * exec.
 */
#ifndef NATIVE_BASE_PROCESS_H
#define NATIVE_BASE_PROCESS_H

#include "native/base/native.h"

struct native_client {
    const char *name;    /* name of the runtime in messages, such as "contexts" */
    size_t thread_bytes; /* number of zeroed bytes for the client after each struct native_thread */

    /* `start` is called once, before main, or at the first hook if a hook runs before main. Other
     * threads may exist. `start` reads the options (environment.h) and must choose the target of
     * the report (report_output.h). Returns false if the program must run without a profile. */
    bool (*start)(void);

    /* thread_started and thread_ended are called in the thread itself, with the thread's record.
     * During these two calls, hooks of the thread do nothing. thread_started may be called inside a
     * signal handler, if the handler runs the thread's first instrumented code. thread_ended must
     * save the thread's data for the report. It is called for each thread that ends before the
     * process ends, no matter why the thread ends. */
    void (*thread_started)(struct native_thread *self);
    void (*thread_ended)(struct native_thread *self);

    /* Writes the report, once in each process. `reason` is the value of the report's record `end`:
     * "exit", "_exit", "quick_exit", "signal 11". No hook of another thread is running or will run.
     * The calling thread may have been interrupted inside a hook: its data may then be
     * inconsistent, and its locks are not released. The calling thread may also be inside a signal
     * handler, with a stack of only 64 KiB. */
    void (*finish)(const char *reason);

    /* prepare_copy and finish_in_copy write a report during the run: before an exec, which may fail
     * (reason "exec"), or for dump.h. prepare_copy brings all data to a consistent state, while
     * hooks wait. `self` is native_self, or NULL in a raw thread (raw_thread.h), which must not use
     * thread-local variables. finish_in_copy writes the report in a copy of the process, which has
     * one thread and none of the client's own threads. finish_in_copy may leave data
     * inconsistent. */
    void (*prepare_copy)(struct native_thread *self);
    void (*finish_in_copy)(const char *reason);

    /* part_begin and part_end divide the measurements into parts (dump.h). They are called in a raw
     * thread while all hooks wait and no thread forks. After part_begin has returned true, the
     * process is copied. In the copy, finish_in_copy writes the measurements since the latest
     * part_end. part_end clears these measurements in the process. `made` is true if the process
     * was copied, and false if copying failed. */
    bool (*part_begin)(void);
    void (*part_end)(bool made);

    /* fork_prepare, forked_parent and forked_child are called around fork, in the thread that calls
     * fork. In the child, no other thread exists. forked_child must discard all data that the
     * parent will report. Before the child calls forked_child, it frees the records of all other
     * threads, and does not call thread_ended for them. The calling thread's record keeps its data.
     * fork_prepare and forked_parent are also called for _Fork, which a signal handler may call. */
    void (*fork_prepare)(void);
    void (*forked_parent)(void);
    void (*forked_child)(void);

    /* before_dlclose is called before each dlclose, while every object still exists and the table
     * of modules.h is up to date. */
    void (*before_dlclose)(void);
};

/* Each runtime's archive defines native_client once. */
extern NATIVE_HIDDEN const struct native_client native_client;

/* Starts the runtime unless it has started. Returns false if this process is not profiled. */
NATIVE_HIDDEN bool native_start(void);

/* Closes the gate (gate.h) and calls the client to write its report. Only the first call writes the
 * report. Later calls wait until the report is written, unless they are made by the thread that is
 * writing it. */
NATIVE_HIDDEN void native_finish(const char *reason);

/* Returns the first thread record; `next` links all thread records. Records with live == 1 belong
 * to live threads. */
NATIVE_HIDDEN struct native_thread *native_threads(void);

/* Returns the process's id without a system call; the id changes in forked children. */
NATIVE_HIDDEN int native_pid(void);

/* native_getenv returns the value of an environment variable, and native_arguments returns the
 * program's arguments. Both are as they were at the start of the process, even if the program has
 * changed them. */
NATIVE_HIDDEN const char *native_getenv(const char *name);
NATIVE_HIDDEN const char *const *native_arguments(void);

#endif
