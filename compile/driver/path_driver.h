/* Compiles programs whose paths are to be counted.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes depend on the whole program, and differ from copy to copy, so they are added later: `aprof
 * paths plan` adds them to the files that are kept here (paths/link_record.h).
 */
#ifndef COMPILE_DRIVER_PATH_DRIVER_H
#define COMPILE_DRIVER_PATH_DRIVER_H

#include "lib/base/compiler_words.h"

/* Performs the command with clang or clang++; [0] is our own name. Returns an exit status. */
int path_driver_run(const struct compiler_words *given, bool is_cxx);

#endif
