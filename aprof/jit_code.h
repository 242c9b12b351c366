/* Names of code without a file, which the program generates at run time.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * They come from /tmp/perf-PID.map (aprof/perf_map.h), which CPython, V8, the Java and Erlang
 * virtual machines and others write. A file is read only if the program's user owns it and it was
 * written to after the program started.
 */
#ifndef APROF_JIT_CODE_H
#define APROF_JIT_CODE_H

#include "aprof/valgrind_core.h"

/* Called when the program starts, and in the child after a fork. */
void jit_code_init(void);

struct jit_code {
    const HChar *name; /* the name, as in the map */
    Bool is_entry;     /* `address` is where the code begins */
};

/* Finds the map's current entry for `address`. Returns false if the map has no entry for
 * `address`. */
Bool jit_code_find(Addr address, struct jit_code *found);

#endif
