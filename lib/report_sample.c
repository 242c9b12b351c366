/* Reports of which not all activations were recorded; see report_sample.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The activations of a routine have all the same chance to be recorded, whatever they cost, as long as
 * it is called about as often as before. So its recorded costs times all its calls over the recorded
 * ones estimate what it has cost. What was recorded of a recursive routine are seldom its outermost
 * activations: its cost with all it calls is estimated too high, and cut to the run's.
 */
#include "lib/report_sample.h"

#include "lib/summary.h"
#include "ground/wide.h"

#include <inttypes.h>

char *report_share_words(const struct report *report)
{
    const struct report_share *share = &report->share;
    const struct totals *t = &report->totals;
    if (!share->rate)
        return NULL;
    return memory_format("%" PRIu64 " of at least %" PRIu64 " calls recorded (%.2f%%); %" PRIu64
                         " %s of routines that were never recorded, near the root; calls and "
                         "costs are estimates",
                         t->activations, share->known,
                         summary_percent(t->activations, share->known), share->unseen,
                         share->unseen == 1 ? "was" : "were");
}

static uint64_t scaled(uint64_t recorded, const struct report_profile *profile)
{
    u128 all = (u128)recorded * profile->known / profile->calls;
    return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

void report_estimate(struct report *report)
{
    uint64_t cost = 0;
    if (!report->share.rate)
        return;
    for (size_t i = 0; i < report->profiles.count; i++) {
        struct report_profile *profile = &report->profiles.at[i];
        if (!profile->calls)
            continue;
        profile->cost_self = scaled(profile->cost_self, profile);
        profile->cost_total = scaled(profile->cost_total, profile);
        profile->calls = profile->known;
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
           failure_set(why, "%s: a sample of activations (sample=): what a run costs is not in it",
                       report->path);
}
