/* HOT: examines consecutive words, four at a time, because spans of equal words are common.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells that are read or written at the same time have equal words. So the new word is computed
 * only for the first cell of a span; the span's other words are compared with the first word and
 * replaced by the same new word. Each function examines n words, in blocks of sixteen and four
 * words, then single words. Most functions return the number of leading words for which a condition
 * is true:
 *
 *     words      20 20 20 20 8 8 8 4    floor 16, now 24
 *     young      20 20 20 20                           4 words: nothing changes
 *     replaced               8 8 8  ->  24 24 24       3 words of one past: one decision
 *
 * Invariant: words are below 1 << 31
 * (TRMS_WORDS_NOT_OWN requires it, too). So the sign of the difference of two words shows which
 * word is larger.
 */
#ifndef NATIVE_TRMS_SHADOW_RUNS_H
#define NATIVE_TRMS_SHADOW_RUNS_H

#include "native/trms/shadow/lanes.h"

/* Returns the number of leading words that are not below the floor. */
APROF_INLINE size_t runs_young(const uint32_t *words, size_t n, uint32_t floor)
{
    const lanes floors = lanes_of(floor);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        lanes a = lanes_sub(lanes_load(words + i), floors);
        lanes b = lanes_sub(lanes_load(words + i + 4), floors);
        lanes c = lanes_sub(lanes_load(words + i + 8), floors);
        lanes d = lanes_sub(lanes_load(words + i + 12), floors);
        if (lanes_signs(lanes_or(lanes_or(a, b), lanes_or(c, d))))
            break;
    }
    for (; i + 4 <= n; i += 4) {
        unsigned old = lanes_signs(lanes_sub(lanes_load(words + i), floors));
        if (old)
            return i + (size_t)__builtin_ctz(old);
    }
    while (i < n && words[i] >= floor)
        i++;
    return i;
}

/* Subtracts `from` from each word, and returns true if no difference has any of the bits `bits`. */
APROF_INLINE bool runs_have_none(const uint32_t *words, size_t n, uint32_t from, uint32_t bits)
{
    const lanes froms = lanes_of(from), all = lanes_of(bits), zero = lanes_zero();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        lanes a = lanes_sub(lanes_load(words + i), froms);
        lanes b = lanes_sub(lanes_load(words + i + 4), froms);
        lanes found = lanes_and(lanes_or(a, b), all);
        if (!lanes_all(lanes_equal(found, zero)))
            return false;
    }
    for (; i < n; i++)
        if ((words[i] - from) & bits)
            return false;
    return true;
}

/* Sets all n words to `word`. */
APROF_INLINE void runs_fill(uint32_t *words, size_t n, uint32_t word)
{
    const lanes four = lanes_of(word);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        lanes_store(words + i, four);
        lanes_store(words + i + 4, four);
        lanes_store(words + i + 8, four);
        lanes_store(words + i + 12, four);
    }
    for (; i + 4 <= n; i += 4)
        lanes_store(words + i, four);
    for (; i < n; i++)
        words[i] = word;
}

/* Replaces the leading words equal to `old` with `now`. Precondition: the first word equals
 * `old`. */
APROF_INLINE size_t runs_replace(uint32_t *words, size_t n, uint32_t old, uint32_t now)
{
    const lanes olds = lanes_of(old), nows = lanes_of(now);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        lanes a = lanes_equal(lanes_load(words + i), olds);
        lanes b = lanes_equal(lanes_load(words + i + 4), olds);
        lanes c = lanes_equal(lanes_load(words + i + 8), olds);
        lanes d = lanes_equal(lanes_load(words + i + 12), olds);
        if (!lanes_all(lanes_and(lanes_and(a, b), lanes_and(c, d))))
            break;
        lanes_store(words + i, nows);
        lanes_store(words + i + 4, nows);
        lanes_store(words + i + 8, nows);
        lanes_store(words + i + 12, nows);
    }
    for (; i + 4 <= n; i += 4) {
        if (lanes_signs(lanes_equal(lanes_load(words + i), olds)) != 0xf)
            break;
        lanes_store(words + i, nows);
    }
    for (; i < n && words[i] == old; i++)
        words[i] = now;
    return i;
}

/* Like runs_replace, but only for words of cells that have `token`; other threads may be writing
 * tokens. */
APROF_INLINE size_t runs_replace_beside(uint32_t *words, const uint32_t *tokens, size_t n,
                                        uint32_t old, uint32_t token, uint32_t now)
{
    const lanes olds = lanes_of(old), beside = lanes_of(token), nows = lanes_of(now);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        lanes a = lanes_equal(lanes_load(words + i), olds);
        lanes b = lanes_equal(lanes_load(words + i + 4), olds);
        lanes c = lanes_equal(lanes_load(tokens + i), beside);
        lanes d = lanes_equal(lanes_load(tokens + i + 4), beside);
        if (!lanes_all(lanes_and(lanes_and(a, b), lanes_and(c, d))))
            break;
        lanes_store(words + i, nows);
        lanes_store(words + i + 4, nows);
    }
    for (; i < n && words[i] == old && __atomic_load_n(&tokens[i], __ATOMIC_RELAXED) == token; i++)
        words[i] = now;
    return i;
}

#endif
