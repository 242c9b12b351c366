/* Files and lines of routines of a report that has only their names; see report_symbols.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report_symbols.h"

#include "lib/contexts_symbols.h"
#include "lib/report_reader.h"

#include <string.h>

void report_find_lines(struct report *report)
{
    struct contexts_symbols symbols = {0};
    VECTOR(struct context_object) objects = {0};
    if (!contexts_symbols_available() || strcmp(report->tool, "compiled") != 0)
        return;
    for (size_t i = 0; i < report->objects.count; i++) {
        struct context_object object = {.path = report->objects.at[i], .build_id = ""};
        vector_push(&objects, object);
    }
    const struct symbol_tables tables = {
        .strings = &report->strings,
        .objects = objects.at,
        .object_count = objects.count,
        .routines = report->routines.at,
        .routine_count = report->routines.count,
        .lines = true,
    };
    symbols_resolve(&tables, &symbols);
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
