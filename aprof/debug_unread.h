/* Finds objects with debug data that Valgrind's core cannot read.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The core of Valgrind 3.18 and 3.19 does not support all of DWARF 5: it ends the program, or
 * misreads line numbers. So the tool hides such debug data from the core. The report then has
 * addresses instead of line numbers, and the object's build id. The command uses the build id to
 * find the lines (libdw).
 */
#ifndef APROF_DEBUG_UNREAD_H
#define APROF_DEBUG_UNREAD_H

#include "aprof/valgrind_core.h"

/* If an object's debug data were hidden from the core, returns the object's build id in
 * hexadecimal. Returns "" if this object has no build id, and NULL if no debug data were hidden. */
const HChar *debug_unread_id(const HChar *path);

#endif
