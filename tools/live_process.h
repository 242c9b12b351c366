/* A running profiled program: its reports, and requests for new ones.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's options are found in /proc: in Valgrind's command line, or in the variable APROF of
 * a program with a compiled-in profiler. Programs with `dump-every` write reports at intervals.
 * Other programs write a report on request: at the signal of `dump-signal`, or by Valgrind's
 * `vgdb`.
 *
 * Each report of vgdb has only the measurements since the previous report. The files are REPORT.1,
 * REPORT.2 and so on, and at the end REPORT; their sum is the whole run.
 */
#ifndef TOOLS_LIVE_PROCESS_H
#define TOOLS_LIVE_PROCESS_H

#include "lib/base/message.h"
#include "lib/load/report_set.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum live_method {
    LIVE_AT_INTERVALS,
    LIVE_AT_END, /* a compiled-in profiler without options that make it write reports earlier */
    LIVE_BY_SIGNAL,
    LIVE_BY_VGDB,
};

#define LIVE_NAMES 4

struct live_process {
    pid_t pid, vgdb;          /* vgdb: PID of a running `vgdb` that requests a report; 0: none */
    unsigned long long ticks; /* start time of the process, which identifies the process if its PID
                               * is used again */
    time_t started;
    enum live_method method;
    int signal;
    unsigned requests;       /* number of requests by vgdb */
    char *names[LIVE_NAMES]; /* possible paths of the program's report, the most probable first; or
                              * NULL */
    bool has_ended;          /* atomic */
};

/* Whether the text can be a process id. */
bool live_process_is_pid(const char *text);

/* Reads the options of the process with this id, which is given as a text. Returns false if the
 * process does not run or is not profiled. */
bool live_process_find(struct live_process *process, const char *pid, struct failure *why);
void live_process_free(struct live_process *process);

/* Whether the process still runs. After a call has returned false, all later calls return false
 * without another check. */
bool live_process_runs(struct live_process *process);

/* Requests a report, and does not wait for it. Does nothing if the process has ended, if
 * it writes reports without requests, or if it has not answered the last request. */
void live_process_request(struct live_process *process);

/* The interval between requests, in seconds; `every` is the interval that the user has chosen. For
 * vgdb, the interval is doubled after each 100 requests. All files written so far are read for each
 * sum, so the number of files must not grow in proportion to the time. */
double live_process_interval(const struct live_process *process, double every);

/* A sentence with advice about the reports of this program; NULL if there is none. */
const char *live_process_hint(const struct live_process *process);

/* The files written so far; their sum is the run so far. */
void live_process_files(const struct live_process *process, path_list *paths);

#endif
