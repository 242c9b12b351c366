/* Reads names of code that a program generates at run time from its perf map.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Run-time systems with a compiler append a line to a perf map for each piece of generated code:
 *
 *     7f6a90023b80 378 JS:~insert /srv/book.js:1:16
 *     START        SIZE (hexadecimal)
 *
 * Addresses are reused, so the latest line for an address applies. The text arrives in parts,
 * because the map grows while the program runs. The file is untrusted: invalid lines are ignored,
 * and n bytes cost O(n log n).
 */
#ifndef APROF_PERF_MAP_H
#define APROF_PERF_MAP_H

#include "ground/basics.h"

#define PERF_MAP_LINE_MAX   1024 /* longest line; the rest of a longer line is ignored */
#define PERF_MAP_LEVELS_MAX 32
#define PERF_MAP_RANGES_MAX ((uint32_t)1 << 30)

/* A range of addresses [start, end) in the code that begins at `entry`. */
struct perf_code {
    uintptr_t start, end, entry;
    const char *name;
};

/* Invariant: the codes of a level are sorted and disjoint, and older than the codes of all lower
 * levels. Level k is empty or results from 2^k entries. */
struct perf_level {
    struct perf_code *codes;
    uint32_t n;
};

/* If all bytes of this structure are zero, the map is empty. */
struct perf_map {
    struct perf_level levels[PERF_MAP_LEVELS_MAX];
    char line[PERF_MAP_LINE_MAX]; /* text of a line that is not complete yet */
    uint32_t n_line;
    char **names; /* names of all entries, to which the codes refer */
    uint32_t n_names, names_capacity;
};

/* Adds the next bytes of the map. Names that perf_map_find returned earlier stay valid. */
void perf_map_add(struct perf_map *map, const char *text, size_t bytes);

/* Adds a range of addresses that is newer than all ranges of the map. The levels have space for
 * PERF_MAP_RANGES_MAX ranges. */
void perf_map_put(struct perf_map *map, const struct perf_code *code);

/* Returns a copy of the text [at, end) that lives as long as the map. */
const char *perf_map_keep(struct perf_map *map, const char *at, const char *end);

/* Returns the code at `address`, or NULL. The pointer is valid until the next addition. */
const struct perf_code *perf_map_find(const struct perf_map *map, uintptr_t address);

void perf_map_free(struct perf_map *map);

/* A part of a text. */
struct perf_text {
    const char *at;
    uint32_t n;
};

/* The parts of a function's name, according to the conventions of run-time systems:
 *
 *     py::Book.insert:/srv/book.py          CPython: name, file
 *     hook:Book::insert\n/srv/book.pl       aprof's hooks: name, a newline, file
 *     JS:~insert /srv/book.js:1:16          V8: tier, name, file, line, column
 *     JS:* /srv/book.js:9:3                 no name: "(anonymous):9:3"
 *     $lists:sort/1-CodeInfoPrologue        Erlang: name
 *     int Book.insert(int[], int)           Java: type of the result, name
 *
 * V8's tier is dropped, so that a recompiled function remains the same routine. Other names are
 * kept unchanged, without a file.
 */
struct perf_function {
    struct perf_text name;
    /* line and column in the source, if the name without them is ambiguous */
    struct perf_text place;
    struct perf_text file; /* file; `file.n` is 0 if the line is not known */
    uint32_t line;         /* line; 0 if it is not known */
    bool is_prologue;      /* Erlang: whether this is a function's prologue, which each call runs
                            * first */
    /* whether this is V8's own code: "Builtin:ArrayMap", "BytecodeHandler:LdaZero" */
    bool is_runtime;
};

struct perf_function perf_function_of(const char *name);

#endif
