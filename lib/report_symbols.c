/* Files and lines of routines of a report that has only their names; see report_symbols.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report_symbols.h"

#include "lib/contexts_symbols.h"
#include "lib/report_code.h"
#include "lib/report_reader.h"

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

/* The report ----------------------------------------------------------------------------------- */

void report_find_lines(struct report *report)
{
    struct contexts_symbols symbols = {0};
    symbol_calls calls = {0};
    VECTOR(struct context_object) objects = {0};
    if (!contexts_symbols_available() || strcmp(report->tool, "compiled") != 0)
        return;
    for (size_t i = 0; i < report->objects.count; i++) {
        struct context_object object = {.path = report->objects.at[i], .build_id = ""};
        vector_push(&objects, object);
    }
    list_calls(report, &calls);
    const struct symbol_tables tables = {
        .strings = &report->strings,
        .objects = objects.at,
        .object_count = objects.count,
        .routines = report->routines.at,
        .routine_count = report->routines.count,
        .calls = calls.at,
        .call_count = calls.count,
        .lines = true,
    };
    symbols_resolve(&tables, &symbols);
    take_calls(report, &calls);
    report_name_routines(report);
    for (size_t i = 0; i < symbols.notes.count; i++)
        free(symbols.notes.at[i]); /* the report is readable without that object, too */
    vector_free(&symbols.notes);
    vector_free(&objects);
}

bool report_read_with_lines(struct report *report, const char *path, struct failure *why)
{
    if (!report_read_file(report, path, why))
        return false;
    report_find_lines(report);
    return true;
}
