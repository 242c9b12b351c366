/* The profilers that aprof-cc can compile in.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_DRIVER_PROFILERS_H
#define COMPILE_DRIVER_PROFILERS_H

#include "lib/base/compiler_words.h"

#define PROFILER_FLAGS_MAX 24
#define PATHS_PROFILE      "paths"

/* The requirements of a profiler on each compiler. `exports` are the hooks, which instrumented
 * libraries find in the executable. */
struct profiler {
    const char *name, *says; /* what it measures, for --help */
    const char *archive;
    const char *object; /* an archive for shared libraries, linked whole, if they need one */
    const char *stubs;  /* an archive with what they need in programs without the profiler */
    /* a file that gcc's assembler reads first: macros that replace calls of hooks */
    const char *inlined;
    const char *pass; /* of our instrumenter, which processes the bitcode: only with clang */
    const char *gcc[PROFILER_FLAGS_MAX], *clang[PROFILER_FLAGS_MAX];
    const char *exports[PROFILER_FLAGS_MAX];
    int (*drives)(const struct compiler_words *, bool); /* does everything itself */
    bool checks_inline; /* the code checks vectors inline, except masked ones */
    bool gcc_lto;       /* gcc's link-time optimiser keeps the hooks */
};

/* By the name in --aprof; NULL, with a message, if there is no such profiler. */
const struct profiler *profiler_find(const char *name);

/* Prints a line for each profiler, with what the profiler measures. */
void profiler_print_all(void);

/* Options for clang that prevent all vectors. Ends with NULL. */
extern const char *const profiler_without_vectors[];

#endif
