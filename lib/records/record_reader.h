/* Reads files of records, strictly and in one pass.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Their lines have TAB-separated fields; a version comes first, a proof of completeness last.
 * Reports (aprof-out(5)) and files of calling contexts (aprof-contexts-file(5)) are such files;
 * what their records mean is said by a `struct record_format`: either by tables, of a head whose
 * records come once each and in order, and of a body whose records come in stages; or by a function
 * that takes any record.
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
    const char *magic; /* the first line's tag */
    const char *noun;  /* "a report of aprof", for messages */
    uint64_t newest;   /* version that can be read */

    /* Takes the record in `fields`; a bad one is told by record_bad() or field_bad(). NULL: the
     * tables say what may come. */
    void (*parse)(struct record_reader *r);

    /* Is everything there that must be? Asked when the file is intact, and its head whole; false with
     * r->why set. NULL: whatever is there. */
    bool (*check_end)(struct record_reader *r);

    const struct head_record *head;
    size_t head_count;
    const struct body_record *body; /* the most frequent first */
    size_t body_count;
};

/* A record of the head, from the second line on. */
struct head_record {
    const char *tag;
    size_t fields_least, fields_most;
    bool (*parse)(
        struct record_reader *r); /* NULL: fields go as they are to the member at `offset` */
    size_t offset;                /* of r->to: a text, or a list if there may be several */
    bool may_be_missing;
};
#define HEAD_TEXT(tag, type, member)                                                               \
    {                                                                                              \
        tag, 1, 1, NULL, offsetof(type, member), false                                             \
    }
#define HEAD_WORDS(tag, least, type, member)                                                       \
    {                                                                                              \
        tag, least, SIZE_MAX, NULL, offsetof(type, member), false                                  \
    }

/* A record of the body: it may come in the stages from `first` to `last`, which count from 1, and
 * begins the first of them if that has not begun. */
struct body_record {
    const char *tag; /* NULL: any other */
    size_t fields_least, fields_most;
    unsigned first, last;
    bool (*parse)(struct record_reader *r);
};

struct field {
    char *at;
    size_t bytes;
};

/* The first member of the struct that a format's functions want to find. */
struct record_reader {
    const char *path; /* for messages; belongs to the input */
    const struct record_format *format;
    struct arena *strings; /* where field_string() puts texts */
    struct failure *why;
    VECTOR(struct field) fields; /* of the current record, its tag first */
    uint64_t line_number;        /* of the current line, from 1 */
    uint64_t version;            /* of the file's format */
    void *to;                    /* what is filled: the caller's, for the format's functions */
    size_t head_index;           /* the head's record that comes next */
    unsigned stage;              /* of the body; 0: still the head */

    struct input *input;
    char *buffer; /* bytes [start, end) are read and not yet consumed */
    size_t start, end, room;
    bool input_ended;
    uint64_t hash;           /* of all lines before the current one */
    bool bad;                /* a line was bad: from here on only look for the end */
    struct failure bad_line; /* what was wrong with it */
};

/* Reads the whole input, and closes it. False with a reason that names the file, and the line where
 * that is known. */
bool record_reader_run(struct record_reader *r, struct input *input,
                       const struct record_format *format, void *to, struct arena *strings,
                       struct failure *why);

/* Remember what is wrong with this line, or with one of its fields; return false. */
bool record_bad(struct record_reader *r, const char *what);
bool field_bad(struct record_reader *r, const char *name, const char *what);

/* Whether the record has that many fields after its tag. */
bool fields_expected(struct record_reader *r, size_t least, size_t most);

bool field_is(const struct field *field, const char *text);

/* The field at `index` (the tag is 0) as what it should be; `name` is for the message. */
bool field_string(struct record_reader *r, size_t index, const char *name, const char **text);
bool field_number(struct record_reader *r, size_t index, const char *name, uint64_t *value);
bool field_wide(struct record_reader *r, size_t index, const char *name, u128 *value);
bool field_hex(struct record_reader *r, size_t index, const char *name, uint64_t *value);
bool field_index(struct record_reader *r, size_t index, const char *name, size_t limit,
                 uint32_t *value); /* below `limit` */

/* One of two words. */
bool field_choice(struct record_reader *r, size_t index, const char *name, const char *one,
                  const char *other, const char **text);

/* Decimal digits only. NULL, or what is wrong with them. */
const char *number_parse(const char *text, size_t bytes, uint64_t *value);

/* The first field behind the tag must be this number: ids count up from 0. */
bool field_id(struct record_reader *r, size_t expected);

/* All fields but the tag, as texts. */
bool field_strings(struct record_reader *r, const char *name, string_list *list);

#endif
