/* Chooses the debug data that Valgrind's core reads when an object is mapped.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line numbers are read of every object, also where they stand in a file of their own, as in
 * Debian's -dbg and -dbgsym packages. What is inlined takes most of the time: of the C library and
 * the dynamic linker 0.07 s of each run. So it is read where an object has its debug data in
 * itself, as what the user has compiled does; of all, or of none, if Valgrind's option
 * --read-inline-info says so.
 */
#ifndef APROF_DEBUG_DATA_H
#define APROF_DEBUG_DATA_H

#include "aprof/valgrind_core.h"

/* When all options are known, and nothing is mapped yet. */
void debug_data_init(void);

#endif
