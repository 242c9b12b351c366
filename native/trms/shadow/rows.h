/* Accesses of many cells at once: of consecutive ranges, and of elements at a distance.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The effect equals that of separate accesses in any order, because time, floor and latest
 * activation stay the same, and all sums have the same terms. For a cell in several elements, the
 * first access counts.
 *
 * Callers may change vector registers. Callers hold the guard, unless the execution context is the
 * only one and has a direct-mapped shadow.
 */
#ifndef NATIVE_TRMS_SHADOW_ROWS_H
#define NATIVE_TRMS_SHADOW_ROWS_H

#include "native/trms/state.h"

/* Accesses to n elements of `bytes` bytes, the first at `address` and each `stride` bytes after the
 * previous one. Elements may overlap; with a stride of 0 they are all the same. */
void trms_rows_read(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                    size_t n);
void trms_rows_write(struct trms_exec_context *ctx, uintptr_t address, size_t bytes, size_t stride,
                     size_t n);

/* Fast checks without the guard. True: the read would change nothing, or the write is complete,
 * because all cells already have the present token. False: record the access as above. */
bool trms_rows_are_read(const struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                        size_t stride, size_t n);
bool trms_rows_write_again(struct trms_exec_context *ctx, uintptr_t address, size_t bytes,
                           size_t stride, size_t n);

/* Accesses to the cells [first, last], of any width. If the execution context was exclusive and is
 * not after a write, the write must be repeated. */
void trms_row_read(struct trms_exec_context *ctx, uint64_t first, uint64_t last);
void trms_row_write(struct trms_exec_context *ctx, uint64_t first, uint64_t last);

#endif
