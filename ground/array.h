/* Arrays that grow by doubling, in small memory, and indices that are replaced by larger ones.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The owner keeps a pointer and a capacity, both zero at first, and frees the pointer with
 * host_free. Example, where `list` has `n` elements in use:
 *
 *     list = array_grow("tool.list", list, &capacity, n + 1, sizeof(*list));
 *     list[n++] = element;
 *
 * Cost: n appends copy fewer than 2n elements in all; up to half of the room is unused. While an
 * array moves, the old one and the new one exist, so that pointers into it are void afterwards.
 */
#ifndef GROUND_ARRAY_H
#define GROUND_ARRAY_H

#include "ground/basics.h"

/* Returns `array` with room for at least `n` elements of `element_bytes`, moved if `*capacity` was
 * less; the new elements are zero. */
void *array_grow(const char *site, void *array, uint32_t *capacity, uint32_t n,
                 size_t element_bytes);

/* The same of the array at `place`, a pointer to any kind of elements, which is whole at every
 * instruction: a signal handler that jumps away leaves the old array or the new one, and never more
 * capacity than there is. What it leaves besides is memory that nobody frees. */
void array_grow_whole(const char *site, void *place, uint32_t *capacity, uint32_t n,
                      size_t element_bytes);

/* Puts an open-addressed index of `slots` slots, a power of two, in the place of the old one, which
 * is freed; whole at every instruction, too. In between, the old mask finds only some of what the
 * new index has: its table must not take this for room, as one whose capacity grows behind it. */
void index_replace(uint32_t **index, uint32_t *mask, uint32_t *larger, uint32_t slots);

#endif
