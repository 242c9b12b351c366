/* The command line of a compiler, as wrappers of compilers understand it.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Both gcc and clang. The caller owns the words, which outlive the lists.
 */
#ifndef LIB_BASE_COMPILER_WORDS_H
#define LIB_BASE_COMPILER_WORDS_H

#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <stdbool.h>

struct compiler_words {
    char **at;
    size_t count, room;
};

/* What is asked for. */
struct compiler_job {
    bool links, has_input, chooses_debug, is_static;
    bool is_no_program; /* a shared library, or an object to link again */
    bool makes_no_code; /* -E, -fsyntax-only */
    const char *output;
};

/* `@file` stands for the words in it, which are copied to `strings`. */
void compiler_add_expanded(struct compiler_words *list, struct arena *strings, char *argument);

/* The word before each value: -o, -I, ... */
bool compiler_takes_value(const char *word);

/* `list` ends with NULL. */
bool compiler_is_one_of(const char *word, const char *const *list);
bool compiler_starts_with(const char *word, const char *beginning);

/* Does a word behind the compiler's name begin so? `beginnings` ends with NULL. */
bool compiler_begins_any(const struct compiler_words *list, const char *const *beginnings);

/* Is there a source of Fortran among the words? */
bool compiler_has_fortran(const struct compiler_words *list);

/* Of a whole command line, the compiler's name included. */
struct compiler_job compiler_understand(const struct compiler_words *list);

/* Runs the command, which ends with NULL, and returns its exit status. */
int compiler_run(char **argv);

#endif
