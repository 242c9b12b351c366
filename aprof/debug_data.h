/* Chooses the debug data that Valgrind's core reads when an object is mapped.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line numbers are read for every object, also from separate files such as Debian's -dbgsym
 * packages. Reading the inlined functions of the C library and the dynamic linker would add 0.07 s
 * to each run. So inlined functions are read only if the object file itself contains debug data, as
 * the files do that the user has compiled. Valgrind's own option --read-inline-info applies to all
 * objects or none.
 */
#ifndef APROF_DEBUG_DATA_H
#define APROF_DEBUG_DATA_H

#include "aprof/valgrind_core.h"

/* Call this function when all options are known, but before any object is mapped. */
void debug_data_init(void);

#endif
