/* Writes the records about code in a report: files, inlined functions, edges and lines.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The front end numbers files and inlined functions in order of appearance. This file renumbers the
 * used entries: files by path; inlined functions by their enclosing function, then by call site and
 * name. So the numbers depend only on the program. After renumbering, edges and lines are sorted,
 * and the costs of entries with the same position are added up.
 */
#include "points/points_report_code.h"
#include "ground/record_schema.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/sort.h"

/* The cost of a routine at a source place, or an edge. The front end's numbers are replaced by
 * report numbers when these are assigned. */
struct line_entry {
    uint32_t routine;
    struct source_place place;
    uint64_t cost;
};

#define RECORD_TYPE_place struct source_place

struct edge_entry {
    RECORD_EDGE(RECORD_MEMBER)
};

struct code_writer {
    struct record_writer *to;
    const struct measurements *measured;
    const struct source_map *map;
    const uint32_t *number_of;
    struct line_entry *lines;
    uint32_t n_lines, lines_capacity;
    struct edge_entry *edges;
    uint32_t n_edges;
    /* indexed by a file's number in the map: number of the file in the report; CODE_UNKNOWN: not
     * needed */
    uint32_t *file_number;
    /* indexed by an inlined function's number in the map: number of the function in the report */
    uint32_t *inlined_number;
};

#define NEEDED 0 /* placeholder for a number that is not assigned yet */

/* ---------------------------------------------------------------- order */

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* Unknown places come first. */
static int compare_places(const struct source_place *a, const struct source_place *b)
{
    int order = compare_numbers(a->inlined + 1, b->inlined + 1);
    if (!order)
        order = compare_numbers(a->file + 1, b->file + 1);
    return order ? order : compare_numbers(a->line, b->line);
}

static int compare_lines(const void *left, const void *right)
{
    const struct line_entry *a = left, *b = right;
    int order = compare_numbers(a->routine, b->routine);
    return order ? order : compare_places(&a->place, &b->place);
}

static int compare_edges(const void *left, const void *right)
{
    const struct edge_entry *a = left, *b = right;
    int order = compare_numbers(a->caller, b->caller);
    if (!order)
        order = compare_numbers(a->callee, b->callee);
    return order ? order : compare_places(&a->place, &b->place);
}

/* Sorts an array from host_alloc; returns the array that replaces it. */
static void *sorted(void *array, uint32_t n, size_t bytes,
                    int (*compare)(const void *, const void *))
{
    void *spare = host_alloc("aprof.report.code", (n + 1) * bytes);
    void *result = sort_merge(array, spare, n, bytes, compare);
    host_free(result == array ? spare : array);
    return result;
}

/* ---------------------------------------------------------------- what there is */

struct routine_visit {
    void (*visit)(void *context, struct routine *);
    void *context;
};

static void visit_charged(void *context, const struct charge *charge)
{
    const struct routine_visit *v = context;
    v->visit(v->context, charge->routine);
}

static bool edge_is_used(const struct edge_table *table, uint32_t number)
{
    return number != EDGE_NONE && table->edges[number].calls;
}

void report_code_routines(const struct measurements *measured,
                          void (*visit)(void *context, struct routine *), void *context)
{
    struct routine_visit v = {visit, context};
    if (measured->charges)
        charge_table_each(measured->charges, visit_charged, &v);
    for (uint32_t i = 0; measured->edges && i < measured->edges->n_edges; i++) {
        if (!edge_is_used(measured->edges, i))
            continue;
        visit(context, measured->edges->edges[i].caller);
        visit(context, measured->edges->edges[i].callee);
    }
}

static void remember_one(void *context, struct routine *routine)
{
    (void)routine;
    *(bool *)context = true;
}

bool report_code_exists(const struct measurements *measured)
{
    bool exists = false;
    report_code_routines(measured, remember_one, &exists);
    return exists;
}

/* ---------------------------------------------------------------- gathering */

/* Marks the file of a source place as needed, and all functions into which the code at this place
 * is inlined. */
static void need_place(struct code_writer *w, struct source_place place)
{
    if (place.file != CODE_UNKNOWN)
        w->file_number[place.file] = NEEDED;
    while (place.inlined != CODE_UNKNOWN && w->inlined_number[place.inlined] != NEEDED) {
        w->inlined_number[place.inlined] = NEEDED;
        place = w->map->inlined[place.inlined].call;
        if (place.file != CODE_UNKNOWN)
            w->file_number[place.file] = NEEDED;
    }
}

/* Adds the cost of a line. Often the last entry has the same position; the cost is then added to
 * this entry, and no entry is appended. */
static void add_line(struct code_writer *w, const struct line_entry *line)
{
    if (w->n_lines && !compare_lines(&w->lines[w->n_lines - 1], line)) {
        w->lines[w->n_lines - 1].cost += line->cost;
        return;
    }
    w->lines = array_grow("aprof.report.code", w->lines, &w->lines_capacity, w->n_lines + 1,
                          sizeof(*w->lines));
    w->lines[w->n_lines++] = *line;
    need_place(w, line->place);
}

static void spread_charge(void *context, const struct charge *charge)
{
    struct code_writer *w = context;
    const struct source_place *places;
    uint32_t n = w->map->places(charge->span, &places);
    for (uint32_t i = 0; i < n; i++) {
        struct line_entry line = {
            .routine = w->number_of[charge->routine->id] - 1,
            .place = places[i],
            .cost = charge->cost / n + (i < charge->cost % n),
        };
        if (line.cost)
            add_line(w, &line);
    }
}

static void gather_edges(struct code_writer *w)
{
    const struct edge_table *table = w->measured->edges;
    w->edges = host_alloc("aprof.report.code", (table->n_edges + 1) * sizeof(*w->edges));
    for (uint32_t i = 0; i < table->n_edges; i++) {
        const struct call_edge *edge = &table->edges[i];
        if (!edge_is_used(table, i))
            continue;
        struct source_place place = w->map->site(edge->site);
        struct edge_entry *entry = &w->edges[w->n_edges++];
        entry->caller = w->number_of[edge->caller->id] - 1;
        entry->callee = w->number_of[edge->callee->id] - 1;
        entry->place = place;
        RECORD_COPY(RECORD_EDGE_COUNTS, entry, edge);
        need_place(w, place);
    }
}

/* ---------------------------------------------------------------- files */

struct file_entry {
    const char *path;
    uint32_t number; /* number of the file in the map */
};

static int compare_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static int compare_files(const void *left, const void *right)
{
    return compare_text(((const struct file_entry *)left)->path,
                        ((const struct file_entry *)right)->path);
}

static void put_files(struct code_writer *w)
{
    struct file_entry *files =
        host_alloc("aprof.report.code", (w->map->n_files + 1) * sizeof(*files));
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->map->n_files; i++)
        if (w->file_number[i] == NEEDED)
            files[n++] = (struct file_entry){w->map->files[i], i};
    files = sorted(files, n, sizeof(*files), compare_files);
    for (uint32_t i = 0; i < n; i++) {
        w->file_number[files[i].number] = i;
        RECORD_PUT_NUMBERED(w->to, "file", i, RECORD_FILE, &files[i]);
    }
    host_free(files);
}

/* ---------------------------------------------------------------- inlined functions */

struct inlined_entry {
    /* position of the call; its members `file` and `inlined` are numbers of the report, not of the
     * map */
    struct source_place call;
    const char *name;
    uint32_t depth, number; /* depth of the function, and its number in the map */
};

static int compare_inlined(const void *left, const void *right)
{
    const struct inlined_entry *a = left, *b = right;
    int order = compare_places(&a->call, &b->call);
    return order ? order : compare_text(a->name, b->name);
}

static int compare_depths(const void *left, const void *right)
{
    return compare_numbers(((const struct inlined_entry *)left)->depth,
                           ((const struct inlined_entry *)right)->depth);
}

static struct source_place renumbered(const struct code_writer *w, struct source_place place)
{
    if (place.file != CODE_UNKNOWN)
        place.file = w->file_number[place.file];
    if (place.inlined != CODE_UNKNOWN)
        place.inlined = w->inlined_number[place.inlined];
    return place;
}

/* Writes the inlined functions of one depth: the elements from `first` to `end` - 1 of `all`. Their
 * enclosing functions already have numbers. */
static void put_level(struct code_writer *w, struct inlined_entry *all, uint32_t first,
                      uint32_t end)
{
    uint32_t n = end - first;
    struct inlined_entry *level = host_alloc("aprof.report.code", (n + 1) * sizeof(*level));
    memcpy(level, &all[first], n * sizeof(*level));
    for (uint32_t i = 0; i < n; i++)
        level[i].call = renumbered(w, level[i].call);
    level = sorted(level, n, sizeof(*level), compare_inlined);
    for (uint32_t i = 0; i < n; i++) {
        w->inlined_number[level[i].number] = first + i;
        RECORD_PUT_NUMBERED(w->to, "inlined", first + i, RECORD_INLINED, &level[i]);
    }
    host_free(level);
}

static uint32_t depth_of(const struct source_map *map, uint32_t number)
{
    uint32_t depth = 0;
    while ((number = map->inlined[number].call.inlined) != CODE_UNKNOWN)
        depth++;
    return depth;
}

static void put_inlined(struct code_writer *w)
{
    const struct source_map *map = w->map;
    struct inlined_entry *all =
        host_alloc("aprof.report.code", (map->n_inlined + 1) * sizeof(*all));
    uint32_t n = 0, end;
    for (uint32_t i = 0; i < map->n_inlined; i++)
        if (w->inlined_number[i] == NEEDED)
            all[n++] = (struct inlined_entry){map->inlined[i].call, map->inlined[i].name,
                                              depth_of(map, i), i};
    all = sorted(all, n, sizeof(*all), compare_depths);
    for (uint32_t first = 0; first < n; first = end) {
        for (end = first; end < n && all[end].depth == all[first].depth;)
            end++;
        put_level(w, all, first, end);
    }
    host_free(all);
}

/* ---------------------------------------------------------------- edges and lines */

static void put_edges(struct code_writer *w)
{
    for (uint32_t i = 0; i < w->n_edges; i++)
        w->edges[i].place = renumbered(w, w->edges[i].place);
    w->edges = sorted(w->edges, w->n_edges, sizeof(*w->edges), compare_edges);
    for (uint32_t i = 0; i < w->n_edges; i++) {
        struct edge_entry *edge = &w->edges[i];
        if (i + 1 == w->n_edges || compare_edges(edge, edge + 1)) {
            RECORD_PUT(w->to, "edge", RECORD_EDGE, edge);
            continue;
        }
        RECORD_ADD(RECORD_EDGE_COUNTS, edge + 1, edge);
    }
}

/* Returns whether two lines belong to one record. */
static bool same_record(const struct line_entry *a, const struct line_entry *b)
{
    return a->routine == b->routine && a->place.inlined == b->place.inlined &&
           a->place.file == b->place.file;
}

/* Adds up the entries of each source place. The lines are sorted and stay sorted. */
static void join_lines(struct code_writer *w)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->n_lines; i++) {
        if (kept && !compare_lines(&w->lines[kept - 1], &w->lines[i]))
            w->lines[kept - 1].cost += w->lines[i].cost;
        else
            w->lines[kept++] = w->lines[i];
    }
    w->n_lines = kept;
}

static void put_lines(struct code_writer *w)
{
    struct record_writer *to = w->to;
    for (uint32_t i = 0; i < w->n_lines; i++)
        w->lines[i].place = renumbered(w, w->lines[i].place);
    w->lines = sorted(w->lines, w->n_lines, sizeof(*w->lines), compare_lines);
    join_lines(w);
    for (uint32_t i = 0; i < w->n_lines; i++) {
        const struct line_entry *line = &w->lines[i];
        bool begins = i == 0 || !same_record(line - 1, line);
        if (begins) {
            record_put_raw(to, "lines");
            RECORD_PUT_FIELDS(to, RECORD_LINES, line);
        }
        record_put_number(to, line->place.line - (begins ? 0 : line[-1].place.line));
        record_put_number(to, line->cost);
        if (i + 1 == w->n_lines || !same_record(line, line + 1))
            record_end(to);
    }
}

/* ---------------------------------------------------------------- entry point */

static uint32_t *numbers_new(uint32_t n)
{
    uint32_t *numbers = host_alloc("aprof.report.numbers", (n + 1) * sizeof(*numbers));
    memset(numbers, 0xff, n * sizeof(*numbers));
    return numbers;
}

void report_code_put(struct record_writer *to, const struct measurements *measured,
                     const struct source_map *map, const uint32_t *number_of)
{
    struct code_writer writer = {.to = to, .measured = measured, .map = map}, *w = &writer;
    w->number_of = number_of;
    w->file_number = numbers_new(map->n_files);
    w->inlined_number = numbers_new(map->n_inlined);
    if (measured->charges)
        charge_table_each(measured->charges, spread_charge, w);
    if (measured->edges)
        gather_edges(w);
    put_files(w);
    put_inlined(w);
    put_edges(w);
    put_lines(w);
    host_free(w->file_number);
    host_free(w->inlined_number);
    host_free(w->lines);
    host_free(w->edges);
}
