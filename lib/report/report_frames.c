/* The frames of a flame graph, of any report; see report_frames.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_frames.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"

#include <string.h>

#define FRAMES_MAX 40000 /* more than a screen has pixels, and no burden to a browser */
#define DEPTH_MAX  256

/* A frame of which more is recursive has nothing to give that to. */
#define RECURSIVE_MOST 0.99

static bool add(struct report_frames *frames, struct report_frame frame)
{
    vector_push(&frames->list, frame);
    return frames->list.count <= FRAMES_MAX;
}

/* Of contexts ---------------------------------------------------------------------------------- */

/* A context's cost is the sum of self costs of all below it: so the parts add up whatever recursion is
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
    unsigned *
        depth; /* of the routine's frame on the path to the one that is being added, + 1; 0: none */
    double
        recursive[DEPTH_MAX]; /* cost of calls of the routine at each depth, while it is pending */
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

/* An edge leaves out calls while its callee was pending, so what these cost is in no edge of the routine. It belongs
 * to the pending callees. */
static void note_recursive(struct expansion *e, uint32_t routine, double cost)
{
    const struct report *r = e->report;
    double calls = 0;
    for (size_t i = e->first[routine]; i < e->first[routine + 1]; i++)
        calls += e->depth[r->code.edges.at[i].callee] ? (double)r->code.edges.at[i].calls : 0;
    for (size_t i = e->first[routine]; i < e->first[routine + 1] && calls > 0; i++) {
        unsigned depth = e->depth[r->code.edges.at[i].callee];
        if (depth)
            e->recursive[depth - 1] += cost * (double)r->code.edges.at[i].calls / calls;
    }
}

/* What frames above `depth` have of the cost of pending routines below it, since `before` was it. */
static double recursive_below(const struct expansion *e, unsigned depth, const double *before)
{
    double sum = 0;
    for (unsigned i = 0; i < depth; i++)
        sum += e->recursive[i] - before[i];
    return sum;
}

/* Gives the cost of a frame's recursive calls to all that the frame has, in proportion, and takes from the frame
 * what belongs to those below it:
 *
 *     a 100 = self 0 + b 50 + c 50, b = self 0 + a 50     a, b and c are pending or not as they are called
 *     a 100 = b 0 + c 100                                 the inner a has called c
 */
static void return_recursive(struct expansion *e, uint32_t frame, unsigned depth,
                             const double *before)
{
    struct report_frame *frames = e->frames->list.at;
    double cost = (double)frames[frame].cost, mine = e->recursive[depth];
    double factor = mine < RECURSIVE_MOST * cost ? cost / (cost - mine) : 1;
    e->recursive[depth] = 0;
    for (size_t i = frame; factor > 1 && i < e->frames->list.count; i++) {
        frames[i].self = (uint64_t)((double)frames[i].self * factor + 0.5);
        if (i > frame)
            frames[i].cost = (uint64_t)((double)frames[i].cost * factor + 0.5);
    }
    for (unsigned i = 0; i < depth; i++)
        e->recursive[i] = before[i] + (e->recursive[i] - before[i]) * factor;
    double below = recursive_below(e, depth, before);
    frames[frame].cost = below < cost ? (uint64_t)(cost - below + 0.5) : 0;
}

static bool expand_callees(struct expansion *e, uint32_t frame, uint32_t routine, double cost,
                           unsigned depth)
{
    double parts = (double)e->self[routine] + cost_of_callees(e, routine);
    double whole = (double)e->cost[routine] > parts ? (double)e->cost[routine] : parts;
    note_recursive(e, routine, cost * (whole - parts) / whole);
    size_t end = e->first[routine + 1];
    bool fits = true;
    for (size_t i = e->first[routine], next; i < end && fits; i = next) {
        uint32_t callee = e->report->code.edges.at[i].callee;
        double edge_cost;
        next = same_callee(e->report, i, end, &edge_cost);
        if (e->depth[callee])
            e->recursive[e->depth[callee] - 1] += cost * edge_cost / whole;
        else
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
    double before[DEPTH_MAX];
    memcpy(before, e->recursive, depth * sizeof *before);
    e->depth[routine] = depth + 1;
    bool fits = expand_callees(e, frame, routine, cost, depth);
    e->depth[routine] = 0;
    return_recursive(e, frame, depth, before);
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
    e->depth = memory_get_zeroed(count + 1, sizeof *e->depth);
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
    free(e.depth);
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
