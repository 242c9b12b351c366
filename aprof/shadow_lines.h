/* Shadow memory of execution contexts with few accesses: timestamps in lines of 16 cells.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In a program with thousands of coroutines, each coroutine accesses few cells. Chunks
 * (shadow_memory.h) take a page of memory for each area of addresses that the coroutine touches.
 * With chunks, a coroutine that has used its stack, two globals and a heap block would take 16 KiB.
 * Lines take only 72 bytes each, but each access to a line costs a hash look-up. A context that
 * needs more lines, or makes many accesses, switches to chunks permanently.
 */
#ifndef APROF_SHADOW_LINES_H
#define APROF_SHADOW_LINES_H

#include "ground/basics.h"

#define LINE_CELLS_LOG2 4
#define LINE_CELLS      (1u << LINE_CELLS_LOG2)
#define LINES_MAX       64

struct shadow_line {
    uint64_t number; /* number of the line: first cell / LINE_CELLS */
    uint32_t stamps[LINE_CELLS];
};

struct shadow_lines {
    struct shadow_line *lines;
    uint32_t n_lines, capacity;
    uint8_t places[2 * LINES_MAX]; /* hash table: 1 + position of a line; 0: free */
};

/* Returns the line's timestamps, which are created with zeros if they do not exist. The pointer is
 * valid until the next call; the result is NULL if all lines are used. */
uint32_t *shadow_lines_make(struct shadow_lines *lines, uint64_t number);

/* Sets the timestamps of cells [first, last] to 0. */
void shadow_lines_clear(struct shadow_lines *lines, uint64_t first, uint64_t last);

/* Returns whether a line has a cell of [first, last]. */
bool shadow_lines_touch(const struct shadow_lines *lines, uint64_t first, uint64_t last);

/* Discards all lines, which can then be used again. */
void shadow_lines_release(struct shadow_lines *lines);

#endif
