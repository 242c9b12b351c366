/* Fuzzes the reader of analyses' reports; see fuzz_lines.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/fuzz/fuzz_lines.h"

#include "lib/events/events_join.h"
#include "lib/events/events_reader.h"
#include "lib/events/events_writer.h"

/* Checks properties that every user of a report relies on. */
static void check_row(const struct events_report *r, const struct events_row *row)
{
    const struct analysis_rows *kind = r->kind;
    CHECK(row->key_words >= kind->key_least && row->key_words <= kind->key_most);
    CHECK(row->key + row->key_words <= r->words.count);
    for (size_t i = 0; kind->routines && i < row->key_words; i++) {
        uint64_t word = events_key(r, row)[i];
        bool is_caller = i == 0 && kind->key_most == 2;
        CHECK(word < r->routines.count || (is_caller && word == EVENTS_NO_ROUTINE));
    }
}

static void check_report(const struct events_report *r)
{
    for (size_t i = 0; i < r->routines.count; i++)
        CHECK(r->routines.at[i].object < r->objects.count && r->routines.at[i].name);
    for (size_t i = 0; i < r->rows.count; i++) {
        check_row(r, &r->rows.at[i]);
        const struct events_row *row = &r->rows.at[i], *last = row - 1;
        CHECK(i == 0 || events_compare_keys(events_key(r, last), last->key_words,
                                            events_key(r, row), row->key_words) < 0);
    }
}

static char *written(const struct events_report *r, size_t *count)
{
    char *bytes = NULL;
    FILE *memory = open_memstream(&bytes, count);
    events_write(r, memory);
    fclose(memory);
    return bytes;
}

/* A written report must be readable, and writing it again must give equal bytes. */
static void check_round_trip(const struct events_report *r)
{
    struct events_report again;
    struct failure why;
    size_t count, count_again;
    char *bytes = written(r, &count);
    CHECK(events_read_memory(&again, bytes, count, "again", &why));
    char *bytes_again = written(&again, &count_again);
    CHECK(count == count_again && memcmp(bytes, bytes_again, count) == 0);
    events_free(&again);
    free(bytes);
    free(bytes_again);
}

/* The sum of a report with itself has the rows of the report, and twice its counts unless they
 * saturate. */
static void check_sum(const struct events_report *r)
{
    const struct events_report *const twice[] = {r, r};
    struct events_report one, two;
    struct failure why;
    CHECK(events_sum(twice, 1, &one, &why) && events_sum(twice, 2, &two, &why));
    check_report(&one);
    check_round_trip(&one);
    check_round_trip(&two);
    CHECK(one.rows.count == two.rows.count && one.rows.count <= r->rows.count);
    for (size_t i = 0; i < one.rows.count; i++) {
        uint64_t once = one.rows.at[i].counts[0], doubled = two.rows.at[i].counts[0];
        CHECK(doubled == (once > UINT64_MAX / 2 ? UINT64_MAX : 2 * once));
    }
    events_free(&one);
    events_free(&two);
}

static void read_once(const uint8_t *bytes, size_t count)
{
    struct events_report report;
    struct failure why = {{0}};
    if (events_read_memory(&report, bytes, count, "fuzz", &why)) {
        check_report(&report);
        check_round_trip(&report);
        check_sum(&report);
    } else {
        CHECK(why.text[0]);
    }
    events_free(&report);
}
