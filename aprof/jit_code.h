/* Names and source lines of code without a file, which the program generates at run time.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names come from /tmp/perf-PID.map (aprof/perf_map.h). Run-time systems such as CPython, V8,
 * and the Java and Erlang virtual machines write this file. The lines come from /tmp/jit-PID.dump
 * (aprof/jit_dump.h), which Erlang writes. The files are read only if the program's user owns them
 * and they were modified after the program's start.
 */
#ifndef APROF_JIT_CODE_H
#define APROF_JIT_CODE_H

#include "aprof/valgrind_core.h"

/* Call this function when the program starts, and in the child after a fork. */
void jit_code_init(void);

struct jit_code {
    const HChar *name; /* name of the code in the map */
    Addr entry;        /* first address of the code */
};

/* Finds the map's current entry for `address`. Returns false if the map has no entry for
 * `address`. */
Bool jit_code_find(Addr address, struct jit_code *found);

/* Returns the source file of generated code, and stores the code's line in `*line`. Returns NULL if
 * the file is not known. The file's name lives as long as the run. */
const HChar *jit_code_line(Addr address, UInt *line);

#endif
