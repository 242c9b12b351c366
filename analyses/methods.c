/* Method counting: how often each routine was entered.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The analysis is from paper 001, section 5.2. It is the cheapest analysis, with one table access
 * per event. The counts do not depend on the order of events, so the counts of any part of the
 * events are exact, too.
 *
 * Rows: method ROUTINE COUNT.
 */
#include "analyses/counts.h"
#include "analyses/analysis_report.h"

struct methods {
    struct counts counts; /* (routine, 0) */
    struct analysis_options options;
};

static void methods_consume(void *state, const uint64_t *events, size_t count)
{
    struct methods *methods = state;

    for (size_t i = 0; i < count; i++) {
        if (event_kind_of(events[i]) == EVENT_ENTER)
            counts_add(&methods->counts, event_routine(events[i]), 0, 1);
        else if (event_kind_of(events[i]) == EVENT_CALL)
            counts_add(&methods->counts,
                       analysis_routine_of(&methods->options, event_callee_code(events[i])), 0, 1);
    }
}

static void methods_init(void *state, const struct analysis_options *options)
{
    ((struct methods *)state)->options = *options;
}

static void methods_gap(void *state)
{
    (void)state;
}

static void methods_merge(void *state, const void *other)
{
    counts_merge(&((struct methods *)state)->counts, &((const struct methods *)other)->counts);
}

static void methods_print(const void *state, struct analysis_report *report)
{
    const struct methods *methods = state;
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(&methods->counts, &at));)
        analysis_report_row(report, entry->keys, 1, &entry->count);
}

static void methods_release(void *state)
{
    counts_release(&((struct methods *)state)->counts);
}

const struct analysis analysis_methods = {
    .name = "methods",
    .what = "how often each routine was entered",
    .events = EVENT_BIT(EVENT_ENTER) | EVENT_BIT(EVENT_CALL),
    .state_bytes = sizeof(struct methods),
    .rows = {.tag = "method",
             .unit = "entries",
             .routines = true,
             .key_least = 1,
             .key_most = 1,
             .set_from = 1,
             .count_count = 1,
             .key_names = ANALYSIS_NAMES("routine"),
             .count_names = ANALYSIS_NAMES("count")},
    .init = methods_init,
    .consume = methods_consume,
    .gap = methods_gap,
    .finish = methods_gap,
    .merge = methods_merge,
    .print = methods_print,
    .release = methods_release,
};
