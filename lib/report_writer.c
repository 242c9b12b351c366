/* Writes a report; see report_writer.h and aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profiler's own writer (points/points_report.c) knows an engine and must do without a C library; this
 * one writes what the tools have made of reports. A test reads, writes and compares the bytes of
 * the former's files, so that the two cannot drift apart.
 */
#include "lib/report_writer.h"
#include "lib/report_contexts.h"

static void put_totals(struct line_writer *w, const struct totals *t)
{
    line_put_word(w, "totals");
    line_put_number(w, t->cost);
    line_put_number(w, t->activations);
    line_put_number(w, t->reads);
    line_put_number(w, t->induced_thread);
    line_put_number(w, t->induced_external);
    line_put_word(w, "\n");
}

static void put_head(struct line_writer *w, const struct report *r)
{
    line_put_line(w, "aprof", report_has_contexts(r) ? "2" : "1");
    line_put_line(w, "creator", r->creator);
    line_put_line(w, "tool", r->tool);
    line_put_line(w, "arch", r->arch);
    line_put_list(w, "command", &r->command);
    line_put_list(w, "process", &r->process);
    line_put_list(w, "options", &r->options);
    line_put_word(w, "metrics");
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (r->has_metric[m])
            line_put_field(w, metric_names[m]);
    }
    line_put_word(w, "\nresolution");
    line_put_number(w, r->resolution_bytes);
    line_put_word(w, "\n");
    line_put_line(w, "cost", r->cost_unit);
    line_put_line(w, "threads", r->threads_separate ? "separate" : "merged");
    line_put_line(w, "end", r->end_reason);
    put_totals(w, &r->totals);
}

void routine_write(struct line_writer *w, size_t id, const struct report_routine *routine)
{
    line_put_word(w, "routine");
    line_put_number(w, id);
    line_put_number(w, routine->object);
    line_put_hex(w, routine->offset);
    line_put_number(w, routine->size_bytes);
    line_put_field(w, routine->symbol);
    line_put_field(w, routine->file);
    line_put_number(w, routine->line);
    line_put_word(w, "\n");
}

static void put_point(struct line_writer *w, enum report_metric m, const struct report_point *p)
{
    line_put_word(w, metric_names[m]);
    line_put_number(w, p->input);
    line_put_number(w, p->calls);
    line_put_number(w, p->cost_sum);
    line_put_number(w, p->cost_min);
    line_put_number(w, p->cost_max);
    line_put_number(w, p->cost_squares);
    line_put_number(w, p->self_sum);
    line_put_number(w, p->induced_thread);
    line_put_number(w, p->induced_external);
    line_put_word(w, "\n");
}

static void put_points(struct line_writer *w, const struct report *r,
                       const struct report_profile *profile)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct report_point *points = profile_points(r, profile, (enum report_metric)m);
        for (size_t i = 0; i < profile->count[m]; i++)
            put_point(w, (enum report_metric)m, &points[i]);
    }
}

static void put_profile(struct line_writer *w, const struct report *r,
                        const struct report_profile *profile)
{
    line_put_word(w, "profile");
    line_put_number(w, profile->routine);
    line_put_number(w, profile->thread);
    line_put_number(w, profile->calls);
    line_put_number(w, profile->cost_total);
    line_put_number(w, profile->cost_self);
    line_put_word(w, "\n");
    put_points(w, r, profile);
}

static void put_context(struct line_writer *w, const struct report *r, size_t first, size_t id)
{
    const struct report_context *context = &r->contexts.all.at[first + id];
    const struct report_profile *profile = &context->profile;
    line_put_word(w, "context");
    line_put_number(w, id);
    if (context->caller == CONTEXT_NO_CALLER)
        line_put_field(w, "");
    else
        line_put_number(w, context->caller - first);
    line_put_number(w, profile->routine);
    line_put_number(w, profile->calls);
    line_put_number(w, profile->cost_total);
    line_put_number(w, profile->cost_self);
    line_put_number(w, context->error);
    line_put_word(w, "\n");
    put_points(w, r, profile);
}

static void put_contexts(struct line_writer *w, const struct report *r)
{
    const struct report_contexts *c = &r->contexts;
    line_put_word(w, "contexts");
    line_put_field(w, c->kind);
    line_put_field(w, c->phi);
    line_put_field(w, c->epsilon);
    line_put_field(w, c->weight);
    line_put_field(w, c->recursion);
    line_put_word(w, "\n");
    for (size_t t = 0; t < c->trees.count; t++) {
        const struct report_tree *tree = &c->trees.at[t];
        line_put_word(w, "tree");
        line_put_number(w, tree->thread);
        line_put_number(w, tree->total);
        line_put_number(w, tree->count);
        line_put_word(w, "\n");
        for (size_t i = 0; i < tree->count; i++)
            put_context(w, r, tree->first, i);
    }
}

void report_write(const struct report *r, FILE *to)
{
    struct line_writer w = line_writer_start(to);
    put_head(&w, r);
    for (size_t i = 0; i < r->objects.count; i++) {
        line_put_word(&w, "object");
        line_put_number(&w, i);
        line_put_field(&w, r->objects.at[i]);
        line_put_word(&w, "\n");
    }
    for (size_t i = 0; i < r->routines.count; i++)
        routine_write(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->profiles.count; i++)
        put_profile(&w, r, &r->profiles.at[i]);
    if (report_has_contexts(r))
        put_contexts(&w, r);
    line_writer_finish(&w);
}
