/* Writes reports of a running program and reads the control file, in a raw thread (raw_thread.h).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/base/dump.h"

#include "native/base/control.h"
#include "native/base/lifecycle.h"
#include "native/base/process.h"
#include "native/base/raw_thread.h"
#include "native/base/report_output.h"
#include "native/base/syscalls.h"

#include <signal.h>
#include <time.h>

#define STACK_BYTES ((size_t)256 << 10) /* stack of the thread that writes the report */
#define NEVER       (~(uint64_t)0)
#define CONTROL_NS  ((uint64_t)1000000000) /* interval of the checks of the control file */

const char *const native_dump_signals[] = {"off", "HUP", "USR1", "USR2", NULL};
static const int signal_numbers[] = {0, SIGHUP, SIGUSR1, SIGUSR2};

static struct {
    const struct native_dump_settings *settings; /* NULL: no reports were requested */
    struct native_raw_thread thread;
    uint32_t bell;     /* atomic futex, changed when there is work for the report thread */
    uint32_t requests; /* atomic */
    uint32_t answered;
    uint64_t next;    /* time at which the interval between two reports ends */
    uint64_t rest;    /* time before which no report is written */
    uint64_t control; /* time of the next check of the control file; NEVER: there is no file */
    bool has_written; /* atomic */
    bool has_failed;  /* whether writing a report has failed; if so, no more reports are written */
} dump;

static const char still_running[] = NATIVE_STILL_RUNNING;

/* ---------------------------------------------------------------- the thread */

static uint64_t clock_ns(void)
{
    struct timespec now = {0};
    native_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void ring(void)
{
    __atomic_add_fetch(&dump.bell, 1, __ATOMIC_SEQ_CST);
    native_futex_wake(&dump.bell);
}

static void ask(void)
{
    __atomic_add_fetch(&dump.requests, 1, __ATOMIC_RELEASE);
    ring();
}

/* Returns the time of the next report. One report answers all requests that arrived while the
 * previous report was being written. */
static uint64_t due(void)
{
    if (dump.has_failed || !dump.settings)
        return NEVER;
    if (__atomic_load_n(&dump.requests, __ATOMIC_ACQUIRE) != dump.answered)
        return dump.rest;
    return dump.settings->every ? dump.next : NEVER;
}

static void sleep_until_rung(uint32_t bell, uint64_t until)
{
    uint64_t now = clock_ns(), left = until > now ? until - now : 1;
    native_futex_wait(&dump.bell, bell, until == NEVER ? 0 : left);
}

/* Hooks wait only while the process is copied. The pause after a report is at least as long as the
 * time for writing this report, even if the interval is shorter. */
static void write_report(void)
{
    uint64_t began = clock_ns();
    dump.answered = __atomic_load_n(&dump.requests, __ATOMIC_ACQUIRE);
    bool is_part = dump.settings->parts;
    if (!(is_part ? native_report_part(still_running)
                  : native_report_while_running(still_running, &dump.has_written))) {
        native_message("dump", is_part
                                   ? "failed; the measurements of this part are lost, and the next "
                                     "report is written at the program's end"
                                   : "failed; the next report is written at the program's end");
        dump.has_failed = true;
    }
    uint64_t now = clock_ns();
    dump.rest = now + (now - began);
    dump.next = now + dump.settings->every;
    dump.next = dump.next > dump.rest ? dump.next : dump.rest;
}

static void read_control(uint64_t now)
{
    native_control_read();
    dump.control = now + CONTROL_NS;
}

static void run(void *argument)
{
    (void)argument;
    for (;;) {
        uint32_t bell = __atomic_load_n(&dump.bell, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&dump.thread.stop, __ATOMIC_SEQ_CST))
            return;
        uint64_t until = due(), now = clock_ns();
        if (now >= until)
            write_report();
        else if (now >= dump.control)
            read_control(now);
        else
            sleep_until_rung(bell, until < dump.control ? until : dump.control);
    }
}

static void wake(void *argument)
{
    (void)argument;
    ring();
}

static void lost(void *argument)
{
    (void)argument;
    native_message("dump", "cannot restart the runtime's thread; the next report is written at the "
                           "program's end, and the control file is not read");
}

/* ---------------------------------------------------------------- for others */

bool native_is_still_running(const char *reason)
{
    return reason == still_running;
}

bool native_dump_requested(int sig)
{
    if (!dump.settings || !dump.settings->on || signal_numbers[dump.settings->on] != sig)
        return false;
    ask();
    return true;
}

void native_dump_withdraw(void)
{
    if (__atomic_load_n(&dump.has_written, __ATOMIC_SEQ_CST))
        native_output_withdraw();
}

void native_dump_come_back(void)
{
    if (__atomic_load_n(&dump.has_written, __ATOMIC_SEQ_CST))
        ask();
}

void native_dump_choose(const char *variable, const struct native_dump_settings *settings)
{
    if (!settings->every && !settings->on)
        return;
    if (native_output_is_special()) {
        native_message(variable,
                       "dump: only a regular file can be replaced, not a device or a pipe");
        return;
    }
    dump.settings = settings;
}

/* The report thread must be started after all other raw threads. Raw threads are stopped in reverse
 * order, so the report thread is then stopped first, while the threads for which hooks wait still
 * exist. */
void native_dump_begin(void)
{
    if (!dump.settings && !native_control_is_chosen())
        return;
    dump.has_written = false;
    if (dump.settings)
        native_output_keep_parts(dump.settings->parts);
    dump.thread.name = "aprof-dump";
    dump.thread.function = run;
    dump.thread.wake = wake;
    dump.thread.lost = lost;
    dump.thread.stack_bytes = STACK_BYTES;
    dump.answered = dump.requests;
    dump.next = clock_ns() + (dump.settings ? dump.settings->every : 0);
    dump.control = native_control_is_chosen() ? clock_ns() + CONTROL_NS : NEVER;
    int result = native_raw_thread_start(&dump.thread);
    if (result < 0)
        native_message("dump", native_error_text(-result));
}
