/* Parses the command line of a compiler, for programs that wrap compilers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parser accepts the options of gcc and clang. The caller owns the words of the command line;
 * they must outlive the lists.
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

/* What the command line of a compiler requests. */
struct compiler_job {
    bool links, has_input, chooses_debug, is_static;
    bool is_no_program;       /* whether the output is a shared library, or an object to link
                               * again */
    bool makes_no_code;       /* -E, -fsyntax-only */
    bool describes_variables; /* whether debug information includes variables, not only lines */
    const char *output;
};

/* Replaces each word `@file` by the words in that file, and copies these words to `strings`. */
void compiler_add_expanded(struct compiler_words *list, struct arena *strings, char *argument);

/* True for options that are followed by a value: -o, -I, ... */
bool compiler_takes_value(const char *word);

/* `list` ends with NULL. */
bool compiler_is_one_of(const char *word, const char *const *list);
bool compiler_starts_with(const char *word, const char *beginning);

/* Whether any word after the compiler's name begins with an element of `beginnings`, which ends
 * with NULL.
 */
bool compiler_begins_any(const struct compiler_words *list, const char *const *beginnings);

/* Whether the words contain a Fortran source. */
bool compiler_has_fortran(const struct compiler_words *list);

/* Analyses a whole command line, including the compiler's name. */
struct compiler_job compiler_understand(const struct compiler_words *list);

/* Runs the command, a list that ends with NULL; returns its exit status. */
int compiler_run(char **argv);

#endif
