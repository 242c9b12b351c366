/* A report in memory; see report.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report.h"
#include "lib/base/demangle.h"
#include "lib/report/report_contexts.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

const char *const metric_names[METRIC_COUNT + 1] = {"trms", "rms", NULL};

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->routines.count; i++)
        free((char *)(uintptr_t)r->routines.at[i].name);
    free(r->path);
    arena_free(&r->strings);
    vector_free(&r->command);
    vector_free(&r->process);
    vector_free(&r->options);
    vector_free(&r->objects);
    vector_free(&r->unread_ids);
    vector_free(&r->notes);
    vector_free(&r->routines);
    vector_free(&r->profiles);
    vector_free(&r->contexts.all);
    vector_free(&r->contexts.trees);
    vector_free(&r->code.files);
    vector_free(&r->code.inlined);
    vector_free(&r->code.edges);
    vector_free(&r->code.lines);
    for (int m = 0; m < METRIC_COUNT; m++)
        vector_free(&r->points[m]);
    memset(r, 0, sizeof *r);
}

/* Names ---------------------------------------------------------------------------------------- */

char *routine_display_name(const struct report_routine *routine, const char *object_path)
{
    if (*routine->symbol)
        return demangle_full(routine->symbol);
    const char *object = short_path(object_path);
    return memory_format("%s+0x%" PRIx64, *object ? object : "???", routine->offset);
}

void report_name_routines(struct report *r)
{
    for (size_t i = 0; i < r->routines.count; i++) {
        struct report_routine *routine = &r->routines.at[i];
        free((char *)(uintptr_t)routine->name);
        routine->name = routine_display_name(routine, r->objects.at[routine->object]);
    }
}

/* Merging threads ------------------------------------------------------------------------------ */

void weights_add(struct report_weights *to, const struct report_weights *from)
{
    RECORD_ADD(RECORD_WEIGHTS, to, from);
}

void point_add(struct report_point *to, const struct report_point *from)
{
    RECORD_ADD(RECORD_POINT, to, from);
    RECORD_ADD(RECORD_POINT_TAIL, to, from);
}

static int by_routine(const void *a, const void *b)
{
    const struct report_profile *left = a, *right = b;
    if (left->routine != right->routine)
        return left->routine < right->routine ? -1 : 1;
    return left->thread < right->thread ? -1 : left->thread > right->thread;
}

static int by_input(const void *a, const void *b)
{
    const struct report_point *left = a, *right = b;
    return left->input < right->input ? -1 : left->input > right->input;
}

size_t points_join(struct report_point *at, size_t count)
{
    size_t kept = 0;
    qsort(at, count, sizeof *at, by_input);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && at[kept - 1].input == at[i].input)
            point_add(&at[kept - 1], &at[i]);
        else
            at[kept++] = at[i];
    }
    return kept;
}

/* Merges the points of a routine's profiles, and appends the result to the report's points. */
static void merge_group_points(struct report *r, const struct report_profile *group, size_t count,
                               enum report_metric m, struct report_profile *into)
{
    size_t first = r->points[m].count;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < group[i].count[m]; p++) {
            vector_reserve(&r->points[m], r->points[m].count + 1);
            r->points[m].at[r->points[m].count++] = r->points[m].at[group[i].first[m] + p];
        }
    }
    into->first[m] = first;
    if (r->points[m].count > first)
        into->count[m] = points_join(r->points[m].at + first, r->points[m].count - first);
    r->points[m].count = first + into->count[m];
}

void report_merge_profiles(struct report *r)
{
    size_t kept = 0;
    if (r->profiles.count)
        qsort(r->profiles.at, r->profiles.count, sizeof *r->profiles.at, by_routine);
    for (size_t i = 0, next; i < r->profiles.count; i = next) {
        const struct report_profile *group = &r->profiles.at[i];
        struct report_profile sum = {.routine = group->routine};
        for (next = i; next < r->profiles.count; next++) {
            const struct report_profile *one = &r->profiles.at[next];
            if (one->routine != sum.routine)
                break;
            sum.calls += one->calls;
            sum.cost_total += one->cost_total;
            sum.cost_self += one->cost_self;
            sum.known += one->known;
            weights_add(&sum.weights, &one->weights);
        }
        for (int m = 0; m < METRIC_COUNT; m++)
            merge_group_points(r, group, next - i, m, &sum);
        r->profiles.at[kept++] = sum;
    }
    r->profiles.count = kept;
}

void report_merge_threads(struct report *r)
{
    if (!r->threads_separate)
        return;
    r->threads_separate = false;
    report_contexts_merge(r);
    report_merge_profiles(r);
}

/* Runs ----------------------------------------------------------------------------------------- */

static bool same_words(const string_list *a, const string_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

bool report_is_same_run(const struct report *a, const struct report *b)
{
    const struct totals *t = &a->totals, *u = &b->totals;
    return same_words(&a->process, &b->process) && same_words(&a->command, &b->command) &&
           t->cost == u->cost && t->activations == u->activations && t->reads == u->reads &&
           t->induced_thread == u->induced_thread && t->induced_external == u->induced_external;
}

/* Words ---------------------------------------------------------------------------------------- */

bool report_choose_metric(const struct report *r, const char *wanted, enum report_metric *metric,
                          struct failure *why)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (wanted ? strcmp(wanted, metric_names[m]) == 0 : r->has_metric[m]) {
            *metric = (enum report_metric)m;
            if (r->has_metric[m])
                return true;
            return failure_set(why, "%s: has no %s points: profile with %smetrics=trms,rms",
                               r->path, wanted, report_option_prefix(r));
        }
    }
    return failure_set(why, "%s: unknown metric; use trms or rms", wanted ? wanted : r->path);
}

bool report_has_unread(const struct report *r)
{
    for (size_t i = 0; i < r->unread_ids.count; i++) {
        if (r->unread_ids.at[i])
            return true;
    }
    return false;
}

bool report_is_compiled(const struct report *r)
{
    return strcmp(r->tool, "compiled") == 0;
}

const char *report_option_prefix(const struct report *r)
{
    return report_is_compiled(r) ? "APROF=" : "--";
}

const char *report_cost_words(const struct report *r)
{
    if (strcmp(r->cost_unit, "time") == 0)
        return "nanoseconds";
    return strcmp(r->cost_unit, "instr") == 0 ? "instructions" : "basic blocks";
}

char *report_process_words(const struct report *r)
{
    return memory_join(r->process.at, r->process.count, ':');
}

char *report_input_words(const struct report *r, enum report_metric metric)
{
    return memory_format("%s, %u-byte cells", metric_names[metric], r->resolution_bytes);
}

const char *report_program(const struct report *r)
{
    return r->command.count ? short_path(r->command.at[0]) : "";
}

u128 profile_input(const struct report *r, const struct report_profile *profile,
                   enum report_metric metric)
{
    const struct report_point *points = profile_points(r, profile, metric);
    u128 sum = 0;
    for (size_t i = 0; i < profile->count[metric]; i++)
        sum = u128_add(sum, (u128)points[i].input * points[i].calls);
    return sum;
}

u128 profile_estimated_input(const struct report *r, const struct report_profile *profile,
                             enum report_metric metric)
{
    const struct report_point *points = profile_points(r, profile, metric);
    u128 sum = 0;
    for (size_t i = 0; i < profile->count[metric]; i++)
        sum = u128_add(sum, (u128)points[i].input * point_calls(&points[i]));
    return sum;
}
