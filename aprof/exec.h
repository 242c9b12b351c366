/* Exec: the report of a process that executes another program; whether that program is profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_EXEC_H
#define APROF_EXEC_H

#include "aprof/valgrind_core.h"

struct engine;

/* Reports before exec are written from this engine, and from the second engine if there is one. */
void exec_init(struct engine *engine);

/* Called in a forked child. */
void exec_forked(void);

/* True if the system call is an exec that may succeed. */
Bool exec_is(UInt number, const UWord *args);

/* Called before the exec. Writes the report NAME.execN, unless the process is a wrapper
 * (--wrapper-cost), and prints a message if the new program will not be profiled. */
void exec_begins(UInt number, const UWord *args);

/* The core calls execve with this path and these arguments. A path such as /proc/self/exe names
 * Valgrind's tool in this process; it is replaced by the program's path. Returns the path. */
const HChar *exec_resolve(const HChar *path, const HChar **arguments);

/* The exec has failed: undoes exec_begins. */
void exec_failed(void);

#endif
