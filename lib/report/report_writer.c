/* Writes a report; see report_writer.h and aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profilers write the records from their own tables (points/points_report.c). The command
 * writes the records from reports that it has read and merged. Tests read a report, write it again
 * and compare the bytes, so that the two implementations stay equal.
 */
#include "lib/report/report_writer.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"

static uint64_t version_of(const struct report *r)
{
    if (r->share.weighted)
        return RECORD_VERSION_SAMPLED;
    if (report_has_unread(r))
        return RECORD_VERSION_UNREAD;
    if (r->share.rate)
        return RECORD_VERSION_SAMPLED_BEFORE;
    if (report_has_code(r))
        return RECORD_VERSION_CODE;
    return report_has_contexts(r) ? RECORD_VERSION_CONTEXTS : RECORD_VERSION_PLAIN;
}

/* A report, and the writer of its records. */
struct report_output {
    struct record_writer *to;
    const struct report *report;
};

static void put_sampled(struct report_output *o)
{
    if (o->report->share.rate)
        RECORD_PUT(o->to, "sampled", RECORD_SAMPLED, &o->report->share);
}

struct metrics_record {
    RECORD_METRICS(RECORD_MEMBER)
};

static void put_metrics(struct report_output *o)
{
    const char *names[METRIC_COUNT];
    struct metrics_record record = {{.at = names}};
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (o->report->has_metric[m])
            names[record.metrics.count++] = metric_names[m];
    }
    RECORD_PUT(o->to, "metrics", RECORD_METRICS, &record);
}

static void put_resolution(struct report_output *o)
{
    RECORD_PUT(o->to, "resolution", RECORD_RESOLUTION, o->report);
}

struct threads_record {
    RECORD_THREADS(RECORD_MEMBER)
};

static void put_threads(struct report_output *o)
{
    struct threads_record record = {o->report->threads_separate ? "separate" : "merged"};
    RECORD_PUT(o->to, "threads", RECORD_THREADS, &record);
}

static void put_totals(struct report_output *o)
{
    RECORD_PUT(o->to, "totals", RECORD_TOTALS, &o->report->totals);
}

static void put_head(struct record_writer *w, const struct report *r)
{
    struct report_output output = {w, r};
    record_put_first(w, RECORD_POINTS_FIRST, version_of(r));
    RECORD_PUT_HEAD(w, RECORD_HEAD, r, &output);
}

void routine_write(struct record_writer *w, size_t id, const struct report_routine *routine)
{
    RECORD_PUT_NUMBERED(w, "routine", id, RECORD_ROUTINE, routine);
}

static void put_point(struct record_writer *w, const struct report *r, const char *metric,
                      const struct report_point *point)
{
    record_put_raw(w, metric);
    RECORD_PUT_FIELDS(w, RECORD_POINT, point);
    if (r->share.weighted)
        RECORD_PUT_FIELDS(w, RECORD_POINT_TAIL, point);
    else
        RECORD_PUT_FIELDS(w, RECORD_POINT_AGAIN, point);
    record_end(w);
}

static void put_points(struct record_writer *w, const struct report *r,
                       const struct report_profile *profile)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct report_point *points = profile_points(r, profile, (enum report_metric)m);
        for (size_t i = 0; i < profile->count[m]; i++)
            put_point(w, r, metric_names[m], &points[i]);
    }
}

static void put_profile(struct record_writer *w, const struct report *r,
                        const struct report_profile *profile)
{
    record_put_raw(w, "profile");
    RECORD_PUT_FIELDS(w, RECORD_PROFILE, profile);
    if (r->share.rate)
        RECORD_PUT_FIELDS(w, RECORD_KNOWN, profile);
    if (r->share.weighted)
        RECORD_PUT_FIELDS(w, RECORD_WEIGHTS, &profile->weights);
    record_end(w);
    put_points(w, r, profile);
}

static bool same_record(const struct report_line_cost *a, const struct report_line_cost *b)
{
    return a->routine == b->routine && a->place.inlined == b->place.inlined &&
           a->place.file == b->place.file;
}

/* Writes one record: the lines of a routine in one file. Returns the number of lines. */
static size_t put_lines(struct record_writer *w, const struct report_line_cost *lines, size_t count)
{
    uint32_t line = 0;
    size_t i = 0;
    record_put_raw(w, "lines");
    RECORD_PUT_FIELDS(w, RECORD_LINES, lines);
    for (; i < count && same_record(lines, &lines[i]); i++) {
        record_put_number(w, lines[i].place.line - line);
        record_put_number(w, lines[i].cost);
        line = lines[i].place.line;
    }
    record_end(w);
    return i;
}

struct file_record {
    RECORD_FILE(RECORD_MEMBER)
};

static void put_code(struct record_writer *w, const struct report_code *code)
{
    for (size_t i = 0; i < code->files.count; i++) {
        struct file_record file = {code->files.at[i]};
        RECORD_PUT_NUMBERED(w, "file", i, RECORD_FILE, &file);
    }
    for (size_t i = 0; i < code->inlined.count; i++)
        RECORD_PUT_NUMBERED(w, "inlined", i, RECORD_INLINED, &code->inlined.at[i]);
    for (size_t i = 0; i < code->edges.count; i++)
        RECORD_PUT(w, "edge", RECORD_EDGE, &code->edges.at[i]);
    for (size_t i = 0; i < code->lines.count;)
        i += put_lines(w, &code->lines.at[i], code->lines.count - i);
}

struct context_record {
    RECORD_CONTEXT(RECORD_MEMBER)
};

static void put_context(struct record_writer *w, const struct report *r, size_t first, size_t id)
{
    const struct report_context *context = &r->contexts.all.at[first + id];
    const struct report_profile *profile = &context->profile;
    bool has_caller = context->caller != CONTEXT_NO_CALLER;
    struct context_record record = {
        .caller = has_caller ? context->caller - (uint32_t)first : RECORD_NONE,
        .routine = profile->routine,
        .calls = profile->calls,
        .cost_total = profile->cost_total,
        .cost_self = profile->cost_self,
        .error = context->error,
    };
    RECORD_PUT_NUMBERED(w, "context", id, RECORD_CONTEXT, &record);
    put_points(w, r, profile);
}

static void put_contexts(struct record_writer *w, const struct report *r)
{
    const struct report_contexts *c = &r->contexts;
    RECORD_PUT(w, "contexts", RECORD_CONTEXTS, c);
    for (size_t t = 0; t < c->trees.count; t++) {
        const struct report_tree *tree = &c->trees.at[t];
        RECORD_PUT(w, "tree", RECORD_TREE, tree);
        for (size_t i = 0; i < tree->count; i++)
            put_context(w, r, tree->first, i);
    }
}

struct object_record {
    RECORD_OBJECT(RECORD_MEMBER)
    RECORD_OBJECT_TAIL(RECORD_MEMBER)
};

static void put_objects(struct record_writer *w, const struct report *r)
{
    for (size_t i = 0; i < r->objects.count; i++) {
        struct object_record object = {r->objects.at[i], r->unread_ids.at[i]};
        record_put_raw(w, "object");
        record_put_number(w, i);
        RECORD_PUT_FIELDS(w, RECORD_OBJECT, &object);
        if (object.unread_id)
            RECORD_PUT_FIELDS(w, RECORD_OBJECT_TAIL, &object);
        record_end(w);
    }
}

void report_write(const struct report *r, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    put_head(&w, r);
    put_objects(&w, r);
    for (size_t i = 0; i < r->routines.count; i++)
        routine_write(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->profiles.count; i++)
        put_profile(&w, r, &r->profiles.at[i]);
    put_code(&w, &r->code);
    if (report_has_contexts(r))
        put_contexts(&w, r);
    record_writer_finish(&w);
}
