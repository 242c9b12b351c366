/* Writes files of records to streams: a sink for ground/record_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/records/record_stream.h"

static void write_bytes(void *context, const char *bytes, size_t count)
{
    fwrite(bytes, 1, count, context);
}

void record_writer_start_stream(struct record_writer *w, FILE *to)
{
    record_writer_start(w, (struct record_sink){write_bytes, to});
}

void record_put_strings(struct record_writer *w, const string_list *words)
{
    for (size_t i = 0; i < words->count; i++)
        record_put_text(w, words->at[i]);
}
