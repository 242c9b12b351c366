/* HOT: four words in a vector register of SSE2, which every x86-64 has, or of NEON on arm64.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *     lanes_all(lanes_equal(lanes_load(words), lanes_of(word)))   // four words are equal to `word`
 *
 * For each lane, the result of a comparison is a word of 32 ones (true) or 32 zeros (false).
 */
#ifndef NATIVE_TRMS_SHADOW_LANES_H
#define NATIVE_TRMS_SHADOW_LANES_H

#include "ground/basics.h"

#if defined(__x86_64__)
#include <emmintrin.h>

typedef __m128i lanes;

APROF_INLINE lanes lanes_load(const uint32_t *words)
{
    return _mm_loadu_si128((const __m128i *)words);
}

APROF_INLINE void lanes_store(uint32_t *words, lanes four)
{
    _mm_storeu_si128((__m128i *)words, four);
}

/* Loads two words, and two more words that begin `step` words after the first word. */
APROF_INLINE lanes lanes_load_two(const uint32_t *words, size_t step)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)words),
                              _mm_loadl_epi64((const __m128i *)(words + step)));
}

/* Stores the first two lanes. */
APROF_INLINE void lanes_store_two(uint32_t *words, lanes four)
{
    _mm_storel_epi64((__m128i *)words, four);
}

APROF_INLINE lanes lanes_of(uint32_t word)
{
    return _mm_set1_epi32((int)word);
}

APROF_INLINE lanes lanes_zero(void)
{
    return _mm_setzero_si128();
}

APROF_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm_sub_epi32(a, b);
}

APROF_INLINE lanes lanes_equal(lanes a, lanes b)
{
    return _mm_cmpeq_epi32(a, b);
}

APROF_INLINE lanes lanes_and(lanes a, lanes b)
{
    return _mm_and_si128(a, b);
}

/* Returns the bits of b that are not in a. */
APROF_INLINE lanes lanes_and_not(lanes a, lanes b)
{
    return _mm_andnot_si128(a, b);
}

APROF_INLINE lanes lanes_or(lanes a, lanes b)
{
    return _mm_or_si128(a, b);
}

/* Returns a mask in which bit i is the highest bit of word i. */
APROF_INLINE unsigned lanes_signs(lanes four)
{
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(four));
}

/* Returns whether all lanes are ones; for results of comparisons. */
APROF_INLINE bool lanes_all(lanes four)
{
    return _mm_movemask_epi8(four) == 0xffff;
}
#else
#include <arm_neon.h>

typedef uint32x4_t lanes;

/* Other threads may store tokens during the load. ld1 and st1 access each word atomically. The
 * compiler would use ldr and str, which access the separate words atomically only if the address is
 * aligned. */
APROF_INLINE lanes lanes_load(const uint32_t *words)
{
    lanes four;
    __asm__ volatile("ld1 {%0.4s}, [%1]" : "=w"(four) : "r"(words) : "memory");
    return four;
}

APROF_INLINE void lanes_store(uint32_t *words, lanes four)
{
    __asm__ volatile("st1 {%0.4s}, [%1]" : : "w"(four), "r"(words) : "memory");
}

APROF_INLINE lanes lanes_load_two(const uint32_t *words, size_t step)
{
    uint32x2_t first, second;
    __asm__ volatile("ld1 {%0.2s}, [%1]" : "=w"(first) : "r"(words) : "memory");
    __asm__ volatile("ld1 {%0.2s}, [%1]" : "=w"(second) : "r"(words + step) : "memory");
    return vcombine_u32(first, second);
}

APROF_INLINE void lanes_store_two(uint32_t *words, lanes four)
{
    __asm__ volatile("st1 {%0.2s}, [%1]" : : "w"(four), "r"(words) : "memory");
}

APROF_INLINE lanes lanes_of(uint32_t word)
{
    return vdupq_n_u32(word);
}

APROF_INLINE lanes lanes_zero(void)
{
    return vdupq_n_u32(0);
}

APROF_INLINE lanes lanes_sub(lanes a, lanes b)
{
    return vsubq_u32(a, b);
}

APROF_INLINE lanes lanes_equal(lanes a, lanes b)
{
    return vceqq_u32(a, b);
}

APROF_INLINE lanes lanes_and(lanes a, lanes b)
{
    return vandq_u32(a, b);
}

APROF_INLINE lanes lanes_and_not(lanes a, lanes b)
{
    return vbicq_u32(b, a);
}

APROF_INLINE lanes lanes_or(lanes a, lanes b)
{
    return vorrq_u32(a, b);
}

APROF_INLINE unsigned lanes_signs(lanes four)
{
    static const int32_t places[] = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32(four, 31), vld1q_s32(places)));
}

APROF_INLINE bool lanes_all(lanes four)
{
    return vminvq_u32(four) == ~0u;
}
#endif

#endif
