/* The shadow of who touched little: stamps of lines of 16 cells, at most 64 of them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program has thousands of coroutines only if each of them does little. Chunks (shadow_memory.h)
 * take a page for each place that was touched, so a coroutine that has used its stack, two globals
 * and a block of the heap would hold 16 KiB; here it has 72 bytes for each line. What that costs is
 * a hash for each access. Who needs more lines than there are, or makes many accesses, goes over to
 * chunks for good.
 */
#ifndef APROF_SHADOW_LINES_H
#define APROF_SHADOW_LINES_H

#include "ground/basics.h"

#define LINE_CELLS_LOG2 4
#define LINE_CELLS      (1u << LINE_CELLS_LOG2)
#define LINES_MAX       64

struct shadow_line {
    uint64_t number; /* first cell / LINE_CELLS */
    uint32_t stamps[LINE_CELLS];
};

struct shadow_lines {
    struct shadow_line *lines;
    uint32_t n_lines, capacity;
    uint8_t places[2 * LINES_MAX]; /* by hash of number: position + 1, 0 = free */
};

/* The line's stamps, or NULL where nothing was touched yet. */
uint32_t *shadow_lines_find(struct shadow_lines *lines, uint64_t number);

/* The line's stamps, made (all 0) if they do not exist; valid until the next call. NULL if there is
 * no room. */
uint32_t *shadow_lines_make(struct shadow_lines *lines, uint64_t number);

/* Sets the stamps of cells [first, last] to 0. */
void shadow_lines_clear(struct shadow_lines *lines, uint64_t first, uint64_t last);

/* Whether a line has a cell of [first, last]. */
bool shadow_lines_touch(const struct shadow_lines *lines, uint64_t first, uint64_t last);

/* Forgets all; the lines can be used again. */
void shadow_lines_release(struct shadow_lines *lines);

#endif
