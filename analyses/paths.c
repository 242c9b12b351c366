/* Path profiling: how often each Ball-Larus path of each procedure was taken.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The analysis is from paper 001, section 5.2. The program numbers its paths. An event is a
 * procedure and a number; the path profiler's plan defines their meaning (docs/paths.md). Path
 * numbers from 2^36 on take two words. The state keeps the first word until the second word
 * arrives, possibly in the next batch. If one of the two words is missing, as after a gap, the
 * other word is dropped.
 *
 * Rows: path PROCEDURE NUMBER COUNT.
 */
#include "analyses/counts.h"
#include "analyses/analysis_report.h"

struct paths {
    struct counts counts; /* (procedure, number) */
    uint64_t high;        /* latest event if it was an EVENT_PATH_HIGH, otherwise 0 */
};

static void paths_add_long(struct paths *paths, uint64_t low)
{
    uint64_t high = paths->high;

    if (high != 0 && event_procedure(high) == event_procedure(low))
        counts_add(&paths->counts, event_procedure(low),
                   event_number(high) << EVENT_NUMBER_BITS | event_number(low), 1);
}

static void paths_consume(void *state, const uint64_t *events, size_t count)
{
    struct paths *paths = state;

    for (size_t i = 0; i < count; i++) {
        uint64_t event = events[i];
        if (event_kind_of(event) == EVENT_PATH)
            counts_add(&paths->counts, event_procedure(event), event_number(event), 1);
        else if (event_kind_of(event) == EVENT_PATH_LOW)
            paths_add_long(paths, event);
        paths->high = event_kind_of(event) == EVENT_PATH_HIGH ? event : 0;
    }
}

static void paths_init(void *state, const struct analysis_options *options)
{
    (void)state;
    (void)options;
}

static void paths_gap(void *state)
{
    ((struct paths *)state)->high = 0;
}

static void paths_merge(void *state, const void *other)
{
    counts_merge(&((struct paths *)state)->counts, &((const struct paths *)other)->counts);
}

static void paths_print(const void *state, struct analysis_report *report)
{
    const struct paths *paths = state;
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(&paths->counts, &at));)
        analysis_report_row(report, entry->keys, 2, &entry->count);
}

static void paths_release(void *state)
{
    counts_release(&((struct paths *)state)->counts);
}

const struct analysis analysis_paths = {
    .name = "paths",
    .what = "how often each path of each procedure was taken",
    .events = EVENT_BIT(EVENT_PATH) | EVENT_BIT(EVENT_PATH_HIGH) | EVENT_BIT(EVENT_PATH_LOW),
    .state_bytes = sizeof(struct paths),
    .rows = {.tag = "path",
             .unit = "paths",
             .key_least = 2,
             .key_most = 2,
             .set_from = 2,
             .count_count = 1,
             .key_names = ANALYSIS_NAMES("procedure", "path"),
             .count_names = ANALYSIS_NAMES("count")},
    .init = paths_init,
    .consume = paths_consume,
    .gap = paths_gap,
    .finish = paths_gap,
    .merge = paths_merge,
    .print = paths_print,
    .release = paths_release,
};
