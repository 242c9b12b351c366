/* Samples: tosses.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/sample.h"

#define LONGEST ((uint64_t)1 << 30)

/* xorshift64* by Vigna; 32 bits. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1d >> 32;
}

/* splitmix64: neighbours get states that have nothing to do with each other. */
struct trms_chance trms_chance(uint64_t seed, uint32_t thread)
{
    uint64_t x = seed * 0x100000001b3 + thread * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x ^= x >> 31;
    return (struct trms_chance){.state = x ? x : 1};
}

/* One of so many is recorded. */
static uint64_t period(uint64_t calls, uint32_t rate)
{
    uint64_t quadruple = 4 * TRMS_SAMPLE_FIRST, longer = rate;
    for (; calls >= quadruple && longer < LONGEST; quadruple *= 4)
        longer *= 2;
    return longer < LONGEST ? longer : LONGEST;
}

/* The thread's draw decides, or another one if it has decided a call of this routine already. */
static bool wins(struct trms_toss *toss, uint64_t longer, struct trms_chance *chance)
{
    if (toss->number == chance->number) {
        chance->drawn = draw(&chance->state);
        chance->number++;
    }
    toss->number = chance->number;
    return chance->drawn * longer >> 32 == 0;
}

/* Gaps are spread evenly around the period, so that no pattern of calls falls in with them. */
static uint64_t draw_gap(uint64_t longer, struct trms_chance *chance)
{
    return draw(&chance->state) * (2 * longer - 1) >> 32;
}

bool trms_toss(struct trms_toss *toss, uint32_t rate, struct trms_chance *chance)
{
    uint64_t before = toss->calls, calls = before + toss->gap + 1;
    uint64_t longer = period(before + 1, rate), next = period(calls + 1, rate), gap = 0;
    bool recorded = before && (longer > TRMS_SAMPLE_DRAWN || wins(toss, longer, chance));
    if (next > TRMS_SAMPLE_DRAWN)
        gap = draw_gap(next, chance);
    toss->calls = calls;
    toss->gap = toss->left = (uint32_t)(before ? gap : gap + TRMS_SAMPLE_FIRST - 1);
    return recorded;
}
