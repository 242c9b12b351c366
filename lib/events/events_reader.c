/* Reads the reports of analyses; see events_reader.h and docs/analyses.md.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each line is one record. Each record of the head occurs once, in the order of the table
 * `head_records`. The last record of the head names the analysis, which defines the layout of rows.
 * The head is followed by objects, routines and rows. Rows are in the order of their keys, so no
 * key occurs twice.
 */
#include "lib/events/events_reader.h"
#include "lib/contexts/contexts_reader.h"
#include "lib/records/record_fields.h"

#include <string.h>

#define NEWEST_VERSION 1

enum stage { STAGE_OBJECTS = 1, STAGE_ROUTINES, STAGE_ROWS };

/* The head's records --------------------------------------------------------------------------- */

/* Parses the last record of the head, which names the analysis. */
static bool parse_analysis(struct record_reader *r)
{
    struct events_report *report = r->to;
    const char *name;
    if (!field_string(r, 1, "analysis", &name))
        return false;
    const struct analysis *analysis = analysis_find(name);
    if (!analysis)
        return field_bad(r, "analysis", "unknown word");
    report->analysis = analysis->name;
    report->kind = &analysis->rows;
    return true;
}

#define HEAD_READER(how, what, tag, FIELDS, when)                                                  \
    RECORD_HEAD_READER(struct events_report, how, what, tag, FIELDS)
RECORD_EVENT_HEAD(HEAD_READER)

static const struct head_record head_records[] = {RECORD_EVENT_HEAD(RECORD_HEAD_ROW)};

/* The body's records --------------------------------------------------------------------------- */

static bool parse_object(struct record_reader *r)
{
    struct events_report *report = r->to;
    struct context_object object;
    if (!object_read(r, report->objects.count, &object))
        return false;
    vector_push(&report->objects, object);
    return true;
}

RECORD_READER(read_routine, struct report_routine, RECORD_EVENT_ROUTINE)

static bool parse_routine(struct record_reader *r)
{
    struct events_report *report = r->to;
    const struct record_limits limits = {.objects = report->objects.count};
    struct report_routine routine = {.file = ""};
    size_t at = 2;
    if (!field_id(r, report->routines.count) || !read_routine(r, &at, &limits, &routine))
        return false;
    vector_push(&report->routines, routine);
    return true;
}

/* Only the word for a caller may be missing in a row. */
static bool parse_key_word(struct record_reader *r, size_t index)
{
    struct events_report *report = r->to;
    const struct analysis_rows *kind = report->kind;
    const char *name = kind->key_names[index - 1 < kind->set_from ? index - 1 : kind->set_from];
    uint64_t word = EVENTS_NO_ROUTINE;
    bool absent = field_is(&r->fields.at[index], "-") && strcmp(name, "caller") == 0;
    if (!absent && !field_number(r, index, name, &word))
        return false;
    if (!absent && kind->routines && word >= report->routines.count)
        return field_bad(r, name, "out of range");
    vector_push(&report->words, word);
    if (index > kind->set_from + 1 && word <= report->words.at[report->words.count - 2])
        return field_bad(r, name, "out of order");
    return true;
}

static bool parse_counts(struct record_reader *r, struct events_row *row)
{
    struct events_report *report = r->to;
    const struct analysis_rows *kind = report->kind;
    for (size_t i = 0; i < kind->count_count; i++) {
        if (!field_number(r, 1 + row->key_words + i, kind->count_names[i], &row->counts[i]))
            return false;
    }
    for (size_t i = 1; i < kind->count_count; i += 2) {
        if (row->counts[i] > row->counts[i - 1])
            return record_bad(r, "more misses than accesses");
    }
    return true;
}

static bool row_follows(const struct events_report *report, const struct events_row *row)
{
    if (report->rows.count == 0)
        return true;
    const struct events_row *last = &report->rows.at[report->rows.count - 1];
    return events_compare_keys(events_key(report, last), last->key_words, events_key(report, row),
                               row->key_words) < 0;
}

static bool parse_row(struct record_reader *r)
{
    struct events_report *report = r->to;
    const struct analysis_rows *kind = report->kind;
    size_t most = kind->key_most == SIZE_MAX ? SIZE_MAX : kind->key_most + kind->count_count;
    struct events_row row = {.key = report->words.count};
    if (!field_is(&r->fields.at[0], kind->tag))
        return record_bad(r, "unknown record");
    if (!fields_expected(r, kind->key_least + kind->count_count, most))
        return false;
    row.key_words = (uint32_t)(r->fields.count - 1 - kind->count_count);
    for (size_t i = 1; i <= row.key_words; i++) {
        if (!parse_key_word(r, i))
            return false;
    }
    if (!parse_counts(r, &row))
        return false;
    if (!row_follows(report, &row))
        return record_bad(r, "row out of order");
    vector_push(&report->rows, row);
    return true;
}

static const struct body_record body_records[] = {
    {"object", RECORD_COUNTS_NUMBERED(RECORD_BUILD, RECORD_NO_FIELDS), STAGE_OBJECTS, STAGE_OBJECTS,
     parse_object},
    {"routine", RECORD_COUNTS_NUMBERED(RECORD_EVENT_ROUTINE, RECORD_NO_FIELDS), STAGE_ROUTINES,
     STAGE_ROUTINES, parse_routine},
    {NULL, 0, SIZE_MAX, STAGE_ROWS, STAGE_ROWS, parse_row},
};

/* The whole file ------------------------------------------------------------------------------- */

static const struct record_format events_format = {RECORD_EVENTS_FIRST,
                                                   "a report of an analysis",
                                                   NEWEST_VERSION,
                                                   NULL,
                                                   NULL,
                                                   head_records,
                                                   sizeof head_records / sizeof *head_records,
                                                   body_records,
                                                   sizeof body_records / sizeof *body_records};

static bool events_read(struct events_report *report, struct input *input, struct failure *why)
{
    struct record_reader reader;
    memset(report, 0, sizeof *report);
    report->path = memory_copy_string(input_name(input));
    bool good = record_reader_run(&reader, input, &events_format, report, &report->strings, why);
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
