/* Chooses the profiler that aprof-cc compiles in, and the compiler.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_DRIVER_CHOICE_H
#define COMPILE_DRIVER_CHOICE_H

#include "compile/driver/compiler.h"
#include "compile/driver/profilers.h"

/* Returns the name by which the user called aprof-cc. `words` is the user's command. */
const char *choice_own_name(const struct compiler_words *words);

/* Returns the profiler that `asked` requests; `asked` is the value of --aprof, or NULL. For trms,
 * contexts and events, there is a profiler with inline code and a profiler with hooks. Inline code
 * is chosen if the compiler is a clang of the same release as aprof-instrument's LLVM; otherwise,
 * hooks are chosen. If the profiler does not exist, the function prints a message and returns
 * NULL. */
const struct profiler *choice_find_profiler(const struct compiler_words *words, const char *asked);

/* Chooses the compiler; the caller frees the compiler's name. */
struct compiler choice_find_compiler(const struct compiler_words *words,
                                     const struct profiler *profiler);

/* Prints one line with the release, the profiler and the compiler. */
void choice_print(const struct profiler *profiler, const struct compiler *compiler);

void choice_print_help(const struct profiler *profiler, const struct compiler *compiler);

#endif
