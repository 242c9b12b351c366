/* A text in each program with a compiled-in profiler, by which `aprof test` recognises the program.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_COMPILED_MARK_H
#define GROUND_COMPILED_MARK_H

#define COMPILED_MARK "aprof: this program has a compiled-in profiler"

#endif
