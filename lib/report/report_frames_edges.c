/* Frames from call edges; see report_frames_edges.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_frames_edges.h"
#include "lib/report/select.h"

#include <math.h>
#include <string.h>

#define DEPTH_MAX 256

/* Fitting ends after ROUNDS_MAX rounds, or when the errors of all edges are small. In a round,
 * frames have at least the share ROUND_LEAST of the cost, there are at most ROUND_MAX frames, and a
 * factor is multiplied or divided by at most FACTOR_STEP. */
#define ROUNDS_MAX  150
#define ERROR_MAX   0.005
#define ROUND_LEAST 2e-4
#define ROUND_MAX   10000
#define FACTOR_STEP 8.0

/* Edges below this part of the whole are not fitted, because their frames may be too small to be
 * drawn. */
#define FITTED_LEAST 0.005

/* A flow: all calls of one routine by another, or a routine's self cost. */
struct flow {
    uint32_t callee;
    double cost, calls;
    double factor; /* part of a frame's cost that belongs to this flow */
    double placed; /* cost of the flow in all frames of a round */
};

struct expansion {
    const struct report *report;
    struct report_frames *frames; /* frames to fill; NULL in a round of fitting */
    double least;
    size_t left; /* number of further frames that may be added */
    bool is_recursive;
    double *cost;
    struct flow *self; /* flows of self cost, by routine */
    struct flow *flows;
    size_t *first; /* flows of routine i: first[i] up to first[i + 1] */
    bool *on_path;
    size_t *active, *found; /* for each routine, the index of its frame on the current path */
    size_t *slot;           /* for each routine, its index among the children of the frame */
    size_t number;          /* number of the frame that is getting children */
};

/* A callee of a frame's routine, or of a pending routine that the frame's routine calls
 * recursively. */
struct child {
    uint32_t routine;
    double weight;
};
typedef VECTOR(struct child) child_list;

/* Edges ---------------------------------------------------------------------------------------- */

/* Makes the flows from the edges, which are sorted by caller and callee. */
static void make_flows(struct expansion *e, const struct report *r)
{
    size_t count = 0;
    e->flows = memory_get_zeroed(r->code.edges.count + 1, sizeof *e->flows);
    for (size_t i = 0; i < r->code.edges.count; i++) {
        const struct report_edge *edge = &r->code.edges.at[i];
        bool same = i > 0 && r->code.edges.at[i - 1].caller == edge->caller &&
                    r->code.edges.at[i - 1].callee == edge->callee;
        struct flow *flow = &e->flows[same ? count - 1 : count];
        flow->callee = edge->callee;
        flow->cost += (double)edge->cost;
        flow->calls += (double)edge->calls;
        e->first[edge->caller + 1] += !same;
        count += !same;
    }
    for (size_t i = 0; i < r->routines.count; i++)
        e->first[i + 1] += e->first[i];
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* For each routine, the cost that belongs to no edge; this cost gets a frame without callers. The
 * caller frees the list. */
static double *expansion_start(struct expansion *e, const struct report *r)
{
    size_t count = r->routines.count;
    double *rest = memory_get_zeroed(count + 1, sizeof *rest);
    e->report = r;
    e->cost = memory_get_zeroed(count + 1, sizeof *e->cost);
    e->self = memory_get_zeroed(count + 1, sizeof *e->self);
    e->first = memory_get_zeroed(count + 2, sizeof *e->first);
    e->on_path = memory_get_zeroed(count + 1, sizeof *e->on_path);
    e->active = memory_get_zeroed(count + 1, sizeof *e->active);
    e->found = memory_get_zeroed(count + 1, sizeof *e->found);
    e->slot = memory_get_zeroed(count + 1, sizeof *e->slot);
    make_flows(e, r);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        e->cost[profile->routine] += (double)profile->cost_total;
        e->self[profile->routine].cost += (double)profile->cost_self;
        rest[profile->routine] += (double)profile->cost_total;
    }
    for (size_t i = 0; i < count; i++) {
        e->self[i].factor = ratio(e->self[i].cost, e->cost[i]);
        for (size_t k = e->first[i]; k < e->first[i + 1]; k++) {
            rest[e->flows[k].callee] -= e->flows[k].cost;
            e->flows[k].factor = ratio(e->flows[k].cost, e->cost[i]);
        }
    }
    return rest;
}

static void expansion_free(struct expansion *e)
{
    free(e->cost);
    free(e->self);
    free(e->flows);
    free(e->first);
    free(e->on_path);
    free(e->active);
    free(e->found);
    free(e->slot);
}

/* Frames --------------------------------------------------------------------------------------- */

static void activate(struct expansion *e, uint32_t routine, routine_list *active)
{
    if (e->active[routine] == e->number)
        return;
    e->active[routine] = e->number;
    vector_push(active, routine);
}

static void add_child(struct expansion *e, const struct flow *flow, child_list *children)
{
    if (flow->factor <= 0)
        return;
    if (e->found[flow->callee] != e->number) {
        struct child child = {flow->callee, 0};
        e->found[flow->callee] = e->number;
        e->slot[flow->callee] = children->count;
        vector_push(children, child);
    }
    children->at[e->slot[flow->callee]].weight += flow->factor;
}

/* Finds the children of the frame on top of the path: its callees that are not on the path. For
 * recursive calls, the callees of the recursively called routines are also children. Returns the
 * sum of all weights, self cost included. */
static double find_children(struct expansion *e, uint32_t routine, routine_list *active,
                            child_list *children)
{
    double sum = 0;
    e->number++;
    activate(e, routine, active);
    for (size_t i = 0; i < active->count; i++) {
        uint32_t one = active->at[i];
        sum += e->self[one].factor;
        for (size_t k = e->first[one]; k < e->first[one + 1]; k++) {
            const struct flow *flow = &e->flows[k];
            if (e->on_path[flow->callee])
                activate(e, flow->callee, active);
            else
                add_child(e, flow, children);
        }
    }
    for (size_t i = 0; i < children->count; i++)
        sum += children->at[i].weight;
    e->is_recursive |= active->count > 1;
    return active->count == 1 && sum < 1 ? 1 : sum;
}

/* For each edge, adds the edge's cost in the frame to the member `placed`. */
static void note_placed(struct expansion *e, const routine_list *active, double unit)
{
    for (size_t i = 0; i < active->count; i++) {
        uint32_t one = active->at[i];
        e->self[one].placed += unit * e->self[one].factor;
        for (size_t k = e->first[one]; k < e->first[one + 1]; k++) {
            if (!e->on_path[e->flows[k].callee])
                e->flows[k].placed += unit * e->flows[k].factor;
        }
    }
}

static bool add_frame(struct expansion *e, struct report_frame frame)
{
    if (e->left-- == 0)
        return false;
    if (e->frames)
        vector_push(&e->frames->list, frame);
    return true;
}

/* Returns false if there were too many frames. */
static bool expand(struct expansion *e, uint32_t caller, uint32_t routine, double cost,
                   unsigned depth)
{
    child_list children = {0};
    routine_list active = {0};
    if (cost < e->least || cost <= 0 || depth >= DEPTH_MAX)
        return true;
    uint32_t number = e->frames ? (uint32_t)e->frames->list.count : 0;
    e->on_path[routine] = true;
    double sum = find_children(e, routine, &active, &children);
    double unit = ratio(cost, sum), own = unit * e->self[routine].factor;
    struct report_frame frame = {caller, routine, (uint64_t)(cost + 0.5), (uint64_t)(own + 0.5)};
    bool fits = add_frame(e, frame);
    note_placed(e, &active, unit);
    for (size_t i = 0; i < children.count && fits; i++)
        fits = expand(e, number, children.at[i].routine, unit * children.at[i].weight, depth + 1);
    e->on_path[routine] = false;
    vector_free(&children);
    vector_free(&active);
    return fits;
}

static bool expand_all(struct expansion *e, const double *rest, double least, size_t most)
{
    bool fits = true;
    e->least = least > 1 ? least : 1;
    e->left = most;
    for (uint32_t i = 0; i < e->report->routines.count && fits; i++) {
        if (rest[i] > 0)
            fits = expand(e, CONTEXT_NO_CALLER, i, rest[i], 0);
    }
    return fits;
}

/* Fitting -------------------------------------------------------------------------------------- */

/* Corrects an edge's factor according to the cost that the round has assigned, and returns the
 * relative error. */
static double fit_flow(struct flow *flow, double least)
{
    double step = flow->placed > 0 ? flow->cost / flow->placed : 1;
    flow->placed = 0;
    if (flow->cost < least)
        return 0;
    flow->factor *= fmin(fmax(step, 1 / FACTOR_STEP), FACTOR_STEP);
    return fabs(step - 1);
}

static double fit_round(struct expansion *e)
{
    size_t count = e->report->routines.count;
    double least = FITTED_LEAST * (double)e->report->totals.cost, error = 0;
    for (size_t i = 0; i < count; i++)
        error = fmax(error, fit_flow(&e->self[i], least));
    for (size_t i = 0; i < e->first[count]; i++)
        error = fmax(error, fit_flow(&e->flows[i], least));
    return error;
}

/* Without recursion the initial factors are correct. */
static void fit(struct expansion *e, const double *rest)
{
    double least = ROUND_LEAST * (double)e->report->totals.cost;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        expand_all(e, rest, least, ROUND_MAX);
        memset(e->on_path, 0, e->report->routines.count * sizeof *e->on_path);
        if (!e->is_recursive || fit_round(e) < ERROR_MAX)
            return;
    }
}

bool report_frames_add_edges(const struct report *r, double least, struct report_frames *frames)
{
    struct expansion e = {0};
    double *rest = expansion_start(&e, r);
    fit(&e, rest);
    e.frames = frames;
    for (; !expand_all(&e, rest, least, REPORT_FRAMES_MAX); least *= 2) {
        frames->list.count = 0;
        memset(e.on_path, 0, r->routines.count * sizeof *e.on_path);
    }
    free(rest);
    expansion_free(&e);
    return true;
}
