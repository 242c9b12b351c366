/* The control file, whose options apply while the program runs.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     {"control", NATIVE_TEXT, NATIVE_OFFSETOF(struct config, control), NULL, NULL},
 *     native_control_choose("APROF", config.control, apply);     in client->start
 *
 * The runtime's thread (dump.h) checks once per second whether the file has changed, so the
 * program's threads make no system calls for the file. The runtime's thread opens the file only
 * after a change, and closes the file at once. If the file cannot be read, the latest options stay
 * valid.
 */
#ifndef NATIVE_BASE_CONTROL_H
#define NATIVE_BASE_CONTROL_H

#include "native/base/native.h"

/* Reads the file and calls `apply` with its text. When the file changes later, a raw thread
 * (raw_thread.h) calls `apply` again. An empty path means that there is no file. */
NATIVE_HIDDEN void native_control_choose(const char *variable, const char *path,
                                         void (*apply)(const char *text));

NATIVE_HIDDEN bool native_control_is_chosen(void);

/* Calls `apply` if the file has changed. */
NATIVE_HIDDEN void native_control_read(void);

#endif
