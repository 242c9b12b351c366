/* Samples: tosses.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/sample.h"

#define LONGEST ((uint64_t)1 << 30)

/* xorshift64* by Vigna. */
static uint32_t draw(uint64_t *chance)
{
    uint64_t x = *chance;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *chance = x;
    return (uint32_t)(x * 0x2545f4914f6cdd1d >> 32);
}

/* splitmix64: neighbours get states that have nothing to do with each other. */
uint64_t trms_chance(uint64_t seed, uint32_t thread)
{
    uint64_t x = seed * 0x100000001b3 + thread * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x ^= x >> 31;
    return x ? x : 1;
}

/* One of so many is recorded. */
static uint64_t period(uint64_t calls, uint32_t rate)
{
    uint64_t quadruple = 4 * TRMS_SAMPLE_FIRST, longer = rate;
    for (; calls >= quadruple && longer < LONGEST; quadruple *= 4)
        longer *= 2;
    return longer < LONGEST ? longer : LONGEST;
}

/* Gaps are spread evenly around the period, so that no pattern of calls falls in with them. */
bool trms_toss(struct trms_toss *toss, uint32_t rate, uint64_t *chance)
{
    uint64_t calls = toss->calls + toss->gap + 1, longer = period(calls, rate);
    uint64_t gap = (uint64_t)draw(chance) * (2 * longer - 1) >> 32;
    bool is_first = !toss->calls;
    toss->calls = calls;
    toss->gap = toss->left = (uint32_t)(is_first ? gap + TRMS_SAMPLE_FIRST - 1 : gap);
    return !is_first;
}
