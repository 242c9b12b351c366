/* Writes files of records to streams: a sink for ground/record_writer.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Write errors are detected when the stream is closed (output.h).
 */
#ifndef LIB_RECORDS_RECORD_STREAM_H
#define LIB_RECORDS_RECORD_STREAM_H

#include "ground/record_writer.h"
#include "lib/base/vector.h"

#include <stdio.h>

/* Starts a writer that writes to the stream. */
void record_writer_start_stream(struct record_writer *w, FILE *to);

/* Writes a field for each word. */
void record_put_strings(struct record_writer *w, const string_list *words);

#endif
