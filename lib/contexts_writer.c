/* Writes files of calling contexts; see contexts_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime puts these records from its trees (native/contexts/report.c), the command from what it
 * has made of them. A test reads, writes and compares the bytes.
 */
#include "lib/contexts_writer.h"
#include "lib/report_writer.h"

static void put_head(struct record_writer *w, const struct context_profile *p)
{
    record_put_line(w, "aprof-contexts", "1");
    record_put_line(w, "creator", p->creator);
    record_put_strings(w, "command", &p->command);
    record_put_strings(w, "process", &p->process);
    record_put_strings(w, "options", &p->options);
    record_put_line(w, "technique", p->technique);
    record_put_line(w, "summary", p->summary);
    record_put_line(w, "weight", p->weight);
    record_put_line(w, "phi", p->phi);
    record_put_line(w, "epsilon", p->epsilon);
    record_put_line(w, "burst", p->burst);
    record_put_line(w, "end", p->end_reason);
}

void object_write(struct record_writer *w, size_t id, const struct context_object *object)
{
    record_put_raw(w, "object");
    record_put_number(w, id);
    record_put_text(w, object->path);
    record_put_text(w, object->build_id);
    record_end(w);
}

/* A place in an object: routines and call sites. */
static void put_place(struct record_writer *w, uint32_t object, uint64_t offset)
{
    record_put_number(w, object);
    record_put_hex(w, offset);
}

/* As ids have it in the file: none is "-". */
static void put_id(struct record_writer *w, uint32_t id)
{
    if (id == CONTEXTS_NONE)
        record_put_text(w, NULL);
    else
        record_put_number(w, id);
}

static void put_context(struct record_writer *w, const struct context_profile *p, size_t id,
                        const struct context *context)
{
    record_put_raw(w, "context");
    record_put_number(w, id);
    put_id(w, context->parent);
    put_id(w, context->routine);
    if (context->site == CONTEXTS_NONE) {
        put_id(w, CONTEXTS_NONE);
        record_put_hex(w, 0);
    } else {
        put_place(w, p->sites.at[context->site].object, p->sites.at[context->site].offset);
    }
    record_put_number(w, context->count);
    record_put_number(w, context->error);
    record_put_number(w, context->monitored);
    record_end(w);
}

static void put_tree(struct record_writer *w, const struct context_profile *p,
                     const struct contexts_tree *tree)
{
    record_put_raw(w, "tree");
    record_put_number(w, tree->thread);
    record_put_number(w, tree->total);
    record_put_number(w, tree->calls);
    record_put_number(w, tree->count);
    record_put_number(w, tree->deepest);
    record_end(w);
    for (size_t i = 0; i < tree->count; i++)
        put_context(w, p, i, &p->contexts.at[tree->first + i]);
}

void contexts_write(const struct context_profile *p, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    put_head(&w, p);
    for (size_t i = 0; i < p->objects.count; i++)
        object_write(&w, i, &p->objects.at[i]);
    for (size_t i = 0; i < p->routines.count; i++)
        routine_write(&w, i, &p->routines.at[i]);
    for (size_t i = 0; i < p->trees.count; i++)
        put_tree(&w, p, &p->trees.at[i]);
    record_writer_finish(&w);
}
