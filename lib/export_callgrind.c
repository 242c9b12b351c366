/* Callgrind's format, for KCachegrind and callgrind_annotate: self costs and calls by routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Call lines come from contexts: a report without them knows no callers. KCachegrind wants
 * `events:` within the first 2047 bytes, which is why the command comes after it.
 */
#include "aprof-config.h"

#include "lib/context_edges.h"
#include "lib/control.h"
#include "lib/export.h"

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
    for (; *name; name++)
        putc(is_control(*name) ? ' ' : *name, to);
    putc('\n', to);
}

/* The command, shortened so that `events:` comes early enough. */
static void write_command(FILE *to, const struct report *r)
{
    size_t left = COMMAND_BYTES_MAX;
    fputs("cmd:", to);
    for (size_t i = 0; i < r->command.count && left > 0; i++) {
        putc(' ', to);
        for (const char *c = r->command.at[i]; *c && left > 0; c++, left--)
            putc(is_control(*c) ? ' ' : *c, to);
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

/* The calls that a routine makes; `next` is the first edge that is not written yet. */
static void write_calls(FILE *to, const struct report *r, const context_edge_list *edges,
                        size_t *next, uint32_t caller)
{
    while (*next < edges->count && edges->at[*next].caller < caller)
        ++*next;
    for (; *next < edges->count && edges->at[*next].caller == caller; ++*next) {
        const struct context_edge *edge = &edges->at[*next];
        const struct report_routine *callee = &r->routines.at[edge->callee];
        char digits[WIDE_DIGITS];
        if (edge->calls == 0)
            continue;
        write_callee(to, r, callee);
        fprintf(to, "calls=%" PRIu64 " %" PRIu32 "\n", edge->calls, callee->line);
        fprintf(to, "%" PRIu32 " %s %" PRIu64 "\n", r->routines.at[caller].line,
                u128_format(edge->cost, digits), edge->calls);
    }
}

static bool callgrind_report(struct export_writer *w, const struct export_job *job,
                             struct failure *why)
{
    const struct report *r = &job->report;
    const struct report_profile *before = NULL;
    u128 cost = 0, calls = 0;
    context_edge_list edges = {0};
    size_t next = 0; /* edge */
    if (w->reports > 0)
        return failure_set(why, "%s: callgrind's format takes one report; see aprof merge",
                           r->path);
    write_head(w->stream, r);
    context_edges_make(r, &edges);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        const struct report_routine *routine = &r->routines.at[profile->routine];
        const char *object = r->objects.at[routine->object];
        if (!export_wanted(job, profile))
            continue;
        putc('\n', w->stream);
        if (is_first_object(r, profile, before) || edges.count)
            write_name(w->stream, "ob=", *object ? object : "???");
        write_name(w->stream, "fl=", *routine->file ? routine->file : "???");
        write_name(w->stream, "fn=", routine->name);
        fprintf(w->stream, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", routine->line,
                profile->cost_self, profile->calls);
        write_calls(w->stream, r, &edges, &next, profile->routine);
        cost += profile->cost_self;
        calls += profile->calls;
        before = profile;
    }
    char digits[WIDE_DIGITS], more_digits[WIDE_DIGITS];
    fprintf(w->stream, "\ntotals: %s %s\n", u128_format(cost, digits),
            u128_format(calls, more_digits));
    vector_free(&edges);
    return true;
}

const struct export_format export_callgrind = {"callgrind", export_nothing, callgrind_report,
                                               export_nothing};
