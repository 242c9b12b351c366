/* The shadow of execution contexts with few accesses: timestamps of at most 64 lines of 16 cells.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In a program with thousands of coroutines, each of them accesses little. Chunks (shadow_memory.h)
 * take a page for each touched area, so a coroutine that has used its stack, two globals and a heap
 * block would hold 16 KiB. With lines the coroutine has 72 bytes for each line, and each access
 * costs a hash look-up. A context that needs more lines, or makes many accesses, switches to chunks
 * for good.
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
    uint8_t places[2 * LINES_MAX]; /* by hash of the number: position + 1, 0 = free */
};

/* The line's timestamps, created with zeros if they do not exist; valid until the next call. NULL
 * if all lines are used. */
uint32_t *shadow_lines_make(struct shadow_lines *lines, uint64_t number);

/* Sets the stamps of cells [first, last] to 0. */
void shadow_lines_clear(struct shadow_lines *lines, uint64_t first, uint64_t last);

/* True if a line has a cell of [first, last]. */
bool shadow_lines_touch(const struct shadow_lines *lines, uint64_t first, uint64_t last);

/* Discards all lines, which can then be used again. */
void shadow_lines_release(struct shadow_lines *lines);

#endif
