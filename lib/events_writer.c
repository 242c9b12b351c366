/* Writes reports of analyses; see events_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime's writer (analyses/analysis_report.c) must do without a C library; this one writes what the
 * tools have made of its files. A test reads, writes and compares the bytes.
 */
#include "lib/events_writer.h"
#include "lib/line_writer.h"

static void put_head(struct line_writer *w, const struct events_report *r)
{
    line_put_line(w, "aprof-analysis", "1");
    line_put_line(w, "creator", r->creator);
    line_put_list(w, "command", &r->command);
    line_put_list(w, "process", &r->process);
    line_put_list(w, "options", &r->options);
    line_put_line(w, "end", r->end_reason);
    line_put_line(w, "analysis", r->analysis);
}

static void put_object(struct line_writer *w, size_t id, const struct context_object *object)
{
    line_put_word(w, "object");
    line_put_number(w, id);
    line_put_field(w, object->path);
    line_put_field(w, object->build_id);
    line_put_word(w, "\n");
}

static void put_routine(struct line_writer *w, size_t id, const struct report_routine *routine)
{
    line_put_word(w, "routine");
    line_put_number(w, id);
    line_put_number(w, routine->object);
    line_put_hex(w, routine->offset);
    line_put_field(w, routine->symbol);
    line_put_word(w, "\n");
}

static void put_row(struct line_writer *w, const struct events_report *r,
                    const struct events_row *row)
{
    const uint64_t *key = events_key(r, row);
    line_put_word(w, r->kind->tag);
    for (size_t i = 0; i < row->key_words; i++) {
        if (r->kind->routines && key[i] == EVENTS_NO_ROUTINE)
            line_put_word(w, "\t-");
        else
            line_put_number(w, key[i]);
    }
    for (size_t i = 0; i < r->kind->count_count; i++)
        line_put_number(w, row->counts[i]);
    line_put_word(w, "\n");
}

void events_write(const struct events_report *r, FILE *to)
{
    struct line_writer w = line_writer_start(to);
    put_head(&w, r);
    for (size_t i = 0; i < r->objects.count; i++)
        put_object(&w, i, &r->objects.at[i]);
    for (size_t i = 0; i < r->routines.count; i++)
        put_routine(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->rows.count; i++)
        put_row(&w, r, &r->rows.at[i]);
    line_writer_finish(&w);
}
