/* Combines reports of one analysis; see events_join.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/events/events_join.h"

#include <inttypes.h>
#include <string.h>

#define DIFFERENT "several" /* text of fields that differ between reports */
/* In a sum of reports, the record `process` consists of this text and the number of processes. */
#define MERGED "merged"

/* Routines ------------------------------------------------------------------------------------- */

/* A routine of one of the reports, used to make the common table of routines. */
struct place {
    const struct context_object *object;
    const struct report_routine *routine;
    uint64_t *id; /* receives the routine's number in the common table */
};

typedef VECTOR(struct place) place_list;

static int compare_objects(const struct context_object *a, const struct context_object *b)
{
    int order = strcmp(a->path, b->path);
    return order ? order : strcmp(a->build_id, b->build_id);
}

static int compare_routines(const struct place *a, const struct place *b)
{
    int order = compare_objects(a->object, b->object);
    if (order)
        return order;
    return a->routine->offset < b->routine->offset ? -1 : a->routine->offset > b->routine->offset;
}

/* If several reports have the same routine, an entry with a name precedes entries without a name,
 * so that the order does not depend on the order of the reports. */
static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_routines(a, b);
    return order ? order : strcmp(b->routine->symbol, a->routine->symbol);
}

static const char *keep(struct events_report *r, const char *text)
{
    return arena_copy(&r->strings, text, strlen(text));
}

static void add_object(struct events_report *tables, const struct context_object *object)
{
    struct context_object copy = {keep(tables, object->path), keep(tables, object->build_id)};
    vector_push(&tables->objects, copy);
}

static void add_routine(struct events_report *tables, const struct report_routine *routine)
{
    struct report_routine copy = *routine;
    copy.object = (uint32_t)tables->objects.count - 1;
    copy.symbol = keep(tables, routine->symbol);
    copy.file = keep(tables, routine->file);
    copy.name = NULL;
    vector_push(&tables->routines, copy);
}

static void number_routines(struct events_report *tables, place_list *places)
{
    if (places->count)
        qsort(places->at, places->count, sizeof *places->at, compare_places);
    for (size_t i = 0; i < places->count; i++) {
        const struct place *place = &places->at[i], *last = place - 1;
        if (i == 0 || compare_objects(last->object, place->object) != 0)
            add_object(tables, place->object);
        if (i == 0 || compare_routines(last, place) != 0)
            add_routine(tables, place->routine);
        *place->id = tables->routines.count - 1;
    }
    events_name_routines(tables);
}

/* Returns one array for each report, with the number of each routine in the common table. */
static uint64_t **join_routines(const struct events_report *const *reports, size_t count,
                                struct events_report *tables)
{
    uint64_t **ids = memory_get_zeroed(count + 1, sizeof *ids);
    place_list places = {0};
    for (size_t i = 0; i < count; i++) {
        const struct events_report *r = reports[i];
        ids[i] = memory_get_zeroed(r->routines.count + 1, sizeof *ids[i]);
        for (size_t k = 0; k < r->routines.count; k++) {
            const struct report_routine *routine = &r->routines.at[k];
            struct place place = {&r->objects.at[routine->object], routine, &ids[i][k]};
            vector_push(&places, place);
        }
    }
    number_routines(tables, &places);
    vector_free(&places);
    return ids;
}

/* Rows ----------------------------------------------------------------------------------------- */

static int compare_words(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts the set of routines at the end of a row's key, and removes the duplicates of routines that
 * are one routine in the common table. */
static void sort_set(struct events_report *tables, struct events_row *row, size_t set_from)
{
    uint64_t *key = tables->words.at + row->key;
    size_t end = set_from;
    if (row->key_words <= set_from + 1)
        return;
    qsort(key + set_from, row->key_words - set_from, sizeof *key, compare_words);
    for (size_t i = set_from; i < row->key_words; i++) {
        if (end == set_from || key[i] != key[end - 1])
            key[end++] = key[i];
    }
    row->key_words = (uint32_t)end;
    tables->words.count = row->key + end;
}

static void join_row(struct events_joined *joined, const struct events_report *report,
                     size_t report_index, const struct events_row *row, const uint64_t *ids)
{
    struct events_report *tables = &joined->tables;
    const uint64_t *key = events_key(report, row);
    struct events_joined_row added = {*row, report_index};
    added.row.key = tables->words.count;
    for (size_t i = 0; i < row->key_words; i++) {
        bool same = !report->kind->routines || key[i] == EVENTS_NO_ROUTINE;
        uint64_t word = same ? key[i] : ids[key[i]];
        vector_push(&tables->words, word);
    }
    sort_set(tables, &added.row, report->kind->set_from);
    vector_push(&joined->rows, added);
}

static int compare_rows(const void *left, const void *right, void *user)
{
    const struct events_joined_row *a = left, *b = right;
    const struct events_report *tables = user;
    int order = events_compare_keys(events_key(tables, &a->row), a->row.key_words,
                                    events_key(tables, &b->row), b->row.key_words);
    return order ? order : a->report < b->report ? -1 : a->report > b->report;
}

static bool check_analyses(const struct events_report *const *reports, size_t count,
                           struct failure *why)
{
    for (size_t i = 1; i < count; i++) {
        if (reports[i]->kind != reports[0]->kind)
            return failure_set(why, "%s and %s cannot be combined: different analyses, %s and %s",
                               reports[0]->path, reports[i]->path, reports[0]->analysis,
                               reports[i]->analysis);
    }
    return true;
}

bool events_join(const struct events_report *const *reports, size_t count,
                 struct events_joined *joined, struct failure *why)
{
    memset(joined, 0, sizeof *joined);
    if (!check_analyses(reports, count, why))
        return false;
    joined->tables.kind = reports[0]->kind;
    joined->tables.analysis = reports[0]->analysis;
    uint64_t **ids = join_routines(reports, count, &joined->tables);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < reports[i]->rows.count; k++)
            join_row(joined, reports[i], i, &reports[i]->rows.at[k], ids[i]);
        free(ids[i]);
    }
    free(ids);
    if (joined->rows.count)
        qsort_r(joined->rows.at, joined->rows.count, sizeof *joined->rows.at, compare_rows,
                &joined->tables);
    return true;
}

void events_joined_free(struct events_joined *joined)
{
    events_free(&joined->tables);
    vector_free(&joined->rows);
}

size_t events_joined_group(const struct events_joined *joined, size_t first)
{
    const struct events_report *tables = &joined->tables;
    const struct events_row *row = &joined->rows.at[first].row;
    size_t end = first + 1;
    for (; end < joined->rows.count; end++) {
        const struct events_row *other = &joined->rows.at[end].row;
        if (events_compare_keys(events_key(tables, row), row->key_words, events_key(tables, other),
                                other->key_words) != 0)
            break;
    }
    return end;
}

/* Heads of sums -------------------------------------------------------------------------------- */

static bool same_words(const string_list *a, const string_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->at[i], b->at[i]) == 0;
    return same;
}

/* The number of processes in a report. */
static uint64_t process_count(const struct events_report *r)
{
    if (r->process.count == 2 && strcmp(r->process.at[0], MERGED) == 0)
        return strtoull(r->process.at[1], NULL, 10);
    return 1;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void sum_process(struct events_report *sum, const struct events_report *const *reports,
                        size_t count)
{
    uint64_t processes = 0;
    for (size_t i = 0; i < count; i++)
        processes = add(processes, process_count(reports[i]));
    if (count == 1) {
        for (size_t i = 0; i < reports[0]->process.count; i++)
            vector_push(&sum->process, keep(sum, reports[0]->process.at[i]));
        return;
    }
    char *number = memory_format("%" PRIu64, processes);
    vector_push(&sum->process, MERGED);
    vector_push(&sum->process, keep(sum, number));
    free(number);
}

/* The text of a header field if it is the same in all reports; otherwise DIFFERENT. */
static const char *common_text(struct events_report *sum,
                               const struct events_report *const *reports, size_t count,
                               size_t offset)
{
#define TEXT_AT(r) (*(const char *const *)((const char *)(r) + offset))
    for (size_t i = 1; i < count; i++) {
        if (strcmp(TEXT_AT(reports[0]), TEXT_AT(reports[i])) != 0)
            return DIFFERENT;
    }
    return keep(sum, TEXT_AT(reports[0]));
#undef TEXT_AT
}

/* The words of a header field if they are the same in all reports; otherwise DIFFERENT. */
static void common_words(struct events_report *sum, const struct events_report *const *reports,
                         size_t count, size_t offset, string_list *to)
{
#define WORDS_AT(r) ((const string_list *)((const char *)(r) + offset))
    const string_list *words = WORDS_AT(reports[0]);
    for (size_t i = 1; i < count; i++) {
        if (!same_words(words, WORDS_AT(reports[i]))) {
            vector_push(to, DIFFERENT);
            return;
        }
    }
    for (size_t i = 0; i < words->count; i++)
        vector_push(to, keep(sum, words->at[i]));
#undef WORDS_AT
}

/* The combined options must contain the sampling rate, even if the reports' other options
 * differ. */
static void sum_options(struct events_report *sum, const struct events_report *const *reports,
                        size_t count)
{
    common_words(sum, reports, count, offsetof(struct events_report, options), &sum->options);
    const char *sampling = events_option(reports[0], "sampling");
    if (!sampling || events_option(sum, "sampling"))
        return;
    char *option = memory_format("sampling=%s", sampling);
    vector_push(&sum->options, keep(sum, option));
    free(option);
}

static void sum_heads(struct events_report *sum, const struct events_report *const *reports,
                      size_t count)
{
#define MEMBER(name) offsetof(struct events_report, name)
    sum->path = memory_copy_string(reports[0]->path);
    sum->creator = common_text(sum, reports, count, MEMBER(creator));
    sum->end_reason = common_text(sum, reports, count, MEMBER(end_reason));
    common_words(sum, reports, count, MEMBER(command), &sum->command);
    sum_options(sum, reports, count);
    sum_process(sum, reports, count);
#undef MEMBER
}

static const char *sampling_of(const struct events_report *r)
{
    const char *sampling = events_option(r, "sampling");
    return sampling ? sampling : "off";
}

static bool check_rates(const struct events_report *const *reports, size_t count,
                        struct failure *why)
{
    for (size_t i = 1; i < count; i++) {
        const char *first = sampling_of(reports[0]), *other = sampling_of(reports[i]);
        if (strcmp(first, other) != 0)
            return failure_set(why, "%s and %s cannot be combined: different sampling, %s and %s",
                               reports[0]->path, reports[i]->path, first, other);
    }
    return true;
}

/* Sums ----------------------------------------------------------------------------------------- */

/* Adds up the rows of each key, and appends the totals to `sum`. */
static void sum_rows(struct events_report *sum, const struct events_joined *joined)
{
    for (size_t i = 0; i < joined->rows.count;) {
        size_t end = events_joined_group(joined, i);
        struct events_row row = joined->rows.at[i].row;
        for (size_t k = i + 1; k < end; k++) {
            for (size_t c = 0; c < ANALYSIS_COUNTS_MAX; c++)
                row.counts[c] = add(row.counts[c], joined->rows.at[k].row.counts[c]);
        }
        vector_push(&sum->rows, row);
        i = end;
    }
}

bool events_sum(const struct events_report *const *reports, size_t count, struct events_report *sum,
                struct failure *why)
{
    struct events_joined joined;
    memset(sum, 0, sizeof *sum);
    if (!check_rates(reports, count, why) || !events_join(reports, count, &joined, why))
        return false;
    *sum = joined.tables;
    sum_rows(sum, &joined);
    vector_free(&joined.rows);
    sum_heads(sum, reports, count);
    return true;
}
