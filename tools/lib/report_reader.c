/* Reads report files; see report_reader.h and the format in aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record: a tag and fields between TABs. The head's records come once each and in
 * the order of the table `head_records`; then objects, routines, and profiles with their points.
 *
 * Which of several complaints is the helpful one? A file that breaks off also ends in a bad line,
 * and a flipped bit also makes a bad field. So the first bad line is remembered, the rest is only
 * hashed, and the end decides: no `complete` line means truncated, a wrong checksum means
 * corrupted, and only a file that is intact in both ways is blamed for the line itself.
 */
#include "report_reader.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NEWEST_VERSION  1
#define BUFFER_BYTES    (1 << 18)
#define LINE_BYTES_MAX  (1 << 26) /* longer ones are refused rather than held in memory */
#define FNV_OFFSET      UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME       UINT64_C(0x100000001b3)
#define CHECKSUM_DIGITS 16

struct field {
    char *at;
    size_t bytes;
};

enum phase { PHASE_HEAD, PHASE_OBJECTS, PHASE_ROUTINES, PHASE_PROFILES };

struct reader {
    struct input *input;
    struct report *report;
    struct failure *why;
    char *buffer; /* bytes [start, end) are read and not yet consumed */
    size_t start, end, room;
    bool input_ended;
    uint64_t line_number; /* of the current line, from 1 */
    uint64_t hash;        /* of all lines before the current one */
    size_t head_index;    /* the head's record that comes next */
    enum phase phase;
    int points_metric; /* of the profile's latest point; -1 before the first */
    VECTOR(struct field) fields;
    bool bad;                /* a line was bad: from here on only look for the end */
    struct failure bad_line; /* what was wrong with it */
};

/* Lines ---------------------------------------------------------------------------------------- */

static bool reader_refill(struct reader *r)
{
    if (r->start > 0) {
        memmove(r->buffer, r->buffer + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
    }
    if (r->end == r->room) {
        if (r->room >= LINE_BYTES_MAX)
            return failure_set(r->why, "%s:%" PRIu64 ": line is too long for a report",
                               r->report->path, r->line_number);
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

/* Finds the next line, without its newline; `*line` is NULL at the end of the input. A last line
 * without a newline is not a line: the writer always ends lines. */
static bool reader_next_line(struct reader *r, char **line, size_t *bytes)
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

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * FNV_PRIME;
    return hash;
}

/* Fields --------------------------------------------------------------------------------------- */

static void split_fields(struct reader *r, char *line, size_t bytes)
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

/* Remembers what is wrong with this line; returns false. */
static bool line_bad(struct reader *r, const char *what)
{
    r->bad = true;
    return failure_set(&r->bad_line, "%s:%" PRIu64 ": %s", r->report->path, r->line_number, what);
}

static bool field_bad(struct reader *r, const char *name, const char *what)
{
    r->bad = true;
    return failure_set(&r->bad_line, "%s:%" PRIu64 ": %s: %s", r->report->path, r->line_number,
                       name, what);
}

static bool field_is(const struct field *field, const char *text)
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

/* Decodes one escape after its backslash; returns the bytes it took, 0 when it is none. */
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

/* Decodes in place, for text only becomes shorter. */
static bool field_string(struct reader *r, size_t index, const char *name, const char **text)
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
        unsigned char c = (unsigned char)field->at[i];
        if (c < 0x20 || c == 0x7f)
            return field_bad(r, name, "control character");
        if (c == '\\') {
            size_t taken =
                decode_escape(field->at + i + 1, field->bytes - i - 1, &field->at[length]);
            if (taken == 0)
                return field_bad(r, name, "bad escape");
            i += taken;
        } else {
            field->at[length] = (char)c;
        }
        length++;
    }
    *text = arena_copy(&r->report->strings, field->at, length);
    return true;
}

static bool field_wide(struct reader *r, size_t index, const char *name, u128 *value)
{
    const struct field *field = &r->fields.at[index];
    if (u128_parse(field->at, field->bytes, value))
        return true;
    return field_bad(r, name, "not a number");
}

static bool field_number(struct reader *r, size_t index, const char *name, uint64_t *value)
{
    const struct field *field = &r->fields.at[index];
    uint64_t sum = 0;
    if (field->bytes == 0 || field->bytes > 20)
        return field_bad(r, name, "not a number");
    for (size_t i = 0; i < field->bytes; i++) {
        unsigned digit = (unsigned char)field->at[i] - '0';
        if (digit > 9)
            return field_bad(r, name, "not a number");
        if (sum > (UINT64_MAX - digit) / 10)
            return field_bad(r, name, "number too large");
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

static bool field_index(struct reader *r, size_t at, const char *name, size_t limit,
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

static bool field_hex(struct reader *r, size_t index, const char *name, uint64_t *value)
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

static bool fields_expected(struct reader *r, size_t least, size_t most)
{
    size_t count = r->fields.count - 1;
    if (count < least)
        return line_bad(r, "too few fields");
    return count <= most || line_bad(r, "too many fields");
}

/* The head's records --------------------------------------------------------------------------- */

static bool parse_strings(struct reader *r, const char *name, string_list *list)
{
    for (size_t i = 1; i < r->fields.count; i++) {
        const char *text;
        if (!field_string(r, i, name, &text))
            return false;
        vector_push(list, text);
    }
    return true;
}

static bool parse_version(struct reader *r)
{
    (void)r; /* check_version() has looked at it */
    return true;
}

static bool parse_creator(struct reader *r)
{
    return field_string(r, 1, "creator", &r->report->creator);
}

static bool parse_tool(struct reader *r)
{
    return field_string(r, 1, "tool", &r->report->tool);
}

static bool parse_arch(struct reader *r)
{
    return field_string(r, 1, "arch", &r->report->arch);
}

static bool parse_command(struct reader *r)
{
    return parse_strings(r, "command", &r->report->command);
}

static bool parse_process(struct reader *r)
{
    return parse_strings(r, "process", &r->report->process);
}

static bool parse_options(struct reader *r)
{
    return parse_strings(r, "options", &r->report->options);
}

static bool parse_metrics(struct reader *r)
{
    for (size_t i = 1; i < r->fields.count; i++) {
        int m = 0;
        while (m < METRIC_COUNT && !field_is(&r->fields.at[i], metric_names[m]))
            m++;
        if (m == METRIC_COUNT)
            return field_bad(r, "metrics", "unknown metric");
        if (r->report->has_metric[m])
            return field_bad(r, "metrics", "named twice");
        r->report->has_metric[m] = true;
    }
    return true;
}

static bool parse_resolution(struct reader *r)
{
    uint64_t bytes;
    if (!field_number(r, 1, "resolution", &bytes))
        return false;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)))
        return field_bad(r, "resolution", "not 1, 2, 4, 8 or 16");
    r->report->resolution_bytes = (unsigned)bytes;
    return true;
}

static bool parse_cost(struct reader *r)
{
    if (!field_is(&r->fields.at[1], "bb") && !field_is(&r->fields.at[1], "instr"))
        return field_bad(r, "cost", "unknown unit");
    return field_string(r, 1, "cost", &r->report->cost_unit);
}

static bool parse_threads(struct reader *r)
{
    r->report->threads_separate = field_is(&r->fields.at[1], "separate");
    if (r->report->threads_separate || field_is(&r->fields.at[1], "merged"))
        return true;
    return field_bad(r, "threads", "neither merged nor separate");
}

static bool parse_end(struct reader *r)
{
    return field_string(r, 1, "end", &r->report->end_reason);
}

static bool parse_totals(struct reader *r)
{
    struct totals *t = &r->report->totals;
    return field_number(r, 1, "cost", &t->cost) &&
           field_number(r, 2, "activations", &t->activations) &&
           field_number(r, 3, "reads", &t->reads) &&
           field_number(r, 4, "thread-induced", &t->induced_thread) &&
           field_number(r, 5, "external", &t->induced_external);
}

struct record {
    const char *tag;
    size_t fields_least, fields_most;
    bool (*parse)(struct reader *);
};

static const struct record head_records[] = {
    {"aprof", 1, 1, parse_version},
    {"creator", 1, 1, parse_creator},
    {"tool", 1, 1, parse_tool},
    {"arch", 1, 1, parse_arch},
    {"command", 1, SIZE_MAX, parse_command},
    {"process", 1, SIZE_MAX, parse_process},
    {"options", 0, SIZE_MAX, parse_options},
    {"metrics", 1, METRIC_COUNT, parse_metrics},
    {"resolution", 1, 1, parse_resolution},
    {"cost", 1, 1, parse_cost},
    {"threads", 1, 1, parse_threads},
    {"end", 1, 1, parse_end},
    {"totals", 5, 5, parse_totals},
};
#define HEAD_RECORDS (sizeof head_records / sizeof *head_records)

static bool parse_head(struct reader *r)
{
    const struct record *record = &head_records[r->head_index];
    if (!field_is(&r->fields.at[0], record->tag)) {
        char what[64];
        snprintf(what, sizeof what, "a line '%s' should be here", record->tag);
        return line_bad(r, what);
    }
    if (++r->head_index == HEAD_RECORDS)
        r->phase = PHASE_OBJECTS;
    return fields_expected(r, record->fields_least, record->fields_most) && record->parse(r);
}

/* The body's records --------------------------------------------------------------------------- */

/* Ids count up from 0, so each only repeats its line's place. */
static bool parse_id(struct reader *r, size_t expected)
{
    uint64_t id;
    if (!field_number(r, 1, "id", &id))
        return false;
    return id == expected || field_bad(r, "id", "out of order");
}

static bool parse_object(struct reader *r)
{
    const char *path;
    if (!parse_id(r, r->report->objects.count) || !field_string(r, 2, "object", &path))
        return false;
    vector_push(&r->report->objects, path);
    return true;
}

static bool parse_routine(struct reader *r)
{
    struct routine routine = {0};
    uint64_t line;
    if (!parse_id(r, r->report->routines.count) ||
        !field_index(r, 2, "object", r->report->objects.count, &routine.object) ||
        !field_hex(r, 3, "offset", &routine.offset) ||
        !field_number(r, 4, "size", &routine.size_bytes) ||
        !field_string(r, 5, "name", &routine.symbol) ||
        !field_string(r, 6, "file", &routine.file) || !field_number(r, 7, "line", &line))
        return false;
    if (line > UINT32_MAX)
        return field_bad(r, "line", "out of range");
    routine.line = (uint32_t)line;
    vector_push(&r->report->routines, routine);
    return true;
}

/* Profiles are sorted by thread, then routine, and no pair comes twice. */
static bool profile_follows(const struct report *report, const struct profile *profile)
{
    if (report->profiles.count == 0)
        return true;
    const struct profile *last = &report->profiles.at[report->profiles.count - 1];
    if (profile->thread != last->thread)
        return profile->thread > last->thread;
    return profile->routine > last->routine;
}

static bool parse_profile(struct reader *r)
{
    struct report *report = r->report;
    struct profile profile = {0};
    if (!field_index(r, 1, "routine", report->routines.count, &profile.routine) ||
        !field_index(r, 2, "thread", UINT32_MAX, &profile.thread) ||
        !field_number(r, 3, "calls", &profile.calls) ||
        !field_number(r, 4, "cost", &profile.cost_total) ||
        !field_number(r, 5, "self cost", &profile.cost_self))
        return false;
    if ((profile.thread != 0) != report->threads_separate)
        return field_bad(r, "thread", "does not agree with the line 'threads'");
    if (!profile_follows(report, &profile))
        return line_bad(r, "profile out of order");
    for (int m = 0; m < METRIC_COUNT; m++)
        profile.first[m] = report->points[m].count;
    vector_push(&report->profiles, profile);
    r->points_metric = -1;
    return true;
}

/* Points belong to the latest profile: one metric after the other, each by ascending input. */
static bool point_follows(struct reader *r, enum metric m, const struct profile *profile,
                          const struct point *point)
{
    if (!r->report->has_metric[m])
        return line_bad(r, "a point of a metric that the line 'metrics' does not name");
    if ((int)m < r->points_metric)
        return line_bad(r, "metrics out of order");
    if (profile->count[m] > 0 &&
        r->report->points[m].at[r->report->points[m].count - 1].input >= point->input)
        return field_bad(r, "input", "not above the previous point's");
    if (point->calls == 0)
        return field_bad(r, "calls", "a point without calls");
    if (point->cost_min > point->cost_max)
        return field_bad(r, "cost", "the least is above the largest");
    r->points_metric = (int)m;
    return true;
}

static bool parse_point(struct reader *r, enum metric m)
{
    struct report *report = r->report;
    struct point p;
    if (report->profiles.count == 0)
        return line_bad(r, "a point before the first profile");
    struct profile *profile = &report->profiles.at[report->profiles.count - 1];
    if (!field_number(r, 1, "input", &p.input) || !field_number(r, 2, "calls", &p.calls) ||
        !field_wide(r, 3, "cost", &p.cost_sum) || !field_number(r, 4, "least cost", &p.cost_min) ||
        !field_number(r, 5, "largest cost", &p.cost_max) ||
        !field_wide(r, 6, "squares", &p.cost_squares) ||
        !field_number(r, 7, "self cost", &p.self_sum) ||
        !field_number(r, 8, "thread-induced", &p.induced_thread) ||
        !field_number(r, 9, "external", &p.induced_external) || !point_follows(r, m, profile, &p))
        return false;
    vector_push(&report->points[m], p);
    profile->count[m]++;
    return true;
}

static bool parse_trms(struct reader *r)
{
    return parse_point(r, METRIC_TRMS);
}

static bool parse_rms(struct reader *r)
{
    return parse_point(r, METRIC_RMS);
}

/* The most frequent first. */
static const struct body_record {
    struct record record;
    enum phase phase;
} body_records[] = {
    {{"trms", 9, 9, parse_trms}, PHASE_PROFILES},
    {{"rms", 9, 9, parse_rms}, PHASE_PROFILES},
    {{"profile", 5, 5, parse_profile}, PHASE_PROFILES},
    {{"routine", 7, 7, parse_routine}, PHASE_ROUTINES},
    {{"object", 2, 2, parse_object}, PHASE_OBJECTS},
};
#define BODY_RECORDS (sizeof body_records / sizeof *body_records)

static bool parse_body(struct reader *r)
{
    for (size_t i = 0; i < BODY_RECORDS; i++) {
        const struct record *record = &body_records[i].record;
        if (!field_is(&r->fields.at[0], record->tag))
            continue;
        if (body_records[i].phase < r->phase)
            return line_bad(r, "record out of order");
        r->phase = body_records[i].phase;
        return fields_expected(r, record->fields_least, record->fields_most) && record->parse(r);
    }
    return line_bad(r, "unknown record");
}

/* First and last line -------------------------------------------------------------------------- */

/* A report, as its first word says; but one that this reader knows? */
static bool check_version(struct reader *r, char *line, size_t bytes)
{
    uint64_t version;
    const char *path = r->report->path;
    split_fields(r, line, bytes);
    if (r->fields.count != 2 || !field_number(r, 1, "version", &version) || version == 0)
        return failure_set(r->why, "%s: not a report of aprof: unreadable version", path);
    if (version > NEWEST_VERSION)
        return failure_set(r->why,
                           "%s: written by a newer aprof: format version %" PRIu64
                           ", this one reads up to %d",
                           path, version, NEWEST_VERSION);
    return true;
}

static bool is_complete_line(const char *line, size_t bytes)
{
    return bytes >= 9 && memcmp(line, "complete\t", 9) == 0;
}

/* The last line holds the number of lines before it and their hash, and nothing follows it. */
static bool check_complete(struct reader *r, char *line, size_t bytes)
{
    char expected[CHECKSUM_DIGITS + 1];
    uint64_t lines;
    const char *path = r->report->path;
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

/* The intact file's own contents decide: a bad line, or a head that is not all there. */
static bool check_contents(struct reader *r)
{
    if (r->bad) {
        *r->why = r->bad_line;
        return false;
    }
    if (r->head_index < HEAD_RECORDS)
        return failure_set(r->why, "%s: the line '%s' is missing", r->report->path,
                           head_records[r->head_index].tag);
    return true;
}

/* The whole file ------------------------------------------------------------------------------- */

static bool read_first_line(struct reader *r)
{
    if (!reader_refill(r))
        return false;
    const char *path = r->report->path;
    if (r->end == 0)
        return failure_set(r->why, "%s: empty file", path);
    if (r->end < 6 || memcmp(r->buffer, "aprof\t", 6) != 0)
        return failure_set(r->why, "%s: not a report of aprof", path);
    return true;
}

static void parse_line(struct reader *r, char *line, size_t bytes)
{
    split_fields(r, line, bytes);
    if (r->phase == PHASE_HEAD)
        parse_head(r);
    else
        parse_body(r);
}

static bool read_lines(struct reader *r)
{
    char *line;
    size_t bytes;
    for (;;) {
        if (!reader_next_line(r, &line, &bytes))
            return false;
        if (!line)
            return failure_set(r->why, "%s: truncated: its last line is missing", r->report->path);
        if (r->line_number == 1 && !check_version(r, line, bytes))
            return false;
        if (is_complete_line(line, bytes))
            return check_complete(r, line, bytes) && check_contents(r);
        r->hash = hash_bytes(r->hash, line, bytes + 1);
        if (!r->bad)
            parse_line(r, line, bytes);
    }
}

static bool report_read(struct report *report, struct input *input, struct failure *why)
{
    struct reader reader = {.input = input,
                            .report = report,
                            .why = why,
                            .room = BUFFER_BYTES,
                            .hash = FNV_OFFSET,
                            .points_metric = -1};
    memset(report, 0, sizeof *report);
    report->path = memory_copy_string(input_name(input));
    reader.buffer = memory_resize(NULL, reader.room, 1);
    bool good = read_first_line(&reader) && read_lines(&reader);
    vector_free(&reader.fields);
    free(reader.buffer);
    if (good)
        report_name_routines(report);
    else
        report_free(report);
    return good;
}

bool report_read_file(struct report *report, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    if (!input) {
        memset(report, 0, sizeof *report);
        return false;
    }
    bool good = report_read(report, input, why);
    input_close(input);
    return good;
}

bool report_read_memory(struct report *report, const void *bytes, size_t count, const char *name,
                        struct failure *why)
{
    struct input *input = input_open_memory(bytes, count, name);
    bool good = report_read(report, input, why);
    input_close(input);
    return good;
}
