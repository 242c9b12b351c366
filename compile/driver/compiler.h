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

/* Chooses the compiler by APROF_CC_COMPILER and by the language of `own_name`: aprof-c++ calls g++
 * or clang++. The caller frees the compiler's name. */
struct compiler compiler_choose(const char *own_name, bool prefers_clang);

/* Returns the value of APROF_CC_COMPILER, or NULL if it is not set. */
const char *compiler_named(void);

/* The message for builds with an empty APROF_CLANG, which support neither inline code nor path
 * profiles. */
#define COMPILER_WITHOUT_LLVM                                                                      \
    "aprof was built without LLVM; install llvm-dev, clang and lld, and build aprof again"

/* Returns the clang of the LLVM release that aprof was built with; NULL if that clang is not
 * installed. */
const char *compiler_own_clang(void);

/* Returns whether gcc reports this release; an empty release never matches. */
bool compiler_is_release(const struct compiler *compiler, const char *release);

/* Returns whether the compiler is a clang of the LLVM release with which aprof-instrument is built.
 * Such a clang and aprof-instrument can read each other's bitcode. */
bool compiler_is_own_clang(const struct compiler *compiler);

#endif
