/* Tests the schema of records: reads its own output, and compares it with the manual's records.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each record is then damaged: a field is replaced, missing or doubled. The reader must reject the
 * record with its line, or the values must be in range.
 *
 * If it is called with the name of a page, the test prints for each record the tag and the names of
 * its fields, as in the synopses of that page. Fields that may be missing are in brackets
 * (tests/tools/schema.sh).
 */
#include "lib/records/record_fields.h"
#include "lib/records/record_stream.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 200

/* Random values -------------------------------------------------------------------------------- */

static uint64_t random_word(void)
{
    uint64_t word = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
    return rand() % 4 == 0 ? UINT64_MAX : word >> rand() % 64;
}

static uint32_t random_index(void)
{
    return (uint32_t)random_word() % (UINT32_MAX - 1);
}

static const char *random_text(void)
{
    static const char *const texts[] = {"", "-", "a\tb", "\n", "\\x", "\x7f", "main", "f(int)"};
    return texts[(size_t)rand() % (sizeof texts / sizeof *texts)];
}

static string_list random_words(void)
{
    string_list words = {0};
    do {
        vector_push(&words, random_text());
    } while (rand() % 3);
    return words;
}

static uint32_t random_optional(void)
{
    return rand() % 2 ? RECORD_NONE : random_index();
}

struct place {
    uint32_t inlined, file, line;
};

#define RECORD_TYPE_place struct place
#define RANDOM_number     random_word()
#define RANDOM_extra      (rand() % 2 ? 0 : random_word())
#define RANDOM_wide       ((u128)random_word() << 64 | random_word())
#define RANDOM_hex        random_word()
#define RANDOM_text       random_text()
#define RANDOM_digits     (rand() % 2 ? "" : "c0ffee")
#define RANDOM_words      random_words()
#define RANDOM_list       random_words()
#define RANDOM_index      random_index()
#define RANDOM_optional   random_optional()
#define RANDOM_place                                                                               \
    {                                                                                              \
        random_optional(), random_optional(), random_index()                                       \
    }
#define SET_FIELD(kind, member, name, of, sum) .member = RANDOM_##kind,

/* Comparing ------------------------------------------------------------------------------------ */

#define SAME_number(a, b) assert_true((a) == (b))
#define SAME_extra        SAME_number
#define SAME_wide         SAME_number
#define SAME_hex          SAME_number
#define SAME_index        SAME_number
#define SAME_optional     SAME_number
#define SAME_text(a, b)   assert_string_equal(a, b)
#define SAME_digits       SAME_text
#define SAME_list         SAME_words
#define SAME_words(a, b)                                                                           \
    do {                                                                                           \
        assert_int_equal((a).count, (b).count);                                                    \
        for (size_t i_ = 0; i_ < (a).count; i_++)                                                  \
            SAME_text((a).at[i_], (b).at[i_]);                                                     \
    } while (0)
#define SAME_place(a, b)                                                                           \
    do {                                                                                           \
        SAME_number((a).inlined, (b).inlined);                                                     \
        SAME_number((a).file, (b).file);                                                           \
        SAME_number((a).line, (b).line);                                                           \
    } while (0)
#define SAME_FIELD(kind, member, name, of, sum) SAME_##kind(record.member, again.member);

/* Reading what was written --------------------------------------------------------------------- */

static const struct record_limits no_limits = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                               SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};

/* Runs `read` on the only record of these bytes, which end in the line `complete`. */
static bool read_bytes(const char *bytes, size_t count, void (*read)(struct record_reader *r),
                       void *to, struct arena *strings, struct failure *why)
{
    const struct record_format format = {
        .magic = "test", .noun = "a test", .newest = 1, .parse = read};
    struct record_reader reader;
    struct input *input = input_open_memory(bytes, count, "bytes");
    *why = (struct failure){{0}};
    return record_reader_run(&reader, input, &format, to, strings, why);
}

/* Damaging what was written -------------------------------------------------------------------- */

#define FIELDS_MOST 32
#define FEW         7 /* indices that are in range, in records that are damaged */

static const struct record_limits few = {FEW, FEW, FEW, FEW, FEW, FEW, FEW, FEW};

static const char *random_damage(void)
{
    static const char *const damages[] = {"",
                                          "-",
                                          "--",
                                          "0",
                                          "00",
                                          "6",
                                          "7",
                                          "-1",
                                          "+1",
                                          " 1",
                                          "0x",
                                          "0X1",
                                          "x",
                                          "f",
                                          "\\",
                                          "\\x0",
                                          "\\x00",
                                          "4294967295",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "340282366920938463463374607431768211456"};
    return damages[(size_t)rand() % (sizeof damages / sizeof *damages)];
}

/* Copies the file, with one field of its second line replaced, missing or doubled. */
static char *damage(const char *bytes, size_t *count)
{
    char *copy = memory_copy_string(strchr(bytes, '\n') + 1), *rest = copy, *damaged = NULL;
    char *line = strsep(&rest, "\n"), *fields[FIELDS_MOST];
    size_t n = 0;
    while (n < FIELDS_MOST && (fields[n] = strsep(&line, "\t")))
        n++;
    size_t bad = 1 + (size_t)rand() % (n - 1);
    int how = rand() % 6;
    struct record_writer w;
    FILE *to = open_memstream(&damaged, count);
    record_writer_start_stream(&w, to);
    record_put_line(&w, "test", "1");
    for (size_t i = 0; i < n; i++) {
        for (int times = i != bad ? 1 : how < 2 ? 2 * how : 1; times > 0; times--) {
            record_put_raw(&w, i ? "\t" : "");
            record_put_raw(&w, i == bad && how > 1 ? random_damage() : fields[i]);
        }
    }
    record_end(&w);
    record_writer_finish(&w);
    fclose(to);
    free(copy);
    return damaged;
}

#define FITS_number(value)
#define FITS_extra(value)
#define FITS_wide(value)
#define FITS_hex(value)
#define FITS_text(value)     assert_non_null(value);
#define FITS_digits(value)   assert_int_equal(strspn(value, "0123456789abcdef"), strlen(value));
#define FITS_index(value)    assert_true((value) < FEW);
#define FITS_optional(value) assert_true((value) < FEW || (value) == RECORD_NONE);
#define FITS_place(value)                                                                          \
    FITS_optional((value).inlined) FITS_optional((value).file) FITS_index((value).line)
#define FITS_list FITS_words
#define FITS_words(value)                                                                          \
    for (size_t i_ = 0; i_ < (value).count; i_++)                                                  \
    FITS_text((value).at[i_])
#define FITS_FIELD(kind, member, name, of, sum) FITS_##kind(again.member)

#define FREE_number(record)
#define FREE_extra(record)
#define FREE_wide(record)
#define FREE_hex(record)
#define FREE_text(record)
#define FREE_digits(record)
#define FREE_index(record)
#define FREE_optional(record)
#define FREE_place(record)
#define FREE_words(list)                                                                           \
    vector_free(&record.list);                                                                     \
    vector_free(&again.list);
#define FREE_list                               FREE_words
#define FREE_FIELD(kind, member, name, of, sum) FREE_##kind(member)

/* One record: the struct, its reader, and a test of both. */
#define DEFINE_TEST(test, tag, FIELDS, TAIL)                                                       \
    struct test##_record {                                                                         \
        FIELDS(RECORD_MEMBER) TAIL(RECORD_MEMBER)                                                  \
    };                                                                                             \
    RECORD_READER(test##_get, struct test##_record, FIELDS)                                        \
    RECORD_READER(test##_get_tail, struct test##_record, TAIL)                                     \
    static void test##_read(struct record_reader *r)                                               \
    {                                                                                              \
        size_t at = 1;                                                                             \
        if (r->line_number == 1)                                                                   \
            return;                                                                                \
        assert_true(fields_expected(r, RECORD_COUNTS(FIELDS, TAIL)));                              \
        assert_true(test##_get(r, &at, &no_limits, r->to));                                        \
        assert_true(test##_get_tail(r, &at, &no_limits, r->to));                                   \
        assert_int_equal(at, r->fields.count);                                                     \
    }                                                                                              \
    static void test##_read_damaged(struct record_reader *r)                                       \
    {                                                                                              \
        size_t at = 1;                                                                             \
        if (r->line_number == 2 && fields_expected(r, RECORD_COUNTS(FIELDS, TAIL)) &&              \
            test##_get(r, &at, &few, r->to) && RECORD_MOST(TAIL) > 0 && at < r->fields.count)      \
            test##_get_tail(r, &at, &few, r->to);                                                  \
    }                                                                                              \
    static void test(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        for (int round = 0; round < ROUNDS; round++) {                                             \
            struct test##_record record = {FIELDS(SET_FIELD) TAIL(SET_FIELD)}, again = {0};        \
            struct record_writer w;                                                                \
            struct arena strings = {0};                                                            \
            struct failure why;                                                                    \
            char *bytes = NULL;                                                                    \
            size_t count;                                                                          \
            FILE *to = open_memstream(&bytes, &count);                                             \
            record_writer_start_stream(&w, to);                                                    \
            record_put_line(&w, "test", "1");                                                      \
            record_put_raw(&w, tag);                                                               \
            RECORD_PUT_FIELDS(&w, FIELDS, &record);                                                \
            RECORD_PUT_FIELDS(&w, TAIL, &record);                                                  \
            record_end(&w);                                                                        \
            record_writer_finish(&w);                                                              \
            fclose(to);                                                                            \
            if (!read_bytes(bytes, count, test##_read, &again, &strings, &why))                    \
                fail_msg("%s", why.text);                                                          \
            FIELDS(SAME_FIELD)                                                                     \
            TAIL(SAME_FIELD)                                                                       \
            char *damaged = damage(bytes, &count);                                                 \
            FIELDS(FREE_FIELD)                                                                     \
            memset(&again, 0, sizeof again);                                                       \
            if (read_bytes(damaged, count, test##_read_damaged, &again, &strings, &why)) {         \
                FIELDS(FITS_FIELD)                                                                 \
            } else {                                                                               \
                assert_non_null(strstr(why.text, "bytes:2: "));                                    \
            }                                                                                      \
            FIELDS(FREE_FIELD)                                                                     \
            arena_free(&strings);                                                                  \
            free(damaged);                                                                         \
            free(bytes);                                                                           \
        }                                                                                          \
    }
#define DEFINE_TEST_OF(test, tag, numbered, FIELDS, TAIL, since)                                   \
    DEFINE_TEST(test, tag, FIELDS, TAIL)
#define DEFINE_TEST_OF_POINTS(how, what, tag, FIELDS, when)                                        \
    DEFINE_TEST(points_##what, tag, FIELDS, RECORD_NO_FIELDS)
#define DEFINE_TEST_OF_CALLS(how, what, tag, FIELDS, when)                                         \
    DEFINE_TEST(calls_##what, tag, FIELDS, RECORD_NO_FIELDS)
#define DEFINE_TEST_OF_EVENTS(how, what, tag, FIELDS, when)                                        \
    DEFINE_TEST(events_##what, tag, FIELDS, RECORD_NO_FIELDS)
RECORD_HEAD(DEFINE_TEST_OF_POINTS)
RECORD_CALL_HEAD(DEFINE_TEST_OF_CALLS)
RECORD_EVENT_HEAD(DEFINE_TEST_OF_EVENTS)
RECORD_EACH(DEFINE_TEST_OF)
DEFINE_TEST(point_again, "trms", RECORD_POINT, RECORD_POINT_AGAIN)
RECORD_EACH_CALL(DEFINE_TEST_OF)
RECORD_EACH_EVENT(DEFINE_TEST_OF)

/* Synopses ------------------------------------------------------------------------------------- */

#define PRINT_number(name)                       printf(" %s", name)
#define PRINT_extra(name)                        printf(" [ %s ]", name)
#define PRINT_wide                               PRINT_number
#define PRINT_hex                                PRINT_number
#define PRINT_text                               PRINT_number
#define PRINT_digits                             PRINT_number
#define PRINT_words(name)                        printf(" %s ...", name)
#define PRINT_list(name)                         printf(" [ %s ... ]", name)
#define PRINT_index                              PRINT_number
#define PRINT_optional                           PRINT_number
#define PRINT_place                              PRINT_number
#define PRINT_FIELD(kind, member, name, of, sum) PRINT_##kind(name);
#define PRINT_RECORD(test, tag, numbered, FIELDS, TAIL, since)                                     \
    printf("%s%s", tag, numbered ? " id" : "");                                                    \
    FIELDS(PRINT_FIELD) if (RECORD_MOST(TAIL) > 0) printf(" [");                                   \
    TAIL(PRINT_FIELD) printf(RECORD_MOST(TAIL) > 0 ? " ]\n" : "\n");
#define PRINT_LINE(how, what, tag, FIELDS, when)                                                   \
    printf("%s", tag);                                                                             \
    FIELDS(PRINT_FIELD) printf("\n");

static int print_synopses(const char *page)
{
    if (strcmp(page, "aprof-out.5") == 0) {
        RECORD_HEAD(PRINT_LINE)
        RECORD_EACH(PRINT_RECORD)
    } else if (strcmp(page, "analyses.md") == 0) {
        RECORD_EVENT_HEAD(PRINT_LINE)
        RECORD_EACH_EVENT(PRINT_RECORD)
    } else {
        RECORD_CALL_HEAD(PRINT_LINE)
        RECORD_EACH_CALL(PRINT_RECORD)
    }
    return 0;
}

#define TEST_OF_POINTS(how, what, tag, FIELDS, when)      cmocka_unit_test(points_##what),
#define TEST_OF_CALLS(how, what, tag, FIELDS, when)       cmocka_unit_test(calls_##what),
#define TEST_OF_EVENTS(how, what, tag, FIELDS, when)      cmocka_unit_test(events_##what),
#define TEST_OF(test, tag, numbered, FIELDS, TAIL, since) cmocka_unit_test(test),

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_synopses(argv[1]);
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        RECORD_HEAD(TEST_OF_POINTS)
        RECORD_CALL_HEAD(TEST_OF_CALLS)
        RECORD_EVENT_HEAD(TEST_OF_EVENTS)
        RECORD_EACH(TEST_OF)
        RECORD_EACH_CALL(TEST_OF)
        RECORD_EACH_EVENT(TEST_OF)
        cmocka_unit_test(point_again)
    };
    /* clang-format on */
    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
