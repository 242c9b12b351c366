/* Writes reports of analyses; see events_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The runtime (analyses/analysis_report.c) writes the records from an analysis's tables; the
 * command writes the records from processed reports. Both use the schema and the analysis's
 * description of its rows.
 */
#include "lib/events/events_writer.h"
#include "analyses/analysis_report.h"
#include "lib/contexts/contexts_writer.h"
#include "lib/records/record_types.h"

void events_write(const struct events_report *r, FILE *to)
{
    struct record_writer w;
    record_writer_start_stream(&w, to);
    record_put_first(&w, RECORD_EVENTS_FIRST, 1);
    RECORD_PUT_HEAD(&w, RECORD_EVENT_HEAD, r, NULL);
    for (size_t i = 0; i < r->objects.count; i++)
        object_write(&w, i, &r->objects.at[i]);
    for (size_t i = 0; i < r->routines.count; i++)
        RECORD_PUT_NUMBERED(&w, "routine", i, RECORD_EVENT_ROUTINE, &r->routines.at[i]);
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct events_row *row = &r->rows.at[i];
        analysis_row_put(&w, r->kind, events_key(r, row), row->key_words, row->counts);
    }
    record_writer_finish(&w);
}
