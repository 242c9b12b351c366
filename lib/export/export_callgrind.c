/* Callgrind's format, for KCachegrind and callgrind_annotate: costs by line, and calls.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * If the report has no costs of lines, a routine's cost is written for its first line. If the
 * report has contexts but no edges, calls are derived from the contexts. KCachegrind requires
 * `events:` within the first 2047 bytes, so a long command is truncated.
 */
#include "aprof-config.h"

#include "lib/contexts/context_edges.h"
#include "lib/base/control.h"
#include "lib/export/export.h"
#include "lib/report/report_code.h"

#include <inttypes.h>
#include <string.h>

#define COMMAND_BYTES_MAX 1500

static bool is_first_object(const struct report *r, const struct report_profile *a,
                            const struct report_profile *before)
{
    return !before || r->routines.at[a->routine].object != r->routines.at[before->routine].object;
}

static void write_name(FILE *to, const char *tag, const char *name)
{
    fputs(tag, to);
    control_write(name, ' ', to);
    putc('\n', to);
}

/* Shortens the command so that `events:` is within the first 2047 bytes. */
static void write_command(FILE *to, const struct report *r)
{
    size_t left = COMMAND_BYTES_MAX;
    fputs("cmd:", to);
    for (size_t i = 0; i < r->command.count && left > 0; i++) {
        putc(' ', to);
        for (const char *c = r->command.at[i]; *c && left > 0; left--)
            control_put(&c, ' ', to);
    }
    putc('\n', to);
}

static void write_head(FILE *to, const struct report *r)
{
    const char *pid = r->process.at[0];
    fputs("# callgrind format\nversion: 1\ncreator: " PACKAGE_STRING "\n", to);
    if (!pid[strspn(pid, "0123456789")])
        fprintf(to, "pid: %s\n", pid);
    write_command(to, r);
    fprintf(to, "positions: line\nevents: %s Calls\n",
            strcmp(r->cost_unit, "instr") == 0  ? "Ir"
            : strcmp(r->cost_unit, "time") == 0 ? "Nanoseconds"
                                                : "Bb");
}

static void write_callee(FILE *to, const struct report *r, const struct report_routine *callee)
{
    const char *object = r->objects.at[callee->object];
    write_name(to, "cob=", *object ? object : "???");
    write_name(to, "cfi=", *callee->file ? callee->file : "???");
    write_name(to, "cfn=", callee->name);
}

/* The state while one report is written. The report's calls are taken from its edges or, if it has
 * no edges, from its contexts. */
struct callgrind_writer {
    FILE *to;
    const struct report *report;
    context_edge_list edges; /* edges derived from contexts, if the report has no edges */
    /* index of the next edge to write, in the report's edges or in `edges` */
    size_t next_edge;
    size_t next_line; /* index of the report's next line to write */
    const char *path; /* path of the file to which the current positions refer */
};

/* Makes the following lines refer to the given file. */
static void enter_file(struct callgrind_writer *w, const struct report_routine *routine,
                       uint32_t file)
{
    const char *path = file == REPORT_NONE ? routine->file : w->report->code.files.at[file];
    if (strcmp(path, w->path) == 0)
        return;
    w->path = path;
    if (strcmp(path, routine->file) == 0)
        write_name(w->to, "fe=", *path ? path : "???");
    else
        write_name(w->to, "fi=", path);
}

static void write_calls_of_contexts(struct callgrind_writer *w, uint32_t caller)
{
    const struct report *r = w->report;
    for (; w->next_edge < w->edges.count && w->edges.at[w->next_edge].caller <= caller;
         w->next_edge++) {
        const struct context_edge *edge = &w->edges.at[w->next_edge];
        const struct report_routine *callee = &r->routines.at[edge->callee];
        char digits[WIDE_DIGITS];
        if (edge->caller < caller || edge->calls == 0)
            continue;
        write_callee(w->to, r, callee);
        fprintf(w->to, "calls=%" PRIu64 " %" PRIu32 "\n", edge->calls, callee->line);
        fprintf(w->to, "%" PRIu32 " %s %" PRIu64 "\n", r->routines.at[caller].line,
                u128_format(edge->cost, digits), edge->calls);
    }
}

static void write_calls_of_code(struct callgrind_writer *w, uint32_t caller)
{
    const struct report *r = w->report;
    for (; w->next_edge < r->code.edges.count && r->code.edges.at[w->next_edge].caller <= caller;
         w->next_edge++) {
        const struct report_edge *edge = &r->code.edges.at[w->next_edge];
        const struct report_routine *callee = &r->routines.at[edge->callee];
        if (edge->caller < caller)
            continue;
        enter_file(w, &r->routines.at[caller], edge->place.file);
        write_callee(w->to, r, callee);
        fprintf(w->to, "calls=%" PRIu64 " %" PRIu32 "\n", edge->calls, callee->line);
        fprintf(w->to, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", place_line(&edge->place),
                edge->cost, edge->calls);
    }
}

/* Writes the calls that a routine makes. */
static void write_calls(struct callgrind_writer *w, uint32_t caller)
{
    if (w->report->code.edges.count)
        write_calls_of_code(w, caller);
    else
        write_calls_of_contexts(w, caller);
}

/* Finds the lines of a routine. Returns false if the costs of the lines do not add up to the
 * routine's self cost. This happens if the report covers only a part of a run. */
static bool find_lines(struct callgrind_writer *w, const struct report_profile *profile,
                       size_t *end)
{
    const struct report_code *code = &w->report->code;
    u128 cost = 0;
    while (w->next_line < code->lines.count &&
           code->lines.at[w->next_line].routine < profile->routine)
        w->next_line++;
    for (*end = w->next_line;
         *end < code->lines.count && code->lines.at[*end].routine == profile->routine; ++*end)
        cost = u128_add(cost, code->lines.at[*end].cost);
    return *end > w->next_line && cost == profile->cost_self;
}

/* Writes all self cost of the routine, and all its calls, as if they belonged to its first line. */
static void write_self(struct callgrind_writer *w, const struct report_profile *profile)
{
    const struct report *r = w->report;
    const struct report_routine *routine = &r->routines.at[profile->routine];
    size_t end;
    bool has_lines = find_lines(w, profile, &end);
    fprintf(w->to, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", routine->line,
            has_lines ? 0 : profile->cost_self, profile->calls);
    for (size_t i = w->next_line; has_lines && i < end; i++) {
        const struct report_line_cost *line = &r->code.lines.at[i];
        enter_file(w, routine, line->place.file);
        fprintf(w->to, "%" PRIu32 " %" PRIu64 "\n", place_line(&line->place), line->cost);
    }
}

static bool callgrind_report(struct export_writer *w, const struct export_job *job,
                             struct failure *why)
{
    const struct report *r = &job->report;
    const struct report_profile *before = NULL;
    struct callgrind_writer writer = {.to = w->stream, .report = r};
    u128 cost = 0, calls = 0;
    if (w->reports > 0)
        return failure_set(why, "%s: callgrind's format takes one report; see aprof merge",
                           r->path);
    write_head(w->stream, r);
    context_edges_make(r, &writer.edges);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        const struct report_routine *routine = &r->routines.at[profile->routine];
        const char *object = r->objects.at[routine->object];
        if (!export_wanted(job, profile))
            continue;
        putc('\n', w->stream);
        if (is_first_object(r, profile, before) || writer.edges.count || r->code.edges.count)
            write_name(w->stream, "ob=", *object ? object : "???");
        write_name(w->stream, "fl=", *routine->file ? routine->file : "???");
        write_name(w->stream, "fn=", routine->name);
        writer.path = routine->file;
        write_self(&writer, profile);
        write_calls(&writer, profile->routine);
        cost += profile->cost_self;
        calls += profile->calls;
        before = profile;
    }
    char digits[WIDE_DIGITS], more_digits[WIDE_DIGITS];
    fprintf(w->stream, "\ntotals: %s %s\n", u128_format(cost, digits),
            u128_format(calls, more_digits));
    vector_free(&writer.edges);
    return true;
}

const struct export_format export_callgrind = {"callgrind", export_nothing, callgrind_report,
                                               export_nothing, true};
