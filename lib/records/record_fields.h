/* Readers of the records of the schema, ground/record_schema.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     RECORD_READER(read_edge, struct report_edge, RECORD_EDGE)
 *
 * This macro defines a function that reads the fields of an edge from the current record, beginning
 * at `*at`, and advances `*at`. An error in a field is reported under the field's name.
 */
#ifndef LIB_RECORDS_RECORD_FIELDS_H
#define LIB_RECORDS_RECORD_FIELDS_H

#include "lib/records/record_reader.h"
#include "lib/records/record_types.h"

/* Upper limits of indices. The schema's column `of` contains the names of these members. */
struct record_limits {
    size_t objects, routines, contexts, files, inlined;
    size_t threads, lines, flags; /* limits that are the same for all files */
};

#define RECORD_LIMITS_OF_ALL .threads = UINT32_MAX, .lines = (size_t)UINT32_MAX + 1, .flags = 2

/* Reading -------------------------------------------------------------------------------------- */

bool record_get_number(struct record_reader *r, size_t *at, const char *name, uint64_t *value);
bool record_get_extra(struct record_reader *r, size_t *at, const char *name, uint64_t *value);
bool record_get_wide(struct record_reader *r, size_t *at, const char *name, u128 *value);
bool record_get_hex(struct record_reader *r, size_t *at, const char *name, uint64_t *value);
bool record_get_digits(struct record_reader *r, size_t *at, const char *name, const char **value);
bool record_get_text(struct record_reader *r, size_t *at, const char *name, const char **value);
bool record_get_words(struct record_reader *r, size_t *at, const char *name, string_list *words);
bool record_get_index(struct record_reader *r, size_t *at, const char *name, size_t limit,
                      uint32_t *value);
bool record_get_optional(struct record_reader *r, size_t *at, const char *name, size_t limit,
                         uint32_t *value);

#define RECORD_GET_number(name, of, to)   record_get_number(r, at, name, to)
#define RECORD_GET_extra(name, of, to)    record_get_extra(r, at, name, to)
#define RECORD_GET_wide(name, of, to)     record_get_wide(r, at, name, to)
#define RECORD_GET_hex(name, of, to)      record_get_hex(r, at, name, to)
#define RECORD_GET_text(name, of, to)     record_get_text(r, at, name, to)
#define RECORD_GET_digits(name, of, to)   record_get_digits(r, at, name, to)
#define RECORD_GET_words(name, of, to)    record_get_words(r, at, name, to)
#define RECORD_GET_list                   RECORD_GET_words
#define RECORD_GET_index(name, of, to)    record_get_index(r, at, name, limits->of, to)
#define RECORD_GET_optional(name, of, to) record_get_optional(r, at, name, limits->of, to)
#define RECORD_GET_place(name, of, to)                                                             \
    (record_get_optional(r, at, "inlined", limits->inlined, &(to)->inlined) &&                     \
     record_get_optional(r, at, "file", limits->files, &(to)->file) &&                             \
     record_get_index(r, at, "line", limits->lines, &(to)->line))
#define RECORD_GET_FIELD(kind, member, name, of, sum) &&RECORD_GET_##kind(name, of, &to->member)

#define RECORD_READER(function, type, FIELDS)                                                      \
    static bool function(struct record_reader *r, size_t *at, const struct record_limits *limits,  \
                         type *to)                                                                 \
    {                                                                                              \
        (void)r, (void)at, (void)limits, (void)to;                                                 \
        return true FIELDS(RECORD_GET_FIELD);                                                      \
    }

/* The functions and the table that read the head of a file. RECORD_HEAD_READER defines the function
 * parse_WHAT() for a plain line. */
#define RECORD_HEAD_READER(type, how, what, tag, FIELDS)                                           \
    RECORD_HEAD_READER_##how(type, what, tag, FIELDS)
#define RECORD_HEAD_READER_plain(type, what, tag, FIELDS)                                          \
    static bool parse_##what(struct record_reader *r)                                              \
    {                                                                                              \
        type *const to = r->to;                                                                    \
        const char *const line = tag;                                                              \
        size_t first = 1, *const at = &first;                                                      \
        return true FIELDS(RECORD_GET_LINE);                                                       \
    }
#define RECORD_HEAD_READER_checked(type, what, tag, FIELDS)
#define RECORD_HEAD_READER_own(type, what, tag, FIELDS)
#define RECORD_GET_LINE(kind, member, name, of, sum) &&RECORD_GET_##kind(line, of, &to->member)

#define RECORD_HEAD_ROW(how, what, tag, FIELDS, when)                                              \
    {tag, RECORD_COUNTS(FIELDS, RECORD_NO_FIELDS), parse_##what, RECORD_MAY_BE_MISSING_##when},
#define RECORD_MAY_BE_MISSING_always false
#define RECORD_MAY_BE_MISSING_maybe  true

/* The number of fields after the tag, including the id. */
#define RECORD_LEAST_number   1
#define RECORD_LEAST_extra    0
#define RECORD_LEAST_wide     1
#define RECORD_LEAST_hex      1
#define RECORD_LEAST_text     1
#define RECORD_LEAST_digits   1
#define RECORD_LEAST_words    1
#define RECORD_LEAST_list     0
#define RECORD_LEAST_index    1
#define RECORD_LEAST_optional 1
#define RECORD_LEAST_place    3
#define RECORD_MOST_number    1
#define RECORD_MOST_extra     1
#define RECORD_MOST_wide      1
#define RECORD_MOST_hex       1
#define RECORD_MOST_text      1
#define RECORD_MOST_digits    1
#define RECORD_MOST_words     SIZE_MAX
#define RECORD_MOST_list      SIZE_MAX
#define RECORD_MOST_index     1
#define RECORD_MOST_optional  1
#define RECORD_MOST_place     3

#define RECORD_LEAST_FIELD(kind, member, name, of, sum) +RECORD_LEAST_##kind
#define RECORD_MOST_FIELD(kind, member, name, of, sum)  +RECORD_MOST_##kind
#define RECORD_LEAST(FIELDS)                            (0 FIELDS(RECORD_LEAST_FIELD))
#define RECORD_MOST(FIELDS)                             (0 FIELDS(RECORD_MOST_FIELD))

/* The least and the largest number of fields of a record, for the tables of a format. */
#define RECORD_COUNTS(FIELDS, TAIL) RECORD_LEAST(FIELDS), RECORD_MOST(FIELDS) + RECORD_MOST(TAIL)
#define RECORD_COUNTS_NUMBERED(FIELDS, TAIL)                                                       \
    1 + RECORD_LEAST(FIELDS), 1 + RECORD_MOST(FIELDS) + RECORD_MOST(TAIL)

#endif
