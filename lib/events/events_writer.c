/* Writes reports of analyses; see events_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime puts these records from an analysis's tables (analyses/analysis_report.c), the command
 * from what it has made of them. A test reads, writes and compares the bytes.
 */
#include "lib/events/events_writer.h"
#include "lib/contexts/contexts_writer.h"

static void put_head(struct record_writer *w, const struct events_report *r)
{
    record_put_line(w, "aprof-analysis", "1");
    record_put_line(w, "creator", r->creator);
    record_put_strings(w, "command", &r->command);
    record_put_strings(w, "process", &r->process);
    record_put_strings(w, "options", &r->options);
    record_put_line(w, "end", r->end_reason);
    record_put_line(w, "analysis", r->analysis);
}

static void put_routine(struct record_writer *w, size_t id, const struct report_routine *routine)
{
    record_put_raw(w, "routine");
    record_put_number(w, id);
    record_put_number(w, routine->object);
    record_put_hex(w, routine->offset);
    record_put_text(w, routine->symbol);
    record_end(w);
}

static void put_row(struct record_writer *w, const struct events_report *r,
                    const struct events_row *row)
{
    const uint64_t *key = events_key(r, row);
    record_put_raw(w, r->kind->tag);
    for (size_t i = 0; i < row->key_words; i++) {
        if (r->kind->routines && key[i] == EVENTS_NO_ROUTINE)
            record_put_text(w, NULL);
        else
            record_put_number(w, key[i]);
    }
    for (size_t i = 0; i < r->kind->count_count; i++)
        record_put_number(w, row->counts[i]);
    record_end(w);
}

void events_write(const struct events_report *r, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    put_head(&w, r);
    for (size_t i = 0; i < r->objects.count; i++)
        object_write(&w, i, &r->objects.at[i]);
    for (size_t i = 0; i < r->routines.count; i++)
        put_routine(&w, i, &r->routines.at[i]);
    for (size_t i = 0; i < r->rows.count; i++)
        put_row(&w, r, &r->rows.at[i]);
    record_writer_finish(&w);
}
