/* The report's writer: header, objects, routines, profiles with points, proof of completeness.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The order is that of the program, not of the run: objects by path, routines by object and offset,
 * points by input size. Two runs that did the same give the same bytes below the header.
 */
#include "points/points_report_contexts.h"
#include "ground/host.h"

/* A routine that has something to report. */
struct entry {
    struct routine *routine;
    struct routine_info info;
    uint32_t object; /* number in the report */
};

struct report {
    struct report_lines writer;
    const struct measurements *measured;
    const struct report_info *info;
    struct entry *entries;
    uint32_t n_entries;
    uint32_t *number_of; /* by routine id: number in the report + 1 */
    uint32_t n_ids;
    uint32_t thread;
    struct points_tree *trees; /* of contexts; NULL: there are none */
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

static const char *const resolutions[] = {"1", "2", "4", "8", "16"};

static void put_header(struct report *r)
{
    struct report_lines *w = &r->writer;
    const struct report_info *info = r->info;
    const struct measurements *m = r->measured;
    const char *metrics[METRICS + 1] = {NULL};
    int n = 0;
    if (m->metrics & 1u << METRIC_TRMS)
        metrics[n++] = "trms";
    if (m->metrics & 1u << METRIC_RMS)
        metrics[n++] = "rms";
    report_put_raw(w, "aprof");
    report_put_number(w, m->contexts ? REPORT_VERSION : REPORT_VERSION_PLAIN);
    report_end_line(w);
    report_put_line(w, "creator", info->creator);
    report_put_line(w, "tool", info->tool);
    report_put_line(w, "arch", info->arch);
    report_put_list(w, "command", info->command);
    report_put_list(w, "process", info->process);
    report_put_list(w, "options", info->options);
    report_put_list(w, "metrics", metrics);
    report_put_line(w, "resolution", resolutions[m->resolution_log2]);
    report_put_line(w, "cost", info->cost);
    report_put_line(w, "threads", m->separate_threads ? "separate" : "merged");
    report_put_line(w, "end", info->end);
    report_put_raw(w, "totals");
    report_put_number(w, m->cost);
    report_put_number(w, m->activations);
    report_put_number(w, m->reads);
    report_put_number(w, m->induced_thread);
    report_put_number(w, m->induced_external);
    report_end_line(w);
}

/* ---------------------------------------------------------------- objects and routines */

static bool has_measured(const struct routine_profile *profile)
{
    return profile->calls > 0;
}

static void count_ids(void *context, struct routine_profile *profile)
{
    struct report *r = context;
    if (has_measured(profile) && profile->routine->id >= r->n_ids)
        r->n_ids = profile->routine->id + 1;
}

static void add_routine(struct report *r, struct routine *routine)
{
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

/* A context may have callers of which no activation has ended. */
static void each_context(struct report *r, void (*visit)(struct report *, struct routine *))
{
    for (uint32_t t = 0; r->trees && t < process_contexts_threads(r->measured->contexts); t++)
        for (uint32_t i = 0; i < r->trees[t].n; i++)
            visit(r, r->trees[t].all[i].routine);
}

static void count_caller(struct report *r, struct routine *routine)
{
    if (routine->id >= r->n_ids)
        r->n_ids = routine->id + 1;
}

static void each_profile(struct report *r, void (*visit)(void *, struct routine_profile *))
{
    for (uint32_t t = 0; t < r->measured->n_threads; t++) {
        r->thread = t;
        profile_each(&r->measured->by_thread[t], visit, r);
    }
}

static void list_routines(struct report *r)
{
    each_profile(r, count_ids);
    each_context(r, count_caller);
    r->number_of = host_alloc("aprof.report.numbers", (r->n_ids + 1) * sizeof(*r->number_of));
    struct entry *entries = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*entries));
    struct entry *spare = host_alloc("aprof.report.entries", (r->n_ids + 1) * sizeof(*spare));
    r->entries = entries;
    each_profile(r, add_entry);
    each_context(r, add_routine);
    r->entries = (struct entry *)report_sort((char *)entries, (char *)spare, r->n_entries,
                                             sizeof(*entries), compare_entries);
    host_free(r->entries == entries ? spare : entries);
    for (uint32_t i = 0; i < r->n_entries; i++)
        r->number_of[r->entries[i].routine->id] = i + 1;
}

static void put_objects(struct report *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        struct entry *entry = &r->entries[i];
        if (i == 0 || compare_text(entry->info.object, entry[-1].info.object)) {
            report_put_raw(&r->writer, "object");
            report_put_number(&r->writer, n++);
            report_put_text(&r->writer, entry->info.object);
            report_end_line(&r->writer);
        }
        entry->object = n - 1;
    }
}

static void put_routines(struct report *r)
{
    struct report_lines *w = &r->writer;
    for (uint32_t i = 0; i < r->n_entries; i++) {
        const struct entry *entry = &r->entries[i];
        report_put_raw(w, "routine");
        report_put_number(w, i);
        report_put_number(w, entry->object);
        report_put_address(w, entry->info.offset);
        report_put_number(w, entry->info.size);
        report_put_text(w, entry->info.name);
        report_put_text(w, entry->info.file);
        report_put_number(w, entry->info.line);
        report_end_line(w);
    }
}

/* ---------------------------------------------------------------- points */

static void put_point(struct report_lines *w, const char *metric, const struct point *point)
{
    report_put_raw(w, metric);
    report_put_number(w, point->input);
    report_put_number(w, point->calls);
    report_put_wide(w, point->cost_sum);
    report_put_number(w, point->cost_min);
    report_put_number(w, point->cost_max);
    report_put_wide(w, point->cost_squares);
    report_put_number(w, point->self_sum);
    report_put_number(w, point->induced_thread);
    report_put_number(w, point->induced_external);
    report_end_line(w);
}

static void put_points(struct report_lines *w, const char *metric, const struct point_table *table)
{
    size_t bytes = (table->n_points + 1) * sizeof(struct point *);
    struct point **points = host_alloc("aprof.report.points", bytes);
    struct point **spare = host_alloc("aprof.report.points", bytes);
    for (uint32_t i = 0; i < table->n_points; i++)
        points[i] = &table->points[i];
    struct point **sorted = (struct point **)report_sort(
        (char *)points, (char *)spare, table->n_points, sizeof(struct point *), compare_points);
    for (uint32_t i = 0; i < table->n_points; i++)
        put_point(w, metric, sorted[i]);
    host_free(points);
    host_free(spare);
}

void report_put_points(struct report_lines *w, const struct routine_profile *profile,
                       unsigned metrics)
{
    if (metrics & 1u << METRIC_TRMS)
        put_points(w, "trms", profile_table(profile, METRIC_TRMS, metrics));
    if (metrics & 1u << METRIC_RMS)
        put_points(w, "rms", profile_table(profile, METRIC_RMS, metrics));
}

static void put_profile(struct report *r, const struct routine_profile *profile, uint32_t number)
{
    struct report_lines *w = &r->writer;
    report_put_raw(w, "profile");
    report_put_number(w, number);
    report_put_number(w, r->thread);
    report_put_number(w, profile->calls);
    report_put_number(w, profile->cost_total);
    report_put_number(w, profile->cost_self);
    report_end_line(w);
    report_put_points(w, profile, r->measured->metrics);
}

static struct routine_profile *find_profile(const struct profile *profile, uint32_t id)
{
    uint32_t block = id / PROFILE_BLOCK;
    if (block >= profile->n_blocks || !profile->blocks[block])
        return NULL;
    return profile->blocks[block][id % PROFILE_BLOCK];
}

static void put_profiles(struct report *r)
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

static void put_proof(struct report_lines *w)
{
    uint64_t lines = w->lines, checksum = w->checksum;
    report_put_raw(w, "complete");
    report_put_number(w, lines);
    report_put_byte(w, '\t');
    report_put_hex(w, checksum, 16);
    report_end_line(w);
    report_flush(w);
}

void points_report_write(const struct measurements *measured, const struct report_info *info,
                         const struct report_sink *sink)
{
    struct report *r = host_alloc("aprof.report", sizeof(*r));
    report_lines_start(&r->writer, sink);
    r->measured = measured;
    r->info = info;
    if (measured->contexts)
        r->trees = report_contexts_list(measured->contexts);
    list_routines(r);
    put_header(r);
    put_objects(r);
    put_routines(r);
    put_profiles(r);
    if (r->trees) {
        report_contexts_put(&r->writer, measured->contexts, r->trees, r->number_of,
                            measured->metrics);
        report_contexts_free(measured->contexts, r->trees);
    }
    put_proof(&r->writer);
    host_free(r->entries);
    host_free(r->number_of);
    host_free(r);
}
