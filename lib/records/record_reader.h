/* Reads files of records, strictly and in one pass.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of record files have TAB-separated fields. The first line contains the format's
 * version, and the last line contains a checksum. Reports (aprof-out(5)) and files of calling
 * contexts (aprof-contexts-file(5)) are record files. A `struct record_format` describes the
 * records of a format in one of two ways. The first way is tables: each record of the head occurs
 * once, in the order of the table `head`; then the records of the body follow in stages. The second
 * way is the function `parse`, which receives every record.
 */
#ifndef LIB_RECORDS_RECORD_READER_H
#define LIB_RECORDS_RECORD_READER_H

#include "lib/base/input.h"
#include "lib/base/memory.h"
#include "lib/base/message.h"
#include "ground/wide.h"
#include "lib/base/vector.h"

#include <stdint.h>

struct record_reader;

struct record_format {
    const char *magic; /* tag of the first line */
    const char *noun;  /* name of the format in messages: "a report of aprof" */
    uint64_t newest;   /* version of the format that the reader accepts */

    /* Processes the record in `fields`; reports a bad record by record_bad() or field_bad(). If
     * parse is NULL, the tables define the valid records. */
    void (*parse)(struct record_reader *r);

    /* Whether the content is complete. The reader calls check_end() if the file is intact and has a
     * complete head. If the content is incomplete, check_end() stores the reason in r->why and
     * returns false. If check_end is NULL, any content is complete. */
    bool (*check_end)(struct record_reader *r);

    const struct head_record *head;
    size_t head_count;
    const struct body_record *body; /* records of the body; the most frequent record is first */
    size_t body_count;
};

/* A record of the head; the head begins with the second line. */
struct head_record {
    const char *tag;
    size_t fields_least, fields_most;
    bool (*parse)(struct record_reader *r);
    bool may_be_missing;
};

/* A record of the body. The record may occur in the stages from `first` (at least 1) to `last`. If
 * the stage `first` has not begun yet, this stage begins with the record. */
struct body_record {
    const char *tag; /* tag of the record; NULL matches every tag */
    size_t fields_least, fields_most;
    unsigned first, last;
    bool (*parse)(struct record_reader *r);
};

struct field {
    char *at;
    size_t bytes;
};

/* The state of a reader. The functions of a format receive this struct, which may be the first
 * member of their own larger struct. */
struct record_reader {
    const char *path; /* path for messages; belongs to the input */
    const struct record_format *format;
    struct arena *strings; /* storage for the texts of field_string() */
    struct failure *why;
    VECTOR(struct field) fields; /* fields of the current record, its tag first */
    uint64_t line_number;        /* number of the current line, from 1 */
    uint64_t version;            /* version of the file's format */
    void *to;                    /* the caller's destination, which the format's functions fill */
    size_t head_index;           /* index of the next record of the head */
    unsigned stage;              /* stage of the body; 0: still in the head */

    struct input *input;
    char *buffer; /* the bytes [start, end) of the buffer have been read but not yet consumed */
    size_t start, end, room;
    bool input_ended;
    uint64_t hash;           /* hash of all lines before the current line */
    bool bad;                /* whether a line was bad; the lines after it are only hashed */
    struct failure bad_line; /* error in the first bad line */
};

/* Reads the whole input, and closes it. On failure, returns false with a reason that names the file
 * and, if known, the line. */
bool record_reader_run(struct record_reader *r, struct input *input,
                       const struct record_format *format, void *to, struct arena *strings,
                       struct failure *why);

/* Store an error in the current line, or in one of its fields; return false. */
bool record_bad(struct record_reader *r, const char *what);
bool field_bad(struct record_reader *r, const char *name, const char *what);

/* Returns whether the record has at least `least` and at most `most` fields after its tag. */
bool fields_expected(struct record_reader *r, size_t least, size_t most);

bool field_is(const struct field *field, const char *text);

/* Converts the field at `index` (the tag has index 0); `name` is for the message. */
bool field_string(struct record_reader *r, size_t index, const char *name, const char **text);
bool field_number(struct record_reader *r, size_t index, const char *name, uint64_t *value);
bool field_wide(struct record_reader *r, size_t index, const char *name, u128 *value);
bool field_hex(struct record_reader *r, size_t index, const char *name, uint64_t *value);
bool field_index(struct record_reader *r, size_t index, const char *name, size_t limit,
                 uint32_t *value); /* below `limit` */

/* Reads a field that must be one of two words. */
bool field_choice(struct record_reader *r, size_t index, const char *name, const char *one,
                  const char *other, const char **text);

/* Converts decimal digits. Returns NULL if the digits are valid, or else the error. */
const char *number_parse(const char *text, size_t bytes, uint64_t *value);

/* Checks that the first field after the tag is `expected`, because ids count up from 0. */
bool field_id(struct record_reader *r, size_t expected);

#endif
