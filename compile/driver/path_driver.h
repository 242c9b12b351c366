/* How a program is compiled whose paths are to be counted.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes are chosen for the whole program, and differ from copy to copy, so they come later: `aprof
 * paths plan` adds them to what is kept here (paths/link_record.h).
 */
#ifndef COMPILE_DRIVER_PATH_DRIVER_H
#define COMPILE_DRIVER_PATH_DRIVER_H

#include "lib/base/compiler_words.h"

/* Does what the command asks for, by clang or clang++; [0] is our own name. Returns an exit status. */
int path_driver_run(const struct compiler_words *given, bool is_cxx);

#endif
