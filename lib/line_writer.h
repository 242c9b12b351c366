/* Writes files of records that line_reader.h reads: escapes, the checksum, the last line.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     struct line_writer w = line_writer_start(stream);
 *     line_put_word(&w, "object");
 *     line_put_number(&w, 0);
 *     line_put_field(&w, path);
 *     line_put_word(&w, "\n");
 *     line_writer_finish(&w);
 */
#ifndef LIB_LINE_WRITER_H
#define LIB_LINE_WRITER_H

#include "ground/wide.h"
#include "lib/vector.h"

#include <stdint.h>
#include <stdio.h>

struct line_writer {
    FILE *to;
    uint64_t hash, lines;
};

struct line_writer line_writer_start(FILE *to);

/* A tag, or the end of a line: as it is. */
void line_put_word(struct line_writer *w, const char *word);

/* One field, with the TAB before it. */
void line_put_field(struct line_writer *w, const char *text);
void line_put_number(struct line_writer *w, u128 number);
void line_put_hex(struct line_writer *w, uint64_t number); /* 0x1139 */

/* A whole record of one text, or of many. */
void line_put_line(struct line_writer *w, const char *tag, const char *text);
void line_put_list(struct line_writer *w, const char *tag, const string_list *words);

/* The line that proves that all is there. */
void line_writer_finish(struct line_writer *w);

#endif
