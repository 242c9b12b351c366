/* The number of a burst and what its events count, in one word: neither is seen without the other.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The first thread of a burst sets it, all others wait until their burst's number stands there. A
 * thread may have been stopped on its way here for a whole burst or more: what it brings is old
 * then, and must not take the place of a later burst's word.
 */
#ifndef NATIVE_CONTEXTS_BURST_WORD_H
#define NATIVE_CONTEXTS_BURST_WORD_H

#include "ground/basics.h"

#define BURST_WEIGHT_MOST 0xffffffffu

APROF_INLINE uint64_t burst_word(uint32_t number, uint64_t weight)
{
    return (uint64_t)number << 32 | (weight < BURST_WEIGHT_MOST ? weight : BURST_WEIGHT_MOST);
}

/* Nothing if a later burst has set it; numbers may wrap around. */
APROF_INLINE void burst_word_set(uint64_t *word, uint32_t number, uint64_t weight)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while ((int32_t)(number - (uint32_t)(old >> 32)) > 0 &&
           !__atomic_compare_exchange_n(word, &old, burst_word(number, weight), true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* The weight of this burst; 0 if the word is another one's. Acquire: partner of burst_word_set, who
 * has written when the burst began before. */
APROF_INLINE uint64_t burst_word_weight(const uint64_t *word, uint32_t number)
{
    uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    return now >> 32 == number ? (uint32_t)now : 0;
}

#endif
