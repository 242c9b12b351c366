/* Sampling decisions.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/sample.h"

#define LONGEST ((uint64_t)1 << 30)

/* The generator is xorshift64* by Vigna; returns 32 bits. */
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

/* A stage consists of the calls `first` to `end` - 1, of which one in `period` is recorded. */
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

/* Strata are as long as the period; the last stratum of a stage may be shorter. */
struct stratum {
    uint64_t first, calls;
};

static struct stratum stratum_of(uint64_t call, const struct stage *stage)
{
    uint64_t first = call - (call - stage->first) % stage->period, left = stage->end - first;
    return (struct stratum){first, left < stage->period ? left : stage->period};
}

static bool has_strata(const struct stage *stage)
{
    return stage->period > TRMS_SAMPLE_DRAWN;
}

/* Decides whether a call is recorded, by the thread's random number. Draws a new random number if
 * the latest number has already decided a call of this routine. */
static bool wins(struct trms_sampling *sampling, uint64_t period, struct trms_chance *chance)
{
    if (sampling->number == chance->number) {
        chance->drawn = draw(&chance->state);
        chance->number++;
    }
    sampling->number = chance->number;
    return chance->drawn * period >> 32 == 0;
}

/* Returns the number of the next call that needs a decision; all calls before `call` are
 * decided. */
static uint64_t next_asked(uint64_t call, uint32_t rate, struct trms_chance *chance)
{
    struct stage stage = stage_of(call, rate);
    if (!has_strata(&stage))
        return call;
    return call + (draw(&chance->state) * stratum_of(call, &stage).calls >> 32);
}

uint64_t trms_sampling_known(const struct trms_sampling *sampling, uint32_t rate)
{
    uint64_t call = sampling->calls - 1;
    struct stage stage = stage_of(call, rate);
    if (sampling->calls <= TRMS_SAMPLE_FIRST || !has_strata(&stage))
        return sampling->calls;
    struct stratum stratum = stratum_of(call, &stage);
    return stratum.first + stratum.calls;
}

uint32_t trms_sampling_decide(struct trms_sampling *sampling, uint32_t rate,
                              struct trms_chance *chance)
{
    uint64_t call = sampling->calls + sampling->gap, weight = 0;
    bool is_first = call < TRMS_SAMPLE_FIRST;
    sampling->calls = call + 1;
    if (!is_first) {
        struct stage stage = stage_of(call, rate);
        if (has_strata(&stage))
            weight = stratum_of(call, &stage).calls;
        else if (wins(sampling, stage.period, chance))
            weight = stage.period;
    }
    uint64_t decided = is_first ? TRMS_SAMPLE_FIRST : trms_sampling_known(sampling, rate);
    sampling->gap = sampling->left =
        (uint32_t)(next_asked(decided, rate, chance) - sampling->calls);
    return (uint32_t)weight;
}
