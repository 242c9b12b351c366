/* Writes folded stacks and speedscope files: self costs by routine, or by calling context.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If the report has no contexts, stacks are approximated from call edges (report_stacks.h). If the
 * report has no edges either, each stack is the program and one routine. The costs of the routines
 * themselves are always exact.
 *
 * A stack lists all its callers, so contexts of deep recursion would need quadratic space. So all
 * frames deeper than STACK_ROUTINES become one frame, `...`.
 */
#include "aprof-config.h"

#include "lib/export/export.h"
#include "lib/base/control.h"
#include "lib/contexts/contexts_export.h"
#include "lib/report/report_contexts.h"
#include "lib/report/report_stacks.h"

#include <inttypes.h>
#include <string.h>

/* Maximum number of routines in a stack, as for `aprof contexts export`. */
#define STACK_ROUTINES 1000
#define BEYOND_NAME    "..."

static const char *program_name(const struct report *r)
{
    const char *slash = strrchr(r->command.at[0], '/');
    return slash ? slash + 1 : r->command.at[0];
}

/* Contexts and their self costs ---------------------------------------------------------------- */

static const struct report_context *context_caller(const struct report *r,
                                                   const struct report_context *context)
{
    bool has_caller = context && context->caller != CONTEXT_NO_CALLER;
    return has_caller ? &r->contexts.all.at[context->caller] : NULL;
}

/* The self costs of contexts deeper than STACK_ROUTINES, added up for their callers at depth
 * STACK_ROUTINES. */
struct context_depths {
    uint32_t *depth;  /* depth of each context, from 1; STACK_ROUTINES + 1 for all deeper
                       * contexts */
    uint64_t *beyond; /* for each context, the sum of the self costs below it */
};

/* Callers precede callees, so a loop from the last context to the first moves the costs of deeper
 * contexts up to depth STACK_ROUTINES. */
static struct context_depths context_depths_make(const struct export_job *job)
{
    const struct report *r = &job->report;
    size_t count = r->contexts.all.count;
    struct context_depths d = {memory_get_zeroed(count + 1, sizeof *d.depth),
                               memory_get_zeroed(count + 1, sizeof *d.beyond)};
    for (size_t i = 0; i < count; i++) {
        uint32_t caller = r->contexts.all.at[i].caller;
        uint32_t above = caller == CONTEXT_NO_CALLER ? 0 : d.depth[caller];
        d.depth[i] = above <= STACK_ROUTINES ? above + 1 : above;
    }
    for (size_t i = count; i-- > 0;) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (d.depth[i] <= STACK_ROUTINES)
            continue;
        if (export_wanted(job, &context->profile))
            d.beyond[i] = u64_add(d.beyond[i], context->profile.cost_self);
        d.beyond[context->caller] = u64_add(d.beyond[context->caller], d.beyond[i]);
    }
    return d;
}

static void context_depths_free(struct context_depths *d)
{
    free(d->depth);
    free(d->beyond);
}

/* Receives the self cost of a context; if `is_beyond` is true, receives the sum of the self costs
 * of all contexts below it. */
typedef void context_visit(void *to, const struct report_context *context, bool is_beyond,
                           uint64_t cost);

static void visit_contexts(const struct export_job *job, context_visit *visit, void *to)
{
    struct context_depths d = context_depths_make(job);
    for (size_t i = 0; i < job->report.contexts.all.count; i++) {
        const struct report_context *context = &job->report.contexts.all.at[i];
        if (d.depth[i] > STACK_ROUTINES)
            continue;
        if (export_wanted(job, &context->profile))
            visit(to, context, false, context->profile.cost_self);
        if (d.beyond[i] > 0)
            visit(to, context, true, d.beyond[i]);
    }
    context_depths_free(&d);
}

/* Folded: "program;routine 123", sorted ------------------------------------------------------- */

#define COST_BYTES 21 /* bytes for the digits of a 64-bit number and the final 0 */

/* Writes the name and `divider`; returns the end of the written text. */
static char *fold_name(char *to, const char *name, char divider)
{
    char *end = memcpy(to, name, strlen(name) + 1);
    for (; *end; end++) {
        if (*end == ';')
            *end = ':';
    }
    control_replace(to, ':');
    end = to + strlen(to);
    *end++ = divider;
    return end;
}

typedef VECTOR(char *) line_list;

/* The output lines under construction. */
struct folding {
    const struct report *report;
    const struct report_profile *profile;
    struct report_stacks stacks;
    line_list lines;
};

/* The names of a stack are collected first, because prepending each name to a text would take
 * quadratic time. */
static void fold_stack(void *context, const struct report_frame *frame, uint64_t cost)
{
    struct folding *f = context;
    const struct report *r = f->report;
    VECTOR(const char *) path = {0};
    size_t bytes = 0;
    vector_push(&path, r->routines.at[f->profile->routine].name);
    while ((frame = report_stacks_caller(&f->stacks, frame)))
        vector_push(&path, r->routines.at[frame->routine].name);
    vector_push(&path, program_name(r));
    for (size_t i = 0; i < path.count; i++)
        bytes += strlen(path.at[i]) + 1;
    char *line = memory_resize(NULL, bytes + COST_BYTES, 1), *end = line;
    for (size_t i = path.count; i-- > 0;)
        end = fold_name(end, path.at[i], i > 0 ? ';' : ' ');
    snprintf(end, COST_BYTES, "%" PRIu64, cost);
    vector_push(&f->lines, line);
    vector_free(&path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void fold_context(void *to, const struct report_context *context, bool is_beyond,
                         uint64_t cost)
{
    struct folding *f = to;
    const char *program = program_name(f->report);
    if (cost == 0)
        return;
    char *folded = memory_resize(NULL, strlen(program) + 2, 1);
    char *path = context_path(f->report, context, ';', 0);
    *fold_name(folded, program, ';') = '\0';
    vector_push(&f->lines, memory_format("%s%s%s %" PRIu64, folded, path,
                                         is_beyond ? ";" BEYOND_NAME : "", cost));
    free(folded);
    free(path);
}

static bool folded_report(struct export_writer *w, const struct export_job *job,
                          struct failure *why)
{
    const struct report *r = &job->report;
    struct folding f = {.report = r};
    (void)why;
    report_stacks_make(r, &f.stacks);
    for (size_t i = 0; i < r->profiles.count && !report_has_contexts(r); i++) {
        f.profile = &r->profiles.at[i];
        if (export_wanted(job, f.profile))
            report_stacks_spread(&f.stacks, f.profile, f.profile->cost_self, fold_stack, &f);
    }
    visit_contexts(job, fold_context, &f);
    if (f.lines.count)
        qsort(f.lines.at, f.lines.count, sizeof *f.lines.at, by_text);
    for (size_t i = 0; i < f.lines.count; i++) {
        fprintf(w->stream, "%s\n", f.lines.at[i]);
        free(f.lines.at[i]);
    }
    vector_free(&f.lines);
    report_stacks_free(&f.stacks);
    return true;
}

const struct export_format export_folded = {"folded", export_nothing, folded_report, export_nothing,
                                            false};

/* speedscope: frames, and samples with weights ------------------------------------------------- */

/* A stack and its cost. `context` or `frame` gives the callers of `routine`; if both are NULL, the
 * stack is `routine` alone. */
struct stack_sample {
    const struct report_context *context;
    bool is_beyond; /* whether the cost is the total of all contexts below `context` */
    const struct report_frame *frame;
    uint32_t routine;
    uint64_t cost;
};

struct sampling {
    const struct report *report;
    const struct report_profile *profile;
    struct report_stacks stacks;
    VECTOR(struct stack_sample) samples;
    bool has_beyond; /* whether `is_beyond` is true for any sample */
};

static void add_sample(void *context, const struct report_frame *frame, uint64_t cost)
{
    struct sampling *s = context;
    struct stack_sample sample = {.frame = frame, .routine = s->profile->routine, .cost = cost};
    vector_push(&s->samples, sample);
}

static void sample_context(void *to, const struct report_context *context, bool is_beyond,
                           uint64_t cost)
{
    struct sampling *s = to;
    struct stack_sample sample = {context, is_beyond, NULL, context->profile.routine, cost};
    s->has_beyond |= is_beyond;
    vector_push(&s->samples, sample);
}

static void sample_profiles(struct sampling *s, const struct export_job *job)
{
    const struct report *r = s->report;
    for (size_t i = 0; i < r->profiles.count; i++) {
        s->profile = &r->profiles.at[i];
        if (export_wanted(job, s->profile))
            report_stacks_spread(&s->stacks, s->profile, s->profile->cost_self, add_sample, s);
    }
}

/* Writes the frame of each routine, because any routine may be a caller. Also writes the frame
 * `...`, if it is used. */
static void speedscope_frames(struct json *json, const struct sampling *s)
{
    const struct report *r = s->report;
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (size_t i = 0; i < r->routines.count; i++)
        speedscope_put_frame(json, &r->routines.at[i]);
    if (s->has_beyond) {
        json_open_compact(json, NULL, '{');
        json_text(json, "name", BEYOND_NAME);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

/* Writes the frames of a stack from the outermost to the innermost. */
static void speedscope_stack(struct json *json, const struct sampling *s,
                             const struct stack_sample *sample)
{
    VECTOR(uint32_t) path = {0};
    const struct report_context *context = sample->context;
    const struct report_frame *frame = sample->frame;
    if (sample->is_beyond)
        vector_push(&path, (uint32_t)s->report->routines.count);
    vector_push(&path, sample->routine);
    while ((context = context_caller(s->report, context)))
        vector_push(&path, context->profile.routine);
    while ((frame = report_stacks_caller(&s->stacks, frame)))
        vector_push(&path, frame->routine);
    while (path.count)
        json_number(json, NULL, path.at[--path.count]);
    vector_free(&path);
}

static void speedscope_samples(struct json *json, const struct sampling *s)
{
    json_open(json, "samples", '[');
    for (size_t i = 0; i < s->samples.count; i++) {
        json_open_compact(json, NULL, '[');
        speedscope_stack(json, s, &s->samples.at[i]);
        json_close(json);
    }
    json_close(json);
    json_open(json, "weights", '[');
    for (size_t i = 0; i < s->samples.count; i++)
        json_number(json, NULL, s->samples.at[i].cost);
    json_close(json);
}

static void speedscope_profile(struct json *json, const struct sampling *s)
{
    u128 cost = 0;
    for (size_t i = 0; i < s->samples.count; i++)
        cost += s->samples.at[i].cost;
    json_open(json, NULL, '{');
    json_text(json, "type", "sampled");
    json_text(json, "name", program_name(s->report));
    json_text(json, "unit", "none");
    json_number(json, "startValue", 0);
    json_number(json, "endValue", cost);
    speedscope_samples(json, s);
    json_close(json);
}

static bool speedscope_report(struct export_writer *w, const struct export_job *job,
                              struct failure *why)
{
    struct json json = json_start(w->stream);
    struct sampling s = {.report = &job->report};
    if (w->reports > 0)
        return failure_set(why, "%s: speedscope's format takes one report; see aprof merge",
                           job->report.path);
    report_stacks_make(s.report, &s.stacks);
    if (report_has_contexts(s.report))
        visit_contexts(job, sample_context, &s);
    else
        sample_profiles(&s, job);
    json_open(&json, NULL, '{');
    json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_text(&json, "exporter", PACKAGE_STRING);
    json_text(&json, "name", program_name(&job->report));
    json_number(&json, "activeProfileIndex", 0);
    speedscope_frames(&json, &s);
    json_open(&json, "profiles", '[');
    speedscope_profile(&json, &s);
    json_close(&json);
    json_close(&json);
    vector_free(&s.samples);
    report_stacks_free(&s.stacks);
    return true;
}

const struct export_format export_speedscope = {"speedscope", export_nothing, speedscope_report,
                                                export_nothing, true};
