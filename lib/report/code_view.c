/* Queries about the code in a report; see code_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/code_view.h"
#include "lib/base/short_name.h"

#include <stdio.h>
#include <inttypes.h>
#include <string.h>

static int compare_costs(uint64_t a, uint64_t b)
{
    return a > b ? -1 : a < b;
}

/* Callers and callees -------------------------------------------------------------------------- */

static int by_neighbour_cost(const void *a, const void *b)
{
    const struct code_neighbour *left = a, *right = b;
    int order = compare_costs(left->cost, right->cost);
    if (order == 0)
        order = compare_costs(left->calls, right->calls);
    return order ? order : left->routine < right->routine ? -1 : 1;
}

/* Returns the list's entry for a routine, or appends one. Only the last entry can be the routine's
 * entry, because edges are added in the order of their routines.
 */
static struct code_neighbour *neighbour_get(code_neighbours *list, uint32_t routine)
{
    if (list->count == 0 || list->at[list->count - 1].routine != routine) {
        struct code_neighbour made = {.routine = routine};
        vector_push(list, made);
    }
    return &list->at[list->count - 1];
}

static void neighbour_add(code_neighbours *list, uint32_t routine, const struct report_edge *edge)
{
    struct code_neighbour *to = neighbour_get(list, routine);
    if (to->places == 0 || edge->cost > to->highest) {
        to->place = edge->place;
        to->highest = edge->cost;
    }
    to->places++;
    to->calls = u64_add(to->calls, edge->calls);
    to->cost = u64_add(to->cost, edge->cost);
    to->input = u64_add(to->input, edge->input);
}

static void sort_neighbours(code_neighbours *list)
{
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_neighbour_cost);
}

void code_callers(const struct report *r, uint32_t routine, code_neighbours *list)
{
    for (size_t i = 0; i < r->code.edges.count; i++) {
        const struct report_edge *edge = &r->code.edges.at[i];
        if (edge->callee == routine)
            neighbour_add(list, edge->caller, edge);
    }
    sort_neighbours(list);
}

void code_callees(const struct report *r, uint32_t routine, code_neighbours *list)
{
    for (size_t i = 0; i < r->code.edges.count; i++) {
        const struct report_edge *edge = &r->code.edges.at[i];
        if (edge->caller == routine)
            neighbour_add(list, edge->callee, edge);
    }
    sort_neighbours(list);
}

/* Lines ---------------------------------------------------------------------------------------- */

static int by_file_and_line(const void *a, const void *b)
{
    const struct code_line *left = a, *right = b;
    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

static int by_line_cost(const void *a, const void *b)
{
    const struct code_line *left = a, *right = b;
    int order = compare_costs(left->cost, right->cost);
    return order ? order : by_file_and_line(a, b);
}

bool code_is_library_source(const struct report *r, uint32_t file)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/rustc/"};
    static const char *const parts[] = {"/include/c++/", "/.cargo/registry/", "/rustlib/src/"};
    const char *path = file == REPORT_NONE ? "" : r->code.files.at[file];
    bool found = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        found |= strncmp(path, folders[i], strlen(folders[i])) == 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        found |= strstr(path, parts[i]) != NULL;
    return found;
}

uint32_t code_user_call(const struct report *r, const struct report_place *place)
{
    struct report_place at = *place;
    uint32_t call = REPORT_NONE;
    while (code_is_library_source(r, at.file) && at.inlined != REPORT_NONE) {
        call = at.inlined;
        at = r->code.inlined.at[call].call;
    }
    return code_is_library_source(r, at.file) ? REPORT_NONE : call;
}

/* The line of the user that caused the cost of a code location: the innermost line around the
 * location that is outside library headers. If all lines are in headers, the result is the location
 * itself. */
static struct report_place user_place(const struct report *r, const struct report_place *place)
{
    uint32_t call = code_user_call(r, place);
    return call == REPORT_NONE ? *place : r->code.inlined.at[call].call;
}

static void add_line_cost(struct code_line *to, const struct code_line *line)
{
    to->cost = u64_add(to->cost, line->cost);
    to->library = u64_add(to->library, line->library);
}

/* Adds up the costs of each line, and sorts the lines by cost. */
static void join_lines(code_lines *list)
{
    size_t kept = 0;
    if (list->count == 0)
        return;
    qsort(list->at, list->count, sizeof *list->at, by_file_and_line);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && by_file_and_line(&list->at[kept - 1], &list->at[i]) == 0)
            add_line_cost(&list->at[kept - 1], &list->at[i]);
        else
            list->at[kept++] = list->at[i];
    }
    list->count = kept;
    qsort(list->at, list->count, sizeof *list->at, by_line_cost);
}

void code_lines_of(const struct report *r, uint32_t routine, code_lines *list)
{
    for (size_t i = 0; i < r->code.lines.count; i++) {
        const struct report_line_cost *from = &r->code.lines.at[i];
        struct report_place place = user_place(r, &from->place);
        bool is_moved = code_user_call(r, &from->place) != REPORT_NONE;
        struct code_line line = {place.file, place.line, from->cost, is_moved ? from->cost : 0};
        if (routine == REPORT_NONE || from->routine == routine)
            vector_push(list, line);
    }
    join_lines(list);
}

/* Inlined functions ---------------------------------------------------------------------------- */

static int by_inlined_cost(const void *a, const void *b)
{
    const struct code_inlined *left = a, *right = b;
    int order = compare_costs(left->cost, right->cost);
    if (order == 0)
        order = strcmp(left->name, right->name);
    return order ? order : left->routine < right->routine ? -1 : 1;
}

/* Whether an inlined function that contains `at` has the same name as `at`. The cost of `at` was
 * then already added to this outer function. */
static bool is_nested(const struct report_code *code, uint32_t at)
{
    const char *name = code->inlined.at[at].name;
    while ((at = code->inlined.at[at].call.inlined) != REPORT_NONE) {
        if (strcmp(code->inlined.at[at].name, name) == 0)
            return true;
    }
    return false;
}

/* The parts of a qualified name. */
struct name_part {
    const char *begin;
    size_t bytes;
};

/* Splits a name: "shop::Book<int>::insert(Order)" gives "Book" and "insert". If the name has no
 * class, the first part is empty. */
static void split_name(const char *name, struct name_part *class, struct name_part *function)
{
    static const char anonymous[] = "(anonymous namespace)";
    const char *outer = NULL, *begin = name, *at = name;
    for (int depth = 0; *at && (depth > 0 || *at != '('); at++) {
        if (depth == 0 && strncmp(at, anonymous, sizeof anonymous - 1) == 0)
            at += sizeof anonymous - 1;
        depth += (*at == '<' || *at == '{') - (*at == '>' || *at == '}');
        if (depth == 0 && *at == ' ')
            outer = NULL, begin = at + 1; /* the part before the blank was the return type */
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            outer = begin, begin = at + 2;
    }
    *class = (struct name_part){outer, outer ? (size_t)(begin - 2 - outer) : 0};
    *function = (struct name_part){begin, (size_t)(at - begin)};
}

static bool same_part(struct name_part a, struct name_part b)
{
    const char *a_angle = a.bytes ? memchr(a.begin, '<', a.bytes) : NULL;
    const char *b_angle = b.bytes ? memchr(b.begin, '<', b.bytes) : NULL;
    size_t bytes = a_angle ? (size_t)(a_angle - a.begin) : a.bytes;
    size_t b_bytes = b_angle ? (size_t)(b_angle - b.begin) : b.bytes;
    return bytes == b_bytes && bytes > 0 && memcmp(a.begin, b.begin, bytes) == 0;
}

bool code_same_base(const char *name, const char *wanted)
{
    struct name_part class, function, wanted_class, wanted_function;
    split_name(name, &class, &function);
    split_name(wanted, &wanted_class, &wanted_function);
    return same_part(function, wanted_function) &&
           (!class.bytes || !wanted_class.bytes || same_part(class, wanted_class));
}

/* Appends the functions around a code location of a routine: all functions if `wanted` is NULL, or
 * else only the functions with this name. If a function is inlined into itself, only its outermost
 * instance gets the cost. */
static void add_chain(const struct report_code *code, uint32_t routine,
                      const struct report_place *place, uint64_t cost, const char *wanted,
                      code_inlined_list *list)
{
    for (uint32_t at = place->inlined; at != REPORT_NONE; at = code->inlined.at[at].call.inlined) {
        const struct report_inlined *inlined = &code->inlined.at[at];
        struct code_inlined one = {routine, inlined->name, inlined->call, list->count, cost};
        if ((!wanted || code_same_base(inlined->name, wanted)) && !is_nested(code, at))
            vector_push(list, one);
    }
}

static void add_line(const struct report_code *code, const struct report_line_cost *line,
                     const char *wanted, code_inlined_list *list)
{
    add_chain(code, line->routine, &line->place, line->cost, wanted, list);
}

static int by_routine_and_name(const void *a, const void *b)
{
    const struct code_inlined *left = a, *right = b;
    if (left->routine != right->routine)
        return left->routine < right->routine ? -1 : 1;
    int order = strcmp(left->name, right->name);
    return order ? order : left->places < right->places ? -1 : 1;
}

/* Adds up entries with the same name and routine, and sorts the entries by name and routine. Before
 * the call, the member `places` of each entry must contain the entry's position in the order of
 * appearance. */
static void sum_by_name(code_inlined_list *list)
{
    struct code_inlined *to = NULL;
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_routine_and_name);
    for (size_t i = 0; i < list->count; i++) {
        const struct code_inlined *one = &list->at[i];
        if (to && to->routine == one->routine && strcmp(to->name, one->name) == 0) {
            to->places += one->call.file != to->call.file || one->call.line != to->call.line;
            to->cost = u64_add(to->cost, one->cost);
            continue;
        }
        to = to ? to + 1 : list->at;
        *to = *one;
        to->places = 1;
    }
    list->count = to ? (size_t)(to - list->at) + 1 : 0;
}

static void sum_inlined(code_inlined_list *list)
{
    sum_by_name(list);
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_inlined_cost);
}

void code_inlined_alone(const struct report *r, code_inlined_list *list)
{
    for (size_t i = 0; i < r->code.lines.count; i++) {
        const struct report_line_cost *line = &r->code.lines.at[i];
        uint32_t at = line->place.inlined;
        if (at == REPORT_NONE)
            continue;
        const struct report_inlined *inlined = &r->code.inlined.at[at];
        struct code_inlined one = {line->routine, inlined->name, inlined->call, list->count,
                                   line->cost};
        vector_push(list, one);
    }
    sum_by_name(list);
}

void code_inlined_into(const struct report *r, uint32_t routine, code_inlined_list *list)
{
    for (size_t i = 0; i < r->code.lines.count; i++) {
        if (r->code.lines.at[i].routine == routine)
            add_line(&r->code, &r->code.lines.at[i], NULL, list);
    }
    sum_inlined(list);
}

bool code_is_inside(const struct report *r, const struct report_place *place, const char *name)
{
    for (uint32_t at = place->inlined; at != REPORT_NONE;
         at = r->code.inlined.at[at].call.inlined) {
        if (code_same_base(r->code.inlined.at[at].name, name))
            return true;
    }
    return false;
}

void code_inlined_named(const struct report *r, const char *name, code_inlined_list *list)
{
    for (size_t i = 0; i < r->code.lines.count; i++)
        add_line(&r->code, &r->code.lines.at[i], name, list);
    for (size_t i = 0; r->code.lines.count == 0 && i < r->code.edges.count; i++)
        add_chain(&r->code, r->code.edges.at[i].caller, &r->code.edges.at[i].place, 0, name, list);
    sum_inlined(list);
}

char *code_place_words(const struct report *r, uint32_t file, uint32_t line)
{
    if (file == REPORT_NONE)
        return line ? memory_format("0x%" PRIx32, line) : memory_copy_string("?");
    const char *path = short_path(r->code.files.at[file]);
    return line ? memory_format("%s:%" PRIu32, path, line) : memory_copy_string(path);
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* The number of distinct routines in the list, minus one. */
static size_t count_others(const code_inlined_list *list)
{
    size_t count = 0;
    uint32_t *routines = memory_resize(NULL, list->count, sizeof *routines);
    for (size_t i = 0; i < list->count; i++)
        routines[i] = list->at[i].routine;
    qsort(routines, list->count, sizeof *routines, by_number);
    for (size_t i = 1; i < list->count; i++)
        count += routines[i] != routines[i - 1];
    free(routines);
    return count;
}

bool code_explain_inlined(const struct report *r, const char *name, struct failure *why)
{
    code_inlined_list list = {0};
    code_inlined_named(r, name, &list);
    bool found = list.count > 0;
    if (found) {
        const struct code_inlined *one = &list.at[0];
        char *place = code_place_words(r, one->call.file, one->call.line);
        char more[48] = "", share[48] = "";
        size_t others = count_others(&list);
        if (others)
            snprintf(more, sizeof more, " and %zu other routine%s", others, others > 1 ? "s" : "");
        if (r->code.lines.count)
            snprintf(share, sizeof share, ", with %.1f%% of the cost",
                     r->totals.cost ? 100.0 * (double)one->cost / (double)r->totals.cost : 0.0);
        failure_set(why,
                    "%s: no such routine: it was inlined into %s (%s)%s%s; compile with "
                    "-fno-inline to measure its calls",
                    name, r->routines.at[one->routine].name, place, more, share);
        free(place);
    }
    vector_free(&list);
    return found;
}
