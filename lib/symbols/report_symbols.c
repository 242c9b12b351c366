/* Adds missing files, lines and names to a report; see report_symbols.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/symbols/report_symbols.h"

#include "lib/symbols/contexts_symbols.h"
#include "lib/report/report_code.h"
#include "lib/base/short_name.h"

#include <stdlib.h>
#include <string.h>

typedef VECTOR(struct symbol_place) symbol_places;

/* A compiled-in profiler reads no debug data. The Valgrind tool skips debug data that Valgrind's
 * core cannot read. */
static bool is_unread(const struct report *report, uint32_t object)
{
    return report_is_compiled(report) || report->unread_ids.at[object];
}

/* Addresses ------------------------------------------------------------------------------------ */

static bool has_address(const struct report *report, uint32_t routine,
                        const struct report_place *place)
{
    return place->file == REPORT_NONE && place->line > 0 &&
           is_unread(report, report->routines.at[routine].object);
}

static void list_place(const struct report *report, uint32_t routine,
                       const struct report_place *place, symbol_places *places)
{
    uint32_t object = report->routines.at[routine].object;
    struct symbol_place made = {.offset = place->line, .object = object, .file = ""};
    if (has_address(report, routine, place))
        vector_push(places, made);
}

/* Lists a code location for each edge and each cost that has an address instead of a line, in the
 * report's order. */
static void list_places(const struct report *report, symbol_places *places)
{
    const struct report_code *code = &report->code;
    for (size_t i = 0; i < code->edges.count; i++)
        list_place(report, code->edges.at[i].caller, &code->edges.at[i].place, places);
    for (size_t i = 0; i < code->lines.count; i++)
        list_place(report, code->lines.at[i].routine, &code->lines.at[i].place, places);
}

/* Adds a file for each code location; report_code_merge later merges equal files. */
static uint32_t add_file(struct report_code *code, const char *path)
{
    if (!*path)
        return REPORT_NONE;
    vector_push(&code->files, path);
    return (uint32_t)(code->files.count - 1);
}

static struct report_place place_of(struct report_code *code, const struct symbol_place *found)
{
    struct report_place place = {.inlined = REPORT_NONE};
    for (size_t i = 0; i < found->inlined.count; i++) {
        const struct inlined_call *one = &found->inlined.at[i];
        struct report_inlined inlined = {{place.inlined, add_file(code, one->file), one->line},
                                         one->name};
        vector_push(&code->inlined, inlined);
        place.inlined = (uint32_t)(code->inlined.count - 1);
    }
    place.file = add_file(code, found->file);
    place.line = found->line;
    return place;
}

/* If `place` has an address instead of a line, replaces `place` by `next`. Returns the value of
 * `next` for the next call of this function. */
static struct symbol_place *take_place(struct report *report, uint32_t routine,
                                       struct report_place *place, struct symbol_place *next)
{
    if (!has_address(report, routine, place))
        return next;
    if (*next->file)
        *place = place_of(&report->code, next);
    vector_free(&next->inlined);
    return next + 1;
}

static void take_places(struct report *report, symbol_places *places)
{
    struct report_code *code = &report->code;
    struct symbol_place *next = places->at;
    for (size_t i = 0; i < code->edges.count; i++)
        next = take_place(report, code->edges.at[i].caller, &code->edges.at[i].place, next);
    for (size_t i = 0; i < code->lines.count; i++)
        next = take_place(report, code->lines.at[i].routine, &code->lines.at[i].place, next);
    if (places->count)
        report_code_merge(report);
    vector_free(places);
}

/* Names of inlined functions ------------------------------------------------------------------- */

/* In a routine whose inlined functions have less than this share of all cost, the functions keep
 * their short names. So in a consistent report, functions get longer names in at most
 * ROUTINES_NAMED routines. */
#define SHARE_NAMED    .01
#define ROUTINES_NAMED 100

typedef VECTOR(struct symbol_routine) symbol_routines;

/* For each routine, the cost of its inlined functions. The caller frees the list. */
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
    for (size_t i = 0; i < report->routines.count && list->count < ROUTINES_NAMED; i++) {
        const struct report_routine *routine = &report->routines.at[i];
        struct symbol_routine made = {.offset = routine->offset, .object = routine->object};
        if (costs[i] && !is_unread(report, routine->object) &&
            (double)costs[i] >= SHARE_NAMED * (double)report->totals.cost)
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

static int by_address(const void *a, const void *b)
{
    const struct symbol_routine *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Names the functions inlined around a line, if the line's routine is in the sorted list. */
static void name_chain(struct report *report, const symbol_routines *list,
                       const struct report_line_cost *line)
{
    const struct report_routine *of = &report->routines.at[line->routine];
    struct symbol_routine key = {.object = of->object, .offset = of->offset};
    const struct symbol_routine *routine =
        bsearch(&key, list->at, list->count, sizeof key, by_address);
    if (!routine)
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
    if (!list->count)
        return;
    qsort(list->at, list->count, sizeof *list->at, by_address);
    for (size_t i = 0; i < report->code.lines.count; i++)
        name_chain(report, list, &report->code.lines.at[i]);
    for (size_t i = 0; i < list->count; i++)
        vector_free(&list->at[i].inlined);
    report_code_merge(report); /* sorts the code again, because its order depends on the names */
    vector_free(list);
}

/* The report ----------------------------------------------------------------------------------- */

typedef VECTOR(struct context_object) object_list;

/* Lists all objects; objects that are not selected get an empty path. Selects the objects with
 * debug data that the profiler has read; if `unread` is true, selects all other objects instead. */
static void list_objects(const struct report *report, bool unread, object_list *objects)
{
    for (uint32_t i = 0; i < report->objects.count; i++) {
        const char *id = report->unread_ids.at[i];
        bool is_wanted = is_unread(report, i) == unread;
        struct context_object object = {.path = is_wanted ? report->objects.at[i] : "",
                                        .build_id = id ? id : ""};
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

/* Keeps the notes about objects that could not be read. In reports of compiled-in profilers, the
 * notes are dropped, because users of such profilers do not expect debug data. A report is readable
 * without these objects. */
static void take_notes(struct report *report, struct contexts_symbols *symbols)
{
    for (size_t i = 0; i < symbols->notes.count; i++) {
        const char *note = symbols->notes.at[i];
        if (symbols->loss && !report_is_compiled(report))
            vector_push(&report->notes, arena_copy(&report->strings, note, strlen(note)));
        free(symbols->notes.at[i]);
    }
    vector_free(&symbols->notes);
}

static void find_names(struct report *report)
{
    struct contexts_symbols symbols = {0};
    symbol_routines list = {0};
    object_list objects = {0};
    list_routines(report, &list);
    list_objects(report, false, &objects);
    struct symbol_tables tables = tables_of(report, &objects);
    symbols_list_inlined(&tables, list.at, list.count, &symbols);
    name_inlined(report, &list);
    take_notes(report, &symbols);
    vector_free(&objects);
}

#define LINES_UNKNOWN                                                                              \
    "its lines and inlined functions are unknown; keep the file that ran, or its debug file, or "  \
    "compile with -gdwarf-4"

static void find_places(struct report *report)
{
    struct contexts_symbols symbols = {.loss = LINES_UNKNOWN};
    symbol_places places = {0};
    object_list objects = {0};
    bool *found = memory_get_zeroed(report->objects.count + 1, sizeof *found);
    report->notes.count = 0;
    list_places(report, &places);
    list_objects(report, true, &objects);
    struct symbol_tables tables = tables_of(report, &objects);
    tables.places = places.at;
    tables.place_count = places.count;
    tables.lines = true;
    tables.keeps_names = !report_is_compiled(report);
    tables.found = found;
    symbols_resolve(&tables, &symbols);
    take_places(report, &places);
    report_name_routines(report);
    take_notes(report, &symbols);
    for (size_t i = 0; i < report->objects.count; i++) {
        if (found[i])
            report->unread_ids.at[i] = NULL;
    }
    free(found);
    vector_free(&objects);
}

void report_find_unread(struct report *report)
{
    if (report_has_unread(report))
        find_places(report);
}

void report_find_lines(struct report *report)
{
    if (report_is_compiled(report)) {
        find_places(report);
        return;
    }
    if (contexts_symbols_available())
        find_names(report);
    report_find_unread(report);
}
