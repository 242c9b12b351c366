/* The frames of a flame graph, of any report; see report_frames.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report_frames.h"
#include "lib/report_code.h"
#include "lib/report_contexts.h"

#define FRAMES_MAX 40000 /* more than a screen has pixels, and no burden to a browser */
#define DEPTH_MAX  256

static bool add(struct report_frames *frames, struct report_frame frame)
{
    vector_push(&frames->list, frame);
    return frames->list.count <= FRAMES_MAX;
}

/* Of contexts ---------------------------------------------------------------------------------- */

/* A context's cost is the sum of own costs of all below it: so the parts add up whatever recursion is
 * and whatever was not recorded. */
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
        /* A context costs no more than its caller, so what is left out has nothing in it. */
        if ((double)frame.cost >= least)
            fits = add(frames, frame);
    }
    free(frame_of);
    free(cost);
    return fits;
}

/* Of edges ------------------------------------------------------------------------------------- */

/* What each routine cost, by itself and in all, and which of the edges are its own. */
struct expansion {
    const struct report *report;
    struct report_frames *frames;
    double least;
    uint64_t *cost, *self;
    size_t *first; /* edges of routine i: first[i] up to first[i + 1] */
    bool *pending; /* on the path to the frame that is being added */
};

static bool expand(struct expansion *e, uint32_t caller, uint32_t routine, double cost,
                   unsigned depth);

/* From edge `from` on: all calls of one routine, whatever the line. */
static size_t same_callee(const struct report *r, size_t from, size_t end, double *cost)
{
    size_t i = from;
    *cost = 0;
    for (; i < end && r->code.edges.at[i].callee == r->code.edges.at[from].callee; i++)
        *cost += (double)r->code.edges.at[i].cost;
    return i;
}

static double cost_of_callees(const struct expansion *e, uint32_t routine)
{
    double sum = 0;
    for (size_t i = e->first[routine]; i < e->first[routine + 1]; i++)
        sum += (double)e->report->code.edges.at[i].cost;
    return sum;
}

static bool expand_callees(struct expansion *e, uint32_t frame, uint32_t routine, double cost,
                           unsigned depth)
{
    double parts = (double)e->self[routine] + cost_of_callees(e, routine);
    double whole = (double)e->cost[routine] > parts ? (double)e->cost[routine] : parts;
    size_t end = e->first[routine + 1];
    bool fits = true;
    for (size_t i = e->first[routine], next; i < end && fits; i = next) {
        uint32_t callee = e->report->code.edges.at[i].callee;
        double edge_cost;
        next = same_callee(e->report, i, end, &edge_cost);
        if (!e->pending[callee])
            fits = expand(e, frame, callee, cost * edge_cost / whole, depth + 1);
    }
    return fits;
}

static bool expand(struct expansion *e, uint32_t caller, uint32_t routine, double cost,
                   unsigned depth)
{
    uint32_t frame = (uint32_t)e->frames->list.count;
    if (cost < e->least || e->cost[routine] == 0 || depth >= DEPTH_MAX)
        return true;
    double own = cost * (double)e->self[routine] / (double)e->cost[routine];
    if (!add(e->frames,
             (struct report_frame){caller, routine, (uint64_t)(cost + 0.5), (uint64_t)(own + 0.5)}))
        return false;
    e->pending[routine] = true;
    bool fits = expand_callees(e, frame, routine, cost, depth);
    e->pending[routine] = false;
    return fits;
}

/* Costs by routine, and what of them came by no edge: that begins at the bottom. */
static double *expansion_start(struct expansion *e, const struct report *r)
{
    size_t count = r->routines.count;
    double *rest = memory_get_zeroed(count + 1, sizeof *rest);
    e->cost = memory_get_zeroed(count + 1, sizeof *e->cost);
    e->self = memory_get_zeroed(count + 1, sizeof *e->self);
    e->first = memory_get_zeroed(count + 2, sizeof *e->first);
    e->pending = memory_get_zeroed(count + 1, sizeof *e->pending);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        e->cost[profile->routine] += profile->cost_total;
        e->self[profile->routine] += profile->cost_self;
        rest[profile->routine] += (double)profile->cost_total;
    }
    for (size_t i = 0; i < r->code.edges.count; i++) {
        const struct report_edge *edge = &r->code.edges.at[i];
        rest[edge->callee] -= (double)edge->cost;
        e->first[edge->caller + 1]++;
    }
    for (size_t i = 0; i < count; i++)
        e->first[i + 1] += e->first[i];
    return rest;
}

static bool add_edges(const struct report *r, double least, struct report_frames *frames)
{
    struct expansion e = {.report = r, .frames = frames, .least = least};
    double *rest = expansion_start(&e, r);
    bool fits = true;
    for (uint32_t i = 0; i < r->routines.count && fits; i++) {
        if (rest[i] > 0)
            fits = expand(&e, CONTEXT_NO_CALLER, i, rest[i], 0);
    }
    free(rest);
    free(e.cost);
    free(e.self);
    free(e.first);
    free(e.pending);
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
        [FRAMES_OF_EDGES] = add_edges,
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
