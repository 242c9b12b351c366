/* Compiles programs for path profiles.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Probes depend on the whole program, and differ between the copies of the program. Therefore
 * `aprof paths plan` adds probes later, to the files that the link record keeps
 * (paths/link_record.h).
 */
#ifndef COMPILE_DRIVER_PATH_DRIVER_H
#define COMPILE_DRIVER_PATH_DRIVER_H

#include "lib/base/compiler_words.h"

/* Performs the command with clang or clang++; word [0] of the command is the name of aprof-cc.
 * Returns an exit status. */
int path_driver_run(const struct compiler_words *given, bool is_cxx);

#endif
