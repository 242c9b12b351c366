/* Names of code without a file, which the program generates at run time.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names come from /tmp/perf-PID.map (aprof/perf_map.h). Run-time systems such as CPython, V8,
 * and the Java and Erlang virtual machines write this file. The file is read only if the program's
 * user owns it, and if it was written to after the program started.
 */
#ifndef APROF_JIT_CODE_H
#define APROF_JIT_CODE_H

#include "aprof/valgrind_core.h"

/* Call this function when the program starts, and in the child after a fork. */
void jit_code_init(void);

struct jit_code {
    const HChar *name; /* name of the code in the map */
    Bool is_entry;     /* whether the code begins at `address` */
};

/* Finds the map's current entry for `address`. Returns false if the map has no entry for
 * `address`. */
Bool jit_code_find(Addr address, struct jit_code *found);

#endif
