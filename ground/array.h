/* Arrays in small memory that grow by doubling, and hash indices that are replaced by larger ones.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The owner of an array has a pointer to the array and its capacity, both zero at first, and frees
 * the array with host_free. Example of an append, where `list` has `n` elements in use:
 *
 *     list = array_grow("tool.list", list, &capacity, n + 1, sizeof(*list));
 *     list[n++] = element;
 *
 * Cost: n appends copy fewer than 2n elements in all; up to half of the array's memory is unused.
 * While an array moves, the old and the new array exist. Afterwards, pointers into the old array
 * are invalid.
 */
#ifndef GROUND_ARRAY_H
#define GROUND_ARRAY_H

#include "ground/basics.h"

/* Returns `array` with capacity for at least `n` elements of `element_bytes` each. The array moves
 * if `*capacity` was less than `n`. New elements are zero. */
void *array_grow(const char *site, void *array, uint32_t *capacity, uint32_t n,
                 size_t element_bytes);

/* Like array_grow, for an array of any element type; `place` points to the array's pointer.
 * Invariant: pointer and capacity agree after every instruction. If a signal handler jumps away,
 * the owner has either the old or the new array. The capacity never exceeds the size of the array;
 * at worst a block of memory leaks. */
void array_grow_whole(const char *site, void *place, uint32_t *capacity, uint32_t n,
                      size_t element_bytes);

/* Replaces an open-addressed index by a larger one of `slots` slots (a power of two), and frees the
 * old one. As in array_grow_whole, every intermediate state is valid. Between the two stores, the
 * old mask is applied to the new index, so a search may miss existing entries. In this state, the
 * caller must not insert an entry into the slot where a search has ended. */
void index_replace(uint32_t **index, uint32_t *mask, uint32_t *larger, uint32_t slots);

#endif
