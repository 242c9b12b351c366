/* HOT: examines consecutive words, four at a time, because memory mostly has spans of equal words.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Data written or read at once have equal words. So the action is computed for the first word; the
 * other words are compared with the first word and replaced. Each function examines n words, in
 * blocks of sixteen and four words, then single words. Most functions return for how many words,
 * from the first word on, a condition is true:
 *
 *     words      20 20 20 20 8 8 8 4    floor 16, now 24
 *     young      20 20 20 20                           4 words: nothing changes
 *     replaced               8 8 8  ->  24 24 24       3 words of one past: one decision
 *
 * The code uses SSE2, which every x86-64 has. Invariant: words are below 1 << 31
 * (TRMS_WORDS_NOT_OWN requires it, too). So the sign of the difference of two words shows which
 * word is larger.
 */
#ifndef NATIVE_TRMS_SHADOW_RUNS_H
#define NATIVE_TRMS_SHADOW_RUNS_H

#include "ground/basics.h"

#include <emmintrin.h>

APROF_INLINE __m128i runs_load(const uint32_t *words)
{
    return _mm_loadu_si128((const __m128i *)words);
}

APROF_INLINE void runs_store(uint32_t *words, __m128i four)
{
    _mm_storeu_si128((__m128i *)words, four);
}

APROF_INLINE __m128i runs_of(uint32_t word)
{
    return _mm_set1_epi32((int)word);
}

/* Returns a mask in which bit i is the highest bit of word i. */
APROF_INLINE unsigned runs_signs(__m128i four)
{
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(four));
}

/* Returns the number of leading words that are not below the floor. */
APROF_INLINE size_t runs_young(const uint32_t *words, size_t n, uint32_t floor)
{
    const __m128i floors = runs_of(floor);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = _mm_sub_epi32(runs_load(words + i), floors);
        __m128i b = _mm_sub_epi32(runs_load(words + i + 4), floors);
        __m128i c = _mm_sub_epi32(runs_load(words + i + 8), floors);
        __m128i d = _mm_sub_epi32(runs_load(words + i + 12), floors);
        if (runs_signs(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))))
            break;
    }
    for (; i + 4 <= n; i += 4) {
        unsigned old = runs_signs(_mm_sub_epi32(runs_load(words + i), floors));
        if (old)
            return i + (size_t)__builtin_ctz(old);
    }
    while (i < n && words[i] >= floor)
        i++;
    return i;
}

/* Subtracts `from` from each word, and returns whether no difference has any of these bits. */
APROF_INLINE bool runs_have_none(const uint32_t *words, size_t n, uint32_t from, uint32_t bits)
{
    const __m128i froms = runs_of(from), all = runs_of(bits), zero = _mm_setzero_si128();
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i a = _mm_sub_epi32(runs_load(words + i), froms);
        __m128i b = _mm_sub_epi32(runs_load(words + i + 4), froms);
        __m128i found = _mm_and_si128(_mm_or_si128(a, b), all);
        if (_mm_movemask_epi8(_mm_cmpeq_epi32(found, zero)) != 0xffff)
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
    const __m128i four = runs_of(word);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        runs_store(words + i, four);
        runs_store(words + i + 4, four);
        runs_store(words + i + 8, four);
        runs_store(words + i + 12, four);
    }
    for (; i + 4 <= n; i += 4)
        runs_store(words + i, four);
    for (; i < n; i++)
        words[i] = word;
}

/* Replaces the leading words equal to `old` with `now`. Precondition: the first word equals
 * `old`. */
APROF_INLINE size_t runs_replace(uint32_t *words, size_t n, uint32_t old, uint32_t now)
{
    const __m128i olds = runs_of(old), nows = runs_of(now);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i a = _mm_cmpeq_epi32(runs_load(words + i), olds);
        __m128i b = _mm_cmpeq_epi32(runs_load(words + i + 4), olds);
        __m128i c = _mm_cmpeq_epi32(runs_load(words + i + 8), olds);
        __m128i d = _mm_cmpeq_epi32(runs_load(words + i + 12), olds);
        if (_mm_movemask_epi8(_mm_and_si128(_mm_and_si128(a, b), _mm_and_si128(c, d))) != 0xffff)
            break;
        runs_store(words + i, nows);
        runs_store(words + i + 4, nows);
        runs_store(words + i + 8, nows);
        runs_store(words + i + 12, nows);
    }
    for (; i + 4 <= n; i += 4) {
        if (runs_signs(_mm_cmpeq_epi32(runs_load(words + i), olds)) != 0xf)
            break;
        runs_store(words + i, nows);
    }
    for (; i < n && words[i] == old; i++)
        words[i] = now;
    return i;
}

/* Does what runs_replace does, but only for words whose cells have `token`; other threads may be
 * writing tokens. */
APROF_INLINE size_t runs_replace_beside(uint32_t *words, const uint32_t *tokens, size_t n,
                                        uint32_t old, uint32_t token, uint32_t now)
{
    const __m128i olds = runs_of(old), beside = runs_of(token), nows = runs_of(now);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i a = _mm_cmpeq_epi32(runs_load(words + i), olds);
        __m128i b = _mm_cmpeq_epi32(runs_load(words + i + 4), olds);
        __m128i c = _mm_cmpeq_epi32(runs_load(tokens + i), beside);
        __m128i d = _mm_cmpeq_epi32(runs_load(tokens + i + 4), beside);
        if (_mm_movemask_epi8(_mm_and_si128(_mm_and_si128(a, b), _mm_and_si128(c, d))) != 0xffff)
            break;
        runs_store(words + i, nows);
        runs_store(words + i + 4, nows);
    }
    for (; i < n && words[i] == old && __atomic_load_n(&tokens[i], __ATOMIC_RELAXED) == token; i++)
        words[i] = now;
    return i;
}

#endif
