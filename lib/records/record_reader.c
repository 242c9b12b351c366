/* Reads files of records line by line; see record_reader.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A truncated file usually ends in a bad line, and a flipped bit usually makes a bad field. To
 * report the most helpful error, the reader stores the first bad line, and only hashes the lines
 * after it. At the end, a missing `complete` line means that the file is truncated. A wrong
 * checksum means that the file is corrupted. The bad line is reported only if the file is neither
 * truncated nor corrupted.
 */
#include "lib/records/record_reader.h"
#include "lib/base/control.h"
#include "ground/record_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_BYTES    (1 << 18)
#define LINE_BYTES_MAX  (1 << 26) /* maximum length of a line, which limits the reader's memory */
#define CHECKSUM_DIGITS 16

/* Lines ---------------------------------------------------------------------------------------- */

static bool reader_refill(struct record_reader *r)
{
    if (r->start > 0) {
        memmove(r->buffer, r->buffer + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    if (r->end == r->room) {
        if (r->room >= LINE_BYTES_MAX)
            return failure_set(r->why, "%s:%" PRIu64 ": line is too long for %s", r->path,
                               r->line_number, r->format->noun);
        r->room *= 2;
        r->buffer = memory_resize(r->buffer, r->room, 1);
    }
    long got = input_read(r->input, r->buffer + r->end, r->room - r->end, r->why);
    if (got < 0)
        return false;
    r->input_ended = (size_t)got < r->room - r->end;
    r->end += (size_t)got;
    return true;
}

/* Finds the next line, without its newline; `*line` is NULL at the end of the input. Text after the
 * last newline is not a line, because the writer ends each line with a newline. */
static bool reader_next_line(struct record_reader *r, char **line, size_t *bytes)
{
    size_t searched = 0;
    r->line_number++;
    for (;;) {
        char *from = r->buffer + r->start;
        char *newline = memchr(from + searched, '\n', r->end - r->start - searched);
        if (newline) {
            *line = from;
            *bytes = (size_t)(newline - from);
            r->start += *bytes + 1;
            return true;
        }
        searched = r->end - r->start;
        if (r->input_ended) {
            *line = NULL;
            *bytes = searched;
            return true;
        }
        if (!reader_refill(r))
            return false;
    }
}

/* Fields --------------------------------------------------------------------------------------- */

static void split_fields(struct record_reader *r, char *line, size_t bytes)
{
    char *end = line + bytes;
    r->fields.count = 0;
    for (;;) {
        char *tab = memchr(line, '\t', (size_t)(end - line));
        char *stop = tab ? tab : end;
        struct field field = {line, (size_t)(stop - line)};
        vector_push(&r->fields, field);
        if (!tab)
            return;
        line = tab + 1;
    }
}

/* Stores the error in the current line; returns false. */
bool record_bad(struct record_reader *r, const char *what)
{
    r->bad = true;
    return failure_set(&r->bad_line, "%s:%" PRIu64 ": %s", r->path, r->line_number, what);
}

bool field_bad(struct record_reader *r, const char *name, const char *what)
{
    r->bad = true;
    return failure_set(&r->bad_line, "%s:%" PRIu64 ": %s: %s", r->path, r->line_number, name, what);
}

bool field_is(const struct field *field, const char *text)
{
    return field->bytes == strlen(text) && memcmp(field->at, text, field->bytes) == 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes one escape sequence after its backslash. Returns the number of bytes; 0 if the sequence
 * is invalid. */
static size_t decode_escape(const char *at, size_t left, char *to)
{
    if (left >= 1 && (*at == '\\' || *at == 't' || *at == 'n')) {
        *to = *at == 't' ? '\t' : *at == 'n' ? '\n' : '\\';
        return 1;
    }
    if (left < 3 || *at != 'x')
        return 0;
    int high = hex_digit(at[1]), low = hex_digit(at[2]);
    if (high < 0 || low < 0 || high + low == 0)
        return 0;
    *to = (char)(high * 16 + low);
    return 3;
}

/* Decodes a text in place; this is possible because decoding never lengthens the text. */
bool field_string(struct record_reader *r, size_t index, const char *name, const char **text)
{
    struct field *field = &r->fields.at[index];
    size_t length = 0;
    if (field->bytes == 0)
        return field_bad(r, name, "empty field");
    if (field_is(field, "-")) {
        *text = "";
        return true;
    }
    for (size_t i = 0; i < field->bytes; i++) {
        char c = field->at[i];
        if (is_control(c))
            return field_bad(r, name, "control character");
        if (c == '\\') {
            size_t taken =
                decode_escape(field->at + i + 1, field->bytes - i - 1, &field->at[length]);
            if (taken == 0)
                return field_bad(r, name, "bad escape");
            i += taken;
        } else {
            field->at[length] = c;
        }
        length++;
    }
    *text = arena_copy(r->strings, field->at, length);
    return true;
}

static bool parse_wide(const char *text, size_t bytes, u128 *value)
{
    u128 sum = 0;
    if (bytes == 0 || bytes >= WIDE_DIGITS)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        unsigned digit = (unsigned char)text[i] - '0';
        if (digit > 9 || sum > (U128_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

bool field_wide(struct record_reader *r, size_t index, const char *name, u128 *value)
{
    const struct field *field = &r->fields.at[index];
    if (parse_wide(field->at, field->bytes, value))
        return true;
    return field_bad(r, name, "not a number");
}

const char *number_parse(const char *text, size_t bytes, uint64_t *value)
{
    uint64_t sum = 0;
    if (bytes == 0 || bytes > 20)
        return "not a number";
    for (size_t i = 0; i < bytes; i++) {
        unsigned digit = (unsigned char)text[i] - '0';
        if (digit > 9)
            return "not a number";
        if (sum > (UINT64_MAX - digit) / 10)
            return "number too large";
        sum = sum * 10 + digit;
    }
    *value = sum;
    return NULL;
}

bool field_number(struct record_reader *r, size_t index, const char *name, uint64_t *value)
{
    const struct field *field = &r->fields.at[index];
    const char *wrong = number_parse(field->at, field->bytes, value);
    return !wrong || field_bad(r, name, wrong);
}

bool field_index(struct record_reader *r, size_t at, const char *name, size_t limit,
                 uint32_t *index)
{
    uint64_t value;
    if (!field_number(r, at, name, &value))
        return false;
    if (value >= limit)
        return field_bad(r, name, "out of range");
    *index = (uint32_t)value;
    return true;
}

/* Ids count up from 0, so each id is the position of its line. */
bool field_id(struct record_reader *r, size_t expected)
{
    uint64_t id;
    if (!field_number(r, 1, "id", &id))
        return false;
    return id == expected || field_bad(r, "id", "out of order");
}

bool field_hex(struct record_reader *r, size_t index, const char *name, uint64_t *value)
{
    const struct field *field = &r->fields.at[index];
    uint64_t sum = 0;
    if (field->bytes < 3 || field->bytes > 18 || memcmp(field->at, "0x", 2) != 0)
        return field_bad(r, name, "not a hexadecimal number");
    for (size_t i = 2; i < field->bytes; i++) {
        int digit = hex_digit(field->at[i]);
        if (digit < 0)
            return field_bad(r, name, "not a hexadecimal number");
        sum = sum * 16 + (unsigned)digit;
    }
    *value = sum;
    return true;
}

bool fields_expected(struct record_reader *r, size_t least, size_t most)
{
    size_t count = r->fields.count - 1;
    if (count < least)
        return record_bad(r, "too few fields");
    return count <= most || record_bad(r, "too many fields");
}

bool field_choice(struct record_reader *r, size_t index, const char *name, const char *one,
                  const char *other, const char **text)
{
    const struct field *field = &r->fields.at[index];
    if (!field_is(field, one) && !field_is(field, other))
        return field_bad(r, name, "unknown word");
    return field_string(r, index, name, text);
}

/* Records by tables ---------------------------------------------------------------------------- */

static bool take_head_record(struct record_reader *r)
{
    const struct head_record *record = &r->format->head[r->head_index];
    while (record->may_be_missing && !field_is(&r->fields.at[0], record->tag))
        record = &r->format->head[++r->head_index];
    if (!field_is(&r->fields.at[0], record->tag)) {
        char what[64];
        snprintf(what, sizeof what, "expected the line '%s'", record->tag);
        return record_bad(r, what);
    }
    r->stage = ++r->head_index == r->format->head_count;
    return fields_expected(r, record->fields_least, record->fields_most) && record->parse(r);
}

static bool take_body_record(struct record_reader *r)
{
    const struct body_record *record = r->format->body, *end = record + r->format->body_count;
    while (record < end && record->tag && !field_is(&r->fields.at[0], record->tag))
        record++;
    if (record == end)
        return record_bad(r, "unknown record");
    if (record->last < r->stage)
        return record_bad(r, "record out of order");
    if (record->first > r->stage)
        r->stage = record->first;
    return fields_expected(r, record->fields_least, record->fields_most) && record->parse(r);
}

static void take_record(struct record_reader *r)
{
    if (r->format->parse)
        r->format->parse(r);
    else if (r->stage)
        take_body_record(r);
    else if (r->line_number > 1) /* check_version() has already processed the first line */
        take_head_record(r);
}

static bool head_is_whole(struct record_reader *r)
{
    return r->head_index == r->format->head_count ||
           failure_set(r->why, "%s: the line '%s' is missing", r->path,
                       r->format->head[r->head_index].tag);
}

/* First and last line -------------------------------------------------------------------------- */

/* Whether the version of the file is supported. The caller has already checked the first word of
 * the line. */
static bool check_version(struct record_reader *r, char *line, size_t bytes)
{
    uint64_t version;
    const char *path = r->path;
    split_fields(r, line, bytes);
    if (r->fields.count != 2 || !field_number(r, 1, "version", &version) || version == 0)
        return failure_set(r->why, "%s: not %s: unreadable version", path, r->format->noun);
    if (version > r->format->newest)
        return failure_set(r->why,
                           "%s: written by a newer aprof: format version %" PRIu64
                           ", this aprof reads up to %" PRIu64,
                           path, version, r->format->newest);
    r->version = version;
    return true;
}

static bool is_complete_line(const char *line, size_t bytes)
{
    return bytes >= 9 && memcmp(line, "complete\t", 9) == 0;
}

/* The last line contains the number and the hash of all lines before it. No text follows the last
 * line. */
static bool check_complete(struct record_reader *r, char *line, size_t bytes)
{
    char expected[CHECKSUM_DIGITS + 1];
    uint64_t lines;
    const char *path = r->path;
    snprintf(expected, sizeof expected, "%016" PRIx64, r->hash);
    split_fields(r, line, bytes);
    bool counted = r->fields.count == 3 && field_number(r, 1, "lines", &lines);
    if (!counted || lines != r->line_number - 1 || !field_is(&r->fields.at[2], expected))
        return failure_set(r->why, "%s: corrupted: its checksum does not match", path);
    char *more;
    size_t more_bytes;
    if (!reader_next_line(r, &more, &more_bytes))
        return false;
    if (more || more_bytes)
        return failure_set(r->why, "%s: corrupted: data follow the last line", path);
    return true;
}

/* The whole file ------------------------------------------------------------------------------- */

static bool read_first_line(struct record_reader *r)
{
    size_t bytes = strlen(r->format->magic);
    if (!reader_refill(r))
        return false;
    if (r->end == 0)
        return failure_set(r->why, "%s: empty file", r->path);
    if (r->end < bytes + 1 || memcmp(r->buffer, r->format->magic, bytes) != 0 ||
        r->buffer[bytes] != '\t')
        return failure_set(r->why, "%s: not %s", r->path, r->format->noun);
    return true;
}

/* The file is intact, so the error is in its contents: a bad line, or a missing record. */
static bool check_contents(struct record_reader *r)
{
    if (r->bad) {
        *r->why = r->bad_line;
        return false;
    }
    return head_is_whole(r) && (!r->format->check_end || r->format->check_end(r));
}

static bool read_lines(struct record_reader *r)
{
    char *line;
    size_t bytes;
    for (;;) {
        if (!reader_next_line(r, &line, &bytes))
            return false;
        if (!line)
            return failure_set(r->why, "%s: truncated: its last line is missing", r->path);
        if (r->line_number == 1 && !check_version(r, line, bytes))
            return false;
        if (is_complete_line(line, bytes))
            return check_complete(r, line, bytes) && check_contents(r);
        r->hash = record_hash(r->hash, line, bytes + 1);
        if (r->bad)
            continue;
        split_fields(r, line, bytes);
        take_record(r);
    }
}

bool record_reader_run(struct record_reader *r, struct input *input,
                       const struct record_format *format, void *to, struct arena *strings,
                       struct failure *why)
{
    *r = (struct record_reader){.path = input_name(input),
                                .format = format,
                                .input = input,
                                .to = to,
                                .strings = strings,
                                .why = why,
                                .room = BUFFER_BYTES,
                                .hash = RECORD_HASH_START};
    r->buffer = memory_resize(NULL, r->room, 1);
    bool good = read_first_line(r) && read_lines(r);
    vector_free(&r->fields);
    free(r->buffer);
    input_close(input);
    return good;
}
