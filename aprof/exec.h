/* Handles exec: writes the old program's report, and determines whether the new one is profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_EXEC_H
#define APROF_EXEC_H

#include "aprof/valgrind_core.h"

struct engine;

/* Reports before exec are written from `engine`, and from the second engine if it exists. */
void exec_init(struct engine *engine);

/* Call this function in a forked child. */
void exec_forked(void);

/* Returns whether the system call is an exec that may succeed. */
Bool exec_is(UInt number, const UWord *args);

/* Call this function before the exec. Writes the report NAME.execN, unless the process is a wrapper
 * (--wrapper-cost). Prints a message if the new program will not be profiled. */
void exec_begins(UInt number, const UWord *args);

/* Returns the path with which the core must call execve. A path such as /proc/self/exe names
 * Valgrind's tool in this process, so the function replaces it by the program's own path. */
const HChar *exec_resolve(const HChar *path, const HChar **arguments);

/* Undoes exec_begins after an exec has failed. */
void exec_failed(void);

#endif
