/* Writes files of calling contexts; see contexts_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime (native/contexts/report.c) writes the records from its trees; the command writes the
 * records from processed trees. A test reads a file, writes it again and compares the bytes.
 */
#include "lib/contexts/contexts_writer.h"
#include "lib/records/record_types.h"
#include "lib/report/report_writer.h"

void object_write(struct record_writer *w, size_t id, const struct context_object *object)
{
    RECORD_PUT_NUMBERED(w, "object", id, RECORD_BUILD, object);
}

struct context_record {
    RECORD_CALL_CONTEXT(RECORD_MEMBER)
};

static void put_context(struct record_writer *w, const struct context_profile *p, size_t id,
                        const struct context *context)
{
    bool has_site = context->site != CONTEXTS_NONE;
    struct context_record record = {
        .parent = context->parent,
        .routine = context->routine,
        .site_object = has_site ? p->sites.at[context->site].object : RECORD_NONE,
        .site_offset = has_site ? p->sites.at[context->site].offset : 0,
        .count = context->count,
        .error = context->error,
        .monitored = context->monitored,
    };
    RECORD_PUT_NUMBERED(w, "context", id, RECORD_CALL_CONTEXT, &record);
}

static void put_tree(struct record_writer *w, const struct context_profile *p,
                     const struct contexts_tree *tree)
{
    RECORD_PUT(w, "tree", RECORD_CALL_TREE, tree);
    for (size_t i = 0; i < tree->count; i++)
        put_context(w, p, i, &p->contexts.at[tree->first + i]);
}

void contexts_write(const struct context_profile *p, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    record_put_first(&w, RECORD_CONTEXTS_FIRST, 1);
    RECORD_PUT_HEAD(&w, RECORD_CALL_HEAD, p, NULL);
    for (size_t i = 0; i < p->objects.count; i++)
        object_write(&w, i, &p->objects.at[i]);
    for (size_t i = 0; i < p->routines.count; i++)
        routine_write(&w, i, &p->routines.at[i]);
    for (size_t i = 0; i < p->trees.count; i++)
        put_tree(&w, p, &p->trees.at[i]);
    record_writer_finish(&w);
}
