/* The life of a profiled process: when a runtime starts, its callbacks, and when it must report.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For all runtimes, this module handles constructors and destructors, fork, exec, _exit,
 * quick_exit, abort and fatal signals, dlclose, and threads. The runtime defines its reactions in
 * `native_client`; members may be NULL.
 *
 *     preinit  ->  start  ->  thread_started ... thread_ended  ->  finish(reason)
 *                                 fork_prepare, forked_parent | forked_child
 *                                 prepare_copy, and in a copy of the process finish_in_copy(reason)
 *
 * Limits: raw system calls for fork, exec and exit are not noticed, nor are SIGKILL and the second
 * signal of a handler with SA_RESETHAND. A child of vfork is treated as its parent until it calls
 * exec.
 */
#ifndef NATIVE_BASE_PROCESS_H
#define NATIVE_BASE_PROCESS_H

#include "native/base/native.h"

struct native_client {
    const char *name;    /* "contexts": for messages */
    size_t thread_bytes; /* zeroed bytes of the client after each struct native_thread */

    /* Before main, once, or at the first hook if that comes earlier; other threads may exist. Reads
     * the options (environment.h). The target of the report (report_output.h) must be chosen here.
     * False: the program runs without a profile. */
    bool (*start)(void);

    /* Called in the thread itself, with its record; hooks of the thread do nothing meanwhile.
     * thread_started may be called inside a signal handler, if that runs the thread's first
     * instrumented code. thread_ended keeps the data for the report. thread_ended is called for
     * each thread that ends before the process, for any reason. */
    void (*thread_started)(struct native_thread *self);
    void (*thread_ended)(struct native_thread *self);

    /* Writes the report, once in each process. `reason` is the `end` of the report: "exit",
     * "_exit", "quick_exit", "signal 11". No hook of another thread is running or will run. The
     * calling thread may have been interrupted inside a hook: its data may be inconsistent, and its
     * locks are not released. The calling thread may be in a signal handler on a stack of 64
     * KiB. */
    void (*finish)(const char *reason);

    /* A report during the run: before an exec, which may fail ("exec"), and of a running program
     * (dump.h). prepare_copy brings all data to a consistent state, while hooks wait. `self` is
     * native_self, or NULL in a thread that the C library does not know, which must not use
     * thread-local variables. finish_in_copy writes the report in a copy of the process with one
     * thread and without the client's own threads; it may leave data inconsistent. */
    void (*prepare_copy)(struct native_thread *self);
    void (*finish_in_copy)(const char *reason);

    /* Called around fork, in the thread that calls it, which is the only one in the child.
     * forked_child must discard all data that the parent will report. Before it, the records of the
     * other threads were freed in the child, without thread_ended; the caller's record keeps its
     * data. The first two are called for _Fork, too, which a signal handler may call. */
    void (*fork_prepare)(void);
    void (*forked_parent)(void);
    void (*forked_child)(void);

    /* Called before dlclose, while every object still exists; the table of modules.h is up to
     * date. */
    void (*before_dlclose)(void);
};

/* Defined by the runtime, once per archive. */
extern NATIVE_HIDDEN const struct native_client native_client;

/* Starts the runtime unless it has started. Returns false if there is no profile in this
 * process. */
NATIVE_HIDDEN bool native_start(void);

/* Closes the gate (gate.h) and calls the client to write its report, once, in the first caller;
 * later callers wait until it is done, except from inside the writer itself. */
NATIVE_HIDDEN void native_finish(const char *reason);

/* The first of all records; follow `next`. Those with live == 1 are threads. */
NATIVE_HIDDEN struct native_thread *native_threads(void);

/* The process's id, without a system call; changes in forked children. */
NATIVE_HIDDEN int native_pid(void);

/* The environment and arguments at the start of the process. */
NATIVE_HIDDEN const char *native_getenv(const char *name);
NATIVE_HIDDEN const char *const *native_arguments(void);

#endif
