/* Writes the report of an analysis.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows are gathered in one array of words. They are sorted by the numbers of their routines, which
 * are known only at the end. The steps are: gather the rows, resolve all addresses, sort and number
 * the routines, replace addresses by numbers, sort the rows, write.
 */
#include "ground/pages.h"
#include "analyses/analysis_report.h"

struct array {
    unsigned char *bytes;
    size_t used, capacity;
};

struct routine_place {
    uint64_t address;
    struct analysis_place place;
};

/* A row in the array `words`: the key begins at index `at`, and the counts follow the key. */
struct row {
    size_t at;
    size_t key_words;
};

struct analysis_report {
    const struct analysis_rows *layout;
    struct array rows, words, routines;
    const struct analysis_places *places;
    struct record_writer *to;
};

/* ---------------------------------------------------------------- Arrays */

static void *array_add(struct array *array, size_t bytes)
{
    array->bytes =
        pages_grow("analyses.report", array->bytes, &array->capacity, array->used + bytes, 1);
    array->used += bytes;
    return array->bytes + array->used - bytes;
}

static void array_release(struct array *array)
{
    pages_free(array->bytes, array->capacity, 1);
    *array = (struct array){NULL, 0, 0};
}

typedef int compare_function(const void *a, const void *b, const struct analysis_report *report);

static void elements_swap(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void heap_sift(unsigned char *base, size_t at, size_t n, size_t size,
                      compare_function *compare, const struct analysis_report *report)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(base + child * size, base + (child + 1) * size, report) < 0)
            child++;
        if (compare(base + at * size, base + child * size, report) >= 0)
            return;
        elements_swap(base + at * size, base + child * size, size);
    }
}

/* The program may write its report on a small stack, so rows are sorted by heap sort, which needs
 * neither recursion nor memory. */
static void elements_sort(void *elements, size_t n, size_t size, compare_function *compare,
                          const struct analysis_report *report)
{
    unsigned char *base = elements;

    for (size_t at = n / 2; at-- > 0;)
        heap_sift(base, at, n, size, compare, report);
    while (n > 1) {
        elements_swap(base, base + --n * size, size);
        heap_sift(base, 0, n, size, compare, report);
    }
}

/* ---------------------------------------------------------------- Gathering rows */

void analysis_report_row(struct analysis_report *report, const uint64_t *key, size_t key_words,
                         const uint64_t *counts)
{
    size_t count_count = report->layout->count_count;
    size_t at = report->words.used / sizeof(uint64_t);
    uint64_t *words = array_add(&report->words, (key_words + count_count) * sizeof(uint64_t));
    struct row *added = array_add(&report->rows, sizeof(*added));

    for (size_t i = 0; i < key_words; i++)
        words[i] = key[i];
    for (size_t i = 0; i < count_count; i++)
        words[key_words + i] = counts[i];
    *added = (struct row){at, key_words};
}

/* ---------------------------------------------------------------- Routines */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares two texts; NULL precedes all texts. */
static int compare_texts(const char *a, const char *b)
{
    if (a == b || !a || !b)
        return (a != NULL) - (b != NULL);
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

static int compare_addresses(const void *a, const void *b, const struct analysis_report *report)
{
    (void)report;
    return compare_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int compare_places(const void *a, const void *b, const struct analysis_report *report)
{
    const struct routine_place *x = a, *y = b;
    int order = compare_texts(x->place.object, y->place.object);

    (void)report;
    if (order == 0)
        order = compare_numbers(x->place.offset, y->place.offset);
    return order ? order : compare_numbers(x->address, y->address);
}

static size_t routine_count(const struct analysis_report *report)
{
    return report->routines.used / sizeof(struct routine_place);
}

/* Gathers all addresses that occur in the rows, without duplicates. */
static void routines_gather(struct analysis_report *report, struct array *addresses)
{
    const struct row *rows = (const struct row *)report->rows.bytes;
    const uint64_t *words = (const uint64_t *)report->words.bytes;
    size_t distinct = 0;

    for (size_t i = 0; i < report->rows.used / sizeof(*rows); i++)
        for (size_t k = 0; k < rows[i].key_words; k++)
            if (words[rows[i].at + k] != ANALYSIS_NO_ROUTINE)
                *(uint64_t *)array_add(addresses, sizeof(uint64_t)) = words[rows[i].at + k];
    uint64_t *all = (uint64_t *)addresses->bytes;
    size_t n = addresses->used / sizeof(*all);
    elements_sort(all, n, sizeof(*all), compare_addresses, report);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[distinct++] = all[i];
    addresses->used = distinct * sizeof(*all);
}

static void routines_find(struct analysis_report *report)
{
    struct array addresses = {NULL, 0, 0};
    const struct analysis_places *places = report->places;

    if (!report->layout->routines)
        return;
    routines_gather(report, &addresses);
    for (size_t i = 0; i < addresses.used / sizeof(uint64_t); i++) {
        struct routine_place *routine = array_add(&report->routines, sizeof(*routine));
        routine->address = ((const uint64_t *)addresses.bytes)[i];
        routine->place = (struct analysis_place){.offset = routine->address};
        if (places)
            places->find(places->context, routine->address, &routine->place);
    }
    array_release(&addresses);
    elements_sort(report->routines.bytes, routine_count(report), sizeof(struct routine_place),
                  compare_places, report);
}

/* Makes an index of the numbers, sorted by address, for look-ups. */
static void numbers_sort(const struct analysis_report *report, struct array *numbers)
{
    const struct routine_place *routines = (const struct routine_place *)report->routines.bytes;

    for (size_t i = 0; i < routine_count(report); i++) {
        uint64_t *pair = array_add(numbers, 2 * sizeof(uint64_t));
        pair[0] = routines[i].address;
        pair[1] = i;
    }
    elements_sort(numbers->bytes, routine_count(report), 2 * sizeof(uint64_t), compare_addresses,
                  report);
}

static uint64_t number_of(const struct array *numbers, uint64_t address)
{
    const uint64_t *pairs = (const uint64_t *)numbers->bytes;
    size_t low = 0, high = numbers->used / (2 * sizeof(uint64_t));

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pairs[2 * middle] == address)
            return pairs[2 * middle + 1];
        if (pairs[2 * middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return ANALYSIS_NO_ID;
}

/* Replaces the addresses in all rows by numbers. */
static void rows_number(struct analysis_report *report)
{
    struct array numbers = {NULL, 0, 0};
    const struct row *rows = (const struct row *)report->rows.bytes;
    uint64_t *words = (uint64_t *)report->words.bytes;
    size_t set_from = report->layout->set_from;

    if (!report->layout->routines)
        return;
    numbers_sort(report, &numbers);
    for (size_t i = 0; i < report->rows.used / sizeof(*rows); i++) {
        const struct row *row = &rows[i];
        for (size_t k = 0; k < row->key_words; k++)
            words[row->at + k] = number_of(&numbers, words[row->at + k]);
        if (set_from < row->key_words)
            elements_sort(words + row->at + set_from, row->key_words - set_from, sizeof(uint64_t),
                          compare_addresses, report);
    }
    array_release(&numbers);
}

/* Compares rows. The missing caller `-`, ANALYSIS_NO_ID, precedes all other callers. No key occurs
 * twice. */
static int compare_rows(const void *a, const void *b, const struct analysis_report *report)
{
    const struct row *x = a, *y = b;
    const uint64_t *words = (const uint64_t *)report->words.bytes;
    size_t most = x->key_words < y->key_words ? x->key_words : y->key_words;

    for (size_t i = 0; i < most; i++)
        if (words[x->at + i] != words[y->at + i])
            return compare_numbers(words[x->at + i] + 1, words[y->at + i] + 1);
    return compare_numbers(x->key_words, y->key_words);
}

/* ---------------------------------------------------------------- Writing */

struct object_record {
    RECORD_BUILD(RECORD_MEMBER)
};

static void object_put(struct analysis_report *report, uint64_t id,
                       const struct analysis_place *place)
{
    struct object_record object = {place->object, place->build_id};

    RECORD_PUT_NUMBERED(report->to, "object", id, RECORD_BUILD, &object);
}

struct routine_record {
    RECORD_EVENT_ROUTINE(RECORD_MEMBER)
};

static void routine_put(struct analysis_report *report, uint64_t id, uint32_t object,
                        const struct analysis_place *place)
{
    struct routine_record routine = {object, place->offset, place->name};

    RECORD_PUT_NUMBERED(report->to, "routine", id, RECORD_EVENT_ROUTINE, &routine);
}

/* Writes all objects, then all routines. Objects and routines are sorted by the object's path. */
static void places_write(struct analysis_report *report)
{
    const struct routine_place *routines = (const struct routine_place *)report->routines.bytes;
    size_t n = routine_count(report);

    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t object = 0;
        for (size_t i = 0; i < n; i++) {
            bool first = i == 0 ||
                         compare_texts(routines[i].place.object, routines[i - 1].place.object) != 0;
            object += first && i > 0;
            if (pass == 0 && first)
                object_put(report, object, &routines[i].place);
            else if (pass == 1)
                routine_put(report, i, object, &routines[i].place);
        }
    }
}

void analysis_row_put(struct record_writer *to, const struct analysis_rows *rows,
                      const uint64_t *key, size_t key_words, const uint64_t *counts)
{
    record_put_raw(to, rows->tag);
    for (size_t i = 0; i < key_words; i++)
        if (rows->routines && key[i] == ANALYSIS_NO_ID)
            record_put_text(to, NULL);
        else
            record_put_number(to, key[i]);
    for (size_t i = 0; i < rows->count_count; i++)
        record_put_number(to, counts[i]);
    record_end(to);
}

static void rows_write(struct analysis_report *report)
{
    const struct row *rows = (const struct row *)report->rows.bytes;
    size_t n = report->rows.used / sizeof(*rows);

    elements_sort(report->rows.bytes, n, sizeof(*rows), compare_rows, report);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *key = (const uint64_t *)report->words.bytes + rows[i].at;
        analysis_row_put(report->to, report->layout, key, rows[i].key_words,
                         key + rows[i].key_words);
    }
}

void analysis_report_write(const struct analysis *analysis, const void *state,
                           const struct analysis_head *head, const struct analysis_places *places,
                           struct record_writer *to)
{
    struct analysis_head whole = *head;
    struct analysis_report report = {.layout = &analysis->rows, .places = places, .to = to};

    analysis->print(state, &report);
    routines_find(&report);
    rows_number(&report);
    whole.analysis = analysis->name;
    record_put_first(to, RECORD_EVENTS_FIRST, 1);
    RECORD_PUT_HEAD(to, RECORD_EVENT_HEAD, &whole, NULL);
    places_write(&report);
    rows_write(&report);
    record_writer_finish(to);
    array_release(&report.rows);
    array_release(&report.words);
    array_release(&report.routines);
}
