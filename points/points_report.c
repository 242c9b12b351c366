/* Writes the report: head, objects, routines, and profiles with points.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The order of records depends on the program, not on the run: objects by path, routines by object
 * and offset, points by input size. Records of lines of code and of contexts follow the profiles.
 * Two runs with the same behaviour give the same bytes below the header.
 */
#include "points/points_report.h"
#include "points/points_report_code.h"
#include "points/points_report_contexts.h"
#include "ground/host.h"
#include "ground/record_schema.h"
#include "ground/sort.h"

/* A routine with measurements. */
struct entry {
    struct routine *routine;
    struct routine_info info;
    uint32_t object; /* number of the object in the report */
};

struct points_writer {
    struct record_writer *to;
    const struct measurements *measured;
    const struct report_info *info;
    struct entry *entries;
    uint32_t n_entries;
    uint32_t *number_of; /* number of each routine in the report + 1, by routine id */
    uint32_t n_ids;
    uint32_t thread;
    struct points_tree *trees; /* trees of contexts; NULL: the report has no contexts */
};

/* ---------------------------------------------------------------- order */

static int compare_text(const char *a, const char *b)
{
    if (!a || !b)
        return !!a - !!b;
    while (*a && *a == *b)
        a++, b++;
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_text(a->info.object, b->info.object);
    if (order)
        return order;
    if (a->info.offset != b->info.offset)
        return a->info.offset < b->info.offset ? -1 : 1;
    return compare_text(a->info.name, b->info.name);
}

static int compare_points(const void *left, const void *right)
{
    const struct point *a = *(struct point *const *)left, *b = *(struct point *const *)right;
    return a->input < b->input ? -1 : a->input > b->input;
}

/* ---------------------------------------------------------------- header */

static bool is_sampled(const struct measurements *m)
{
    return m->sampled > 1;
}

static bool has_unread(const struct points_writer *r)
{
    for (uint32_t i = 0; i < r->n_entries; i++)
        if (r->entries[i].info.unread_id)
            return true;
    return false;
}

static uint32_t version_of(const struct points_writer *r)
{
    const struct measurements *m = r->measured;
    if (is_sampled(m))
        return RECORD_VERSION_SAMPLED;
    if (has_unread(r))
        return RECORD_VERSION_UNREAD;
    if (report_code_exists(m))
        return RECORD_VERSION_CODE;
    return m->contexts ? RECORD_VERSION_CONTEXTS : RECORD_VERSION_PLAIN;
}

struct share {
    const struct points_writer *writer;
    RECORD_SAMPLED(RECORD_MEMBER)
};

static void add_known(void *context, struct routine_profile *profile)
{
    struct share *share = context;
    const struct points_writer *r = share->writer;
    uint32_t id = profile->routine->id;
    bool is_listed = id < r->n_ids && r->number_of[id];
    share->known += profile->known;
    if (!is_listed)
        share->unseen += profile->known;
}

static void put_sampled(struct points_writer *r)
{
    struct share share = {.writer = r, .rate = r->measured->sampled};
    if (!is_sampled(r->measured))
        return;
    for (uint32_t t = 0; t < r->measured->n_threads; t++)
        profile_each(&r->measured->by_thread[t], add_known, &share);
    RECORD_PUT(r->to, "sampled", RECORD_SAMPLED, &share);
}

struct metrics_record {
    RECORD_METRICS(RECORD_MEMBER)
};

static void put_metrics(struct points_writer *r)
{
    const char *metrics[METRICS + 1] = {NULL};
    struct metrics_record record = {metrics};
    int n = 0;
    if (r->measured->metrics & 1u << METRIC_TRMS)
        metrics[n++] = "trms";
    if (r->measured->metrics & 1u << METRIC_RMS)
        metrics[n++] = "rms";
    RECORD_PUT(r->to, "metrics", RECORD_METRICS, &record);
}

struct resolution_record {
    RECORD_RESOLUTION(RECORD_MEMBER)
};

static void put_resolution(struct points_writer *r)
{
    struct resolution_record record = {(uint64_t)1 << r->measured->resolution_log2};
    RECORD_PUT(r->to, "resolution", RECORD_RESOLUTION, &record);
}

struct threads_record {
    RECORD_THREADS(RECORD_MEMBER)
};

static void put_threads(struct points_writer *r)
{
    struct threads_record record = {r->measured->separate_threads ? "separate" : "merged"};
    RECORD_PUT(r->to, "threads", RECORD_THREADS, &record);
}

static void put_totals(struct points_writer *r)
{
    RECORD_PUT(r->to, "totals", RECORD_TOTALS, r->measured);
}

static void put_header(struct points_writer *r)
{
    record_put_first(r->to, RECORD_POINTS_FIRST, version_of(r));
    RECORD_PUT_HEAD(r->to, RECORD_HEAD, r->info, r);
}

/* ---------------------------------------------------------------- objects and routines */

static bool has_measured(const struct routine_profile *profile)
{
    return profile->calls > 0;
}

static struct routine *identify(const struct points_writer *r, struct routine *routine)
{
    return r->info->identify ? r->info->identify(routine) : routine;
}

static void count_id(struct points_writer *r, uint32_t id)
{
    if (id >= r->n_ids)
        r->n_ids = id + 1;
}

static void count_routine(void *context, struct routine *routine)
{
    count_id(context, routine->id);
    count_id(context, identify(context, routine)->id);
}

static void count_ids(void *context, struct routine_profile *profile)
{
    if (has_measured(profile))
        count_routine(context, profile->routine);
}

static void add_routine(void *context, struct routine *routine)
{
    struct points_writer *r = context;
    routine = identify(r, routine);
    if (r->number_of[routine->id])
        return;
    r->number_of[routine->id] = 1;
    struct entry *entry = &r->entries[r->n_entries++];
    entry->routine = routine;
    r->info->describe(routine, &entry->info);
}

static void add_entry(void *context, struct routine_profile *profile)
{
    if (has_measured(profile))
        add_routine(context, profile->routine);
}

/* Visits the routine of each context. A caller whose activations are all pending has no
 * measurements, so it is found only here. */
static void each_context(struct points_writer *r, void (*visit)(void *, struct routine *))
{
    for (uint32_t t = 0; r->trees && t < process_contexts_threads(r->measured->contexts); t++)
        for (uint32_t i = 0; i < r->trees[t].n; i++)
            visit(r, r->trees[t].all[i].routine);
}

static void number_routine(void *context, struct routine *routine)
{
    struct points_writer *r = context;
    r->number_of[routine->id] = r->number_of[identify(r, routine)->id];
}

static void each_profile(struct points_writer *r, void (*visit)(void *, struct routine_profile *))
{
    for (uint32_t t = 0; t < r->measured->n_threads; t++) {
        r->thread = t;
        profile_each(&r->measured->by_thread[t], visit, r);
    }
}

static void list_routines(struct points_writer *r)
{
    each_profile(r, count_ids);
    each_context(r, count_routine);
    report_code_routines(r->measured, count_routine, r);
    r->number_of = host_alloc("aprof.report.numbers", (r->n_ids + 1) * sizeof(*r->number_of));
    struct entry *entries = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*entries));
    struct entry *spare = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*spare));
    r->entries = entries;
    each_profile(r, add_entry);
    each_context(r, add_routine);
    report_code_routines(r->measured, add_routine, r);
    r->entries = sort_merge(entries, spare, r->n_entries, sizeof(*entries), compare_entries);
    host_free(r->entries == entries ? spare : entries);
    for (uint32_t i = 0; i < r->n_entries; i++)
        r->number_of[r->entries[i].routine->id] = i + 1;
    each_context(r, number_routine);
    report_code_routines(r->measured, number_routine, r);
}

struct object_record {
    RECORD_OBJECT(RECORD_MEMBER)
    RECORD_OBJECT_TAIL(RECORD_MEMBER)
};

static void put_objects(struct points_writer *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        struct entry *entry = &r->entries[i];
        if (i == 0 || compare_text(entry->info.object, entry[-1].info.object)) {
            struct object_record object = {entry->info.object, entry->info.unread_id};
            record_put_raw(r->to, "object");
            record_put_number(r->to, n++);
            RECORD_PUT_FIELDS(r->to, RECORD_OBJECT, &object);
            if (object.unread_id)
                RECORD_PUT_FIELDS(r->to, RECORD_OBJECT_TAIL, &object);
            record_end(r->to);
        }
        entry->object = n - 1;
    }
}

struct routine_record {
    RECORD_ROUTINE(RECORD_MEMBER)
};

static void put_routines(struct points_writer *r)
{
    for (uint32_t i = 0; i < r->n_entries; i++) {
        const struct entry *entry = &r->entries[i];
        struct routine_record routine = {
            .object = entry->object,
            .offset = entry->info.offset,
            .size_bytes = entry->info.size,
            .symbol = entry->info.name,
            .file = entry->info.file,
            .line = entry->info.line,
        };
        RECORD_PUT_NUMBERED(r->to, "routine", i, RECORD_ROUTINE, &routine);
    }
}

/* ---------------------------------------------------------------- points */

struct point_tail {
    RECORD_POINT_TAIL(RECORD_MEMBER)
};

static void put_point(struct record_writer *w, const char *metric, const struct point *point,
                      uint64_t weight)
{
    struct point_tail tail = {point->thread_again, weight};
    record_put_raw(w, metric);
    RECORD_PUT_FIELDS(w, RECORD_POINT, point);
    if (weight)
        RECORD_PUT_FIELDS(w, RECORD_POINT_TAIL, &tail);
    else
        RECORD_PUT_FIELDS(w, RECORD_POINT_AGAIN, point);
    record_end(w);
}

static void put_points(struct record_writer *w, const char *metric,
                       const struct routine_profile *profile, const struct point_table *table)
{
    size_t bytes = (table->n_points + 1) * sizeof(struct point *);
    struct point **points = host_alloc("aprof.report.points", bytes);
    struct point **spare = host_alloc("aprof.report.points", bytes);
    for (uint32_t i = 0; i < table->n_points; i++)
        points[i] = &table->points[i];
    struct point **sorted =
        sort_merge(points, spare, table->n_points, sizeof(*points), compare_points);
    for (uint32_t i = 0; i < table->n_points; i++)
        put_point(w, metric, sorted[i], profile_point_weight(profile, table, sorted[i]));
    host_free(points);
    host_free(spare);
}

void points_put(struct record_writer *w, const struct routine_profile *profile, unsigned metrics)
{
    if (metrics & 1u << METRIC_TRMS)
        put_points(w, "trms", profile, profile_table(profile, METRIC_TRMS, metrics));
    if (metrics & 1u << METRIC_RMS)
        put_points(w, "rms", profile, profile_table(profile, METRIC_RMS, metrics));
}

struct profile_record {
    RECORD_PROFILE(RECORD_MEMBER)
};

static void put_profile(struct points_writer *r, const struct routine_profile *profile,
                        uint32_t number)
{
    static const struct profile_weights none;
    const struct profile_weights *weights = profile->weights ? profile->weights : &none;
    struct record_writer *w = r->to;
    struct profile_record record = {
        .routine = number,
        .thread = r->thread,
        .calls = profile->calls,
        .cost_total = profile->cost_total,
        .cost_self = profile->cost_self,
    };
    record_put_raw(w, "profile");
    RECORD_PUT_FIELDS(w, RECORD_PROFILE, &record);
    if (is_sampled(r->measured)) {
        RECORD_PUT_FIELDS(w, RECORD_KNOWN, profile);
        RECORD_PUT_FIELDS(w, RECORD_WEIGHTS, weights);
    }
    record_end(w);
    points_put(w, profile, r->measured->metrics);
}

static struct routine_profile *find_profile(const struct profile *profile, uint32_t id)
{
    uint32_t block = id / PROFILE_BLOCK;
    if (block >= profile->n_blocks || !profile->blocks[block])
        return NULL;
    return profile->blocks[block][id % PROFILE_BLOCK];
}

static void put_profiles(struct points_writer *r)
{
    for (uint32_t t = 0; t < r->measured->n_threads; t++) {
        r->thread = t;
        for (uint32_t i = 0; i < r->n_entries; i++) {
            struct routine_profile *profile =
                find_profile(&r->measured->by_thread[t], r->entries[i].routine->id);
            if (profile && has_measured(profile))
                put_profile(r, profile, i);
        }
    }
}

/* ---------------------------------------------------------------- entry point */

void points_report_write(const struct measurements *measured, const struct report_info *info,
                         struct record_writer *to)
{
    struct points_writer writer = {.to = to, .measured = measured, .info = info};
    struct points_writer *r = &writer;
    if (measured->contexts)
        r->trees = report_contexts_list(measured->contexts);
    list_routines(r);
    put_header(r);
    put_objects(r);
    put_routines(r);
    put_profiles(r);
    if (report_code_exists(measured))
        report_code_put(r->to, measured, info->code, r->number_of);
    if (r->trees) {
        report_contexts_put(r->to, measured->contexts, r->trees, r->number_of, measured->metrics);
        report_contexts_free(measured->contexts, r->trees);
    }
    record_writer_finish(to);
    host_free(r->entries);
    host_free(r->number_of);
}
