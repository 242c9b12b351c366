/* Code in a report: edges, lines and inlined functions; see report_code.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * To add two reports, the tables of one report are appended to the tables of the other, and the
 * result is sorted. The indices in the appended entries are adjusted. First the files are sorted by
 * path, then the inlined functions from the outermost to the innermost, and finally the edges and
 * lines. Equal entries are added up.
 */
#include "lib/report/report_code.h"

#include <string.h>

/* Order ---------------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Code locations without an inlined function, or without a known file, come first. */
static int compare_optional(uint32_t a, uint32_t b)
{
    return compare_numbers(a + 1, b + 1);
}

static int place_compare(const struct report_place *a, const struct report_place *b)
{
    int order = compare_optional(a->inlined, b->inlined);
    if (order == 0)
        order = compare_optional(a->file, b->file);
    return order ? order : compare_numbers(a->line, b->line);
}

int edge_compare(const struct report_edge *a, const struct report_edge *b)
{
    int order = compare_numbers(a->caller, b->caller);
    if (order == 0)
        order = compare_numbers(a->callee, b->callee);
    return order ? order : place_compare(&a->place, &b->place);
}

int line_compare(const struct report_line_cost *a, const struct report_line_cost *b)
{
    int order = compare_numbers(a->routine, b->routine);
    return order ? order : place_compare(&a->place, &b->place);
}

static void edge_add(struct report_edge *to, const struct report_edge *from)
{
    RECORD_ADD(RECORD_EDGE, to, from);
}

/* Appending ------------------------------------------------------------------------------------ */

static uint32_t moved(uint32_t number, size_t by)
{
    return number == REPORT_NONE ? number : number + (uint32_t)by;
}

static struct report_place place_moved(struct report_place place, size_t inlined, size_t files)
{
    place.inlined = moved(place.inlined, inlined);
    place.file = moved(place.file, files);
    return place;
}

static const char *keep(struct report *r, const char *text)
{
    return arena_copy(&r->strings, text, strlen(text));
}

void report_code_append(struct report *to, const struct report *from, const uint32_t *number)
{
    const struct report_code *code = &from->code;
    size_t files = to->code.files.count, inlined = to->code.inlined.count;
    for (size_t i = 0; i < code->files.count; i++)
        vector_push(&to->code.files, keep(to, code->files.at[i]));
    for (size_t i = 0; i < code->inlined.count; i++) {
        struct report_inlined one = code->inlined.at[i];
        one.name = keep(to, one.name);
        one.call = place_moved(one.call, inlined, files);
        vector_push(&to->code.inlined, one);
    }
    for (size_t i = 0; i < code->edges.count; i++) {
        struct report_edge edge = code->edges.at[i];
        edge.caller = number[edge.caller];
        edge.callee = number[edge.callee];
        edge.place = place_moved(edge.place, inlined, files);
        vector_push(&to->code.edges, edge);
    }
    for (size_t i = 0; i < code->lines.count; i++) {
        struct report_line_cost line = code->lines.at[i];
        line.routine = number[line.routine];
        line.place = place_moved(line.place, inlined, files);
        vector_push(&to->code.lines, line);
    }
}

/* Files ---------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b, void *files)
{
    const string_list *list = files;
    return strcmp(list->at[*(const uint32_t *)a], list->at[*(const uint32_t *)b]);
}

static uint32_t *numbers_make(size_t count)
{
    uint32_t *numbers = memory_resize(NULL, count + 1, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    return numbers;
}

/* The new number of each file. */
static uint32_t *merge_files(struct report_code *code)
{
    size_t count = code->files.count;
    uint32_t *order = numbers_make(count), *number = numbers_make(count);
    string_list merged = {0};
    qsort_r(order, count, sizeof *order, by_path, &code->files);
    for (size_t i = 0; i < count; i++) {
        const char *path = code->files.at[order[i]];
        if (merged.count == 0 || strcmp(merged.at[merged.count - 1], path) != 0)
            vector_push(&merged, path);
        number[order[i]] = (uint32_t)(merged.count - 1);
    }
    free(order);
    vector_free(&code->files);
    code->files = merged;
    return number;
}

/* Inlined functions ---------------------------------------------------------------------------- */

static int inlined_compare(const struct report_inlined *a, const struct report_inlined *b)
{
    int order = place_compare(&a->call, &b->call);
    return order ? order : strcmp(a->name, b->name);
}

static int by_inlined(const void *a, const void *b, void *inlined)
{
    const struct report_inlined *all = inlined;
    return inlined_compare(&all[*(const uint32_t *)a], &all[*(const uint32_t *)b]);
}

/* The number of functions around each inlined function. Outer functions come before the functions
 * inlined into them. */
static uint32_t *inlined_depths(const struct report_code *code)
{
    uint32_t *depth = memory_get_zeroed(code->inlined.count + 1, sizeof *depth);
    for (size_t i = 0; i < code->inlined.count; i++) {
        uint32_t parent = code->inlined.at[i].call.inlined;
        depth[i] = parent == REPORT_NONE ? 0 : depth[parent] + 1;
    }
    return depth;
}

/* Appends the functions of one depth; their parents already have new numbers. Returns how many
 * functions have this depth. */
static size_t merge_level(struct report_code *from, const uint32_t *depth, uint32_t level,
                          uint32_t *number, struct report_code *to)
{
    uint32_t *order = numbers_make(from->inlined.count);
    size_t count = 0;
    for (uint32_t i = 0; i < from->inlined.count; i++) {
        if (depth[i] != level)
            continue;
        if (level > 0)
            from->inlined.at[i].call.inlined = number[from->inlined.at[i].call.inlined];
        order[count++] = i;
    }
    qsort_r(order, count, sizeof *order, by_inlined, from->inlined.at);
    for (size_t i = 0; i < count; i++) {
        struct report_inlined one = from->inlined.at[order[i]];
        size_t made = to->inlined.count;
        if (i == 0 || inlined_compare(&to->inlined.at[made - 1], &one) != 0)
            vector_push(&to->inlined, one);
        number[order[i]] = (uint32_t)(to->inlined.count - 1);
    }
    free(order);
    return count;
}

/* The new number of each inlined function; the files already have new numbers. */
static uint32_t *merge_inlined(struct report_code *code, const uint32_t *file_number)
{
    uint32_t *depth = inlined_depths(code), *number = numbers_make(code->inlined.count);
    struct report_code merged = {0};
    for (size_t i = 0; i < code->inlined.count; i++) {
        struct report_place *call = &code->inlined.at[i].call;
        call->file = call->file == REPORT_NONE ? REPORT_NONE : file_number[call->file];
    }
    for (uint32_t level = 0; merge_level(code, depth, level, number, &merged) > 0;)
        level++;
    free(depth);
    vector_free(&code->inlined);
    code->inlined.at = merged.inlined.at;
    code->inlined.count = merged.inlined.count;
    code->inlined.room = merged.inlined.room;
    return number;
}

/* Edges and lines ------------------------------------------------------------------------------ */

static int by_edge(const void *a, const void *b)
{
    return edge_compare(a, b);
}

static int by_line(const void *a, const void *b)
{
    return line_compare(a, b);
}

static void merge_edges(struct report_code *code)
{
    size_t kept = 0;
    struct report_edge *at = code->edges.at;
    if (code->edges.count)
        qsort(at, code->edges.count, sizeof *at, by_edge);
    for (size_t i = 0; i < code->edges.count; i++) {
        if (kept > 0 && edge_compare(&at[kept - 1], &at[i]) == 0)
            edge_add(&at[kept - 1], &at[i]);
        else
            at[kept++] = at[i];
    }
    code->edges.count = kept;
}

static void merge_lines(struct report_code *code)
{
    size_t kept = 0;
    struct report_line_cost *at = code->lines.at;
    if (code->lines.count)
        qsort(at, code->lines.count, sizeof *at, by_line);
    for (size_t i = 0; i < code->lines.count; i++) {
        if (kept > 0 && line_compare(&at[kept - 1], &at[i]) == 0)
            at[kept - 1].cost = u64_add(at[kept - 1].cost, at[i].cost);
        else
            at[kept++] = at[i];
    }
    code->lines.count = kept;
}

static void renumber(struct report_place *place, const uint32_t *files, const uint32_t *inlined)
{
    if (place->file != REPORT_NONE)
        place->file = files[place->file];
    if (place->inlined != REPORT_NONE)
        place->inlined = inlined[place->inlined];
}

void report_code_merge(struct report *r)
{
    struct report_code *code = &r->code;
    uint32_t *files = merge_files(code), *inlined = merge_inlined(code, files);
    for (size_t i = 0; i < code->edges.count; i++)
        renumber(&code->edges.at[i].place, files, inlined);
    for (size_t i = 0; i < code->lines.count; i++)
        renumber(&code->lines.at[i].place, files, inlined);
    merge_edges(code);
    merge_lines(code);
    free(files);
    free(inlined);
}
