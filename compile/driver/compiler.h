/* Which compiler aprof-cc calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_DRIVER_COMPILER_H
#define COMPILE_DRIVER_COMPILER_H

#include <stdbool.h>

struct compiler {
    char *name;
    bool is_clang;
};

/* As APROF_CC_COMPILER says, for the language that `own_name` stands for: aprof-c++ calls g++ or
 * clang++. The name is the caller's to free. */
struct compiler compiler_choose(const char *own_name, bool prefers_clang);

/* What APROF_CC_COMPILER says; NULL: nothing. */
const char *compiler_named(void);

/* Why there is neither inline code nor path profiles if APROF_CLANG is empty. */
#define COMPILER_WITHOUT_LLVM                                                                      \
    "aprof was built without LLVM; install llvm-dev, clang and lld, and build it again"

/* The clang of the LLVM that aprof was built with; NULL: it is not there. */
const char *compiler_own_clang(void);

/* Does it say so itself? Of gcc; an empty release is none. */
bool compiler_is_release(const struct compiler *compiler, const char *release);

/* Is it a clang of the same release, whose bitcode our instrumenter reads and writes? */
bool compiler_is_own_clang(const struct compiler *compiler);

#endif
