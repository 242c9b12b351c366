/* The frames of a flame graph, of any report; see report_frames.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_frames.h"
#include "lib/report/report_frames_edges.h"
#include "lib/report/report_contexts.h"

#include <string.h>

static bool add(struct report_frames *frames, struct report_frame frame)
{
    vector_push(&frames->list, frame);
    return frames->list.count <= REPORT_FRAMES_MAX;
}

/* Frames of contexts --------------------------------------------------------------------------- */

/* The cost of a context is its self cost plus the self costs of all contexts that it calls,
 * directly or indirectly. So the costs of frames add up, even with recursion and unrecorded
 * calls. */
static uint64_t *context_costs(const struct report *r)
{
    size_t count = r->contexts.all.count;
    uint64_t *cost = memory_get_zeroed(count + 1, sizeof *cost);
    for (size_t i = count; i-- > 0;) {
        const struct report_context *context = &r->contexts.all.at[i];
        cost[i] = u64_add(cost[i], context->profile.cost_self);
        if (context->caller != CONTEXT_NO_CALLER)
            cost[context->caller] = u64_add(cost[context->caller], cost[i]);
    }
    return cost;
}

static bool add_contexts(const struct report *r, double least, struct report_frames *frames)
{
    size_t count = r->contexts.all.count;
    uint64_t *cost = context_costs(r);
    uint32_t *frame_of = memory_get_zeroed(count + 1, sizeof *frame_of);
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        struct report_frame frame = {.caller = context->caller,
                                     .routine = context->profile.routine,
                                     .cost = cost[i],
                                     .self = context->profile.cost_self};
        if (frame.caller != CONTEXT_NO_CALLER)
            frame.caller = frame_of[frame.caller];
        frame_of[i] = (uint32_t)frames->list.count;
        /* A context costs at least as much as each context that it calls. So if a context is
         * omitted, the contexts that it calls are omitted, too. */
        if ((double)frame.cost >= least)
            fits = add(frames, frame);
    }
    free(frame_of);
    free(cost);
    return fits;
}

/* Any report ----------------------------------------------------------------------------------- */

static bool add_routines(const struct report *r, double least, struct report_frames *frames)
{
    bool fits = true;
    for (size_t i = 0; i < r->profiles.count && fits; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        if (profile->cost_self > 0 && (double)profile->cost_self >= least)
            fits = add(frames, (struct report_frame){CONTEXT_NO_CALLER, profile->routine,
                                                     profile->cost_self, profile->cost_self});
    }
    return fits;
}

void report_frames_make(const struct report *r, double least, struct report_frames *frames)
{
    bool (*const of[])(const struct report *, double, struct report_frames *) = {
        [FRAMES_OF_CONTEXTS] = add_contexts,
        [FRAMES_OF_EDGES] = report_frames_add_edges,
        [FRAMES_OF_ROUTINES] = add_routines,
    };
    frames->basis = report_has_contexts(r)    ? FRAMES_OF_CONTEXTS
                    : r->code.edges.count > 0 ? FRAMES_OF_EDGES
                                              : FRAMES_OF_ROUTINES;
    frames->whole = r->totals.cost;
    double cost = least * (double)frames->whole;
    cost = cost > 1 ? cost : 1;
    for (frames->list.count = 0; !of[frames->basis](r, cost, frames); cost *= 2)
        frames->list.count = 0;
}

void report_frames_free(struct report_frames *frames)
{
    vector_free(&frames->list);
}
