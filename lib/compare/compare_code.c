/* Finds the line and the calls that made a routine worse; see compare_code.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/compare_code.h"
#include "lib/report/code_view.h"
#include "lib/base/demangle.h"
#include "lib/report/report_code.h"
#include "lib/base/short_name.h"

#include <string.h>

static bool both_have_code(const struct report *base, const struct report *new,
                           const struct compare_routine *c)
{
    return report_has_code(base) && report_has_code(new) && c->base.routine && c->new.routine;
}

static uint32_t number_of(const struct report *r, const struct compare_side *side)
{
    return (uint32_t)(side->routine - r->routines.at);
}

/* Lines ---------------------------------------------------------------------------------------- */

/* If a routine has more lines than this number, only its most expensive lines are aligned. */
#define LINES_ALIGNED 500

struct placed_line {
    const char *path;
    struct code_line line;
};
typedef VECTOR(struct placed_line) placed_lines;

static int by_path_and_line(const void *a, const void *b)
{
    const struct placed_line *left = a, *right = b;
    int order = strcmp(left->path, right->path);
    if (order)
        return order;
    return left->line.line < right->line.line ? -1 : left->line.line > right->line.line;
}

/* Lists the lines of a routine in the order of files and lines. */
static void list_lines(const struct report *r, uint32_t routine, placed_lines *list)
{
    code_lines lines = {0};
    code_lines_of(r, routine, &lines);
    for (size_t i = 0; i < lines.count && i < LINES_ALIGNED; i++) {
        uint32_t file = lines.at[i].file;
        const char *path = file == REPORT_NONE ? "" : short_path(r->code.files.at[file]);
        struct placed_line placed = {path, lines.at[i]};
        vector_push(list, placed);
    }
    vector_free(&lines);
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_path_and_line);
}

/* The cost that the lines `a` and `b` have in common, assuming that they are the same line. */
static uint64_t common_cost(const struct placed_line *a, const struct placed_line *b)
{
    if (strcmp(a->path, b->path) != 0)
        return 0;
    return a->line.cost < b->line.cost ? a->line.cost : b->line.cost;
}

/* best[i * (b->count + 1) + k] is the largest common cost of two lists of lines: the lines of `a`
 * from i on, and the lines of `b` from k on. */
static uint64_t *align_lines(const placed_lines *a, const placed_lines *b)
{
    size_t width = b->count + 1;
    uint64_t *best = memory_get_zeroed((a->count + 1) * width, sizeof *best);
    for (size_t i = a->count; i-- > 0;) {
        for (size_t k = b->count; k-- > 0;) {
            uint64_t *at = &best[i * width + k];
            *at = at[width] > at[1] ? at[width] : at[1];
            uint64_t common = u64_add(at[width + 1], common_cost(&a->at[i], &b->at[k]));
            if (common > *at)
                *at = common;
        }
    }
    return best;
}

static void keep_greater_rise(struct compare_line *most, uint64_t base, const struct code_line *now)
{
    if (now->cost > base && now->line && now->cost - base > most->new - most->base)
        *most = (struct compare_line){now->file, now->line, base, now->cost};
}

static struct compare_line greatest_rise(const placed_lines *a, const placed_lines *b)
{
    struct compare_line most = {0};
    uint64_t *best = align_lines(a, b);
    size_t width = b->count + 1, i = 0;
    for (size_t k = 0; k < b->count;) {
        const uint64_t *at = &best[i * width + k];
        uint64_t common = i < a->count ? common_cost(&a->at[i], &b->at[k]) : 0;
        if (common > 0 && *at == u64_add(at[width + 1], common)) {
            keep_greater_rise(&most, a->at[i++].line.cost, &b->at[k++].line);
        } else if (*at == at[1]) {
            keep_greater_rise(&most, 0, &b->at[k++].line);
        } else {
            i++;
        }
    }
    free(best);
    return most;
}

struct compare_line compare_find_line(const struct report *base, const struct report *new,
                                      const struct compare_routine *c)
{
    placed_lines before = {0}, after = {0};
    if (!both_have_code(base, new, c))
        return (struct compare_line){0};
    list_lines(base, number_of(base, &c->base), &before);
    list_lines(new, number_of(new, &c->new), &after);
    struct compare_line most = greatest_rise(&before, &after);
    vector_free(&before);
    vector_free(&after);
    return most;
}

/* Calls ---------------------------------------------------------------------------------------- */

/* Whether `a` and `b` are the same routine; a copy that a compiler made of a routine counts as the
 * routine. */
static bool same_symbol(const struct report_routine *a, const struct report_routine *b)
{
    if (!*a->symbol || !*b->symbol)
        return strcmp(a->name, b->name) == 0;
    char *one = demangle_whole(a->symbol), *other = demangle_whole(b->symbol);
    bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

static bool same_routine(const struct report *a, uint32_t one, const struct report *b,
                         uint32_t other)
{
    const struct report_routine *x = &a->routines.at[one], *y = &b->routines.at[other];
    return same_symbol(x, y) &&
           strcmp(short_path(a->objects.at[x->object]), short_path(b->objects.at[y->object])) == 0;
}

static struct compare_call call_between(const struct report *base, const code_neighbours *before,
                                        const struct report *new, const struct code_neighbour *now)
{
    struct compare_call call = {
        &new->routines.at[now->routine], now->place, 0, now->calls, 0, now->cost};
    for (size_t i = 0; i < before->count; i++) {
        if (!same_routine(base, before->at[i].routine, new, now->routine))
            continue;
        call.base_calls = before->at[i].calls;
        call.base_cost = before->at[i].cost;
        break;
    }
    return call;
}

static double rise_of_calls(const struct compare_call *call)
{
    return (double)call->new_calls - (double)call->base_calls;
}

static double rise_of_cost(const struct compare_call *call)
{
    return (double)call->new_cost - (double)call->base_cost;
}

typedef void neighbours_of(const struct report *report, uint32_t routine, code_neighbours *list);

static struct compare_call find_call(const struct report *base, const struct report *new,
                                     const struct compare_routine *c, neighbours_of *neighbours,
                                     double (*rise)(const struct compare_call *))
{
    code_neighbours before = {0}, after = {0};
    struct compare_call most = {0};
    if (!both_have_code(base, new, c))
        return most;
    neighbours(base, number_of(base, &c->base), &before);
    neighbours(new, number_of(new, &c->new), &after);
    for (size_t i = 0; i < after.count; i++) {
        struct compare_call call = call_between(base, &before, new, &after.at[i]);
        if (rise(&call) > rise(&most))
            most = call;
    }
    vector_free(&before);
    vector_free(&after);
    return most;
}

struct compare_call compare_find_caller(const struct report *base, const struct report *new,
                                        const struct compare_routine *c)
{
    return find_call(base, new, c, code_callers, rise_of_calls);
}

struct compare_call compare_find_callee(const struct report *base, const struct report *new,
                                        const struct compare_routine *c)
{
    return find_call(base, new, c, code_callees, rise_of_cost);
}
