/* Implements the life of a profiled process: start, fork, exec, and the end after all other code.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * exit() runs the program's handlers, then all destructors, and then flushes the standard streams.
 * The report must be written after these handlers, destructors and flushes. After the destructors,
 * the C library cleans up streams, and calls the seek function of each stream that was read only in
 * part. So the seek function of the runtime's own stream (exit_stream) runs last. The stream must
 * hold no unwritten output, because fflush(NULL) would flush it during the run.
 */
#define _GNU_SOURCE
#include "native/base/process.h"

#include "ground/compiled_mark.h"
#include "ground/host.h"
#include "native/base/dump.h"
#include "native/base/environment.h"
#include "native/base/gate.h"
#include "native/base/lifecycle.h"
#include "native/base/modules.h"
#include "native/base/owner.h"
#include "native/base/raw_thread.h"
#include "native/base/report_output.h"
#include "native/base/syscalls.h"
#include "native/base/thread_pointer.h"
#include "native/base/threads.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>

enum { UNSTARTED, STARTING, ON, OFF };

#define ENVIRONMENT_MAX 4096
#define SECOND_NS       ((uint64_t)1000000000)
/* first wait for a copy; each wait is twice as long as the previous wait */
#define NAP_NS        50000
#define NAP_MOST_NS   5000000
#define PATIENCE_NAPS 1000 /* five seconds */

/* marker string that strip does not remove */
__attribute__((used)) static const char mark[] = COMPILED_MARK;

static uint32_t state;
static int pid;
static uintptr_t first_tls; /* thread pointer of the thread that started the process */
static const char *const *environment, *const *arguments;

/* ---------------------------------------------------------------- facts */

int native_pid(void)
{
    return pid;
}

const char *native_getenv(const char *name)
{
    for (const char *const *word = environment; word && *word; word++) {
        const char *a = *word, *b = name;
        while (*b && *a == *b)
            a++, b++;
        if (!*b && *a == '=')
            return a + 1;
    }
    return NULL;
}

const char *const *native_arguments(void)
{
    return arguments;
}

/* ---------------------------------------------------------------- the end */

static bool has_exec_report;

/* A thread that forks waits while measurements are divided, and no part begins while a thread
 * forks. Otherwise the child could get a copy of data that the runtime's thread is changing. */
static uint32_t forks;    /* atomic: number of threads that are forking */
static uint32_t dividing; /* atomic futex: 1 while measurements are divided */

/* Removes the report of an exec that has failed or that a signal handler has abandoned by a jump.
 * The caller has the right to report (gate.h). */
static void drop_exec_report(void)
{
    if (has_exec_report)
        native_output_remove();
    has_exec_report = false;
}

void native_finish(const char *reason)
{
    uint64_t mask;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != ON)
        return;
    if (native_take_the_end(&mask)) {
        drop_exec_report();
        native_quiesce(native_self);
        native_modules_refresh();
        native_client.finish(reason);
        native_give_up_the_end(true);
    }
    native_signals_restore(&mask);
}

/* ---------------------------------------------------------------- during the run */

/* Makes a copy of the process. Writing a report ends all pending activations, but the program must
 * continue, so the copy writes the report. The program does not notice the copy: its end causes no
 * signal, and handlers of fork do not run. The copy has only the calling thread. Returns the copy's
 * id, or -errno; returns 0 in the copy. */
static long copy_process(struct native_thread *self)
{
    native_modules_refresh();
    if (native_client.prepare_copy)
        native_client.prepare_copy(self);
    return native_syscall(SYS_clone, 0, 0, 0, 0, 0);
}

/* The copy's only thread must not block in a hook, because it calls interposed C library functions,
 * such as strncmp. */
static __attribute__((noreturn)) void report_and_end(const char *reason)
{
    __atomic_store_n(&native_gate, NATIVE_CLOSED, __ATOMIC_RELAXED);
    native_owners_are_gone();
    native_client.finish_in_copy(reason);
    for (;;)
        native_syscall(SYS_exit_group, native_output_is_displaced());
}

/* Returns the processor time that the copy has used; 0 if unknown. */
static uint64_t time_used_ns(long copy)
{
    struct timespec used = {0};
    native_syscall(SYS_clock_gettime, ~copy << 3 | CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

/* Returns whether the copy ends within `naps` naps. Each nap is twice as long as the previous nap,
 * up to a limit. */
static bool has_ended(long copy, int *status, int naps)
{
    struct timespec nap = {0, NAP_NS};
    for (; naps > 0; naps--) {
        long ended = native_syscall(SYS_wait4, copy, status, __WCLONE | WNOHANG, 0);
        if (ended != 0 && ended != -EINTR)
            return true;
        native_syscall(SYS_nanosleep, &nap, 0);
        nap.tv_nsec = nap.tv_nsec < NAP_MOST_NS ? 2 * nap.tv_nsec : nap.tv_nsec;
    }
    return false;
}

/* Returns the copy's exit status; 0 if the program has reaped the copy by waiting for all children.
 * A copy that makes no progress, because it was stopped or its disk does not respond, is killed. */
static int await_copy(long copy)
{
    int status = 0;
    uint64_t before, now = 0;
    do {
        if (has_ended(copy, &status, PATIENCE_NAPS))
            return status;
        before = now;
        now = time_used_ns(copy);
    } while (now != before);
    native_message("a report is not written",
                   "the process that should write the report does not run");
    native_syscall(SYS_kill, copy, SIGKILL);
    return has_ended(copy, &status, PATIENCE_NAPS) ? status : SIGKILL;
}

bool native_finish_before_exec(void)
{
    uint64_t mask;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != ON || native_is_vfork_child())
        return false;
    bool mine = native_take_the_end(&mask);
    if (mine) {
        drop_exec_report();
        native_pause(native_self);
        native_output_expect("exec");
        has_exec_report = true;
        long copy = copy_process(native_self);
        if (copy == 0)
            report_and_end("exec");
        if (copy > 0 && await_copy(copy) == 0)
            native_dump_withdraw();
        if (copy < 0)
            native_message("no report of the program before exec", native_error_text((int)-copy));
        native_lend_the_end_to_exec();
    }
    native_signals_restore(&mask);
    return mine;
}

void native_resume_after_exec(void)
{
    if (!native_take_the_end_from_exec())
        return;
    drop_exec_report();
    native_give_up_the_end(false);
    native_dump_come_back();
}

/* In the copy, the calling thread starts to use the thread-local variables of the process's first
 * thread. The raw thread has no thread-local variables of its own, but the report writer needs
 * them. The copy has no other thread that could use these variables. */
static __attribute__((noreturn)) void report_as_first_thread(const char *reason)
{
    native_set_thread_pointer(first_tls);
    int kept = native_output_kept_folder();
    if (kept > 3)
        native_syscall(SYS_close_range, 3, kept - 1, 0);
    native_syscall(SYS_close_range, kept > 3 ? kept + 1 : 3, ~0u, 0);
    report_and_end(reason);
}

static bool division_begin(void)
{
    __atomic_store_n(&dividing, 1, __ATOMIC_SEQ_CST);
    return !__atomic_load_n(&forks, __ATOMIC_SEQ_CST) && native_hooks_have_ended() &&
           native_client.part_begin();
}

static void division_end(void)
{
    __atomic_store_n(&dividing, 0, __ATOMIC_SEQ_CST);
    native_futex_wake(&dividing);
}

static bool has_made(long copy)
{
    if (copy < 0)
        native_message("cannot copy the process to write a report", native_error_text((int)-copy));
    return copy > 0;
}

bool native_report_part(const char *reason)
{
    long copy = 0;
    if (!native_try_the_end())
        return true;
    drop_exec_report();
    native_pause(NULL);
    bool begins = division_begin();
    if (begins) {
        native_output_begin_part();
        copy = copy_process(NULL);
        if (copy == 0)
            report_as_first_thread(reason);
        native_client.part_end(copy > 0);
    }
    division_end();
    native_reopen();
    bool good = !begins || (has_made(copy) && await_copy(copy) == 0);
    native_give_up_the_end(false);
    return good;
}

/* The function takes the right to write a report (gate.h), so exec and the last report wait until
 * the copy has renamed its file. */
bool native_report_while_running(const char *reason, bool *written)
{
    if (!native_try_the_end())
        return true;
    drop_exec_report();
    native_pause(NULL);
    long copy = copy_process(NULL);
    if (copy == 0)
        report_as_first_thread(reason);
    native_reopen();
    bool good = has_made(copy) && await_copy(copy) == 0;
    if (good)
        __atomic_store_n(written, true, __ATOMIC_SEQ_CST);
    native_give_up_the_end(false);
    return good;
}

bool native_is_vfork_child(void)
{
    return native_syscall(SYS_getpid) != pid;
}

/* ---------------------------------------------------------------- after everything else */

static bool has_exit_stream;

static ssize_t exit_stream_read(void *cookie, char *buffer, size_t size)
{
    (void)cookie;
    size_t n = size < 2 ? size : 2;
    memset(buffer, '\n', n);
    return (ssize_t)n;
}

static int exit_stream_seek(void *cookie, off64_t *offset, int whence)
{
    (void)cookie, (void)whence;
    *offset = 0;
    native_finish("exit");
    return 0;
}

/* fcloseall calls this function. After fcloseall, only the runtime's last destructor can write the
 * report. */
static int exit_stream_close(void *cookie)
{
    (void)cookie;
    has_exit_stream = false;
    return 0;
}

static void on_quick_exit(void)
{
    native_finish("quick_exit");
}

/* Sets up streams and handlers when the C library is ready. Constructor priorities up to 100 are
 * reserved. */
__attribute__((constructor(101))) static void prepare_the_end(void)
{
    static const cookie_io_functions_t functions = {
        .read = exit_stream_read, .seek = exit_stream_seek, .close = exit_stream_close};
    static char buffer[16];
    if (state != ON)
        return;
    at_quick_exit(on_quick_exit);
    FILE *stream = fopencookie(NULL, "r", functions);
    if (!stream)
        return;
    setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    has_exit_stream = getc(stream) != EOF;
}

__attribute__((destructor(101))) static void end_without_stream(void)
{
    if (!has_exit_stream)
        native_finish("exit");
}

/* ---------------------------------------------------------------- fork */

static void before_fork(void)
{
    __atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&dividing, __ATOMIC_SEQ_CST))
        native_futex_wait(&dividing, 1, SECOND_NS);
    if (state == ON && native_client.fork_prepare)
        native_client.fork_prepare();
}

static void after_fork_in_parent(void)
{
    __atomic_sub_fetch(&forks, 1, __ATOMIC_SEQ_CST);
    if (state == ON && native_client.forked_parent)
        native_client.forked_parent();
}

static void after_fork_in_child(void)
{
    forks = dividing = 0;
    pid = (int)native_syscall(SYS_getpid);
    if (state != ON)
        return;
    native_threads_forked();
    native_raw_threads_forked();
    native_modules_forked();
    native_gate_forked();
    if (native_client.forked_child)
        native_client.forked_child();
    native_reopen();
    native_dump_begin();
}

void native_around_fork(enum native_fork_moment moment)
{
    static void (*const actions[])(void) = {before_fork, after_fork_in_parent, after_fork_in_child};
    actions[moment]();
}

/* ---------------------------------------------------------------- the beginning */

static size_t length_of(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

/* Copies a list of words (environment or arguments), so that the copy outlives setenv and programs
 * that overwrite their arguments. */
static const char *const *copy_words(const char *const *words)
{
    size_t n = 0, bytes = 0;
    for (; words[n] && n < ENVIRONMENT_MAX; n++)
        bytes += length_of(words[n]) + 1;
    char **copy = host_alloc("native.words", (n + 1) * sizeof *copy + bytes);
    char *text = (char *)(copy + n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t length = length_of(words[i]) + 1;
        copy[i] = memcpy(text, words[i], length);
        text += length;
    }
    return (const char *const *)copy;
}

bool native_start(void)
{
    uint32_t expected = UNSTARTED;
    if (LIKELY(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == ON))
        return true;
    if (!arguments || !__atomic_compare_exchange_n(&state, &expected, STARTING, 0, __ATOMIC_ACQUIRE,
                                                   __ATOMIC_RELAXED))
        return false;
    pid = (int)native_syscall(SYS_getpid);
    native_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    native_modules_refresh();
    native_threads_init();
    if (getauxval(AT_SECURE) || !native_client.start()) {
        __atomic_store_n(&state, OFF, __ATOMIC_RELEASE);
        return false;
    }
    native_interpose_init();
    native_signals_init();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    first_tls = native_thread_pointer();
    __atomic_store_n(&state, ON, __ATOMIC_RELEASE);
    native_reopen();
    native_dump_begin();
    return true;
}

/* Executables may have functions that run before all constructors, even before constructors of
 * libraries. */
static void on_preinit(int argc, char **argv, char **envp)
{
    (void)argc;
    environment = copy_words((const char *const *)envp);
    arguments = copy_words((const char *const *)argv);
    native_start();
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
                                                                              char **) = on_preinit;
