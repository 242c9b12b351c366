/* Cost that has moved between routines, and callees that were replaced; see compare_moved.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/compare_moved.h"
#include "lib/report/code_view.h"
#include "lib/base/demangle.h"

#include <string.h>

#define NO_ROUTINE UINT32_MAX

/* A callee counts as a replacement only if it has at least this part of the total cost. */
#define REPLACED_LEAST 0.001

/* Numbers of calls count as different if they differ by more than this factor. */
#define CALLS_CHANGED 1.01

/* A function that is inlined into a routine, or a routine's calls of another routine. `of` is the
 * routine's number in the list of routines of both reports; `other` is the number of the callee or,
 * for an inlined function, of its name. */
struct moved_part {
    uint32_t of, other;
    double calls, cost, input;
    const char *name; /* name of an inlined function */
};
typedef VECTOR(struct moved_part) part_list;

struct moved_side {
    const struct report *report;
    uint32_t *number; /* for each routine of the report, its number in the list */
    double *self;     /* self cost, by number in the list */
    part_list inlined, calls;
    part_list called; /* the calls in `calls`, with the callee's name in `other` */
    /* for each name, the self cost of the function, including its inlined copies */
    double *function;
    double *inlined_cost; /* for each name, the cost of the function's inlined copies */
};

struct moved {
    compare_list *list;
    uint32_t *name;    /* for each routine in the list, the number of its name */
    uint32_t *routine; /* for each name, the number of its routine in the list, or NO_ROUTINE */
    string_list names;
    struct moved_side base, new;
};

/* Names ---------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A copy that a compiler made has the name of the original function. The caller frees the name. */
static char *name_of_routine(const struct report_routine *routine)
{
    if (!*routine->symbol)
        return memory_copy_string(routine->name);
    char *symbol = demangle_whole(routine->symbol), *name = demangle_full(symbol);
    free(symbol);
    return name;
}

static const struct report_routine *any_routine(const struct compare_routine *c)
{
    return c->new.routine ? c->new.routine : c->base.routine;
}

static uint32_t name_find(const struct moved *m, const char *name)
{
    const char **at = bsearch(&name, m->names.at, m->names.count, sizeof *m->names.at, by_text);
    return (uint32_t)(at - m->names.at); /* always found: names_make() has added all names */
}

static void names_make(struct moved *m)
{
    const struct report *const reports[] = {m->base.report, m->new.report};
    size_t kept = 0;
    for (size_t i = 0; i < m->list->count; i++)
        vector_push(&m->names, name_of_routine(any_routine(&m->list->at[i])));
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < reports[k]->code.inlined.count; i++)
            vector_push(&m->names, memory_copy_string(reports[k]->code.inlined.at[i].name));
    }
    if (m->names.count)
        qsort(m->names.at, m->names.count, sizeof *m->names.at, by_text);
    for (size_t i = 0; i < m->names.count; i++) {
        if (kept > 0 && strcmp(m->names.at[kept - 1], m->names.at[i]) == 0)
            free((char *)(uintptr_t)m->names.at[i]);
        else
            m->names.at[kept++] = m->names.at[i];
    }
    m->names.count = kept;
    m->name = memory_get_zeroed(m->list->count + 1, sizeof *m->name);
    m->routine = memory_get_zeroed(kept + 1, sizeof *m->routine);
    memset(m->routine, 0xff, kept * sizeof *m->routine);
    for (size_t i = 0; i < m->list->count; i++) {
        char *name = name_of_routine(any_routine(&m->list->at[i]));
        m->name[i] = name_find(m, name);
        m->routine[m->name[i]] = (uint32_t)i;
        free(name);
    }
}

/* One report --------------------------------------------------------------------------- */

static int by_of_and_other(const void *a, const void *b)
{
    const struct moved_part *left = a, *right = b;
    if (left->of != right->of)
        return left->of < right->of ? -1 : 1;
    return left->other < right->other ? -1 : left->other > right->other;
}

/* Sorts the parts by `of` and `other`, and adds up parts that are equal in both numbers. */
static void parts_join(part_list *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_of_and_other);
    for (size_t i = 0; i < list->count; i++) {
        const struct moved_part *part = &list->at[i];
        if (kept == 0 || by_of_and_other(&list->at[kept - 1], part) != 0) {
            list->at[kept++] = *part;
            continue;
        }
        list->at[kept - 1].calls += part->calls;
        list->at[kept - 1].cost += part->cost;
        list->at[kept - 1].input += part->input;
    }
    list->count = kept;
}

static void add_functions(const struct moved *m, struct moved_side *side)
{
    code_inlined_list inlined = {0};
    code_inlined_alone(side->report, &inlined);
    for (size_t i = 0; i < m->list->count; i++)
        side->function[m->name[i]] += side->self[i];
    for (size_t i = 0; i < inlined.count; i++) {
        const struct code_inlined *one = &inlined.at[i];
        uint32_t of = side->number[one->routine], name = name_find(m, one->name);
        if (of == NO_ROUTINE)
            continue;
        struct moved_part part = {of, name, 0, (double)one->cost, 0, one->name};
        vector_push(&side->inlined, part);
        side->function[name] += part.cost;
        side->inlined_cost[name] += part.cost;
        side->function[m->name[of]] -= part.cost;
    }
    parts_join(&side->inlined);
    vector_free(&inlined);
}

static void add_calls(const struct moved *m, struct moved_side *side)
{
    for (size_t i = 0; i < side->report->code.edges.count; i++) {
        const struct report_edge *edge = &side->report->code.edges.at[i];
        struct moved_part part = {side->number[edge->caller], side->number[edge->callee],
                                  (double)edge->calls,        (double)edge->cost,
                                  (double)edge->input,        NULL};
        if (part.of == NO_ROUTINE || part.other == NO_ROUTINE || part.of == part.other)
            continue;
        vector_push(&side->calls, part);
        part.other = m->name[part.other];
        vector_push(&side->called, part);
    }
    parts_join(&side->calls);
    parts_join(&side->called);
}

static void side_make(const struct moved *m, struct moved_side *side, bool is_new)
{
    const struct report *r = side->report;
    side->number = memory_get_zeroed(r->routines.count + 1, sizeof *side->number);
    side->self = memory_get_zeroed(m->list->count + 1, sizeof *side->self);
    side->function = memory_get_zeroed(m->names.count + 1, sizeof *side->function);
    side->inlined_cost = memory_get_zeroed(m->names.count + 1, sizeof *side->inlined_cost);
    memset(side->number, 0xff, r->routines.count * sizeof *side->number);
    for (size_t i = 0; i < m->list->count; i++) {
        const struct compare_side *of = is_new ? &m->list->at[i].new : &m->list->at[i].base;
        if (!of->routine)
            continue;
        side->number[of->routine - r->routines.at] = (uint32_t)i;
        side->self[i] = (double)of->profile->cost_self;
    }
    add_functions(m, side);
    add_calls(m, side);
}

static void side_free(struct moved_side *side)
{
    free(side->number);
    free(side->self);
    free(side->function);
    free(side->inlined_cost);
    vector_free(&side->inlined);
    vector_free(&side->calls);
    vector_free(&side->called);
}

/* Pairs of parts ------------------------------------------------------------------------------- */

/* The costs of one part in both reports; they are 0 for a report that lacks the part. */
struct moved_pair {
    uint32_t of, other;
    struct moved_part base, new;
};

/* Fetches the next pair of parts from two sorted lists; returns false at the end of both lists. */
static bool pair_next(const part_list *base, const part_list *new, size_t *i, size_t *k,
                      struct moved_pair *pair)
{
    bool more_base = *i < base->count, more_new = *k < new->count;
    if (!more_base && !more_new)
        return false;
    int order = !more_base ? 1 : !more_new ? -1 : by_of_and_other(&base->at[*i], &new->at[*k]);
    *pair = (struct moved_pair){0};
    const struct moved_part *one = order <= 0 ? &base->at[*i] : &new->at[*k];
    pair->of = one->of;
    pair->other = one->other;
    if (order <= 0)
        pair->base = base->at[(*i)++];
    if (order >= 0)
        pair->new = new->at[(*k)++];
    return true;
}

/* Moved ---------------------------------------------------------------------------------------- */

static double above_zero(double value)
{
    return value > 0 ? value : 0;
}

/* Computes the cost that moved into each routine. This cost comes from functions that are now
 * inlined into the routine, or from routines into which the routine was inlined before. If the
 * total cost of a function rose, the rise does not count as moved. */
static void moved_by_inlining(const struct moved *m, const struct moved_side *from,
                              const struct moved_side *to, double *moved)
{
    struct moved_pair pair;
    for (size_t i = 0, k = 0; pair_next(&from->inlined, &to->inlined, &i, &k, &pair);) {
        double rise = above_zero(to->function[pair.other] - from->function[pair.other]);
        moved[pair.of] += above_zero(pair.new.cost - pair.base.cost - rise);
    }
    for (size_t i = 0; i < m->list->count; i++)
        moved[i] += above_zero(from->inlined_cost[m->name[i]] - to->inlined_cost[m->name[i]]);
}

/* Returns for each routine the decrease of its self cost, plus the decrease in cost of the
 * functions that it now calls less often. The caller frees the list. */
static double *find_lost(const struct moved *m, const struct moved_side *from,
                         const struct moved_side *to)
{
    double *lost = memory_get_zeroed(m->list->count + 1, sizeof *lost);
    struct moved_pair pair;
    for (size_t i = 0; i < m->list->count; i++)
        lost[i] = from->self[i] - to->self[i];
    for (size_t i = 0, k = 0; pair_next(&from->calls, &to->calls, &i, &k, &pair);) {
        if (pair.new.calls * CALLS_CHANGED < pair.base.calls)
            lost[pair.of] += above_zero(pair.base.cost - pair.new.cost);
    }
    return lost;
}

/* Derives the moved cost from calls. The cost of functions that a routine no longer calls may have
 * moved into the routine; the cost of its new callees is subtracted from this cost. The cost that a
 * caller lost may have moved to functions that this caller now calls more often. Example: a
 * function with a loop is now inlined, and strlen() replaces the loop.
 */
static void moved_by_calls(const struct moved *m, const struct moved_side *from,
                           const struct moved_side *to, double *moved)
{
    double *lost = memory_get_zeroed(m->list->count + 1, sizeof *lost);
    double *calls = memory_get_zeroed(m->list->count + 1, sizeof *calls);
    double *left = find_lost(m, from, to);
    struct moved_pair pair;
    for (size_t k = 0; k < to->calls.count; k++)
        calls[to->calls.at[k].other] += to->calls.at[k].calls;
    for (size_t i = 0, k = 0; pair_next(&from->calls, &to->calls, &i, &k, &pair);) {
        bool fewer = pair.new.calls *CALLS_CHANGED < pair.base.calls;
        bool more = pair.new.calls > pair.base.calls *CALLS_CHANGED;
        if (fewer || more)
            lost[pair.of] += pair.base.cost - pair.new.cost;
        if (!more || calls[pair.other] <= 0 || left[pair.of] <= 0)
            continue;
        double part = (pair.new.calls - pair.base.calls) / calls[pair.other];
        double rise = part * to->self[pair.other];
        double taken = left[pair.of] < rise ? left[pair.of] : rise;
        left[pair.of] -= taken;
        moved[pair.other] += taken;
    }
    for (size_t i = 0; i < m->list->count; i++)
        moved[i] += above_zero(lost[i]);
    free(lost);
    free(calls);
    free(left);
}

/* Returns, for each routine, the part of its self cost in `to` that other routines had in `from`.
 * The caller frees the list. */
static double *find_moved(const struct moved *m, const struct moved_side *from,
                          const struct moved_side *to)
{
    double *by_inlining = memory_get_zeroed(m->list->count + 1, sizeof *by_inlining);
    double *by_calls = memory_get_zeroed(m->list->count + 1, sizeof *by_calls);
    moved_by_calls(m, from, to, by_calls);
    if (from->report->code.lines.count && to->report->code.lines.count)
        moved_by_inlining(m, from, to, by_inlining);
    for (size_t i = 0; i < m->list->count; i++) {
        if (by_inlining[i] < by_calls[i])
            by_inlining[i] = by_calls[i];
    }
    free(by_calls);
    return by_inlining;
}

/* Replaced ------------------------------------------------------------------------------------- */

static bool has_part(const part_list *list, uint32_t of, uint32_t name)
{
    struct moved_part wanted = {.of = of, .other = name};
    return list->count &&
           bsearch(&wanted, list->at, list->count, sizeof *list->at, by_of_and_other);
}

static void keep_replaced(struct compare_replaced *most, const char *name, double cost,
                          double least)
{
    if (cost >= least && cost > most->cost)
        *most = (struct compare_replaced){name, cost};
}

/* True if the routine in `side` contains an inlined function that calls `name` in `other`. A
 * routine's call of `name` is not new if it came from a function that is inlined into the routine.
 */
static bool is_behind(const struct moved *m, const struct moved_side *side,
                      const struct moved_side *other, uint32_t of, uint32_t name)
{
    size_t low = 0, high = side->inlined.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (side->inlined.at[middle].of < of)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < side->inlined.count && side->inlined.at[low].of == of; low++) {
        uint32_t between = m->routine[side->inlined.at[low].other];
        if (between != NO_ROUTINE && has_part(&other->called, between, name))
            return true;
    }
    return false;
}

static bool is_alone(const struct moved *m, const struct moved_side *side,
                     const struct moved_side *other, uint32_t of, uint32_t name)
{
    return !has_part(&other->called, of, name) && !has_part(&other->inlined, of, name) &&
           !is_behind(m, side, other, of, name);
}

/* Finds the most expensive function that is called or inlined in `list` but not in `other`.
 */
static void find_alone(const struct moved *m, const struct moved_side *side,
                       const struct moved_side *other, bool is_new)
{
    double least = REPLACED_LEAST * (double)m->base.report->totals.cost;
    for (size_t i = 0; i < side->calls.count; i++) {
        const struct moved_part *part = &side->calls.at[i];
        const struct compare_routine *callee = &m->list->at[part->other];
        struct compare_routine *c = &m->list->at[part->of];
        uint32_t name = m->name[part->other];
        if (is_alone(m, side, other, part->of, name))
            keep_replaced(is_new ? &c->gained : &c->lost,
                          (is_new ? &callee->new : &callee->base)->routine->name, part->cost,
                          least);
    }
    for (size_t i = 0; i < side->inlined.count; i++) {
        const struct moved_part *part = &side->inlined.at[i];
        struct compare_routine *c = &m->list->at[part->of];
        if (is_alone(m, side, other, part->of, part->other))
            keep_replaced(is_new ? &c->gained : &c->lost, part->name, part->cost, least);
    }
}

/* Input ---------------------------------------------------------------------------------------- */

static void find_input(const struct moved *m)
{
    struct moved_pair pair;
    for (size_t i = 0, k = 0; pair_next(&m->base.calls, &m->new.calls, &i, &k, &pair);)
        m->list->at[pair.of].callee_input_rise += pair.new.input - pair.base.input;
}

/* Inlined functions ---------------------------------------------------------------------------- */

static void list_inlined(const struct moved *m, compare_inlined_list *inlined)
{
    struct moved_pair pair;
    for (size_t i = 0, k = 0; pair_next(&m->base.inlined, &m->new.inlined, &i, &k, &pair);) {
        double rise = m->new.function[pair.other] - m->base.function[pair.other];
        double before = pair.base.cost, now = pair.new.cost;
        if (before <= 0 || now <= 0)
            continue;
        struct compare_inlined one = {
            .of = pair.of,
            .name = pair.new.name,
            .base = before,
            .new = now,
            .moved_in = above_zero(now - before - above_zero(rise)),
            .moved_out = above_zero(before - now - above_zero(-rise)),
        };
        vector_push(inlined, one);
    }
}

void compare_find_moved(const struct report *base, const struct report *new, compare_list *list,
                        compare_inlined_list *inlined)
{
    struct moved m = {.list = list, .base.report = base, .new.report = new};
    names_make(&m);
    side_make(&m, &m.base, false);
    side_make(&m, &m.new, true);
    double *in = find_moved(&m, &m.base, &m.new), *out = find_moved(&m, &m.new, &m.base);
    for (size_t i = 0; i < list->count; i++) {
        list->at[i].moved_in = in[i];
        list->at[i].moved_out = out[i];
    }
    find_alone(&m, &m.base, &m.new, false);
    find_alone(&m, &m.new, &m.base, true);
    find_input(&m);
    list_inlined(&m, inlined);
    free(in);
    free(out);
    for (size_t i = 0; i < m.names.count; i++)
        free((char *)(uintptr_t)m.names.at[i]);
    vector_free(&m.names);
    free(m.name);
    free(m.routine);
    side_free(&m.base);
    side_free(&m.new);
}
