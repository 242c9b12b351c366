/* Writes reports of a running program, to save data that SIGKILL would lose.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At intervals, or on a signal, a copy of the process writes a report. When this report is
 * complete, it replaces the previous report, so the latest complete report is never lost. The
 * record `end` of this report has the value NATIVE_STILL_RUNNING. The program's threads wait in
 * their hooks only while the process is copied, as for the report before an exec.
 *
 *     {..., NATIVE_DUMP_OPTIONS(struct config, dump), ...}       in the table of options
 *     native_dump_choose("APROF_CONTEXTS", &config.dump);        in client->start
 *
 * If the program has a handler for the report signal, this handler is called and no report is
 * written. Copies of the process have only the descriptors 0 to 2. The program does not notice the
 * copies, except that wait4(2) with __WALL or __WCLONE may return a copy.
 */
#ifndef NATIVE_BASE_DUMP_H
#define NATIVE_BASE_DUMP_H

#include "native/base/environment.h"
#include "native/base/native.h"

#define NATIVE_STILL_RUNNING "still running"

/* With `parts`, each report covers the time since the previous report, and has the suffix .part1,
 * .part2 and so on. The last report then covers the time after the last part. */
struct native_dump_settings {
    uint64_t every; /* interval in nanoseconds; 0: never */
    uint32_t on;    /* signal, as an index into native_dump_signals */
    uint64_t parts; /* number of latest parts that are kept; 0: reports cover the whole run */
};
extern NATIVE_HIDDEN const char *const native_dump_signals[];

#define NATIVE_DUMP_OPTIONS(config, member)                                                        \
    {"dump-every", NATIVE_DURATION, NATIVE_OFFSETOF(config, member.every), NULL, NULL},            \
    {                                                                                              \
        "dump-signal", NATIVE_CHOICE, NATIVE_OFFSETOF(config, member.on), native_dump_signals,     \
            NULL                                                                                   \
    }

/* Returns whether `reason` is the reason of a report during the run; for such a report, no messages
 * about the program's end are printed. */
NATIVE_HIDDEN bool native_is_still_running(const char *reason);

/* Prints a message if the report is written to a device or a pipe, because later reports could not
 * replace such a report. Keeps a pointer to `settings`. Call this function after
 * native_output_choose. */
NATIVE_HIDDEN void native_dump_choose(const char *variable,
                                      const struct native_dump_settings *settings);

/* process.c and signals.c call these functions. If the options require a thread that writes reports
 * or reads the control file, native_dump_begin starts this thread. process.c also calls
 * native_dump_begin in a forked child. native_dump_requested returns true if the signal requests a
 * report. */
NATIVE_HIDDEN void native_dump_begin(void);
NATIVE_HIDDEN bool native_dump_requested(int sig);

/* native_dump_withdraw removes the latest report, because the report that is written before an exec
 * replaces it. The calling thread must have the right to report (gate.h). If the exec fails,
 * native_dump_come_back requests a new report. */
NATIVE_HIDDEN void native_dump_withdraw(void);
NATIVE_HIDDEN void native_dump_come_back(void);

#endif
