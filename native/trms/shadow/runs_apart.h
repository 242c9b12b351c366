/* HOT: examines words of elements at a fixed distance; runs.h does the same for consecutive words.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Examples of elements are a matrix column, every second number of an array, or one member of each
 * struct in an array. There are n elements of one word or two words; each element begins `step`
 * words after the previous one. Two elements of two words each fill a vector register; elements of
 * one word are examined one by one. Each function returns the number of leading elements for which
 * all words satisfy a condition.
 *
 *     step 4, two words     20 20 . . 20 20 . . 8 8 . . 8 8     floor 16, now 24
 *     young                 20 20     20 20                     2 pieces
 *     replaced                                  8 8     8 8     2 pieces, 4 cells
 */
#ifndef NATIVE_TRMS_SHADOW_RUNS_APART_H
#define NATIVE_TRMS_SHADOW_RUNS_APART_H

#include "native/trms/shadow/runs.h"

APROF_INLINE void runs_store_four(uint32_t *words, size_t step, lanes four)
{
    for (size_t i = 0; i < 4; i++)
        lanes_store_two(words + i * step, four);
}

/* Returns whether all words of an element are equal to `word`. */
APROF_INLINE bool runs_piece_is(const uint32_t *words, unsigned cells, uint32_t word)
{
    return words[0] == word && (cells == 1 || words[1] == word);
}

APROF_INLINE void runs_piece_set(uint32_t *words, unsigned cells, uint32_t word)
{
    words[0] = word;
    if (cells == 2)
        words[1] = word;
}

APROF_INLINE size_t runs_young_apart(const uint32_t *words, size_t step, unsigned cells, size_t n,
                                     uint32_t floor)
{
    const lanes floors = lanes_of(floor);
    size_t i = 0;
    for (; cells == 2 && i + 4 <= n; i += 4, words += 4 * step) {
        lanes a = lanes_sub(lanes_load_two(words, step), floors);
        lanes b = lanes_sub(lanes_load_two(words + 2 * step, step), floors);
        if (lanes_signs(lanes_or(a, b)))
            break;
    }
    while (i < n && words[0] >= floor && words[cells - 1] >= floor)
        i++, words += step;
    return i;
}

APROF_INLINE bool runs_four_are(const uint32_t *words, size_t step, uint32_t word)
{
    const lanes all = lanes_of(word);
    lanes a = lanes_equal(lanes_load_two(words, step), all);
    lanes b = lanes_equal(lanes_load_two(words + 2 * step, step), all);
    return lanes_all(lanes_and(a, b));
}

APROF_INLINE size_t runs_replace_apart(uint32_t *words, size_t step, unsigned cells, size_t n,
                                       uint32_t old, uint32_t now)
{
    size_t i = 0;
    for (; cells == 2 && i + 4 <= n && runs_four_are(words, step, old); i += 4, words += 4 * step)
        runs_store_four(words, step, lanes_of(now));
    for (; i < n && runs_piece_is(words, cells, old); i++, words += step)
        runs_piece_set(words, cells, now);
    return i;
}

APROF_INLINE size_t runs_replace_apart_beside(uint32_t *words, const uint32_t *tokens, size_t step,
                                              unsigned cells, size_t n, uint32_t old,
                                              uint32_t token, uint32_t now)
{
    size_t i = 0;
    for (; cells == 2 && i + 4 <= n && runs_four_are(words, step, old) &&
           runs_four_are(tokens, step, token);
         i += 4, words += 4 * step, tokens += 4 * step)
        runs_store_four(words, step, lanes_of(now));
    for (; i < n && runs_piece_is(words, cells, old) && runs_piece_is(tokens, cells, token);
         i++, words += step, tokens += step)
        runs_piece_set(words, cells, now);
    return i;
}

APROF_INLINE void runs_fill_apart(uint32_t *words, size_t step, unsigned cells, size_t n,
                                  uint32_t word)
{
    for (size_t i = 0; i < n; i++, words += step)
        runs_piece_set(words, cells, word);
}

#endif
