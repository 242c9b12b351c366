/* Call stacks for a routine's cost; see report_stacks.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_stacks.h"

#include <string.h>

#define LEAST_SHARE 1e-3 /* frames with a smaller share of all cost are omitted */

void report_stacks_make(const struct report *r, struct report_stacks *s)
{
    *s = (struct report_stacks){.report = r};
    report_frames_make(r, LEAST_SHARE, &s->frames);
    size_t routines = r->routines.count, frames = s->frames.list.count;
    s->first = memory_get_zeroed(routines + 2, sizeof *s->first);
    s->order = memory_get_zeroed(frames + 1, sizeof *s->order);
    for (size_t i = 0; i < frames; i++)
        s->first[s->frames.list.at[i].routine + 1]++;
    for (size_t i = 0; i < routines; i++)
        s->first[i + 1] += s->first[i];
    /* next[i] is the position of routine i's next frame; at the end, next[i] is the start of the
     * next routine's frames. */
    size_t *next = s->first + 1;
    memmove(next, s->first, routines * sizeof *next);
    for (size_t i = 0; i < frames; i++)
        s->order[next[s->frames.list.at[i].routine]++] = (uint32_t)i;
}

void report_stacks_free(struct report_stacks *s)
{
    report_frames_free(&s->frames);
    free(s->first);
    free(s->order);
}

void report_stacks_spread(const struct report_stacks *s, const struct report_profile *profile,
                          uint64_t cost, report_stack_visit *visit, void *context)
{
    size_t from = s->first[profile->routine], to = s->first[profile->routine + 1];
    uint64_t left = cost;
    for (size_t i = to; i-- > from;) {
        const struct report_frame *frame = &s->frames.list.at[s->order[i]];
        u128 share = profile->cost_self ? (u128)cost * frame->self / profile->cost_self : 0;
        uint64_t part = i == from || share > left ? left : (uint64_t)share;
        if (part > 0)
            visit(context, frame, part);
        left -= part;
    }
    if (left > 0)
        visit(context, NULL, left);
}

const struct report_frame *report_stacks_caller(const struct report_stacks *s,
                                                const struct report_frame *frame)
{
    bool has_caller = frame && frame->caller != CONTEXT_NO_CALLER;
    return has_caller ? &s->frames.list.at[frame->caller] : NULL;
}
