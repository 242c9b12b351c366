/* Writes files of calling contexts; see contexts_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime's writer (native/) must do without a C library; this one writes what the tools have
 * made of its files. A test reads, writes and compares the bytes.
 */
#include "lib/contexts_writer.h"
#include "lib/report_writer.h"

static void put_head(struct line_writer *w, const struct context_profile *p)
{
    line_put_line(w, "aprof-contexts", "1");
    line_put_line(w, "creator", p->creator);
    line_put_list(w, "command", &p->command);
    line_put_list(w, "process", &p->process);
    line_put_list(w, "options", &p->options);
    line_put_line(w, "technique", p->technique);
    line_put_line(w, "summary", p->summary);
    line_put_line(w, "weight", p->weight);
    line_put_line(w, "phi", p->phi);
    line_put_line(w, "epsilon", p->epsilon);
    line_put_line(w, "burst", p->burst);
    line_put_line(w, "end", p->end_reason);
}

static void put_object(struct line_writer *w, size_t id, const struct context_object *object)
{
    line_put_word(w, "object");
    line_put_number(w, id);
    line_put_field(w, object->path);
    line_put_field(w, object->build_id);
    line_put_word(w, "\n");
}

/* A place in an object: routines and call sites. */
static void put_place(struct line_writer *w, uint32_t object, uint64_t offset)
{
    line_put_number(w, object);
    line_put_hex(w, offset);
}

/* As ids have it in the file: none is "-". */
static void put_id(struct line_writer *w, uint32_t id)
{
    if (id == CONTEXTS_NONE)
        line_put_word(w, "\t-");
    else
        line_put_number(w, id);
}

static void put_context(struct line_writer *w, const struct context_profile *p, size_t id,
                        const struct context *context)
{
    line_put_word(w, "context");
    line_put_number(w, id);
    put_id(w, context->parent);
    put_id(w, context->routine);
    if (context->site == CONTEXTS_NONE)
        line_put_word(w, "\t-\t0x0");
    else
        put_place(w, p->sites.at[context->site].object, p->sites.at[context->site].offset);
    line_put_number(w, context->count);
    line_put_number(w, context->error);
    line_put_word(w, context->monitored ? "\t1\n" : "\t0\n");
}

static void put_tree(struct line_writer *w, const struct context_profile *p,
                     const struct contexts_tree *tree)
{
    line_put_word(w, "tree");
    line_put_number(w, tree->thread);
    line_put_number(w, tree->total);
    line_put_number(w, tree->calls);
    line_put_number(w, tree->count);
    line_put_number(w, tree->deepest);
    line_put_word(w, "\n");
    for (size_t i = 0; i < tree->count; i++)
        put_context(w, p, i, &p->contexts.at[tree->first + i]);
}

void contexts_write(const struct context_profile *p, FILE *to)
{
    struct line_writer w = line_writer_start(to);
    put_head(&w, p);
    for (size_t i = 0; i < p->objects.count; i++)
        put_object(&w, i, &p->objects.at[i]);
    for (size_t i = 0; i < p->routines.count; i++)
        routine_write(&w, i, &p->routines.at[i]);
    for (size_t i = 0; i < p->trees.count; i++)
        put_tree(&w, p, &p->trees.at[i]);
    line_writer_finish(&w);
}
