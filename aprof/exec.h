/* Exec: the report of a process that executes another program, and whether that is profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_EXEC_H
#define APROF_EXEC_H

#include "aprof/valgrind_core.h"

struct engine;

/* Reports before exec are of this engine, and of the second one if there is one. */
void exec_init(struct engine *engine);

/* This process is a forked child. */
void exec_forked(void);

/* Whether the system call is an exec that may succeed. */
Bool exec_is(UInt number, const UWord *args);

/* That call begins: writes the report NAME.execN, unless --wrapper-cost forbids it, and reports
 * if the new program will not be profiled. */
void exec_begins(UInt number, const UWord *args);

/* The core calls execve with this path and these arguments. If one of them is the kernel's name
 * for this process's executable (/proc/self/exe), which is Valgrind's tool, it is replaced by
 * the program's. Returns the path. */
const HChar *exec_resolve(const HChar *path, const HChar **arguments);

/* It has returned: all this is void. */
void exec_failed(void);

#endif
