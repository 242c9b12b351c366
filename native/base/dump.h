/* Reports of a running program, for data that SIGKILL would lose.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At intervals, or on a signal, a copy of the process writes the report as of now, under its final name. So there
 * is always one complete file: the latest. Its `end` is NATIVE_STILL_RUNNING. The program's threads wait in their
 * hooks only while the copy is made, as for exec.
 *
 *     {..., NATIVE_DUMP_OPTIONS(struct config, dump), ...}       in the table of options
 *     native_dump_choose("APROF_CONTEXTS", &config.dump);        in client->start
 *
 * A program that handles the signal itself keeps it. Copies have only the descriptors 0 to 2. The program gets no
 * notice of them, but wait4(2) with __WALL or __WCLONE could find one.
 */
#ifndef NATIVE_BASE_DUMP_H
#define NATIVE_BASE_DUMP_H

#include "native/base/environment.h"
#include "native/base/native.h"

#define NATIVE_STILL_RUNNING "still running"

struct native_dump_settings {
    uint64_t every; /* nanoseconds; 0: never */
    uint32_t on;    /* an index of native_dump_signals */
};
extern NATIVE_HIDDEN const char *const native_dump_signals[];

#define NATIVE_DUMP_OPTIONS(config, member)                                                        \
    {"dump-every", NATIVE_DURATION, NATIVE_OFFSETOF(config, member.every), NULL, NULL},            \
    {                                                                                              \
        "dump-signal", NATIVE_CHOICE, NATIVE_OFFSETOF(config, member.on), native_dump_signals,     \
            NULL                                                                                   \
    }

/* Is this the reason of such a report? Then messages for the end of the program are omitted. */
NATIVE_HIDDEN bool native_is_still_running(const char *reason);

/* After native_output_choose: a device or a pipe cannot be replaced, which gives a message. `settings` is kept. */
NATIVE_HIDDEN void native_dump_choose(const char *variable,
                                      const struct native_dump_settings *settings);

/* For process.c and signals.c. native_dump_begin starts the thread, also in a forked child, if reports were
 * requested. native_dump_requested: true if the signal requests a report. */
NATIVE_HIDDEN void native_dump_begin(void);
NATIVE_HIDDEN bool native_dump_requested(int sig);

/* For process.c, which has taken the end. Before exec, its report replaces the latest one, which is removed; if
 * exec fails, there must be a new one. */
NATIVE_HIDDEN void native_dump_withdraw(void);
NATIVE_HIDDEN void native_dump_come_back(void);

#endif
