/* Folded stacks (flame graphs) and speedscope: self costs by routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A report knows no callers, so that each stack is the program and one routine.
 */
#include "aprof-config.h"

#include "export.h"

#include <inttypes.h>
#include <string.h>

static const char *program_name(const struct report *r)
{
    const char *slash = strrchr(r->command.at[0], '/');
    return slash ? slash + 1 : r->command.at[0];
}

/* Folded: "program;routine 123", sorted ------------------------------------------------------- */

static char *folded_line(const struct report *r, const struct profile *profile)
{
    char *line = memory_format("%s;%s", program_name(r), r->routines.at[profile->routine].name);
    char *divider = line + strlen(program_name(r));
    for (char *c = line; *c; c++) {
        if ((*c == ';' && c != divider) || (unsigned char)*c < 0x20)
            *c = ':';
    }
    char *with_cost = memory_format("%s %" PRIu64, line, profile->cost_self);
    free(line);
    return with_cost;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool folded_report(struct export_writer *w, const struct export_job *job,
                          struct failure *why)
{
    const struct report *r = &job->report;
    VECTOR(char *) lines = {0};
    (void)why;
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (export_wanted(job, &r->profiles.at[i]) && r->profiles.at[i].cost_self > 0)
            vector_push(&lines, folded_line(r, &r->profiles.at[i]));
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

const struct export_format export_folded = {"folded", export_nothing, folded_report,
                                            export_nothing};

/* speedscope: frames, and samples with weights ------------------------------------------------- */

static void speedscope_frames(struct json *json, const struct export_job *job)
{
    const struct report *r = &job->report;
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct routine *routine = &r->routines.at[r->profiles.at[i].routine];
        if (!export_wanted(job, &r->profiles.at[i]))
            continue;
        json_open_compact(json, NULL, '{');
        json_text(json, "name", routine->name);
        if (*routine->file) {
            json_text(json, "file", routine->file);
            json_number(json, "line", routine->line);
        }
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static u128 wanted_cost(const struct export_job *job)
{
    u128 cost = 0;
    for (size_t i = 0; i < job->report.profiles.count; i++) {
        if (export_wanted(job, &job->report.profiles.at[i]))
            cost += job->report.profiles.at[i].cost_self;
    }
    return cost;
}

static void speedscope_profile(struct json *json, const struct export_job *job)
{
    const struct report *r = &job->report;
    size_t frame = 0;
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", program_name(r));
    json_text(json, "unit", "none");
    json_number(json, "startValue", 0);
    json_number(json, "endValue", wanted_cost(job));
    json_open(json, "samples", '[');
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (!export_wanted(job, &r->profiles.at[i]))
            continue;
        json_open_compact(json, NULL, '[');
        json_number(json, NULL, frame++);
        json_close(json);
    }
    json_close(json);
    json_open(json, "weights", '[');
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (export_wanted(job, &r->profiles.at[i]))
            json_number(json, NULL, r->profiles.at[i].cost_self);
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
                                                export_nothing};
