/* Writes the report of an analysis.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows are gathered in one array of words; what orders them is known only when all their routines
 * are. So: gather, find the places of all addresses, sort and number these, put the numbers into
 * the rows, sort the rows, write.
 */
#include "ground/host.h"
#include "analyses/analysis_report.h"

#define PAGE_BYTES 4096
#define NO_ID      UINT64_MAX

struct array {
    unsigned char *bytes;
    size_t used, capacity;
};

struct routine_place {
    uint64_t address;
    struct analysis_place place;
};

/* In the array `words`: this many routines from `at` on, then the numbers. */
struct row {
    uint32_t tag;
    uint32_t routines, set_from, numbers;
    size_t at;
};

struct analysis_report {
    struct array rows, words, routines, tags;
    const struct analysis_sink *sink;
    uint64_t hash, lines;
    char buffer[PAGE_BYTES];
    size_t buffered;
};

#define REPORT_BYTES ((sizeof(struct analysis_report) + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1))

/* ---------------------------------------------------------------- Arrays */

static void *array_add(struct array *array, size_t bytes)
{
    size_t capacity = array->capacity ? array->capacity : PAGE_BYTES;

    while (capacity < array->used + bytes)
        capacity *= 2;
    if (capacity != array->capacity) {
        unsigned char *larger = host_map("analyses.report", capacity);
        if (array->capacity) {
            memcpy(larger, array->bytes, array->used);
            host_unmap(array->bytes, array->capacity);
        }
        array->bytes = larger;
        array->capacity = capacity;
    }
    array->used += bytes;
    return array->bytes + array->used - bytes;
}

static void array_release(struct array *array)
{
    if (array->capacity)
        host_unmap(array->bytes, array->capacity);
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

/* Heap sort: no recursion and no memory, on whatever stack the program ends. */
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

static uint32_t tag_number(struct analysis_report *report, const char *tag)
{
    const char **tags = (const char **)report->tags.bytes;
    size_t n = report->tags.used / sizeof(*tags);

    for (size_t i = 0; i < n; i++)
        if (tags[i] == tag)
            return (uint32_t)i;
    *(const char **)array_add(&report->tags, sizeof(tag)) = tag;
    return (uint32_t)n;
}

void analysis_report_row(struct analysis_report *report, const struct analysis_row *row)
{
    size_t n = row->routine_count + row->number_count;
    size_t at = report->words.used / sizeof(uint64_t);
    uint32_t tag = tag_number(report, row->tag);
    uint64_t *words = array_add(&report->words, n * sizeof(uint64_t));
    struct row *added = array_add(&report->rows, sizeof(*added));

    for (size_t i = 0; i < row->routine_count; i++)
        words[i] = row->routines[i];
    for (size_t i = 0; i < row->number_count; i++)
        words[row->routine_count + i] = row->numbers[i];
    *added = (struct row){tag, (uint32_t)row->routine_count, (uint32_t)row->set_from,
                          (uint32_t)row->number_count, at};
}

/* ---------------------------------------------------------------- Routines */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* NULL is before all texts. */
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

/* The addresses of all rows, each once. */
static void routines_gather(struct analysis_report *report, struct array *addresses)
{
    const struct row *rows = (const struct row *)report->rows.bytes;
    const uint64_t *words = (const uint64_t *)report->words.bytes;
    size_t distinct = 0;

    for (size_t i = 0; i < report->rows.used / sizeof(*rows); i++)
        for (size_t k = 0; k < rows[i].routines; k++)
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
    const struct analysis_sink *sink = report->sink;

    routines_gather(report, &addresses);
    for (size_t i = 0; i < addresses.used / sizeof(uint64_t); i++) {
        struct routine_place *routine = array_add(&report->routines, sizeof(*routine));
        routine->address = ((const uint64_t *)addresses.bytes)[i];
        routine->place = (struct analysis_place){NULL, NULL, routine->address, NULL};
        if (sink->place)
            sink->place(sink->context, routine->address, &routine->place);
    }
    array_release(&addresses);
    elements_sort(report->routines.bytes, routine_count(report), sizeof(struct routine_place),
                  compare_places, report);
}

/* Addresses by their numbers, sorted by address, to look numbers up. */
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
    return NO_ID;
}

/* Replaces the addresses of all rows. */
static void rows_number(struct analysis_report *report)
{
    struct array numbers = {NULL, 0, 0};
    const struct row *rows = (const struct row *)report->rows.bytes;
    uint64_t *words = (uint64_t *)report->words.bytes;

    numbers_sort(report, &numbers);
    for (size_t i = 0; i < report->rows.used / sizeof(*rows); i++) {
        const struct row *row = &rows[i];
        for (size_t k = 0; k < row->routines; k++)
            words[row->at + k] = number_of(&numbers, words[row->at + k]);
        if (row->set_from < row->routines)
            elements_sort(words + row->at + row->set_from, row->routines - row->set_from,
                          sizeof(uint64_t), compare_addresses, report);
    }
    array_release(&numbers);
}

/* The caller `-`, NO_ID, is before all others. */
static int compare_rows(const void *a, const void *b, const struct analysis_report *report)
{
    const struct row *x = a, *y = b;
    const uint64_t *words = (const uint64_t *)report->words.bytes;
    uint32_t most = x->routines < y->routines ? x->routines : y->routines;

    if (x->tag != y->tag)
        return compare_numbers(x->tag, y->tag);
    for (uint32_t i = 0; i < most; i++)
        if (words[x->at + i] != words[y->at + i])
            return compare_numbers(words[x->at + i] + 1, words[y->at + i] + 1);
    if (x->routines != y->routines)
        return compare_numbers(x->routines, y->routines);
    for (uint32_t i = 0; i < x->numbers && i < y->numbers; i++)
        if (words[x->at + x->routines + i] != words[y->at + y->routines + i])
            return compare_numbers(words[x->at + x->routines + i], words[y->at + y->routines + i]);
    return compare_numbers(x->numbers, y->numbers);
}

/* ---------------------------------------------------------------- Writing */

static void buffer_flush(struct analysis_report *report)
{
    report->sink->write(report->sink->context, report->buffer, report->buffered);
    report->buffered = 0;
}

static void byte_put(struct analysis_report *report, char byte)
{
    report->hash = (report->hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
    report->lines += byte == '\n';
    if (report->buffered == sizeof(report->buffer))
        buffer_flush(report);
    report->buffer[report->buffered++] = byte;
}

static void raw_put(struct analysis_report *report, const char *text)
{
    while (*text)
        byte_put(report, *text++);
}

/* As docs/aprof-out.5 has it. */
static void escaped_put(struct analysis_report *report, char byte)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char code = (unsigned char)byte;

    if (byte == '\\')
        raw_put(report, "\\\\");
    else if (byte == '\t')
        raw_put(report, "\\t");
    else if (byte == '\n')
        raw_put(report, "\\n");
    else if (code < 0x20 || code == 0x7f) {
        raw_put(report, "\\x");
        byte_put(report, digits[code >> 4]);
        byte_put(report, digits[code & 15]);
    } else
        byte_put(report, byte);
}

static void field_put(struct analysis_report *report, const char *text)
{
    byte_put(report, '\t');
    if (!text || !*text) {
        byte_put(report, '-');
        return;
    }
    if (text[0] == '-' && text[1] == 0) {
        raw_put(report, "\\x2d");
        return;
    }
    for (; *text; text++)
        escaped_put(report, *text);
}

static void number_put(struct analysis_report *report, uint64_t number, unsigned base,
                       unsigned least_digits)
{
    char digits[20];
    unsigned n = 0;

    for (; number > 0 || n < least_digits; number /= base)
        digits[n++] = "0123456789abcdef"[number % base];
    while (n > 0)
        byte_put(report, digits[--n]);
}

static void number_field_put(struct analysis_report *report, uint64_t number)
{
    byte_put(report, '\t');
    number_put(report, number, 10, 1);
}

static void heads_write(struct analysis_report *report, const struct analysis_head *heads,
                        size_t head_count)
{
    for (size_t i = 0; i < head_count; i++) {
        raw_put(report, heads[i].tag);
        for (size_t k = 0; heads[i].fields[k]; k++)
            field_put(report, heads[i].fields[k]);
        byte_put(report, '\n');
    }
}

static void object_write(struct analysis_report *report, uint64_t id,
                         const struct analysis_place *place)
{
    raw_put(report, "object");
    number_field_put(report, id);
    field_put(report, place->object);
    field_put(report, place->build_id);
    byte_put(report, '\n');
}

static void routine_write(struct analysis_report *report, uint64_t id, uint64_t object,
                          const struct analysis_place *place)
{
    raw_put(report, "routine");
    number_field_put(report, id);
    number_field_put(report, object);
    raw_put(report, "\t0x");
    number_put(report, place->offset, 16, 1);
    field_put(report, place->name);
    byte_put(report, '\n');
}

/* All objects, then all routines. They are sorted by the object's path. */
static void places_write(struct analysis_report *report)
{
    const struct routine_place *routines = (const struct routine_place *)report->routines.bytes;
    size_t n = routine_count(report);

    for (unsigned pass = 0; pass < 2; pass++) {
        uint64_t object = 0;
        for (size_t i = 0; i < n; i++) {
            bool first = i == 0 ||
                         compare_texts(routines[i].place.object, routines[i - 1].place.object) != 0;
            object += first && i > 0;
            if (pass == 0 && first)
                object_write(report, object, &routines[i].place);
            else if (pass == 1)
                routine_write(report, i, object, &routines[i].place);
        }
    }
}

static void row_write(struct analysis_report *report, const struct row *row)
{
    const uint64_t *words = (const uint64_t *)report->words.bytes + row->at;

    raw_put(report, ((const char **)report->tags.bytes)[row->tag]);
    for (uint32_t i = 0; i < row->routines; i++)
        if (words[i] == NO_ID)
            raw_put(report, "\t-");
        else
            number_field_put(report, words[i]);
    for (uint32_t i = 0; i < row->numbers; i++)
        number_field_put(report, words[row->routines + i]);
    byte_put(report, '\n');
}

static void rows_write(struct analysis_report *report)
{
    const struct row *rows = (const struct row *)report->rows.bytes;
    size_t n = report->rows.used / sizeof(*rows);

    elements_sort(report->rows.bytes, n, sizeof(*rows), compare_rows, report);
    for (size_t i = 0; i < n; i++)
        row_write(report, &rows[i]);
}

static void complete_write(struct analysis_report *report)
{
    uint64_t hash = report->hash, lines = report->lines;

    raw_put(report, "complete");
    number_field_put(report, lines);
    byte_put(report, '\t');
    number_put(report, hash, 16, 16);
    byte_put(report, '\n');
}

void analysis_report_write(const struct analysis *analysis, const void *state,
                           const struct analysis_head *heads, size_t head_count,
                           const struct analysis_sink *sink)
{
    struct analysis_report *report = host_map("analyses.report", REPORT_BYTES);

    report->sink = sink;
    report->hash = UINT64_C(0xcbf29ce484222325);
    analysis->print(state, report);
    routines_find(report);
    rows_number(report);
    raw_put(report, "aprof-analysis\t1\n");
    heads_write(report, heads, head_count);
    raw_put(report, "analysis");
    field_put(report, analysis->name);
    byte_put(report, '\n');
    places_write(report);
    rows_write(report);
    complete_write(report);
    buffer_flush(report);
    array_release(&report->rows);
    array_release(&report->words);
    array_release(&report->routines);
    array_release(&report->tags);
    host_unmap(report, REPORT_BYTES);
}
