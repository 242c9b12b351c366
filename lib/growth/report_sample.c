/* Estimates from sampled reports; see report_sample.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Early calls of a routine are recorded at a higher rate than late calls. Therefore each recorded
 * call has a weight, 1 / the probability of recording the call. The weighted mean, times the number
 * of calls, estimates the sum over all calls (the ratio estimator of Hajek). Example: a routine has
 * 20 early calls, of which 4 are recorded with a cost of 10 each. Of its 20 late calls, 2 are
 * recorded with a cost of 40 each:
 *
 *     weights 5 5 5 5 10 10    weighted cost 4 * 5 * 10 + 2 * 10 * 40 = 1000    without weights 800
 *
 * Reports of version 4 have no weights: their estimates are biased towards the early calls.
 */
#include "lib/growth/report_sample.h"

#include "lib/growth/summary.h"
#include "ground/wide.h"

#include <inttypes.h>
#include <math.h>

/* The first stage of sampling ends after STAGE_FIRST calls; strata are used if the sampling period
 * is longer than LONGEST_DRAWN. STAGE_FIRST and LONGEST_DRAWN must be equal to the constants in
 * native/trms/calls/sample.h. */
#define STAGE_FIRST   64
#define LONGEST_DRAWN 64

char *report_share_words(const struct report *report)
{
    const struct report_share *share = &report->share;
    const struct totals *t = &report->totals;
    if (!share->rate)
        return NULL;
    return memory_format("%" PRIu64 " of about %" PRIu64 " calls recorded (%.2f%%); %" PRIu64
                         " %s of routines without a recorded call, near the root; calls and "
                         "costs are estimates",
                         t->activations, share->known,
                         summary_percent(t->activations, share->known), share->unseen,
                         share->unseen == 1 ? "was" : "were");
}

/* Estimates the costs of a routine in a report of version 4, which has no weights. */
static void estimate_unweighted(struct report_profile *profile)
{
    u128 self = (u128)profile->cost_self * profile->known / profile->calls;
    u128 total = (u128)profile->cost_total * profile->known / profile->calls;
    profile->cost_self = self < UINT64_MAX ? (uint64_t)self : UINT64_MAX;
    profile->cost_total = total < UINT64_MAX ? (uint64_t)total : UINT64_MAX;
}

static uint64_t rounded(double estimate)
{
    return estimate < 0x1p64 ? (uint64_t)(estimate + 0.5) : UINT64_MAX;
}

/* The length of the stratum that begins after `calls` calls; one call of each stratum is recorded
 * (native/trms/calls/sample.h). A length of 0 means that each call has its own sampling decision;
 * the number of calls is then known. */
static double stratum(uint64_t calls, uint64_t rate)
{
    double period = (double)rate;
    for (uint64_t end = STAGE_FIRST; calls >= end && end < UINT64_MAX / 4; end *= 4)
        period *= 2;
    return period > LONGEST_DRAWN ? period : 0;
}

/* It depends on chance whether the incomplete last stratum is counted; this adds a variance of
 * (cost of the stratum)^2 / 6 on average. */
static double error_of(u128 variance, double factor, uint64_t cost, double uncertain)
{
    double mean = (double)cost * uncertain;
    return sqrt((double)variance * factor * factor + mean * mean / 6);
}

/* Makes the estimates for a profile; the error is unknown if only one call was recorded. */
static void estimate(struct report_profile *profile, uint64_t rate)
{
    const struct report_weights *w = &profile->weights;
    double factor = (double)profile->known / (double)w->weight;
    profile->cost_self = rounded((double)w->self * factor);
    profile->cost_total = rounded((double)w->total * factor);
    if (profile->calls < 2)
        return;
    double uncertain = stratum(profile->known, rate) / (double)profile->known;
    profile->self_error = error_of(w->self_variance, factor, profile->cost_self, uncertain);
    profile->total_error = error_of(w->total_variance, factor, profile->cost_total, uncertain);
}

void report_estimate(struct report *report)
{
    uint64_t cost = 0;
    if (!report->share.rate)
        return;
    for (size_t i = 0; i < report->profiles.count; i++) {
        struct report_profile *profile = &report->profiles.at[i];
        if (profile->weights.weight)
            estimate(profile, report->share.rate);
        else if (profile->calls)
            estimate_unweighted(profile);
        profile->calls = profile->calls ? profile->known : 0;
        cost = u64_add(cost, profile->cost_self);
    }
    for (size_t i = 0; i < report->profiles.count; i++)
        if (report->profiles.at[i].cost_total > cost)
            report->profiles.at[i].cost_total = cost;
    report->totals.cost = cost;
}

bool report_is_whole(const struct report *report, struct failure *why)
{
    return !report->share.rate ||
           failure_set(
               why,
               "%s: holds only sampled calls, not the cost of the run; profile without sample=",
               report->path);
}
