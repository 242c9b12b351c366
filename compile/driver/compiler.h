/* Finds the compiler that aprof-cc calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_DRIVER_COMPILER_H
#define COMPILE_DRIVER_COMPILER_H

#include <stdbool.h>

struct compiler {
    char *name;
    bool is_clang;
};

/* Chooses the compiler by APROF_CC_COMPILER, and for the language of `own_name`: aprof-c++ calls
 * g++ or clang++. The caller frees the name. */
struct compiler compiler_choose(const char *own_name, bool prefers_clang);

/* The value of APROF_CC_COMPILER; NULL: not set. */
const char *compiler_named(void);

/* The reason for having neither inline code nor path profiles, if APROF_CLANG is empty. */
#define COMPILER_WITHOUT_LLVM                                                                      \
    "aprof was built without LLVM; install llvm-dev, clang and lld, and build aprof again"

/* The clang of the LLVM that aprof was built with; NULL: not installed. */
const char *compiler_own_clang(void);

/* Whether gcc reports this release; an empty release never matches. */
bool compiler_is_release(const struct compiler *compiler, const char *release);

/* Whether it is a clang of the LLVM release whose bitcode aprof-instrument reads and writes. */
bool compiler_is_own_clang(const struct compiler *compiler);

#endif
