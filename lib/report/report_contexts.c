/* The calling contexts of a report; see report_contexts.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_contexts.h"
#include "lib/base/control.h"

#include <string.h>

char *report_contexts_words(const struct report *r)
{
    const struct report_contexts *c = &r->contexts;
    if (!report_has_contexts(r))
        return memory_copy_string("none");
    return memory_format("%s %s %s %s %s", c->kind, c->phi, c->epsilon, c->weight, c->recursion);
}

/* Paths ---------------------------------------------------------------------------------------- */

static const struct report_context *caller_of(const struct report *r,
                                              const struct report_context *context)
{
    return context->caller == CONTEXT_NO_CALLER ? NULL : &r->contexts.all.at[context->caller];
}

static const char *name_of(const struct report *r, const struct report_context *context)
{
    return r->routines.at[context->profile.routine].name;
}

char *context_path(const struct report *r, const struct report_context *context, char divider,
                   unsigned most)
{
    static const char more[] = "...";
    const struct report_context *at = context;
    size_t bytes = 0;
    unsigned n = 0;
    for (; at && (!most || n < most); at = caller_of(r, at), n++)
        bytes += strlen(name_of(r, at)) + 1;
    const struct report_context *beyond = at;
    bytes += beyond ? sizeof more : 0;
    char *path = memory_resize(NULL, bytes, 1), *end = path + bytes;
    for (at = context; at != beyond; at = caller_of(r, at)) {
        const char *name = name_of(r, at);
        *--end = at == context ? '\0' : divider;
        for (size_t i = strlen(name); i-- > 0;)
            *--end = name[i] == divider ? ':' : name[i];
    }
    if (beyond) {
        memcpy(path, more, sizeof more - 1);
        path[sizeof more - 1] = divider;
    }
    control_replace(path, ':');
    return path;
}

char *context_words(const struct report *r, const struct report_context *context, unsigned callers)
{
    char *words = memory_copy_string(name_of(r, context));
    const struct report_context *at = caller_of(r, context);
    for (unsigned i = 0; at; i++, at = caller_of(r, at)) {
        char *longer = memory_format("%s < %s", words, i < callers ? name_of(r, at) : "...");
        free(words);
        words = longer;
        if (i == callers)
            break;
    }
    return words;
}

/* Adding up ------------------------------------------------------------------------------------ */

/* The resulting contexts in `sums`, and a hash table that finds a context by its caller and
 * routine. */
struct merging {
    VECTOR(struct report_context) sums;
    uint32_t *slots; /* hash table with open addressing: index into sums + 1 */
    size_t slot_mask;
    uint32_t *first, *next; /* for each context in `sums`, a linked list of its original contexts:
                             * index + 1; 0 ends the list */
};

static uint32_t *slot_of(const struct merging *m, uint32_t caller, uint32_t routine)
{
    size_t slot = ((uint64_t)caller << 32 ^ routine) * UINT64_C(0x9e3779b97f4a7c15) >> 24;
    for (slot &= m->slot_mask; m->slots[slot]; slot = (slot + 1) & m->slot_mask) {
        const struct report_context *sum = &m->sums.at[m->slots[slot] - 1];
        if (sum->caller == caller && sum->profile.routine == routine)
            break;
    }
    return &m->slots[slot];
}

static uint32_t sum_of(struct merging *m, uint32_t caller, uint32_t routine)
{
    uint32_t *slot = slot_of(m, caller, routine);
    if (!*slot) {
        struct report_context sum = {.caller = caller, .profile = {.routine = routine}};
        vector_push(&m->sums, sum);
        *slot = (uint32_t)m->sums.count;
    }
    return *slot - 1;
}

static void merging_start(struct merging *m, size_t contexts)
{
    size_t slots = 16;
    while (slots < 2 * contexts)
        slots *= 2;
    memset(m, 0, sizeof *m);
    m->slot_mask = slots - 1;
    m->slots = memory_get_zeroed(slots, sizeof *m->slots);
    m->first = memory_get_zeroed(contexts + 1, sizeof *m->first);
    m->next = memory_get_zeroed(contexts + 1, sizeof *m->next);
}

static void add_numbers(const struct report *r, struct merging *m)
{
    uint32_t *sums = memory_get_zeroed(r->contexts.all.count + 1, sizeof *sums);
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_context *from = &r->contexts.all.at[i];
        uint32_t caller = from->caller == CONTEXT_NO_CALLER ? from->caller : sums[from->caller];
        uint32_t number = sums[i] = sum_of(m, caller, from->profile.routine);
        struct report_context *sum = &m->sums.at[number];
        sum->error = u64_add(sum->error, from->error);
        sum->profile.calls = u64_add(sum->profile.calls, from->profile.calls);
        sum->profile.cost_total = u64_add(sum->profile.cost_total, from->profile.cost_total);
        sum->profile.cost_self = u64_add(sum->profile.cost_self, from->profile.cost_self);
        m->next[i] = m->first[number];
        m->first[number] = (uint32_t)i + 1;
    }
    free(sums);
}

static void add_points(struct report *r, struct merging *m, size_t number,
                       enum report_metric metric)
{
    struct report_profile *sum = &m->sums.at[number].profile;
    sum->first[metric] = r->points[metric].count;
    for (uint32_t at = m->first[number]; at; at = m->next[at - 1]) {
        const struct report_profile *from = &r->contexts.all.at[at - 1].profile;
        for (size_t p = 0; p < from->count[metric]; p++) {
            struct report_point point = r->points[metric].at[from->first[metric] + p];
            vector_push(&r->points[metric], point);
        }
    }
    size_t count = r->points[metric].count - sum->first[metric];
    if (count)
        count = points_join(r->points[metric].at + sum->first[metric], count);
    sum->count[metric] = count;
    r->points[metric].count = sum->first[metric] + count;
}

/* Order ---------------------------------------------------------------------------------------- */

static int by_caller_and_routine(const void *a, const void *b, void *contexts)
{
    const struct report_context *all = contexts;
    const struct report_context *left = &all[*(const uint32_t *)a],
                                *right = &all[*(const uint32_t *)b];
    if (left->caller != right->caller) /* CONTEXT_NO_CALLER is the largest number, so roots come
                                        * last */
        return left->caller < right->caller ? -1 : 1;
    return left->profile.routine < right->profile.routine ? -1 : 1;
}

/* Stores `sums` as the report's contexts, depth first, with siblings sorted by routine. */
static void put_in_order(struct report *r, struct merging *m)
{
    size_t n = m->sums.count;
    uint32_t *sorted = memory_get_zeroed(n + 1, sizeof *sorted);
    uint32_t *child = memory_get_zeroed(n + 1, sizeof *child);
    uint32_t *sibling = memory_get_zeroed(n + 1, sizeof *sibling);
    uint32_t *number = memory_get_zeroed(n + 1, sizeof *number);
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = i;
    if (n)
        qsort_r(sorted, n, sizeof *sorted, by_caller_and_routine, m->sums.at);
    for (size_t i = n; i-- > 0;) {
        uint32_t caller = m->sums.at[sorted[i]].caller;
        size_t above = caller == CONTEXT_NO_CALLER ? n : caller;
        sibling[sorted[i]] = child[above];
        child[above] = sorted[i] + 1;
    }
    r->contexts.all.count = 0;
    for (uint32_t at = child[n]; at;) {
        struct report_context context = m->sums.at[at - 1];
        number[at - 1] = (uint32_t)r->contexts.all.count;
        if (context.caller != CONTEXT_NO_CALLER)
            context.caller = number[context.caller];
        vector_push(&r->contexts.all, context);
        uint32_t down = child[at - 1];
        while (!down && at && !(down = sibling[at - 1])) {
            uint32_t caller = m->sums.at[at - 1].caller;
            at = caller == CONTEXT_NO_CALLER ? 0 : caller + 1;
        }
        at = down;
    }
    free(sorted);
    free(child);
    free(sibling);
    free(number);
}

void report_contexts_merge(struct report *r)
{
    struct merging m;
    struct report_tree tree = {.thread = 0};
    if (r->contexts.trees.count == 0)
        return;
    merging_start(&m, r->contexts.all.count);
    add_numbers(r, &m);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (size_t i = 0; i < m.sums.count; i++)
            add_points(r, &m, i, (enum report_metric)metric);
    }
    put_in_order(r, &m);
    for (size_t i = 0; i < r->contexts.trees.count; i++)
        tree.total = u64_add(tree.total, r->contexts.trees.at[i].total);
    tree.count = r->contexts.all.count;
    r->contexts.trees.at[0] = tree;
    r->contexts.trees.count = 1;
    vector_free(&m.sums);
    free(m.slots);
    free(m.first);
    free(m.next);
}

/* Copying -------------------------------------------------------------------------------------- */

static void append_points(struct report *to, const struct report *from,
                          struct report_profile *profile, enum report_metric m)
{
    const struct report_point *points = profile_points(from, profile, m);
    size_t first = to->points[m].count;
    for (size_t i = 0; i < profile->count[m]; i++)
        vector_push(&to->points[m], points[i]);
    profile->first[m] = first;
}

void report_contexts_append(struct report *to, const struct report *from, const uint32_t *number)
{
    uint32_t first = (uint32_t)to->contexts.all.count;
    for (size_t i = 0; i < from->contexts.all.count; i++) {
        struct report_context context = from->contexts.all.at[i];
        if (context.caller != CONTEXT_NO_CALLER)
            context.caller += first;
        context.profile.routine = number[context.profile.routine];
        for (int m = 0; m < METRIC_COUNT; m++)
            append_points(to, from, &context.profile, (enum report_metric)m);
        vector_push(&to->contexts.all, context);
    }
    for (size_t i = 0; i < from->contexts.trees.count; i++) {
        struct report_tree tree = from->contexts.trees.at[i];
        tree.first += first;
        vector_push(&to->contexts.trees, tree);
    }
}
