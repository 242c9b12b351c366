/* Writes a report; see report_writer.h and aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profilers put these records from their own tables (points/points_report.c), the command from
 * what it has read and merged. Tests read, write and compare the bytes, so that the two orders of
 * records cannot drift apart.
 */
#include "lib/report_writer.h"
#include "lib/report_code.h"
#include "lib/report_contexts.h"

static void put_totals(struct record_writer *w, const struct totals *t)
{
    record_put_raw(w, "totals");
    record_put_number(w, t->cost);
    record_put_number(w, t->activations);
    record_put_number(w, t->reads);
    record_put_number(w, t->induced_thread);
    record_put_number(w, t->induced_external);
    record_end(w);
}

static const char *version_of(const struct report *r)
{
    if (r->share.rate)
        return "4";
    return report_has_code(r) ? "3" : report_has_contexts(r) ? "2" : "1";
}

static void put_share(struct record_writer *w, const struct report_share *share)
{
    record_put_raw(w, "sampled");
    record_put_number(w, share->rate);
    record_put_number(w, share->known);
    record_put_number(w, share->unseen);
    record_end(w);
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
        put_share(w, &r->share);
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
    put_totals(w, &r->totals);
}

void routine_write(struct record_writer *w, size_t id, const struct report_routine *routine)
{
    record_put_raw(w, "routine");
    record_put_number(w, id);
    record_put_number(w, routine->object);
    record_put_hex(w, routine->offset);
    record_put_number(w, routine->size_bytes);
    record_put_text(w, routine->symbol);
    record_put_text(w, routine->file);
    record_put_number(w, routine->line);
    record_end(w);
}

static void put_point(struct record_writer *w, enum report_metric m, const struct report_point *p)
{
    record_put_raw(w, metric_names[m]);
    record_put_number(w, p->input);
    record_put_number(w, p->calls);
    record_put_wide(w, wide_of(p->cost_sum));
    record_put_number(w, p->cost_min);
    record_put_number(w, p->cost_max);
    record_put_wide(w, wide_of(p->cost_squares));
    record_put_number(w, p->self_sum);
    record_put_number(w, p->induced_thread);
    record_put_number(w, p->induced_external);
    if (p->thread_again)
        record_put_number(w, p->thread_again);
    record_end(w);
}

static void put_points(struct record_writer *w, const struct report *r,
                       const struct report_profile *profile)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct report_point *points = profile_points(r, profile, (enum report_metric)m);
        for (size_t i = 0; i < profile->count[m]; i++)
            put_point(w, (enum report_metric)m, &points[i]);
    }
}

static void put_profile(struct record_writer *w, const struct report *r,
                        const struct report_profile *profile)
{
    record_put_raw(w, "profile");
    record_put_number(w, profile->routine);
    record_put_number(w, profile->thread);
    record_put_number(w, profile->calls);
    record_put_number(w, profile->cost_total);
    record_put_number(w, profile->cost_self);
    if (r->share.rate)
        record_put_number(w, profile->known);
    record_end(w);
    put_points(w, r, profile);
}

/* A number that may be missing. */
static void put_optional(struct record_writer *w, uint32_t number)
{
    if (number == REPORT_NONE)
        record_put_text(w, NULL);
    else
        record_put_number(w, number);
}

static void put_inlined(struct record_writer *w, size_t id, const struct report_inlined *inlined)
{
    record_put_raw(w, "inlined");
    record_put_number(w, id);
    put_optional(w, inlined->call.inlined);
    put_optional(w, inlined->call.file);
    record_put_number(w, inlined->call.line);
    record_put_text(w, inlined->name);
    record_end(w);
}

static void put_edge(struct record_writer *w, const struct report_edge *edge)
{
    record_put_raw(w, "edge");
    record_put_number(w, edge->caller);
    record_put_number(w, edge->callee);
    put_optional(w, edge->place.inlined);
    put_optional(w, edge->place.file);
    record_put_number(w, edge->place.line);
    record_put_number(w, edge->calls);
    record_put_number(w, edge->cost);
    record_put_number(w, edge->input);
    record_end(w);
}

static bool same_record(const struct report_line_cost *a, const struct report_line_cost *b)
{
    return a->routine == b->routine && a->place.inlined == b->place.inlined &&
           a->place.file == b->place.file;
}

/* One record, of the lines of a routine in one file. Returns how many they are. */
static size_t put_lines(struct record_writer *w, const struct report_line_cost *lines, size_t count)
{
    uint32_t line = 0;
    size_t i = 0;
    record_put_raw(w, "lines");
    record_put_number(w, lines->routine);
    put_optional(w, lines->place.inlined);
    put_optional(w, lines->place.file);
    for (; i < count && same_record(lines, &lines[i]); i++) {
        record_put_number(w, lines[i].place.line - line);
        record_put_number(w, lines[i].cost);
        line = lines[i].place.line;
    }
    record_end(w);
    return i;
}

static void put_code(struct record_writer *w, const struct report_code *code)
{
    for (size_t i = 0; i < code->files.count; i++) {
        record_put_raw(w, "file");
        record_put_number(w, i);
        record_put_text(w, code->files.at[i]);
        record_end(w);
    }
    for (size_t i = 0; i < code->inlined.count; i++)
        put_inlined(w, i, &code->inlined.at[i]);
    for (size_t i = 0; i < code->edges.count; i++)
        put_edge(w, &code->edges.at[i]);
    for (size_t i = 0; i < code->lines.count;)
        i += put_lines(w, &code->lines.at[i], code->lines.count - i);
}

static void put_context(struct record_writer *w, const struct report *r, size_t first, size_t id)
{
    const struct report_context *context = &r->contexts.all.at[first + id];
    const struct report_profile *profile = &context->profile;
    record_put_raw(w, "context");
    record_put_number(w, id);
    if (context->caller == CONTEXT_NO_CALLER)
        record_put_text(w, NULL);
    else
        record_put_number(w, context->caller - first);
    record_put_number(w, profile->routine);
    record_put_number(w, profile->calls);
    record_put_number(w, profile->cost_total);
    record_put_number(w, profile->cost_self);
    record_put_number(w, context->error);
    record_end(w);
    put_points(w, r, profile);
}

static void put_contexts(struct record_writer *w, const struct report *r)
{
    const struct report_contexts *c = &r->contexts;
    record_put_raw(w, "contexts");
    record_put_text(w, c->kind);
    record_put_text(w, c->phi);
    record_put_text(w, c->epsilon);
    record_put_text(w, c->weight);
    record_put_text(w, c->recursion);
    record_end(w);
    for (size_t t = 0; t < c->trees.count; t++) {
        const struct report_tree *tree = &c->trees.at[t];
        record_put_raw(w, "tree");
        record_put_number(w, tree->thread);
        record_put_number(w, tree->total);
        record_put_number(w, tree->count);
        record_end(w);
        for (size_t i = 0; i < tree->count; i++)
            put_context(w, r, tree->first, i);
    }
}

void report_write(const struct report *r, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    put_head(&w, r);
    for (size_t i = 0; i < r->objects.count; i++) {
        record_put_raw(&w, "object");
        record_put_number(&w, i);
        record_put_text(&w, r->objects.at[i]);
        record_end(&w);
    }
    for (size_t i = 0; i < r->routines.count; i++)
        routine_write(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->profiles.count; i++)
        put_profile(&w, r, &r->profiles.at[i]);
    put_code(&w, &r->code);
    if (report_has_contexts(r))
        put_contexts(&w, r);
    record_writer_finish(&w);
}
