/* Call tree profiling: the shapes of the subtrees of depth two in the dynamic call tree.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The analysis is from paper 001, section 5.2, after J. Ha et al., PLDI 2007. The pattern of an
 * activation is its routine and the set of routines that it called directly. The analysis counts
 * the activations of each pattern. Example: main calls f twice; the first f calls g, and the second
 * f calls nothing. The patterns are main{f}, f{g}, f{} and g{}, each with the count 1.
 *
 * A set is represented by a number. The activation on top of the stack holds the number of the set
 * of its callees so far. A table maps a set and a routine to the set with this routine added, so a
 * call costs one table access. If the enter or leave of an activation is lost in a gap, the
 * activation is not counted.
 *
 * Rows: tree ROUTINE CALLEE... COUNT.
 */
#include "analyses/call_stack.h"
#include "analyses/counts.h"
#include "analyses/analysis_report.h"

#define EMPTY_SET 0

struct pool {
    uint64_t *words;
    size_t used, capacity;
};

struct calltree {
    struct counts patterns; /* (routine, set) */
    /* data of an activation: the set of routines that it has called so far */
    struct call_stack stack;
    struct counts steps; /* (set, routine) -> 1 + number of the set with the routine added */
    struct counts index; /* (hash of a set, number of earlier sets with this hash) -> 1 + set */
    struct pool sets;    /* for each set: position and number of its members */
    struct pool members; /* ascending */
};

/* ---------------------------------------------------------------- Sets */

static uint64_t *pool_add(struct pool *pool, size_t words)
{
    pool->words = pages_grow("analyses.calltree", pool->words, &pool->capacity, pool->used + words,
                             sizeof(*pool->words));
    pool->used += words;
    return pool->words + pool->used - words;
}

static void pool_release(struct pool *pool)
{
    pages_free(pool->words, pool->capacity, sizeof(*pool->words));
    *pool = (struct pool){NULL, 0, 0};
}

static const uint64_t *set_members(const struct calltree *tree, uint64_t set, size_t *size)
{
    *size = tree->sets.words[2 * set + 1];
    return tree->members.words + tree->sets.words[2 * set];
}

static bool set_is(const struct calltree *tree, uint64_t set, const uint64_t *members, size_t size)
{
    size_t own_size;
    const uint64_t *own = set_members(tree, set, &own_size);

    if (own_size != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (own[i] != members[i])
            return false;
    return true;
}

/* Returns the number of the set whose members are the last `size` words of the pool, in ascending
 * order. If the set already exists, the last `size` words are removed from the pool. */
static uint64_t set_intern(struct calltree *tree, size_t size)
{
    uint64_t *members = tree->members.words + tree->members.used - size;
    uint64_t hash = size, set = tree->sets.used / 2, twin = 0;
    struct count *entry;

    for (size_t i = 0; i < size; i++)
        hash = counts_hash(hash, members[i]);
    while ((entry = counts_at(&tree->index, hash, twin))->count > 0) {
        if (set_is(tree, entry->count - 1, members, size)) {
            tree->members.used -= size;
            return entry->count - 1;
        }
        twin++;
    }
    entry->count = 1 + set;
    size_t begin = tree->members.used - size;
    uint64_t *record = pool_add(&tree->sets, 2);
    record[0] = begin;
    record[1] = size;
    return set;
}

APROF_NOINLINE static uint64_t set_add_new(struct calltree *tree, uint64_t set, uint64_t routine)
{
    size_t size, at = 0;
    uint64_t *copy;
    const uint64_t *members;

    set_members(tree, set, &size);
    copy = pool_add(&tree->members, size + 1); /* pool_add may move the members */
    members = set_members(tree, set, &size);
    for (; at < size && members[at] < routine; at++)
        copy[at] = members[at];
    if (at < size && members[at] == routine) {
        tree->members.used -= size + 1;
        return set;
    }
    copy[at] = routine;
    for (; at < size; at++)
        copy[at + 1] = members[at];
    return set_intern(tree, size + 1);
}

/* Returns the set `set` with `routine` added. */
static uint64_t set_add(struct calltree *tree, uint64_t set, uint64_t routine)
{
    struct count *step = counts_at(&tree->steps, set, routine);

    if (UNLIKELY(step->count == 0))
        step->count = 1 + set_add_new(tree, set, routine);
    return step->count - 1;
}

/* ---------------------------------------------------------------- Events */

static void calltree_end_down_to(struct calltree *tree, size_t depth)
{
    while (tree->stack.depth > depth) {
        const struct call_frame *top = call_stack_top(&tree->stack);
        counts_add(&tree->patterns, top->routine, top->data, 1);
        tree->stack.depth--;
    }
}

/* If an activation outside the known part of the stack ends, the leave events of all known
 * activations were lost. */
static void calltree_leave(struct calltree *tree, uint64_t routine)
{
    size_t depth = call_stack_depth_after(&tree->stack, routine);

    if (depth == 0 && !tree->stack.whole &&
        (tree->stack.depth == 0 || tree->stack.activations[0].routine != routine))
        tree->stack.depth = 0;
    else
        calltree_end_down_to(tree, depth);
}

static void calltree_consume(void *state, const uint64_t *events, size_t count)
{
    struct calltree *tree = state;

    for (size_t i = 0; i < count; i++) {
        uint64_t event = events[i];
        if (event_kind_of(event) == EVENT_ENTER) {
            struct call_frame *caller = call_stack_top(&tree->stack);
            if (caller)
                caller->data = set_add(tree, caller->data, event_routine(event));
            call_stack_push(&tree->stack, event_routine(event));
        } else if (event_kind_of(event) == EVENT_LEAVE) {
            calltree_leave(tree, event_routine(event));
        }
    }
}

static void calltree_init(void *state, const struct analysis_options *options)
{
    struct calltree *tree = state;

    (void)options;
    tree->stack.whole = true;
    pool_add(&tree->members, 0);
    pool_add(&tree->sets, 2); /* entry of EMPTY_SET: position 0, no members */
}

static void calltree_gap(void *state)
{
    call_stack_forget(&((struct calltree *)state)->stack);
}

static void calltree_finish(void *state)
{
    struct calltree *tree = state;

    if (tree->stack.whole)
        calltree_end_down_to(tree, 0);
    call_stack_forget(&tree->stack);
}

static void calltree_merge(void *state, const void *other)
{
    struct calltree *tree = state;
    const struct calltree *from = other;
    size_t at = 0;

    for (const struct count *entry; (entry = counts_next(&from->patterns, &at));) {
        size_t size;
        const uint64_t *members = set_members(from, entry->keys[1], &size);
        uint64_t set = EMPTY_SET;
        for (size_t i = 0; i < size; i++)
            set = set_add(tree, set, members[i]);
        counts_add(&tree->patterns, entry->keys[0], set, entry->count);
    }
}

/* ---------------------------------------------------------------- Printing */

static void calltree_print(const void *state, struct analysis_report *report)
{
    const struct calltree *tree = state;
    struct pool row = {NULL, 0, 0};
    size_t at = 0, size;

    for (const struct count *entry; (entry = counts_next(&tree->patterns, &at));) {
        const uint64_t *members = set_members(tree, entry->keys[1], &size);
        row.used = 0;
        uint64_t *routines = pool_add(&row, size + 1);
        routines[0] = entry->keys[0];
        for (size_t i = 0; i < size; i++)
            routines[i + 1] = members[i];
        analysis_report_row(report, routines, size + 1, &entry->count);
    }
    pool_release(&row);
}

static void calltree_release(void *state)
{
    struct calltree *tree = state;

    counts_release(&tree->patterns);
    counts_release(&tree->steps);
    counts_release(&tree->index);
    call_stack_release(&tree->stack);
    pool_release(&tree->sets);
    pool_release(&tree->members);
}

const struct analysis analysis_calltree = {
    .name = "calltree",
    .what = "which sets of routines each routine's activations called",
    .events = EVENT_BIT(EVENT_ENTER) | EVENT_BIT(EVENT_LEAVE),
    .state_bytes = sizeof(struct calltree),
    .rows = {.tag = "tree",
             .unit = "activations",
             .routines = true,
             .key_least = 1,
             .key_most = SIZE_MAX,
             .set_from = 1,
             .count_count = 1,
             .key_names = ANALYSIS_NAMES("routine", "callees"),
             .count_names = ANALYSIS_NAMES("count")},
    .init = calltree_init,
    .consume = calltree_consume,
    .gap = calltree_gap,
    .finish = calltree_finish,
    .merge = calltree_merge,
    .print = calltree_print,
    .release = calltree_release,
};
