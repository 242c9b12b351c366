/* Records accesses to many cells at once: consecutive cells, or elements at a fixed distance.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The effect is the same as for separate accesses in any order, because time, floor and latest
 * activation stay the same. Each sum is the same as after separate accesses. If a cell is part of
 * several elements, only its first access counts.
 *
 * The functions may change vector registers. The caller must have entered the guard, unless there
 * is only one execution context and it has a direct-mapped shadow.
 */
#ifndef NATIVE_TRMS_SHADOW_ROWS_H
#define NATIVE_TRMS_SHADOW_ROWS_H

#include "native/trms/state.h"

/* Records accesses to n elements of `bytes` bytes. The first element is at `address`, and each
 * element is `stride` bytes after the previous element. Elements may overlap; with a stride of 0,
 * all elements are the same. */
void trms_rows_read(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                    size_t n);
void trms_rows_write(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                     size_t n);

/* Fast checks without the guard. If a check returns true, nothing remains to be done: the reads
 * would change nothing, or all written cells already have the current token. If a check returns
 * false, trms_rows_read or trms_rows_write must record the access. */
bool trms_rows_are_read(const struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                        size_t stride, size_t n);
bool trms_rows_write_again(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                           size_t stride, size_t n);

/* Records accesses to the cells [first, last], of any width. If the execution context was exclusive
 * before a write and is not exclusive afterwards, the write must be repeated. */
void trms_row_read(struct trms_exec_context *ctx, uint64_t first, uint64_t last);
void trms_row_write(struct trms_exec_context *ctx, uint64_t first, uint64_t last);

#endif
