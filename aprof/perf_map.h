/* Names of code that a program makes while it runs, as its perf map lists them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Run-time systems that compile at run time append a line to a perf map for each piece of code:
 *
 *     7f6a90023b80 378 JS:~insert /srv/book.js:1:16
 *     START        SIZE (hexadecimal)
 *
 * Addresses are used again, so the latest line of an address is the valid one. The text comes in
 * parts, since the map grows while the program runs, and from a file that anybody may have written:
 * lines that are no entries are ignored, and the work is O(n log n) for n bytes.
 */
#ifndef APROF_PERF_MAP_H
#define APROF_PERF_MAP_H

#include "ground/basics.h"

#define PERF_MAP_LINE_MAX   1024 /* the rest of a longer line is ignored */
#define PERF_MAP_LEVELS_MAX 32

/* A range of addresses, from `start` to below `end`, of the code that begins at `entry`. */
struct perf_code {
    uintptr_t start, end, entry;
    const char *name;
};

/* Invariant: the codes of a level are sorted and disjoint; they are older than those of all lower
 * levels; level k is empty or the sum of 2^k entries. */
struct perf_level {
    struct perf_code *codes;
    uint32_t n;
};

/* Empty if all zero. */
struct perf_map {
    struct perf_level levels[PERF_MAP_LEVELS_MAX];
    char line[PERF_MAP_LINE_MAX]; /* one that is not complete yet */
    uint32_t n_line;
    char **names; /* of each entry; all codes refer to them */
    uint32_t n_names, names_capacity;
};

/* The map's next bytes. Names that were found before stay valid. */
void perf_map_add(struct perf_map *map, const char *text, size_t bytes);

/* The code at `address`, or NULL. Valid until more is added. */
const struct perf_code *perf_map_find(const struct perf_map *map, uintptr_t address);

void perf_map_free(struct perf_map *map);

/* A part of a text. */
struct perf_text {
    const char *at;
    uint32_t n;
};

/* What a name says of a function. Run-time systems have conventions:
 *
 *     py::Book.insert:/srv/book.py          CPython: name, file
 *     JS:~insert /srv/book.js:1:16          V8: tier, name, file, line, column
 *     JS:* /srv/book.js:9:3                 no name: "(anonymous):9:3"
 *     $lists:sort/1-CodeInfoPrologue        Erlang: name
 *
 * Of V8's names the tier is left out, so that a function stays one routine when it is compiled
 * again. Any other name is taken as it is, without a file.
 */
struct perf_function {
    struct perf_text name;
    struct perf_text place; /* which line and column, if the name alone does not say enough */
    struct perf_text file;  /* n is 0 if it is not known */
    uint32_t line;          /* 0 if it is not known */
    bool is_prologue;       /* Erlang: calls lead somewhere into it, and it leads to the function */
    bool is_runtime;        /* V8's own code: "Builtin:ArrayMap", "BytecodeHandler:LdaZero" */
};

struct perf_function perf_function_of(const char *name);

#endif
