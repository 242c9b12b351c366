/* Calls by caller and callee; see context_edges.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The cost of main/sort/sort is already part of the cost of main/sort. So if several contexts on a
 * path have the same last edge, only the outermost one is counted. During the walk over contexts, a
 * stack holds the current path. Each edge has a counter of its occurrences on this path.
 */
#include "lib/contexts/context_edges.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct report *report;
    const uint32_t *edge_of; /* for each context, the index of its edge + 1; 0: no caller */
    /* `path` has the contexts on the current path, outermost first; `missing` has the contexts that
     * the walk must still enter, innermost first */
    VECTOR(uint32_t) path, missing;
    uint32_t *on_path; /* number of occurrences on the path, by edge */
};

static uint32_t routine_of(const struct report *r, uint32_t context)
{
    return r->contexts.all.at[context].profile.routine;
}

static int by_routines(const void *a, const void *b, void *report)
{
    const struct report *r = report;
    const struct report_context *left = &r->contexts.all.at[*(const uint32_t *)a];
    const struct report_context *right = &r->contexts.all.at[*(const uint32_t *)b];
    uint32_t caller_a = routine_of(r, left->caller), caller_b = routine_of(r, right->caller);
    if (caller_a != caller_b)
        return caller_a < caller_b ? -1 : 1;
    if (left->profile.routine != right->profile.routine)
        return left->profile.routine < right->profile.routine ? -1 : 1;
    return 0;
}

/* Makes one edge for each pair of caller and callee; returns the edge of each context. */
static uint32_t *make_edges(const struct report *r, context_edge_list *edges)
{
    size_t n = r->contexts.all.count, called = 0;
    uint32_t *edge_of = memory_get_zeroed(n + 1, sizeof *edge_of);
    uint32_t *sorted = memory_get_zeroed(n + 1, sizeof *sorted);
    for (uint32_t i = 0; i < n; i++) {
        if (r->contexts.all.at[i].caller != CONTEXT_NO_CALLER)
            sorted[called++] = i;
    }
    if (called)
        qsort_r(sorted, called, sizeof *sorted, by_routines, (void *)(uintptr_t)r);
    for (size_t i = 0; i < called; i++) {
        const struct report_context *context = &r->contexts.all.at[sorted[i]];
        struct context_edge edge = {.caller = routine_of(r, context->caller),
                                    .callee = context->profile.routine};
        const struct context_edge *last = edges->count ? &edges->at[edges->count - 1] : NULL;
        if (!last || last->caller != edge.caller || last->callee != edge.callee)
            vector_push(edges, edge);
        edge_of[sorted[i]] = (uint32_t)edges->count;
    }
    free(sorted);
    return edge_of;
}

static void enter(struct walk *w, uint32_t context)
{
    vector_push(&w->path, context);
    w->on_path[w->edge_of[context]]++;
}

/* Removes contexts from the end of the path, or adds contexts, until the last context is the caller
 * of `context`. */
static void go_to_caller(struct walk *w, uint32_t context)
{
    const struct report_context *all = w->report->contexts.all.at;
    uint32_t caller = all[context].caller;
    while (w->path.count && w->path.at[w->path.count - 1] != caller)
        w->on_path[w->edge_of[w->path.at[--w->path.count]]]--;
    if (w->path.count || caller == CONTEXT_NO_CALLER)
        return;
    w->missing.count = 0; /* the file's contexts are not in depth-first order */
    for (uint32_t at = caller; at != CONTEXT_NO_CALLER; at = all[at].caller)
        vector_push(&w->missing, at);
    while (w->missing.count)
        enter(w, w->missing.at[--w->missing.count]);
}

void context_edges_make(const struct report *r, context_edge_list *edges)
{
    struct walk walk = {.report = r};
    edges->count = 0;
    uint32_t *edge_of = make_edges(r, edges);
    walk.edge_of = edge_of;
    walk.on_path = memory_get_zeroed(edges->count + 1, sizeof *walk.on_path);
    for (uint32_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_profile *profile = &r->contexts.all.at[i].profile;
        go_to_caller(&walk, i);
        if (edge_of[i]) {
            struct context_edge *edge = &edges->at[edge_of[i] - 1];
            edge->calls = u64_add(edge->calls, profile->calls);
            if (!walk.on_path[edge_of[i]])
                edge->cost = u128_add(edge->cost, profile->cost_total);
        }
        enter(&walk, i);
    }
    vector_free(&walk.path);
    vector_free(&walk.missing);
    free(walk.on_path);
    free(edge_of);
}
