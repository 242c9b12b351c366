/* The formats of `aprof events report`; see events_command.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "lib/base/control.h"
#include "lib/report/estimate.h"
#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COLUMNS_MAX 12

/* Text ----------------------------------------------------------------------------------------- */

static void write_heading(const struct events_report *r, FILE *to)
{
    table_write_words("command:  ", &r->command, to);
    table_write_words("\nprocess:  ", &r->process, to);
    fputs(", end: ", to);
    table_write_safe(r->end_reason, to);
    fprintf(to, "\nanalysis:  %s,", r->analysis);
    table_write_words("", &r->options, to);
    putc('\n', to);
    if (r->kind->unit)
        fprintf(to, "total:     %.0f %s in %zu rows\n", events_total(r), r->kind->unit,
                r->rows.count);
    struct estimate estimate = estimate_of_events(&r->options);
    if (!estimate.sampled)
        return;
    if (estimate.known)
        fprintf(to,
                "sampled:   %.2f%% of all events; low and high bound the counts of all events\n",
                100 / estimate.lowest);
    else
        fputs("sampled:   at varying rates, without bounds\n", to);
}

/* Whether intervals can be computed: the report was sampled at one rate, and each row has one
 * count. */
static bool has_interval(const struct events_report *r, struct estimate *estimate)
{
    *estimate = estimate_of_events(&r->options);
    return estimate->sampled && estimate->known && r->kind->count_count == 1;
}

/* Adds the columns of counts, which come before other columns. In a report about a cache, a column
 * with the share of misses follows each pair of counts. */
static size_t add_count_columns(const struct analysis_rows *kind, struct table_column *columns)
{
    size_t n = 0;
    for (size_t i = 0; i < kind->count_count; i++) {
        const char *name = kind->count_names[i];
        columns[n++] = (struct table_column){name, name, false};
        if (kind->count_count == 1 || i % 2 == 1)
            columns[n++] = (struct table_column){"share", "%", false};
    }
    return n;
}

static size_t add_interval_columns(const struct events_report *r, struct table_column *columns)
{
    struct estimate estimate;
    if (!has_interval(r, &estimate))
        return 0;
    columns[0] = (struct table_column){"low", "low", false};
    columns[1] = (struct table_column){"high", "high", false};
    return 2;
}

static size_t add_columns(const struct events_report *r, struct table_column *columns)
{
    const struct analysis_rows *kind = r->kind;
    size_t n = 0;
    if (!kind->routines) {
        for (size_t i = 0; i < kind->key_most; i++)
            columns[n++] = (struct table_column){kind->key_names[i], kind->key_names[i], false};
        n += add_count_columns(kind, columns + n);
        return n + add_interval_columns(r, columns + n);
    }
    n = add_count_columns(kind, columns);
    n += add_interval_columns(r, columns + n);
    for (size_t i = 0; i < events_key_cells(kind); i++)
        columns[n++] = (struct table_column){kind->key_names[i], kind->key_names[i], true};
    columns[n++] = (struct table_column){"defined at", "defined at", true};
    return n;
}

static void add_counts(struct table *table, const struct analysis_rows *kind,
                       const struct events_row *row, double total)
{
    for (size_t i = 0; i < kind->count_count; i++) {
        table_add_number(table, row->counts[i]);
        if (kind->count_count == 1)
            table_add_percent(table, (double)row->counts[i], total, 2);
        else if (i % 2 == 1)
            table_add_percent(table, (double)row->counts[i], (double)row->counts[i - 1], 2);
    }
}

static void add_interval(struct table *table, const struct events_report *r,
                         const struct events_row *row)
{
    struct estimate estimate;
    if (!has_interval(r, &estimate))
        return;
    table_add(table, memory_format("%.0f", estimate_low(&estimate, row->counts[0], 0)));
    table_add(table, memory_format("%.0f", estimate_high(&estimate, row->counts[0])));
}

static void add_key(struct table *table, const struct events_report *r,
                    const struct events_row *row)
{
    for (size_t i = 0; i < events_key_cells(r->kind); i++)
        table_add(table, events_key_cell(r, row, i, true));
}

static void add_row(struct table *table, const struct events_report *r,
                    const struct events_row *row, double total)
{
    if (!r->kind->routines) {
        add_key(table, r, row);
        add_counts(table, r->kind, row, total);
        add_interval(table, r, row);
        return;
    }
    add_counts(table, r->kind, row, total);
    add_interval(table, r, row);
    add_key(table, r, row);
    table_add(table, events_place_cell(r, row));
}

void events_write_text(const struct events_view *v, FILE *to)
{
    const struct events_report *r = v->report;
    struct table_column columns[COLUMNS_MAX];
    struct table table = {.columns = columns, .column_count = add_columns(r, columns)};
    double total = events_total(r);
    write_heading(r, to);
    for (size_t i = 0; i < v->shown; i++)
        add_row(&table, r, &r->rows.at[v->order[i]], total);
    putc('\n', to);
    table_write_text(&table, to, table_may_style(to));
    if (v->shown < r->rows.count)
        fprintf(to, "%zu more rows\n", r->rows.count - v->shown);
    table_free(&table);
}

/* TSV, CSV: counts, then for each routine its name, object, offset, file and line -------------- */

static void write_cell(const struct events_view *v, char *cell, FILE *to)
{
    table_write_cell(cell, false, v->format, to);
    free(cell);
}

static void write_head(const struct events_view *v, FILE *to)
{
    static const char *const parts[] = {"", "_object", "_offset", "_file", "_line"};
    const struct analysis_rows *kind = v->report->kind;
    struct estimate estimate;
    for (size_t i = 0; i < kind->count_count; i++)
        table_write_cell(kind->count_names[i], i == 0, v->format, to);
    for (size_t i = 0; i < events_key_cells(kind); i++) {
        bool whole = kind->routines && i < kind->set_from;
        for (size_t p = 0; p < (whole ? sizeof parts / sizeof *parts : 1); p++)
            write_cell(v, memory_format("%s%s", kind->key_names[i], parts[p]), to);
    }
    if (has_interval(v->report, &estimate)) {
        table_write_cell("low", false, v->format, to);
        table_write_cell("high", false, v->format, to);
    }
    putc('\n', to);
}

/* A thread's first routine has no caller, so the caller's columns are empty. */
static void write_routine(const struct events_view *v, uint64_t id, FILE *to)
{
    if (id == EVENTS_NO_ROUTINE) {
        for (int i = 0; i < 5; i++)
            table_write_cell("", false, v->format, to);
        return;
    }
    const struct report_routine *routine = &v->report->routines.at[id];
    table_write_cell(routine->name, false, v->format, to);
    table_write_cell(v->report->objects.at[routine->object].path, false, v->format, to);
    write_cell(v, memory_format("0x%" PRIx64, routine->offset), to);
    table_write_cell(routine->file, false, v->format, to);
    write_cell(v, memory_format("%" PRIu32, routine->line), to);
}

static void write_row(const struct events_view *v, const struct events_row *row, FILE *to)
{
    const struct events_report *r = v->report;
    struct estimate estimate;
    for (size_t i = 0; i < r->kind->count_count; i++) {
        char *count = memory_format("%" PRIu64, row->counts[i]);
        table_write_cell(count, i == 0, v->format, to);
        free(count);
    }
    for (size_t i = 0; i < events_key_cells(r->kind); i++) {
        if (r->kind->routines && i < r->kind->set_from)
            write_routine(v, events_key(r, row)[i], to);
        else
            write_cell(v, events_key_cell(r, row, i, false), to);
    }
    if (has_interval(r, &estimate)) {
        write_cell(v, memory_format("%.0f", estimate_low(&estimate, row->counts[0], 0)), to);
        write_cell(v, memory_format("%.0f", estimate_high(&estimate, row->counts[0])), to);
    }
    putc('\n', to);
}

void events_write_separated(const struct events_view *v, FILE *to)
{
    write_head(v, to);
    for (size_t i = 0; i < v->shown; i++)
        write_row(v, &v->report->rows.at[v->order[i]], to);
}

/* JSON: routines once, rows by their numbers --------------------------------------------------- */

static void write_json_routine(struct json *json, const struct events_report *r, size_t id)
{
    const struct report_routine *routine = &r->routines.at[id];
    const struct context_object *object = &r->objects.at[routine->object];
    char offset[24];
    snprintf(offset, sizeof offset, "0x%" PRIx64, routine->offset);
    json_open_compact(json, NULL, '{');
    json_text(json, "name", routine->name);
    json_text(json, "object", object->path);
    json_text(json, "build_id", object->build_id);
    json_text(json, "offset", offset);
    json_text(json, "file", routine->file);
    json_number(json, "line", routine->line);
    json_close(json);
}

/* The caller of a thread's first routine is null. */
static void write_json_word(struct json *json, const struct analysis_rows *kind, const char *key,
                            uint64_t word)
{
    if (kind->routines && word == EVENTS_NO_ROUTINE)
        json_real(json, key, NAN);
    else
        json_number(json, key, word);
}

static void write_json_row(struct json *json, const struct events_report *r,
                           const struct events_row *row)
{
    const struct analysis_rows *kind = r->kind;
    const uint64_t *key = events_key(r, row);
    struct estimate estimate;
    json_open_compact(json, NULL, '{');
    for (size_t i = 0; i < kind->count_count; i++)
        json_number(json, kind->count_names[i], row->counts[i]);
    if (has_interval(r, &estimate)) {
        json_real(json, "low", rint(estimate_low(&estimate, row->counts[0], 0)));
        json_real(json, "high", rint(estimate_high(&estimate, row->counts[0])));
    }
    for (size_t i = 0; i < kind->set_from; i++)
        write_json_word(json, kind, kind->key_names[i], key[i]);
    if (kind->key_most == SIZE_MAX) {
        json_open_compact(json, kind->key_names[kind->set_from], '[');
        for (size_t i = kind->set_from; i < row->key_words; i++)
            json_number(json, NULL, key[i]);
        json_close(json);
    }
    json_close(json);
}

void events_write_json(const struct events_view *v, FILE *to)
{
    const struct events_report *r = v->report;
    struct json json = json_open_document(to, "aprof-events-1");
    json_texts(&json, "command", &r->command);
    json_texts(&json, "process", &r->process);
    json_texts(&json, "options", &r->options);
    json_text(&json, "end", r->end_reason);
    json_text(&json, "analysis", r->analysis);
    json_open(&json, "routines", '[');
    for (size_t i = 0; i < r->routines.count; i++)
        write_json_routine(&json, r, i);
    json_close(&json);
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < v->shown; i++)
        write_json_row(&json, r, &r->rows.at[v->order[i]]);
    json_close(&json);
    json_close(&json);
}

/* Graphviz ------------------------------------------------------------------------------------- */

#define WIDTH_MOST 6.0 /* line width of the arrow with most calls, in points */

static void write_dot_text(const char *text, FILE *to)
{
    while (*text) {
        if (*text == '"' || *text == '\\')
            putc('\\', to);
        control_put(&text, '?', to);
    }
}

/* Node 0 of the graph represents the start of threads; the other nodes are routines. */
static void write_dot_node(const struct events_report *r, uint64_t id, bool *drawn, FILE *to)
{
    if (drawn[id + 1])
        return;
    drawn[id + 1] = true;
    fprintf(to, "  r%" PRIu64 " [label=\"", id + 1);
    write_dot_text(events_routine_name(r, id), to);
    fputs("\"];\n", to);
}

void events_write_dot(const struct events_view *v, FILE *to)
{
    const struct events_report *r = v->report;
    bool *drawn = memory_get_zeroed(r->routines.count + 1, sizeof *drawn);
    double most = v->shown ? (double)r->rows.at[v->order[0]].counts[0] : 1;
    fputs("digraph calls {\n  node [shape=box];\n", to);
    for (size_t i = 0; i < v->shown; i++) {
        const struct events_row *row = &r->rows.at[v->order[i]];
        const uint64_t *key = events_key(r, row);
        double share = most > 0 ? (double)row->counts[0] / most : 0;
        write_dot_node(r, key[0], drawn, to);
        write_dot_node(r, key[1], drawn, to);
        fprintf(to, "  r%" PRIu64 " -> r%" PRIu64 " [label=\"%" PRIu64 "\", penwidth=%.2f];\n",
                key[0] + 1, key[1] + 1, row->counts[0], 1 + (WIDTH_MOST - 1) * share);
    }
    fputs("}\n", to);
    free(drawn);
}
