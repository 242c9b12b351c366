/* Reads the reports of analyses; see events_reader.h and docs/analyses.md.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record. The head's records come once each and in the order of the table
 * `head_records`; the last of them names the analysis, and with it what rows look like. Then follow
 * objects, routines and rows. Rows are in the order of their keys, so that none comes twice.
 */
#include "lib/events_reader.h"
#include "lib/record_reader.h"

#include <string.h>

#define NEWEST_VERSION 1

enum phase { PHASE_HEAD, PHASE_OBJECTS, PHASE_ROUTINES, PHASE_ROWS };

struct reader {
    struct record_reader lines; /* first */
    struct events_report *report;
    size_t head_index; /* the head's record that comes next */
    enum phase phase;
};

/* The head's records --------------------------------------------------------------------------- */

enum kind { KIND_VERSION, KIND_TEXT, KIND_WORDS };

static const struct head_record {
    const char *tag;
    enum kind kind;
    size_t fields_least, field_offset;
} head_records[] = {
#define MEMBER(name) offsetof(struct events_report, name)
    {"aprof-analysis", KIND_VERSION, 1, 0},       {"creator", KIND_TEXT, 1, MEMBER(creator)},
    {"command", KIND_WORDS, 1, MEMBER(command)},  {"process", KIND_WORDS, 1, MEMBER(process)},
    {"options", KIND_WORDS, 0, MEMBER(options)},  {"end", KIND_TEXT, 1, MEMBER(end_reason)},
    {"analysis", KIND_TEXT, 1, MEMBER(analysis)},
#undef MEMBER
};
#define HEAD_RECORDS (sizeof head_records / sizeof *head_records)

static bool parse_head_fields(struct reader *r, const struct head_record *record)
{
    void *member = (char *)r->report + record->field_offset;
    bool words = record->kind == KIND_WORDS;
    if (!fields_expected(&r->lines, record->fields_least, words ? SIZE_MAX : 1))
        return false;
    if (words)
        return field_strings(&r->lines, record->tag, member);
    return record->kind == KIND_VERSION || field_string(&r->lines, 1, record->tag, member);
}

/* The last record of the head is the analysis. */
static bool finish_head(struct reader *r)
{
    r->phase = PHASE_OBJECTS;
    r->report->kind = events_kind_find(r->report->analysis);
    return r->report->kind || field_bad(&r->lines, "analysis", "unknown word");
}

static bool parse_head(struct reader *r)
{
    const struct head_record *record = &head_records[r->head_index];
    if (!field_is(&r->lines.fields.at[0], record->tag)) {
        char *what = memory_format("a line '%s' should be here", record->tag);
        record_bad(&r->lines, what);
        free(what);
        return false;
    }
    if (!parse_head_fields(r, record))
        return false;
    return ++r->head_index < HEAD_RECORDS || finish_head(r);
}

/* The body's records --------------------------------------------------------------------------- */

static bool parse_object(struct reader *r)
{
    struct context_object object;
    if (!fields_expected(&r->lines, 3, 3) || !field_id(&r->lines, r->report->objects.count) ||
        !field_string(&r->lines, 2, "object", &object.path) ||
        !field_string(&r->lines, 3, "build id", &object.build_id))
        return false;
    if (strspn(object.build_id, "0123456789abcdef") != strlen(object.build_id))
        return field_bad(&r->lines, "build id", "not a hexadecimal number");
    vector_push(&r->report->objects, object);
    return true;
}

static bool parse_routine(struct reader *r)
{
    struct report_routine routine = {.file = ""};
    if (!fields_expected(&r->lines, 4, 4) || !field_id(&r->lines, r->report->routines.count) ||
        !field_index(&r->lines, 2, "object", r->report->objects.count, &routine.object) ||
        !field_hex(&r->lines, 3, "offset", &routine.offset) ||
        !field_string(&r->lines, 4, "name", &routine.symbol))
        return false;
    vector_push(&r->report->routines, routine);
    return true;
}

/* Only a caller may be no routine. */
static bool parse_key_word(struct reader *r, size_t index)
{
    const struct events_kind *kind = r->report->kind;
    const char *name = kind->key_names[index - 1 < kind->set_from ? index - 1 : kind->set_from];
    uint64_t word = EVENTS_NO_ROUTINE;
    bool absent = field_is(&r->lines.fields.at[index], "-") && strcmp(name, "caller") == 0;
    if (!absent && !field_number(&r->lines, index, name, &word))
        return false;
    if (!absent && kind->routines && word >= r->report->routines.count)
        return field_bad(&r->lines, name, "out of range");
    vector_push(&r->report->words, word);
    if (index > kind->set_from + 1 && word <= r->report->words.at[r->report->words.count - 2])
        return field_bad(&r->lines, name, "out of order");
    return true;
}

static bool parse_counts(struct reader *r, struct events_row *row)
{
    const struct events_kind *kind = r->report->kind;
    for (size_t i = 0; i < kind->count_count; i++) {
        if (!field_number(&r->lines, 1 + row->key_words + i, kind->count_names[i], &row->counts[i]))
            return false;
    }
    if (kind->count_count == 1)
        return true;
    return (row->counts[1] <= row->counts[0] && row->counts[3] <= row->counts[2]) ||
           record_bad(&r->lines, "more misses than accesses");
}

static bool row_follows(const struct events_report *report, const struct events_row *row)
{
    if (report->rows.count == 0)
        return true;
    const struct events_row *last = &report->rows.at[report->rows.count - 1];
    return events_compare_keys(events_key(report, last), last->key_words, events_key(report, row),
                               row->key_words) < 0;
}

static bool parse_row(struct reader *r)
{
    const struct events_kind *kind = r->report->kind;
    size_t most = kind->key_most == SIZE_MAX ? SIZE_MAX : kind->key_most + kind->count_count;
    struct events_row row = {.key = r->report->words.count};
    if (!fields_expected(&r->lines, kind->key_least + kind->count_count, most))
        return false;
    row.key_words = (uint32_t)(r->lines.fields.count - 1 - kind->count_count);
    for (size_t i = 1; i <= row.key_words; i++) {
        if (!parse_key_word(r, i))
            return false;
    }
    if (!parse_counts(r, &row))
        return false;
    if (!row_follows(r->report, &row))
        return record_bad(&r->lines, "row out of order");
    vector_push(&r->report->rows, row);
    return true;
}

static bool parse_body(struct reader *r)
{
    const struct {
        const char *tag;
        enum phase phase;
        bool (*parse)(struct reader *r);
    } records[] = {
        {"object", PHASE_OBJECTS, parse_object},
        {"routine", PHASE_ROUTINES, parse_routine},
        {r->report->kind->tag, PHASE_ROWS, parse_row},
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        if (!field_is(&r->lines.fields.at[0], records[i].tag))
            continue;
        if (records[i].phase < r->phase)
            return record_bad(&r->lines, "record out of order");
        r->phase = records[i].phase;
        return records[i].parse(r);
    }
    return record_bad(&r->lines, "unknown record");
}

/* The whole file ------------------------------------------------------------------------------- */

static void parse_line(struct record_reader *lines)
{
    struct reader *r = (struct reader *)lines;
    if (r->phase == PHASE_HEAD)
        parse_head(r);
    else
        parse_body(r);
}

static bool check_end(struct record_reader *lines)
{
    const struct reader *r = (struct reader *)lines;
    return r->head_index == HEAD_RECORDS ||
           failure_set(lines->why, "%s: the line '%s' is missing", lines->path,
                       head_records[r->head_index].tag);
}

static const struct record_format events_format = {"aprof-analysis", "a report of an analysis",
                                                   NEWEST_VERSION, parse_line, check_end};

static bool events_read(struct events_report *report, struct input *input, struct failure *why)
{
    struct reader reader = {.report = report};
    memset(report, 0, sizeof *report);
    report->path = memory_copy_string(input_name(input));
    bool good = record_reader_run(&reader.lines, input, &events_format, &report->strings, why);
    input_close(input);
    if (good)
        events_name_routines(report);
    else
        events_free(report);
    return good;
}

bool events_read_file(struct events_report *report, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    memset(report, 0, sizeof *report);
    return input && events_read(report, input, why);
}

bool events_read_memory(struct events_report *report, const void *bytes, size_t count,
                        const char *name, struct failure *why)
{
    return events_read(report, input_open_memory(bytes, count, name), why);
}
