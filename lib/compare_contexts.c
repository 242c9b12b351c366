/* In which calling context a routine's own cost rose; see compare.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare.h"
#include "lib/report_contexts.h"

#include <stdlib.h>
#include <string.h>

/* A context of the routine, and the names of the routines that lead to it. */
struct named_context {
    char *path;
    const struct report_context *context;
};

typedef VECTOR(struct named_context) named_list;

static int by_path(const void *a, const void *b)
{
    const struct named_context *left = a, *right = b;
    return strcmp(left->path, right->path);
}

static void list_contexts(const struct report *r, const struct report_routine *routine,
                          named_list *list)
{
    for (size_t i = 0; routine && i < r->contexts.all.count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (&r->routines.at[context->profile.routine] != routine)
            continue;
        struct named_context named = {context_path(r, context, ';', 0), context};
        vector_push(list, named);
    }
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_path);
}

static void free_contexts(named_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].path);
    vector_free(list);
}

struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c)
{
    named_list before = {0}, after = {0};
    struct compare_context most = {0};
    if (!report_has_contexts(base) || !report_has_contexts(new))
        return most;
    list_contexts(base, c->base.routine, &before);
    list_contexts(new, c->new.routine, &after);
    for (size_t i = 0; i < after.count; i++) {
        const struct named_context *same =
            before.count
                ? bsearch(&after.at[i], before.at, before.count, sizeof *before.at, by_path)
                : NULL;
        uint64_t now = after.at[i].context->profile.cost_self;
        uint64_t was = same ? same->context->profile.cost_self : 0;
        if (now > was && now - was > most.new - most.base)
            most = (struct compare_context){after.at[i].context, was, now};
    }
    free_contexts(&before);
    free_contexts(&after);
    return most;
}
