/* Accesses of many cells at once: of rows that follow each other, and of pieces that lie apart.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The effect is that of each cell's access on its own, in any order, for between them the strand does
 * nothing: its time, its floor and its latest activation stay, and all sums are of the same addends. Of
 * a cell that several pieces have, the first access is the one that counts.
 *
 * For whoever may change vector registers; inside the guard unless the strand is alone and has a window.
 */
#ifndef NATIVE_TRMS_SHADOW_ROWS_H
#define NATIVE_TRMS_SHADOW_ROWS_H

#include "native/trms/state.h"

/* n pieces of so many bytes, the first at `address` and each `stride` bytes behind the one before. They may
 * overlap; with a stride of 0 they are the same one. */
void trms_rows_read(struct trms_strand *strand, uintptr_t address, size_t bytes, size_t stride,
                    size_t n);
void trms_rows_write(struct trms_strand *strand, uintptr_t address, size_t bytes, size_t stride,
                     size_t n);

/* Quick, and without the guard: the read would change nothing; the write is done, for all was written with the
 * strand's present token. False: it has to be told as above. */
bool trms_rows_are_read(const struct trms_strand *strand, uintptr_t address, size_t bytes,
                        size_t stride, size_t n);
bool trms_rows_write_again(struct trms_strand *strand, uintptr_t address, size_t bytes,
                           size_t stride, size_t n);

/* The cells [first, last], of any width. Of an exclusive strand a write has to be made again if it is not exclusive
 * behind it. */
void trms_row_read(struct trms_strand *strand, uint64_t first, uint64_t last);
void trms_row_write(struct trms_strand *strand, uint64_t first, uint64_t last);

#endif
