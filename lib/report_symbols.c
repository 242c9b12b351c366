/* Files, lines and names that a report lacks; see report_symbols.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report_symbols.h"

#include "lib/contexts_symbols.h"
#include "lib/report_code.h"
#include "lib/report_reader.h"
#include "lib/short_name.h"

#include <string.h>

typedef VECTOR(struct symbol_call) symbol_calls;

/* Call edges ----------------------------------------------------------------------------------- */

static bool has_address(const struct report_edge *edge)
{
    return edge->place.file == REPORT_NONE && edge->place.line > 0;
}

/* One for each edge that has an address in place of a line, in their order. */
static void list_calls(const struct report *report, symbol_calls *calls)
{
    for (size_t i = 0; i < report->code.edges.count; i++) {
        const struct report_edge *edge = &report->code.edges.at[i];
        uint32_t object = report->routines.at[edge->caller].object;
        struct symbol_call call = {.offset = edge->place.line, .object = object, .file = ""};
        if (has_address(edge))
            vector_push(calls, call);
    }
}

/* Each has a number of its own, until report_code_merge takes those for one that are alike. */
static uint32_t add_file(struct report_code *code, const char *path)
{
    if (!*path)
        return REPORT_NONE;
    vector_push(&code->files, path);
    return (uint32_t)(code->files.count - 1);
}

static struct report_place place_of(struct report_code *code, const struct symbol_call *call)
{
    struct report_place place = {.inlined = REPORT_NONE};
    for (size_t i = 0; i < call->inlined.count; i++) {
        const struct inlined_call *one = &call->inlined.at[i];
        struct report_inlined inlined = {{place.inlined, add_file(code, one->file), one->line},
                                         one->name};
        vector_push(&code->inlined, inlined);
        place.inlined = (uint32_t)(code->inlined.count - 1);
    }
    place.file = add_file(code, call->file);
    place.line = call->line;
    return place;
}

static void take_calls(struct report *report, symbol_calls *calls)
{
    struct symbol_call *call = calls->at;
    for (size_t i = 0; i < report->code.edges.count; i++) {
        struct report_edge *edge = &report->code.edges.at[i];
        if (!has_address(edge))
            continue;
        if (*call->file)
            edge->place = place_of(&report->code, call);
        vector_free(&call->inlined);
        call++;
    }
    if (calls->count)
        report_code_merge(report);
    vector_free(calls);
}

/* Names of inlined functions -------------------------------------------------------------------- */

/* Routines with less of all cost in what is inlined into them keep the names that they have. */
#define SHARE_NAMED .01

typedef VECTOR(struct symbol_routine) symbol_routines;

/* By routine: the cost of what is inlined there; the caller frees it. */
static uint64_t *inlined_costs(const struct report *report)
{
    uint64_t *costs = memory_get_zeroed(report->routines.count + 1, sizeof *costs);
    for (size_t i = 0; i < report->code.lines.count; i++) {
        const struct report_line_cost *line = &report->code.lines.at[i];
        if (line->place.inlined != REPORT_NONE)
            costs[line->routine] = u64_add(costs[line->routine], line->cost);
    }
    return costs;
}

static void list_routines(const struct report *report, symbol_routines *list)
{
    uint64_t *costs = inlined_costs(report);
    for (size_t i = 0; i < report->routines.count; i++) {
        const struct report_routine *routine = &report->routines.at[i];
        struct symbol_routine made = {.offset = routine->offset, .object = routine->object};
        if (costs[i] && (double)costs[i] >= SHARE_NAMED * (double)report->totals.cost)
            vector_push(list, made);
    }
    free(costs);
}

static const struct inlined_call *call_like(const struct report *report, const inlined_calls *calls,
                                            const struct report_inlined *inlined)
{
    uint32_t file = inlined->call.file;
    const char *path = file == REPORT_NONE ? "" : report->code.files.at[file];
    for (size_t i = 0; i < calls->count; i++) {
        const struct inlined_call *call = &calls->at[i];
        if (call->line == inlined->call.line && strcmp(call->plain, inlined->name) == 0 &&
            strcmp(short_path(call->file), short_path(path)) == 0)
            return call;
    }
    return NULL;
}

/* Names what is inlined around a line of the routine. */
static void name_chain(struct report *report, const struct symbol_routine *routine,
                       const struct report_line_cost *line)
{
    const struct report_routine *of = &report->routines.at[line->routine];
    if (of->object != routine->object || of->offset != routine->offset)
        return;
    for (uint32_t at = line->place.inlined; at != REPORT_NONE;
         at = report->code.inlined.at[at].call.inlined) {
        struct report_inlined *inlined = &report->code.inlined.at[at];
        const struct inlined_call *call = call_like(report, &routine->inlined, inlined);
        if (call)
            inlined->name = call->name;
    }
}

static void name_inlined(struct report *report, symbol_routines *list)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; list->at[i].inlined.count && k < report->code.lines.count; k++)
            name_chain(report, &list->at[i], &report->code.lines.at[k]);
        vector_free(&list->at[i].inlined);
    }
    if (list->count)
        report_code_merge(report); /* names are part of their order */
    vector_free(list);
}

/* The report ----------------------------------------------------------------------------------- */

typedef VECTOR(struct context_object) object_list;

static void list_objects(const struct report *report, object_list *objects)
{
    for (size_t i = 0; i < report->objects.count; i++) {
        struct context_object object = {.path = report->objects.at[i], .build_id = ""};
        vector_push(objects, object);
    }
}

static struct symbol_tables tables_of(struct report *report, const object_list *objects)
{
    return (struct symbol_tables){
        .strings = &report->strings,
        .objects = objects->at,
        .object_count = objects->count,
        .routines = report->routines.at,
        .routine_count = report->routines.count,
    };
}

/* The report is readable without an object, too. */
static void forget_notes(struct contexts_symbols *symbols)
{
    for (size_t i = 0; i < symbols->notes.count; i++)
        free(symbols->notes.at[i]);
    vector_free(&symbols->notes);
}

static void find_names(struct report *report)
{
    struct contexts_symbols symbols = {0};
    symbol_routines list = {0};
    object_list objects = {0};
    list_routines(report, &list);
    list_objects(report, &objects);
    struct symbol_tables tables = tables_of(report, &objects);
    symbols_list_inlined(&tables, list.at, list.count, &symbols);
    name_inlined(report, &list);
    forget_notes(&symbols);
    vector_free(&objects);
}

static void find_places(struct report *report)
{
    struct contexts_symbols symbols = {0};
    symbol_calls calls = {0};
    object_list objects = {0};
    list_calls(report, &calls);
    list_objects(report, &objects);
    struct symbol_tables tables = tables_of(report, &objects);
    tables.calls = calls.at;
    tables.call_count = calls.count;
    tables.lines = true;
    symbols_resolve(&tables, &symbols);
    take_calls(report, &calls);
    report_name_routines(report);
    forget_notes(&symbols);
    vector_free(&objects);
}

void report_find_lines(struct report *report)
{
    if (!contexts_symbols_available())
        return;
    if (report_is_compiled(report))
        find_places(report);
    else
        find_names(report);
}

bool report_read_with_lines(struct report *report, const char *path, struct failure *why)
{
    if (!report_read_file(report, path, why))
        return false;
    report_find_lines(report);
    return true;
}
