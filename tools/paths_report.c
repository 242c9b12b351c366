/* `aprof paths report`: the hottest paths, their source lines, and the cost of counting.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A path is written as the numbers of its blocks, `0>2>5`. In a path, `~` means a back edge or a
 * cut. The path `~3>4~` begins after a back edge or cut, and ends with another back edge or cut.
 */
#include "tools/model.h"
#include "tools/paths_command.h"

#include "lib/base/demangle.h"
#include "lib/base/json.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TOP_DEFAULT 20

struct settings {
    const char *procedure;
    unsigned long top;
    bool lines;
    int format;
};

/* ---------------------------------------------------------------- One path in words */

static char *stream_text(FILE *stream, char **text)
{
    fclose(stream);
    return *text;
}

static FILE *stream_open(char **text, size_t *bytes)
{
    FILE *stream = open_memstream(text, bytes);
    if (!stream)
        abort();
    return stream;
}

static char *format_blocks(const struct dag *dag, const uint32_t *edges, uint32_t count)
{
    char *text;
    size_t bytes;
    FILE *to = stream_open(&text, &bytes);
    if (dag->edges.at[edges[0]].kind == DAG_RESTART)
        putc('~', to);
    for (uint32_t i = 0; i + 1 < count; i++)
        fprintf(to, i ? ">%" PRIu32 : "%" PRIu32, dag->edges.at[edges[i]].to);
    if (dag->edges.at[edges[count - 1]].kind == DAG_BREAK)
        putc('~', to);
    return stream_text(to, &text);
}

/* The source lines of all blocks of the path; a block with the same lines as the previous block is
 * omitted. */
static char *format_lines(const struct graph *graph, const struct dag *dag, const uint32_t *edges,
                          uint32_t count)
{
    char *text;
    size_t bytes;
    const char *last = "";
    FILE *to = stream_open(&text, &bytes);
    for (uint32_t i = 0; i + 1 < count; i++) {
        const char *lines = graph->blocks.at[dag->edges.at[edges[i]].to].lines;
        if (!*lines || strcmp(lines, last) == 0)
            continue;
        fprintf(to, *last ? " > %s" : "%s", lines);
        last = lines;
    }
    return stream_text(to, &text);
}

struct row {
    char *procedure, *blocks, *lines;
    uint64_t count;
};

static struct row row_make(const struct plan *plan, const struct path_count *path)
{
    const struct subject *subject = &plan->subjects[path->procedure];
    struct numbering ball_larus;
    uint32_t *edges = memory_get_zeroed(subject->dag.vertex_count, sizeof *edges);
    numbering_ball_larus(&ball_larus, &subject->dag);
    uint32_t count = path_edges(&ball_larus, &subject->dag, path, edges);
    struct row row = {
        .procedure = demangle_short(subject->graph->name),
        .blocks = format_blocks(&subject->dag, edges, count),
        .lines = format_lines(subject->graph, &subject->dag, edges, count),
        .count = path->count,
    };
    numbering_free(&ball_larus);
    free(edges);
    return row;
}

static void row_free(struct row *row)
{
    free(row->procedure);
    free(row->blocks);
    free(row->lines);
}

/* ---------------------------------------------------------------- Which paths */

static int by_heat(const void *a, const void *b)
{
    const struct path_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->procedure != y->procedure)
        return x->procedure < y->procedure ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool is_wanted(const struct plan *plan, uint32_t procedure, const char *name)
{
    const char *symbol = plan->graphs.procedures.at[procedure].name;
    if (!name || strcmp(symbol, name) == 0)
        return true;
    char *plain = demangle_short(symbol), *whole = demangle_full(symbol);
    bool same = strcmp(plain, name) == 0 || strcmp(whole, name) == 0;
    free(plain);
    free(whole);
    return same;
}

/* Keeps only the requested paths, the hottest first. */
static void choose(struct path_profile *profile, const struct plan *plan,
                   const struct settings *settings)
{
    size_t kept = 0;
    unsigned long top = settings->top;
    uint32_t last = UINT32_MAX;
    bool wanted = false;
    if (top == TOP_NOT_GIVEN)
        top = settings->format == TABLE_TEXT ? TOP_DEFAULT : 0;
    for (size_t i = 0; i < profile->paths.count; i++) {
        if (profile->paths.at[i].procedure != last) {
            last = profile->paths.at[i].procedure;
            wanted = is_wanted(plan, last, settings->procedure);
        }
        if (wanted)
            profile->paths.at[kept++] = profile->paths.at[i];
    }
    profile->paths.count = kept;
    if (kept)
        qsort(profile->paths.at, kept, sizeof *profile->paths.at, by_heat);
    if (top && profile->paths.count > top)
        profile->paths.count = top;
}

/* ---------------------------------------------------------------- Formats */

static void write_costs(const struct path_profile *profile, FILE *to)
{
    static const struct table_column columns[] = {
        {"copy", "copy", false},
        {"hits", "hits", false},
        {"increments", "increments", false},
        {"commits", "commits", false},
        {"uninteresting", "uninteresting", false},
        {"starts", "starts", false},
        {"processes", "processes", false},
    };
    struct table table = {.columns = columns, .column_count = 7};
    for (size_t c = 0; c < profile->copies.count; c++) {
        const struct copy_cost *cost = &profile->copies.at[c];
        table_add_number(&table, c + 1);
        table_add_number(&table, cost->hits);
        table_add_number(&table, cost->increments);
        table_add_number(&table, cost->commits);
        table_add_number(&table, cost->uninteresting);
        table_add_number(&table, cost->starts);
        table_add_number(&table, cost->processes);
    }
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
    fputs("\nhits: executed edges with a non-zero label. increments: hits that update no counter.\n"
          "commits: updates of counters of paths that the copy counts.\n"
          "uninteresting: updates of counters of other paths.\n"
          "starts: started paths, with one check each; only in sliced copies.\n\n",
          to);
}

static void write_skipped(const struct plan *plan, FILE *to)
{
    uint64_t cuts = 0;
    for (size_t p = 0; p < plan->distribution.procedures; p++) {
        cuts += plan->subjects[p].skipped ? 0 : plan->subjects[p].dag.cuts;
        if (plan->subjects[p].skipped)
            fprintf(to, "not profiled: %s: %s\n", plan->graphs.procedures.at[p].name,
                    plan->subjects[p].skipped);
    }
    if (cuts)
        fprintf(to, "%" PRIu64 " edges cut: paths end there as at back edges\n", cuts);
}

static void write_text(const struct path_profile *profile, const struct plan *plan,
                       const struct settings *settings, uint64_t all, FILE *to)
{
    static const struct table_column columns[] = {
        {"count", "count", false}, {"share", "share", false}, {"procedure", "procedure", true},
        {"path", "path", true},    {"lines", "lines", true},
    };
    struct table table = {.columns = columns, .column_count = settings->lines ? 5 : 4};
    for (size_t i = 0; i < profile->differences.count; i++)
        fprintf(to, "copies differ: %s\n", profile->differences.at[i]);
    write_costs(profile, to);
    write_skipped(plan, to);
    for (size_t i = 0; i < profile->paths.count; i++) {
        struct row row = row_make(plan, &profile->paths.at[i]);
        table_add_number(&table, row.count);
        table_add(&table,
                  memory_format("%.2f%%", all ? 100.0 * (double)row.count / (double)all : 0.0));
        table_add_text(&table, row.procedure);
        table_add_text(&table, row.blocks);
        if (settings->lines)
            table_add_text(&table, row.lines);
        row_free(&row);
    }
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

static void write_separated(const struct path_profile *profile, const struct plan *plan,
                            enum table_format format, FILE *to)
{
    static const struct table_column columns[] = {
        {"procedure", "procedure", true},
        {"path", "path", true},
        {"count", "count", false},
        {"lines", "lines", true},
    };
    struct table table = {.columns = columns, .column_count = 4};
    for (size_t i = 0; i < profile->paths.count; i++) {
        struct row row = row_make(plan, &profile->paths.at[i]);
        table_add_text(&table, row.procedure);
        table_add_text(&table, row.blocks);
        table_add_number(&table, row.count);
        table_add_text(&table, row.lines);
        row_free(&row);
    }
    table_write_separated(&table, format, to);
    table_free(&table);
}

static void write_json(const struct path_profile *profile, const struct plan *plan, FILE *to)
{
    struct json json = json_open_document(to, "aprof-paths-1");
    json_text(&json, "policy", policy_names[plan->policy]);
    json_open(&json, "copies", '[');
    for (size_t c = 0; c < profile->copies.count; c++) {
        const struct copy_cost *cost = &profile->copies.at[c];
        json_open_compact(&json, NULL, '{');
        json_number(&json, "hits", cost->hits);
        json_number(&json, "increments", cost->increments);
        json_number(&json, "commits", cost->commits);
        json_number(&json, "uninteresting", cost->uninteresting);
        json_number(&json, "starts", cost->starts);
        json_close(&json);
    }
    json_close(&json);
    json_open(&json, "differences", '[');
    for (size_t i = 0; i < profile->differences.count; i++)
        json_text(&json, NULL, profile->differences.at[i]);
    json_close(&json);
    json_open(&json, "paths", '[');
    for (size_t i = 0; i < profile->paths.count; i++) {
        struct row row = row_make(plan, &profile->paths.at[i]);
        json_open_compact(&json, NULL, '{');
        json_text(&json, "procedure", row.procedure);
        json_text(&json, "path", row.blocks);
        json_number(&json, "count", row.count);
        json_text(&json, "lines", row.lines);
        json_close(&json);
        row_free(&row);
    }
    json_close(&json);
    json_close(&json);
}

/* ---------------------------------------------------------------- Command */

/* A plan, and the profile in its folder. */
struct paths_report {
    struct plan plan;
    struct path_profile profile;
};

/* Returns the folder of a plan. `path` names this folder, or the profile in this folder. The caller
 * frees the result. */
static char *folder_of(const char *path)
{
    char *copy = memory_copy_string(path), *slash = strrchr(copy, '/');
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return copy;
    if (!slash)
        strcpy(copy, ".");
    else if (slash > copy)
        *slash = 0;
    return copy;
}

static bool read_profile(void *report, const char *path, const struct common_options *settings,
                         struct failure *why)
{
    struct paths_report *r = report;
    char *folder = folder_of(path), *profile = paths_file(folder, PATHS_PROFILE);
    bool has_plan = paths_read_plan(&r->plan, folder, why);
    bool good = has_plan && path_profile_read(&r->profile, &r->plan, profile, why);
    (void)settings;
    if (has_plan && !good)
        plan_free(&r->plan);
    free(profile);
    free(folder);
    return good;
}

static void free_profile(void *report)
{
    struct paths_report *r = report;
    path_profile_free(&r->profile);
    plan_free(&r->plan);
}

static bool write_paths(struct paths_report *r, const struct settings *settings, FILE *to,
                        struct failure *why)
{
    uint64_t all = 0;
    for (size_t i = 0; i < r->profile.paths.count; i++)
        all += r->profile.paths.at[i].count;
    choose(&r->profile, &r->plan, settings);
    if (settings->procedure && !r->profile.paths.count)
        return failure_set(why, "%s: no path of a procedure of this name was executed",
                           settings->procedure);
    if (settings->format == TABLE_TEXT)
        write_text(&r->profile, &r->plan, settings, all, to);
    else if (settings->format == TABLE_JSON)
        write_json(&r->profile, &r->plan, to);
    else
        write_separated(&r->profile, &r->plan, settings->format, to);
    return true;
}

static bool write_rows(void *report, const struct report_settings *s, FILE *to, struct failure *why)
{
    struct settings settings = {
        .procedure = s->routine, .top = s->common.top, .lines = s->lines, .format = s->format};
    return write_paths(report, &settings, to, why);
}

static bool write_export(const struct export_settings *s, const string_list *paths,
                         struct output *output, struct failure *why)
{
    struct settings settings = {
        .procedure = s->routine, .top = s->common.top, .lines = s->lines, .format = s->format};
    struct paths_report report;
    if (!read_profile(&report, paths->at[0], &s->common, why))
        return false;
    bool good = write_paths(&report, &settings, output->stream, why);
    free_profile(&report);
    return good;
}

const struct command paths_report = {
    .name = "report",
    .summary = "shows the hottest paths",
    .usage = "[options] [FOLDER]",
    .details =
        "Shows the merged path profile of a plan's folder [.]: the hottest paths, and the cost\n"
        "of counting in each copy. 'aprof report FOLDER' is equivalent.",
    .options = report_options,
    .kinds = FOR_PATHS,
    .operands_most = 1,
    .run = report_run,
};

static const struct command file_export = {
    .name = "export",
    .details = "Is equivalent to 'aprof paths report --format=csv FOLDER'.",
    .options = export_options,
    .usage = "[options] FOLDER",
    .kinds = FOR_PATHS,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one profile of paths",
    .run = export_run,
};

const struct report_model model_paths = {
    .kind = REPORT_PATHS,
    .report_bytes = sizeof(struct paths_report),
    .read = read_profile,
    .free = free_profile,
    .rows = write_rows,
    .export = write_export,
    .export_format = TABLE_CSV,
    .commands[VERB_REPORT] = &paths_report,
    .commands[VERB_EXPORT] = &file_export,
};
