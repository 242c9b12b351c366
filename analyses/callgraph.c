/* Call graph profiling: how often each caller called each callee.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The analysis is from paper 001, section 5.2. An EVENT_CALL names caller and callee, and is
 * counted directly. Without EVENT_CALL, the caller is the top activation of a stack that is kept
 * from the thread's enter and leave events. After a gap the caller of an activation may be unknown.
 * A call without a known caller is not counted, so a sampled call graph contains only pairs that
 * lie completely in a burst.
 *
 * Rows: call CALLER CALLEE COUNT; the caller of a thread's first routine is `-`.
 */
#include "analyses/call_stack.h"
#include "analyses/counts.h"
#include "analyses/analysis_report.h"

struct callgraph {
    struct counts counts; /* counts by (caller, callee) */
    struct call_stack stack;
    struct analysis_options options;
};

static void callgraph_enter(struct callgraph *graph, uint64_t routine)
{
    const struct call_frame *caller = call_stack_top(&graph->stack);

    if (caller || graph->stack.whole)
        counts_add(&graph->counts, caller ? caller->routine : ANALYSIS_NO_ROUTINE, routine, 1);
    call_stack_push(&graph->stack, routine);
}

/* Hot: each call looks up one table entry, which is usually in the first-level cache. EVENT_CALL is
 * tested last. Programs that emit EVENT_CALL emit no other events, so the branches are predicted
 * correctly. */
static void callgraph_consume(void *state, const uint64_t *events, size_t count)
{
    struct callgraph *graph = state;

    for (size_t i = 0; i < count; i++) {
        uint64_t event = events[i];
        if (event_kind_of(event) == EVENT_ENTER)
            callgraph_enter(graph, event_routine(event));
        else if (event_kind_of(event) == EVENT_LEAVE)
            graph->stack.depth = call_stack_depth_after(&graph->stack, event_routine(event));
        else if (event_kind_of(event) == EVENT_CALL)
            counts_add(&graph->counts,
                       analysis_routine_of(&graph->options, event_caller_code(event)),
                       analysis_routine_of(&graph->options, event_callee_code(event)), 1);
    }
}

static void callgraph_init(void *state, const struct analysis_options *options)
{
    struct callgraph *graph = state;

    graph->options = *options;
    graph->stack.whole = true;
}

static void callgraph_gap(void *state)
{
    call_stack_forget(&((struct callgraph *)state)->stack);
}

static void callgraph_merge(void *state, const void *other)
{
    counts_merge(&((struct callgraph *)state)->counts, &((const struct callgraph *)other)->counts);
}

static void callgraph_print(const void *state, struct analysis_report *report)
{
    const struct callgraph *graph = state;
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(&graph->counts, &at));)
        analysis_report_row(report, entry->keys, 2, &entry->count);
}

static void callgraph_release(void *state)
{
    struct callgraph *graph = state;

    counts_release(&graph->counts);
    call_stack_release(&graph->stack);
}

const struct analysis analysis_callgraph = {
    .name = "callgraph",
    .what = "how often each caller called each callee",
    .events = EVENT_BIT(EVENT_ENTER) | EVENT_BIT(EVENT_LEAVE) | EVENT_BIT(EVENT_CALL),
    .state_bytes = sizeof(struct callgraph),
    .rows = {.tag = "call",
             .unit = "calls",
             .routines = true,
             .key_least = 2,
             .key_most = 2,
             .set_from = 2,
             .count_count = 1,
             .key_names = ANALYSIS_NAMES("caller", "callee"),
             .count_names = ANALYSIS_NAMES("count")},
    .init = callgraph_init,
    .consume = callgraph_consume,
    .gap = callgraph_gap,
    .finish = callgraph_gap,
    .merge = callgraph_merge,
    .print = callgraph_print,
    .release = callgraph_release,
};
