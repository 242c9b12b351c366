/* Reports of a program that still runs: what SIGKILL would lose.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * At intervals, or when a signal asks for it, a copy of the process writes the report as it would be
 * now, under the name that it will have at the end, so that there is always one whole file: the
 * latest. Its `end` is NATIVE_STILL_RUNNING. The program's threads wait in their hooks while the
 * copy is made, as for exec, and no longer.
 *
 *     {..., NATIVE_DUMP_OPTIONS(struct config, dump), ...}       in the table of options
 *     native_dump_choose("APROF_CONTEXTS", &config.dump);        in client->start
 *
 * A program that handles the signal itself keeps it. Copies have the descriptors 0 to 2 only, and
 * nobody is told of them, but wait4(2) with __WALL or __WCLONE could find one.
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

/* Is this the reason of such a report? Then what is said once, at the end, is not said. */
NATIVE_HIDDEN bool native_is_still_running(const char *reason);

/* After native_output_choose: a device or a pipe cannot be replaced, and there is a message.
 * `settings` is kept. */
NATIVE_HIDDEN void native_dump_choose(const char *variable,
                                      const struct native_dump_settings *settings);

/* For process.c and signals.c: begins, in a forked child anew, if something was chosen; a signal
 * that came: true if it asks for a report. */
NATIVE_HIDDEN void native_dump_begin(void);
NATIVE_HIDDEN bool native_dump_requested(int sig);

/* For process.c, which has taken the end: exec's report has all that the latest one has, which goes; and
 * exec has failed, so that there must be one again. */
NATIVE_HIDDEN void native_dump_withdraw(void);
NATIVE_HIDDEN void native_dump_come_back(void);

#endif
