/* The profilers that aprof-cc can compile in.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_DRIVER_PROFILERS_H
#define COMPILE_DRIVER_PROFILERS_H

#include "lib/base/compiler_words.h"

#define PROFILER_FLAGS_MAX 24
#define PATHS_PROFILE      "paths"

/* The options and files that a profiler needs with each compiler. `exports` lists the hooks that
 * instrumented libraries find in the executable. */
struct profiler {
    const char *name, *says; /* name, and text for --help about what the profiler measures */
    const char *archive;
    /* archive that is linked whole into shared libraries; NULL if there is no such archive */
    const char *object;
    /* archive with functions that shared libraries need in programs without the profiler */
    const char *stubs;
    /* file of macros that replace calls of hooks; gcc's assembler reads it first */
    const char *inlined;
    const char *pass; /* pass of aprof-instrument, which processes the bitcode; only with clang */
    const char *gcc[PROFILER_FLAGS_MAX], *clang[PROFILER_FLAGS_MAX];
    const char *exports[PROFILER_FLAGS_MAX];
    /* NULL, or the function that performs the whole command instead of aprof-cc's usual steps */
    int (*drives)(const struct compiler_words *, bool);
    bool checks_inline; /* whether inline checks cover vectors, except masked vectors */
    bool arm64;         /* whether the profiler also supports arm64 programs */
    bool gcc_lto;       /* whether the hooks survive gcc's link-time optimisation */
};

/* Finds a profiler by its name in --aprof. If the profiler does not exist, prints a message and
 * returns NULL. */
const struct profiler *profiler_find(const char *name);

/* Prints one line for each profiler that says what the profiler measures. */
void profiler_print_all(void);

/* Options for clang that prevent all vectors; the list ends with NULL. */
extern const char *const profiler_without_vectors[];

#endif
