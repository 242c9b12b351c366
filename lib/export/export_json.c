/* Writes reports as JSON: an object with the schema, and an array of reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     {"schema": ..., "reports": [REPORT...]}
 *
 * A REPORT is {head..., "routines": [{..., "trms": [points], "rms": [points]}]}.
 */
#include "aprof-config.h"

#include "lib/export/export.h"

static bool json_begin(struct export_writer *w, struct failure *why)
{
    (void)why;
    w->json = json_open_document(w->stream, "aprof-export-1");
    json_text(&w->json, "creator", PACKAGE_STRING);
    json_open(&w->json, "reports", '[');
    return true;
}

void export_json_totals(struct json *json, const struct totals *t)
{
    json_open_compact(json, "totals", '{');
    json_number(json, "cost", t->cost);
    json_number(json, "activations", t->activations);
    json_number(json, "reads", t->reads);
    json_number(json, "induced_thread", t->induced_thread);
    json_number(json, "induced_external", t->induced_external);
    json_close(json);
}

static void json_head(struct json *json, const struct report *r)
{
    json_text(json, "path", r->path);
    json_text(json, "creator", r->creator);
    json_text(json, "tool", r->tool);
    json_text(json, "arch", r->arch);
    json_texts(json, "command", &r->command);
    json_texts(json, "process", &r->process);
    json_texts(json, "options", &r->options);
    json_number(json, "resolution", r->resolution_bytes);
    json_text(json, "cost", r->cost_unit);
    json_text(json, "threads", r->threads_separate ? "separate" : "merged");
    json_text(json, "end", r->end_reason);
    export_json_totals(json, &r->totals);
}

static void json_points(struct json *json, const char *key, const struct report_point *points,
                        size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        const struct report_point *p = &points[i];
        json_open_compact(json, NULL, '{');
        json_number(json, "input_size", p->input);
        json_number(json, "calls", p->calls);
        json_number(json, "cost_sum", p->cost_sum);
        json_number(json, "cost_min", p->cost_min);
        json_number(json, "cost_max", p->cost_max);
        json_number(json, "cost_sumsq", p->cost_squares);
        json_number(json, "self_cost_sum", p->self_sum);
        json_number(json, "induced_thread", p->induced_thread);
        json_number(json, "induced_external", p->induced_external);
        json_close(json);
    }
    json_close(json);
}

static void json_profile(struct json *json, const struct export_job *job,
                         const struct report_profile *profile)
{
    const struct report *r = &job->report;
    const struct report_routine *routine = &r->routines.at[profile->routine];
    json_open(json, NULL, '{');
    json_text(json, "name", routine->name);
    json_text(json, "mangled", routine->symbol);
    json_text(json, "object", r->objects.at[routine->object]);
    json_number(json, "offset", routine->offset);
    json_number(json, "size", routine->size_bytes);
    json_text(json, "file", routine->file);
    json_number(json, "line", routine->line);
    json_number(json, "thread", profile->thread);
    json_number(json, "calls", profile->calls);
    json_number(json, "cost_total", profile->cost_total);
    json_number(json, "cost_self", profile->cost_self);
    for (int m = 0; m < METRIC_COUNT; m++) {
        if (job->metrics[m])
            json_points(json, metric_names[m], profile_points(r, profile, (enum report_metric)m),
                        profile->count[m]);
    }
    json_close(json);
}

static bool json_report(struct export_writer *w, const struct export_job *job, struct failure *why)
{
    (void)why;
    const struct report *r = &job->report;
    json_open(&w->json, NULL, '{');
    json_head(&w->json, r);
    json_open(&w->json, "routines", '[');
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (export_wanted(job, &r->profiles.at[i]))
            json_profile(&w->json, job, &r->profiles.at[i]);
    }
    json_close(&w->json);
    json_close(&w->json);
    return true;
}

static bool json_end(struct export_writer *w, struct failure *why)
{
    (void)why;
    json_close(&w->json);
    json_close(&w->json);
    return true;
}

const struct export_format export_json = {"json", json_begin, json_report, json_end, false};
