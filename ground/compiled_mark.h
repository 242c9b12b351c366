/* A text in each program with a compiled-in profiler; `aprof test` searches a program for the text.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef GROUND_COMPILED_MARK_H
#define GROUND_COMPILED_MARK_H

#define COMPILED_MARK "aprof: this program has a compiled-in profiler"

#endif
