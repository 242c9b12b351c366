/* In which calling context a routine's own cost rose; see compare.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare.h"
#include "lib/report_contexts.h"
#include "ground/record_writer.h"

#include <stdlib.h>
#include <string.h>

/* A context of the routine, and a number for the names of the routines that lead to it: texts would take the square of
 * the depth. */
struct hashed_context {
    uint64_t path;
    const struct report_context *context;
};

typedef VECTOR(struct hashed_context) hashed_list;

static int by_path(const void *a, const void *b)
{
    const struct hashed_context *left = a, *right = b;
    return (left->path > right->path) - (left->path < right->path);
}

/* Callers come before callees. */
static void list_contexts(const struct report *r, const struct report_routine *routine,
                          hashed_list *list)
{
    size_t count = r->contexts.all.count;
    uint64_t *paths = memory_get_zeroed(count + 1, sizeof *paths);
    for (size_t i = 0; routine && i < count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        const struct report_routine *own = &r->routines.at[context->profile.routine];
        uint64_t above =
            context->caller == CONTEXT_NO_CALLER ? RECORD_HASH_START : paths[context->caller];
        paths[i] = record_hash(above, own->name, strlen(own->name) + 1);
        struct hashed_context hashed = {paths[i], context};
        if (own == routine)
            vector_push(list, hashed);
    }
    free(paths);
}

struct compare_context compare_find_context(const struct report *base, const struct report *new,
                                            const struct compare_routine *c)
{
    hashed_list before = {0}, after = {0};
    struct compare_context most = {0};
    if (!report_has_contexts(base) || !report_has_contexts(new))
        return most;
    list_contexts(base, c->base.routine, &before);
    list_contexts(new, c->new.routine, &after);
    if (before.count)
        qsort(before.at, before.count, sizeof *before.at, by_path);
    for (size_t i = 0; i < after.count; i++) {
        const struct hashed_context *same =
            before.count
                ? bsearch(&after.at[i], before.at, before.count, sizeof *before.at, by_path)
                : NULL;
        uint64_t now = after.at[i].context->profile.cost_self;
        uint64_t was = same ? same->context->profile.cost_self : 0;
        if (now > was && now - was > most.new - most.base)
            most = (struct compare_context){after.at[i].context, was, now};
    }
    vector_free(&before);
    vector_free(&after);
    return most;
}
