/* Writes a report; see report_writer.h and aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profilers write these records from their own tables (points/points_report.c), the command
 * from reports that it has read and merged. Tests read, write and compare the bytes, so that the
 * two implementations cannot diverge.
 */
#include "lib/report/report_writer.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"

static const char *version_of(const struct report *r)
{
    if (r->share.weighted)
        return "6";
    if (report_has_unread(r))
        return "5";
    if (r->share.rate)
        return "4";
    return report_has_code(r) ? "3" : report_has_contexts(r) ? "2" : "1";
}

static void put_head(struct record_writer *w, const struct report *r)
{
    record_put_line(w, "aprof", version_of(r));
    record_put_line(w, "creator", r->creator);
    record_put_line(w, "tool", r->tool);
    record_put_line(w, "arch", r->arch);
    record_put_strings(w, "command", &r->command);
    record_put_strings(w, "process", &r->process);
    record_put_strings(w, "options", &r->options);
    if (r->size > 0) {
        record_put_raw(w, "size");
        record_put_number(w, r->size);
        record_end(w);
    }
    if (r->share.rate)
        RECORD_PUT(w, "sampled", RECORD_SAMPLED, &r->share);
    record_put_raw(w, "metrics");
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (r->has_metric[m])
            record_put_text(w, metric_names[m]);
    }
    record_end(w);
    record_put_raw(w, "resolution");
    record_put_number(w, r->resolution_bytes);
    record_end(w);
    record_put_line(w, "cost", r->cost_unit);
    record_put_line(w, "threads", r->threads_separate ? "separate" : "merged");
    record_put_line(w, "end", r->end_reason);
    RECORD_PUT(w, "totals", RECORD_TOTALS, &r->totals);
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

/* One record: the lines of a routine in one file. Returns their number. */
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
