/* Folded stacks (flame graphs) and speedscope: self costs by routine, or by calling context.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report without contexts knows no callers, so that each stack is the program and one routine.
 */
#include "aprof-config.h"

#include "lib/export.h"
#include "lib/control.h"
#include "lib/report_contexts.h"

#include <inttypes.h>
#include <string.h>

static const char *program_name(const struct report *r)
{
    const char *slash = strrchr(r->command.at[0], '/');
    return slash ? slash + 1 : r->command.at[0];
}

/* Folded: "program;routine 123", sorted ------------------------------------------------------- */

/* The caller frees it. */
static char *folded_name(const char *name)
{
    char *copy = memory_copy_string(name);
    for (char *c = copy; *c; c++) {
        if (*c == ';' || is_control(*c))
            *c = ':';
    }
    return copy;
}

static char *folded_line(const struct report *r, const struct report_profile *profile)
{
    char *program = folded_name(program_name(r));
    char *routine = folded_name(r->routines.at[profile->routine].name);
    char *line = memory_format("%s;%s %" PRIu64, program, routine, profile->cost_self);
    free(program);
    free(routine);
    return line;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *folded_context(const struct report *r, const struct report_context *context)
{
    char *program = folded_name(program_name(r));
    char *path = context_path(r, context, ';');
    char *line = memory_format("%s;%s %" PRIu64, program, path, context->profile.cost_self);
    free(program);
    free(path);
    return line;
}

static bool folded_report(struct export_writer *w, const struct export_job *job,
                          struct failure *why)
{
    const struct report *r = &job->report;
    VECTOR(char *) lines = {0};
    (void)why;
    for (size_t i = 0; i < r->profiles.count && !report_has_contexts(r); i++) {
        if (export_wanted(job, &r->profiles.at[i]) && r->profiles.at[i].cost_self > 0)
            vector_push(&lines, folded_line(r, &r->profiles.at[i]));
    }
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (export_wanted(job, &context->profile) && context->profile.cost_self > 0)
            vector_push(&lines, folded_context(r, context));
    }
    if (lines.count)
        qsort(lines.at, lines.count, sizeof *lines.at, by_text);
    for (size_t i = 0; i < lines.count; i++) {
        fprintf(w->stream, "%s\n", lines.at[i]);
        free(lines.at[i]);
    }
    vector_free(&lines);
    return true;
}

const struct export_format export_folded = {"folded", export_nothing, folded_report, export_nothing,
                                            false};

/* speedscope: frames, and samples with weights ------------------------------------------------- */

static void speedscope_frame(struct json *json, const struct report_routine *routine)
{
    json_open_compact(json, NULL, '{');
    json_text(json, "name", routine->name);
    if (*routine->file) {
        json_text(json, "file", routine->file);
        json_number(json, "line", routine->line);
    }
    json_close(json);
}

/* With contexts, frames are all routines, for any may be a caller; else one for each sample. */
static void speedscope_frames(struct json *json, const struct export_job *job)
{
    const struct report *r = &job->report;
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < r->profiles.count && !report_has_contexts(r); i++) {
        if (export_wanted(job, &r->profiles.at[i]))
            speedscope_frame(json, &r->routines.at[r->profiles.at[i].routine]);
    }
    for (size_t i = 0; i < r->routines.count && report_has_contexts(r); i++)
        speedscope_frame(json, &r->routines.at[i]);
    json_close(json);
    json_close(json);
}

/* What is a sample: the profiles, or the contexts, that are wanted. */
static const struct report_profile *sample_at(const struct export_job *job, size_t index)
{
    const struct report *r = &job->report;
    const struct report_profile *profile =
        report_has_contexts(r) ? &r->contexts.all.at[index].profile : &r->profiles.at[index];
    return export_wanted(job, profile) ? profile : NULL;
}

static size_t sample_count(const struct report *r)
{
    return report_has_contexts(r) ? r->contexts.all.count : r->profiles.count;
}

static u128 wanted_cost(const struct export_job *job)
{
    u128 cost = 0;
    for (size_t i = 0; i < sample_count(&job->report); i++) {
        const struct report_profile *sample = sample_at(job, i);
        cost += sample ? sample->cost_self : 0;
    }
    return cost;
}

/* Frames from the outermost inwards. */
static void speedscope_stack(struct json *json, const struct report *r, size_t index)
{
    VECTOR(uint32_t) path = {0};
    const struct report_context *context = &r->contexts.all.at[index];
    vector_push(&path, context->profile.routine);
    while (context->caller != CONTEXT_NO_CALLER) {
        context = &r->contexts.all.at[context->caller];
        vector_push(&path, context->profile.routine);
    }
    while (path.count)
        json_number(json, NULL, path.at[--path.count]);
    vector_free(&path);
}

static void speedscope_samples(struct json *json, const struct export_job *job)
{
    size_t frame = 0;
    json_open(json, "samples", '[');
    for (size_t i = 0; i < sample_count(&job->report); i++) {
        if (!sample_at(job, i))
            continue;
        json_open_compact(json, NULL, '[');
        if (report_has_contexts(&job->report))
            speedscope_stack(json, &job->report, i);
        else
            json_number(json, NULL, frame++);
        json_close(json);
    }
    json_close(json);
}

static void speedscope_profile(struct json *json, const struct export_job *job)
{
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", program_name(&job->report));
    json_text(json, "unit", "none");
    json_number(json, "startValue", 0);
    json_number(json, "endValue", wanted_cost(job));
    speedscope_samples(json, job);
    json_open(json, "weights", '[');
    for (size_t i = 0; i < sample_count(&job->report); i++) {
        if (sample_at(job, i))
            json_number(json, NULL, sample_at(job, i)->cost_self);
    }
    json_close(json);
    json_close(json);
}

static bool speedscope_report(struct export_writer *w, const struct export_job *job,
                              struct failure *why)
{
    struct json json = json_start(w->stream);
    if (w->reports > 0)
        return failure_set(why, "%s: speedscope's format takes one report; see aprof merge",
                           job->report.path);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", PACKAGE_STRING);
    json_text(&json, "name", program_name(&job->report));
    json_number(&json, "activeProfileIndex", 0);
    speedscope_frames(&json, job);
    json_open(&json, "profiles", '[');
    speedscope_profile(&json, job);
    json_close(&json);
    json_close(&json);
    return true;
}

const struct export_format export_speedscope = {"speedscope", export_nothing, speedscope_report,
                                                export_nothing, false};
