/* Adds reports; see report_merge.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each report is first converted to a common form, with merged threads and with routines sorted by
 * object, offset and symbol. Two converted reports are merged like two sorted lists, routine by
 * routine and point by point.
 */
#include "aprof-config.h"

#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"
#include "lib/report/report_merge.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROCESS_MERGED "merged"
#define END_SEVERAL    "several"
#define WORDS_DIFFER   "..."

/* Common form ---------------------------------------------------------------------------------- */

static const char *object_of(const struct report *r, const struct report_routine *routine)
{
    return r->objects.at[routine->object];
}

static int compare_routines(const struct report *ra, const struct report_routine *a,
                            const struct report *rb, const struct report_routine *b)
{
    int order = strcmp(object_of(ra, a), object_of(rb, b));
    if (order == 0)
        order = a->offset < b->offset ? -1 : a->offset > b->offset;
    return order ? order : strcmp(a->symbol, b->symbol);
}

static int by_place(const void *a, const void *b, void *report)
{
    const struct report *r = report;
    const uint32_t *left = a, *right = b;
    return compare_routines(r, &r->routines.at[*left], r, &r->routines.at[*right]);
}

/* The report's routines in sorted order, each with its profile. */
struct sorted {
    const struct report *report;
    uint32_t *order;                       /* routine ids of the report */
    const struct report_profile **profile; /* profiles by routine id; NULL: the routine has no
                                            * profile */
    uint32_t *number;                      /* numbers of the routines in the sum, by routine id */
};

static void sorted_make(const struct report *r, struct sorted *s)
{
    s->report = r;
    s->order = memory_resize(NULL, r->routines.count, sizeof *s->order);
    s->profile = memory_get_zeroed(r->routines.count, sizeof *s->profile);
    s->number = memory_get_zeroed(r->routines.count, sizeof *s->number);
    for (uint32_t i = 0; i < r->routines.count; i++)
        s->order[i] = i;
    qsort_r(s->order, r->routines.count, sizeof *s->order, by_place, (void *)(uintptr_t)r);
    for (size_t i = 0; i < r->profiles.count; i++)
        s->profile[r->profiles.at[i].routine] = &r->profiles.at[i];
}

static void sorted_free(struct sorted *s)
{
    free(s->order);
    free(s->profile);
    free(s->number);
}

/* The head ------------------------------------------------------------------------------------- */

static const char *keep(struct report *r, const char *text)
{
    return arena_copy(&r->strings, text, strlen(text));
}

static bool refuse(const struct report *a, const struct report *b, const char *what,
                   const char *one, const char *other, struct failure *why)
{
    return failure_set(why, "%s and %s cannot be added: different %s, %s and %s", a->path, b->path,
                       what, one, other);
}

static const char *metrics_words(const struct report *r)
{
    bool trms = r->has_metric[METRIC_TRMS], rms = r->has_metric[METRIC_RMS];
    return trms && rms ? "trms,rms" : trms ? "trms" : "rms";
}

static const char *weights_words(const struct report *r)
{
    return r->share.weighted ? "yes" : "no";
}

static uint64_t share_rate(const struct report *a, const struct report *b)
{
    return a->share.rate > b->share.rate ? a->share.rate : b->share.rate;
}

/* Samples with weights may have different rates, because each call has a weight of its own. */
static bool are_weighted_samples(const struct report *a, const struct report *b)
{
    return a->share.rate && b->share.rate && a->share.weighted && b->share.weighted;
}

static bool check_heads(const struct report *a, const struct report *b, struct failure *why)
{
    char size_a[16], size_b[16];
    snprintf(size_a, sizeof size_a, "%u", a->resolution_bytes);
    snprintf(size_b, sizeof size_b, "%u", b->resolution_bytes);
    char rate_a[24], rate_b[24];
    snprintf(rate_a, sizeof rate_a, "%" PRIu64, a->share.rate);
    snprintf(rate_b, sizeof rate_b, "%" PRIu64, b->share.rate);
    char *contexts_a = report_contexts_words(a), *contexts_b = report_contexts_words(b);
    const struct {
        const char *what, *a, *b;
    } same[] = {
        {"metrics", metrics_words(a), metrics_words(b)},
        {"resolutions", size_a, size_b},
        {"cost units", a->cost_unit, b->cost_unit},
        {"machine codes", a->arch, b->arch},
        {"programs", report_program(a), report_program(b)},
        {"contexts", contexts_a, contexts_b},
        {"samples", rate_a, are_weighted_samples(a, b) ? rate_a : rate_b},
        {"weights", weights_words(a), weights_words(b)},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof same / sizeof *same && good; i++) {
        if (strcmp(same[i].a, same[i].b) != 0)
            good = refuse(a, b, same[i].what, same[i].a, same[i].b, why);
    }
    free(contexts_a);
    free(contexts_b);
    return good;
}

static bool same_words(const string_list *a, const string_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->at[i], b->at[i]) != 0)
            return false;
    }
    return true;
}

static void keep_words(struct report *r, string_list *to, const string_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        vector_push(to, keep(r, from->at[i]));
}

/* Keeps the command if both reports have the same command. If the commands differ, keeps only the
 * program, followed by three dots. */
static void add_commands(struct report *sum, const struct report *a, const struct report *b)
{
    const char *program = a->command.at[0];
    if (same_words(&a->command, &b->command)) {
        keep_words(sum, &sum->command, &a->command);
        return;
    }
    if (strcmp(program, b->command.at[0]) != 0)
        program = short_path(program);
    vector_push(&sum->command, keep(sum, program));
    vector_push(&sum->command, WORDS_DIFFER);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static string_list sorted(const string_list *list)
{
    string_list copy = {0};
    for (size_t i = 0; i < list->count; i++)
        vector_push(&copy, list->at[i]);
    if (copy.count)
        qsort(copy.at, copy.count, sizeof *copy.at, by_text);
    return copy;
}

/* Keeps one copy of each option that both reports have. The order of options does not depend on the
 * order of the reports. */
static void add_options(struct report *sum, const struct report *a, const struct report *b)
{
    string_list of_a = sorted(&a->options), of_b = sorted(&b->options);
    for (size_t i = 0, k = 0; i < of_a.count && k < of_b.count;) {
        int order = strcmp(of_a.at[i], of_b.at[k]);
        bool again = i > 0 && strcmp(of_a.at[i], of_a.at[i - 1]) == 0;
        if (order == 0 && !again)
            vector_push(&sum->options, keep(sum, of_a.at[i]));
        i += order <= 0;
        k += order > 0;
    }
    vector_free(&of_a);
    vector_free(&of_b);
}

/* The number of reports that were added up in this report. */
static uint64_t report_count(const struct report *r)
{
    if (r->process.count == 2 && strcmp(r->process.at[0], PROCESS_MERGED) == 0)
        return strtoull(r->process.at[1], NULL, 10);
    return 1;
}

static void set_process(struct report *r, uint64_t count)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, count);
    r->process.count = 0;
    vector_push(&r->process, PROCESS_MERGED);
    vector_push(&r->process, keep(r, number));
}

static void add_heads(struct report *sum, const struct report *a, const struct report *b)
{
    bool same_end = strcmp(a->end_reason, b->end_reason) == 0;
    sum->path = memory_copy_string(a->path);
    sum->creator = PACKAGE_STRING;
    sum->tool = keep(sum, strcmp(a->tool, b->tool) > 0 ? a->tool : b->tool);
    sum->arch = keep(sum, a->arch);
    sum->end_reason = same_end ? keep(sum, a->end_reason) : END_SEVERAL;
    sum->cost_unit = keep(sum, a->cost_unit);
    sum->resolution_bytes = a->resolution_bytes;
    sum->size = a->size == b->size ? a->size : 0;
    sum->share =
        (struct report_share){share_rate(a, b), u64_add(a->share.known, b->share.known),
                              u64_add(a->share.unseen, b->share.unseen), a->share.weighted};
    memcpy(sum->has_metric, a->has_metric, sizeof sum->has_metric);
    add_commands(sum, a, b);
    add_options(sum, a, b);
    sum->totals = a->totals;
    RECORD_ADD(RECORD_TOTALS, &sum->totals, &b->totals);
    set_process(sum, u64_add(report_count(a), report_count(b)));
}

/* Routines and points -------------------------------------------------------------------------- */

/* Returns the index of an object in the sum, and appends the object if it is new. Only the last
 * object is compared, because routines are added in the order of their objects. */
static uint32_t sum_object(struct report *sum, const char *path)
{
    size_t count = sum->objects.count;
    if (count == 0 || strcmp(sum->objects.at[count - 1], path) != 0) {
        vector_push(&sum->objects, keep(sum, path));
        vector_push(&sum->unread_ids, NULL);
    }
    return (uint32_t)(sum->objects.count - 1);
}

/* Copies the build id of a routine's object to the sum. If two build ids differ, the sum has no
 * build id for the object. */
static void add_unread_id(struct report *sum, uint32_t object, const struct report *from,
                          const struct report_routine *routine)
{
    const char *id = from->unread_ids.at[routine->object];
    const char **known = &sum->unread_ids.at[object];
    if (id && (!*known || strcmp(*known, id) != 0))
        *known = keep(sum, *known ? "" : id);
}

/* Chooses the routine that has a source position. If both routines have a position, chooses the
 * routine with the greater position, so that the order of reports has no effect. */
static const struct report_routine *better_source(const struct report_routine *a,
                                                  const struct report_routine *b)
{
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = a->line < b->line ? -1 : 1;
    return order > 0 ? a : b;
}

static void add_routine(struct report *sum, const struct report *ra, const struct report_routine *a,
                        const struct report *rb, const struct report_routine *b)
{
    const struct report_routine *source = b ? better_source(a, b) : a;
    struct report_routine routine = *a;
    routine.object = sum_object(sum, object_of(ra, a));
    add_unread_id(sum, routine.object, ra, a);
    if (b)
        add_unread_id(sum, routine.object, rb, b);
    routine.symbol = keep(sum, a->symbol);
    routine.file = keep(sum, source->file);
    routine.line = source->line;
    routine.name = NULL;
    vector_push(&sum->routines, routine);
}

static void add_points(struct report *sum, struct report_profile *profile, enum report_metric m,
                       const struct report *ra, const struct report_profile *a,
                       const struct report *rb, const struct report_profile *b)
{
    const struct report_point *at_a = a ? profile_points(ra, a, m) : NULL;
    const struct report_point *at_b = b ? profile_points(rb, b, m) : NULL;
    size_t count_a = a ? a->count[m] : 0, count_b = b ? b->count[m] : 0;
    size_t i = 0, k = 0;
    profile->first[m] = sum->points[m].count;
    while (i < count_a || k < count_b) {
        bool take_a = k == count_b || (i < count_a && at_a[i].input <= at_b[k].input);
        bool take_b = i == count_a || (k < count_b && at_b[k].input <= at_a[i].input);
        struct report_point point = take_a ? at_a[i] : at_b[k];
        if (take_a && take_b)
            point_add(&point, &at_b[k]);
        vector_push(&sum->points[m], point);
        i += take_a;
        k += take_b;
    }
    profile->count[m] = sum->points[m].count - profile->first[m];
}

static void add_profiles(struct report *sum, const struct report *ra,
                         const struct report_profile *a, const struct report *rb,
                         const struct report_profile *b)
{
    struct report_profile profile = {.routine = (uint32_t)(sum->routines.count - 1)};
    if (!a && !b)
        return;
    profile.calls = u64_add(a ? a->calls : 0, b ? b->calls : 0);
    profile.cost_total = u64_add(a ? a->cost_total : 0, b ? b->cost_total : 0);
    profile.cost_self = u64_add(a ? a->cost_self : 0, b ? b->cost_self : 0);
    profile.known = u64_add(a ? a->known : 0, b ? b->known : 0);
    if (a)
        weights_add(&profile.weights, &a->weights);
    if (b)
        weights_add(&profile.weights, &b->weights);
    for (int m = 0; m < METRIC_COUNT; m++)
        add_points(sum, &profile, (enum report_metric)m, ra, a, rb, b);
    vector_push(&sum->profiles, profile);
}

/* Checks that an address belongs to the same routine in both reports. */
static bool check_binaries(const struct report *ra, const struct report_routine *a,
                           const struct report *rb, const struct report_routine *b,
                           struct failure *why)
{
    bool same_place = a->offset == b->offset && strcmp(object_of(ra, a), object_of(rb, b)) == 0;
    if (!same_place || (a->size_bytes == b->size_bytes && strcmp(a->symbol, b->symbol) == 0))
        return true;
    return failure_set(
        why, "%s and %s cannot be added: different builds of %s: 0x%" PRIx64 " is %s or %s",
        ra->path, rb->path, object_of(ra, a), a->offset, *a->symbol ? a->symbol : "?",
        *b->symbol ? b->symbol : "?");
}

static bool add_bodies(struct report *sum, const struct sorted *a, const struct sorted *b,
                       struct failure *why)
{
    const struct report *ra = a->report, *rb = b->report;
    size_t i = 0, k = 0;
    while (i < ra->routines.count || k < rb->routines.count) {
        const struct report_routine *left =
            i < ra->routines.count ? &ra->routines.at[a->order[i]] : NULL;
        const struct report_routine *right =
            k < rb->routines.count ? &rb->routines.at[b->order[k]] : NULL;
        if (left && right && !check_binaries(ra, left, rb, right, why))
            return false;
        int order = !left ? 1 : !right ? -1 : compare_routines(ra, left, rb, right);
        const struct report_profile *from_a = order <= 0 ? a->profile[a->order[i]] : NULL;
        const struct report_profile *from_b = order >= 0 ? b->profile[b->order[k]] : NULL;
        add_routine(sum, order <= 0 ? ra : rb, order <= 0 ? left : right, rb,
                    order == 0 ? right : NULL);
        add_profiles(sum, ra, from_a, rb, from_b);
        if (order <= 0)
            a->number[a->order[i]] = (uint32_t)(sum->routines.count - 1);
        if (order >= 0)
            b->number[b->order[k]] = (uint32_t)(sum->routines.count - 1);
        i += order <= 0;
        k += order >= 0;
    }
    return true;
}

static void add_contexts(struct report *sum, const struct sorted *a, const struct sorted *b)
{
    const struct report_contexts *from = &a->report->contexts;
    if (!report_has_contexts(a->report))
        return;
    sum->contexts.kind = keep(sum, from->kind);
    sum->contexts.phi = keep(sum, from->phi);
    sum->contexts.epsilon = keep(sum, from->epsilon);
    sum->contexts.weight = keep(sum, from->weight);
    sum->contexts.recursion = keep(sum, from->recursion);
    report_contexts_append(sum, a->report, a->number);
    report_contexts_append(sum, b->report, b->number);
    report_contexts_merge(sum);
}

static void add_code(struct report *sum, const struct sorted *a, const struct sorted *b)
{
    report_code_append(sum, a->report, a->number);
    report_code_append(sum, b->report, b->number);
    report_code_merge(sum);
}

static bool add_reports(struct report *sum, const struct report *a, const struct report *b,
                        struct failure *why)
{
    struct sorted left, right;
    memset(sum, 0, sizeof *sum);
    if (!check_heads(a, b, why))
        return false;
    add_heads(sum, a, b);
    sorted_make(a, &left);
    sorted_make(b, &right);
    bool good = add_bodies(sum, &left, &right, why);
    if (good) {
        add_contexts(sum, &left, &right);
        add_code(sum, &left, &right);
    }
    sorted_free(&left);
    sorted_free(&right);
    if (!good)
        report_free(sum);
    return good;
}

/* Many reports --------------------------------------------------------------------------------- */

static size_t report_size(const struct report *r)
{
    return r->routines.count + r->points[METRIC_TRMS].count + r->points[METRIC_RMS].count +
           r->code.edges.count + r->code.lines.count;
}

static bool add_top_two(struct report_merge *merge, struct failure *why)
{
    struct report sum;
    struct report *below = &merge->sums.at[merge->sums.count - 2], *top = below + 1;
    if (!add_reports(&sum, below, top, why))
        return false;
    report_free(below);
    report_free(top);
    *below = sum;
    merge->sums.count--;
    return true;
}

bool report_merge_add(struct report_merge *merge, struct report *report, struct failure *why)
{
    report_merge_threads(report);
    vector_push(&merge->sums, *report);
    memset(report, 0, sizeof *report);
    while (merge->sums.count >= 2) {
        const struct report *top = &merge->sums.at[merge->sums.count - 1];
        if (report_size(top) < report_size(top - 1) / 2)
            return true;
        if (!add_top_two(merge, why))
            return false;
    }
    return true;
}

/* Converts a single report to the form of a sum. */
static bool add_nothing(struct report *report, struct failure *why)
{
    struct report nothing = {
        .path = report->path,
        .tool = report->tool,
        .arch = report->arch,
        .end_reason = report->end_reason,
        .cost_unit = report->cost_unit,
        .command = report->command,
        .options = report->options,
        .size = report->size,
        .share = {.rate = report->share.rate, .weighted = report->share.weighted},
        .resolution_bytes = report->resolution_bytes};
    struct report sum;
    memcpy(nothing.has_metric, report->has_metric, sizeof nothing.has_metric);
    nothing.contexts = report->contexts;
    memset(&nothing.contexts.all, 0, sizeof nothing.contexts.all);
    memset(&nothing.contexts.trees, 0, sizeof nothing.contexts.trees);
    bool good = add_reports(&sum, report, &nothing, why);
    if (!good)
        return false;
    set_process(&sum, report_count(report));
    report_free(report);
    *report = sum;
    return true;
}

bool report_merge_finish(struct report_merge *merge, struct report *sum, struct failure *why)
{
    while (merge->sums.count >= 2) {
        if (!add_top_two(merge, why))
            return false;
    }
    if (!add_nothing(&merge->sums.at[0], why))
        return false;
    *sum = merge->sums.at[0];
    merge->sums.count = 0;
    report_merge_free(merge);
    report_name_routines(sum);
    return true;
}

void report_merge_free(struct report_merge *merge)
{
    for (size_t i = 0; i < merge->sums.count; i++)
        report_free(&merge->sums.at[i]);
    vector_free(&merge->sums);
}
