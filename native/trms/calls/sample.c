/* Sampling decisions.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/sample.h"

#define LONGEST ((uint64_t)1 << 30)

/* Returns 32 bits from the generator xorshift64* by Vigna. */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1d >> 32;
}

/* Computes the state by splitmix64, so that similar seeds give unrelated states. */
struct trms_chance trms_chance(uint64_t seed, uint32_t thread)
{
    uint64_t x = seed * 0x100000001b3 + thread * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    x ^= x >> 31;
    return (struct trms_chance){.state = x ? x : 1};
}

/* A stage consists of the calls `first` to `end` - 1; one in `period` of these calls is
 * recorded. */
struct stage {
    uint64_t first, end, period;
};

static struct stage stage_of(uint64_t call, uint32_t rate)
{
    struct stage stage = {TRMS_SAMPLE_FIRST, 4 * TRMS_SAMPLE_FIRST, rate};
    while (call >= stage.end && stage.period < LONGEST) {
        stage.first = stage.end;
        stage.end *= 4;
        stage.period *= 2;
    }
    if (stage.period >= LONGEST)
        stage = (struct stage){stage.first, ~(uint64_t)0, LONGEST};
    return stage;
}

/* Returns the number of calls in the stratum that begins at this call: the period, but not more
 * than the rest of the stage. */
static uint64_t stratum_at(uint64_t call, const struct stage *stage)
{
    uint64_t left = stage->end - call;
    return left < stage->period ? left : stage->period;
}

static bool has_strata(const struct stage *stage)
{
    return stage->period > TRMS_SAMPLE_DRAWN;
}

static void draw_number(struct trms_chance *chance)
{
    chance->drawn = draw(&chance->state);
    chance->number++;
}

static void set_rate(struct trms_chance *chance, uint32_t rate)
{
    if (chance->rate && chance->rate != rate)
        draw_number(chance);
    chance->rate = rate;
}

/* Decides by the thread's random number whether a call is recorded. Draws a new random number if
 * the latest number has already been used for a call of this routine. */
static bool wins(struct trms_sampling *sampling, uint64_t period, struct trms_chance *chance)
{
    if (sampling->number == chance->number)
        draw_number(chance);
    sampling->number = chance->number;
    return chance->drawn * period >> 32 == 0;
}

/* Begins a stratum at the first undecided call, if the stage has strata. Returns the number of the
 * next call that needs a decision. */
static uint64_t choose_next(struct trms_sampling *sampling, struct trms_chance *chance)
{
    struct stage stage = stage_of(sampling->known, chance->rate);
    sampling->stratum = has_strata(&stage) ? stratum_at(sampling->known, &stage) : 0;
    if (!sampling->stratum)
        return sampling->known;
    return sampling->known + (draw(&chance->state) * sampling->stratum >> 32);
}

static void wait_for(struct trms_sampling *sampling, uint64_t next)
{
    /* in a library, threads share the state without a lock, so `next` may be less than `calls` */
    uint64_t left = next > sampling->calls ? next - sampling->calls : 0;
    sampling->gap = sampling->left = (uint32_t)left;
}

/* Decides about a call that belongs to no stratum, or that is the chosen call of its stratum. */
static uint64_t decide(struct trms_sampling *sampling, uint64_t call, struct trms_chance *chance)
{
    uint64_t weight = sampling->stratum;
    if (!weight && wins(sampling, stage_of(call, chance->rate).period, chance))
        weight = stage_of(call, chance->rate).period;
    sampling->known += sampling->stratum ? sampling->stratum : 1;
    return weight;
}

uint32_t trms_sampling_decide(struct trms_sampling *sampling, uint32_t rate,
                              struct trms_chance *chance)
{
    uint64_t call = sampling->calls + sampling->gap, next = call, weight = 0;
    set_rate(chance, rate);
    sampling->calls = call + 1;
    if (call < TRMS_SAMPLE_FIRST) {
        sampling->known = TRMS_SAMPLE_FIRST;
    } else {
        if (!sampling->stratum) { /* after a change of the rate, the call may be in a stratum */
            sampling->known = call;
            next = choose_next(sampling, chance);
        }
        if (next == call)
            weight = decide(sampling, call, chance);
    }
    wait_for(sampling, next == call ? choose_next(sampling, chance) : next);
    return (uint32_t)weight;
}
