/* Compares written and read record files with the definition in aprof-out(5).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * This file repeats the definition as texts. Writers must write these bytes, and readers must read
 * the texts so that writers write equal bytes.
 */
#include "tests/unit/cmocka_all.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/contexts/contexts_reader.h"
#include "lib/contexts/contexts_writer.h"
#include "lib/events/events_reader.h"
#include "lib/events/events_writer.h"
#include "lib/records/record_stream.h"
#include "lib/report/report_reader.h"
#include "lib/report/report_writer.h"
#include "paths/record.h"

/* ---------------------------------------------------------------- The definition */

struct bytes {
    char *at;
    size_t count;
};

static void add(struct bytes *to, const char *format, ...)
{
    va_list list;
    char piece[64];
    va_start(list, format);
    int length = vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    assert_in_range(length, 0, sizeof piece - 1);
    to->at = realloc(to->at, to->count + (size_t)length + 1);
    memcpy(to->at + to->count, piece, (size_t)length + 1);
    to->count += (size_t)length;
}

static void add_field(struct bytes *to, const char *text)
{
    add(to, "\t");
    if (strcmp(text, "") == 0)
        add(to, "-");
    else if (strcmp(text, "-") == 0)
        add(to, "\\x2d");
    else
        for (; *text; text++) {
            int c = (unsigned char)*text;
            if (c == '\\')
                add(to, "\\\\");
            else if (c == '\t')
                add(to, "\\t");
            else if (c == '\n')
                add(to, "\\n");
            else if (c < 0x20 || c == 0x7f)
                add(to, "\\x%02x", c);
            else
                add(to, "%c", c);
        }
}

/* One letter for each field: s text, n number. */
static void add_record(struct bytes *to, const char *tag, const char *fields, ...)
{
    va_list list;
    va_start(list, fields);
    add(to, "%s", tag);
    for (; *fields; fields++) {
        if (*fields == 's')
            add_field(to, va_arg(list, const char *));
        else
            add(to, "\t%d", va_arg(list, int));
    }
    add(to, "\n");
    va_end(list);
}

static void add_complete(struct bytes *to)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    unsigned lines = 0;
    for (size_t i = 0; i < to->count; i++) {
        hash = (hash ^ (unsigned char)to->at[i]) * UINT64_C(1099511628211);
        lines += to->at[i] == '\n';
    }
    add(to, "complete\t%u\t%016" PRIx64 "\n", lines, hash);
}

/* ---------------------------------------------------------------- Hostile texts */

/* All bytes except 0, and texts that look like parts of the format. */
static const char *hostile(unsigned i)
{
    static const char *const texts[] = {"",
                                        "-",
                                        "--",
                                        "\\",
                                        "\\t",
                                        "\\x2d",
                                        "\t",
                                        "\n",
                                        "a\tb\nc",
                                        "\ncomplete\t1\t0123456789abcdef\n",
                                        "\x7f\x1f\x01\r\x1b[0m",
                                        "0x1",
                                        " ",
                                        "\xc3\xa4\xff\x80"};
    static char all[256];
    if (i < sizeof texts / sizeof *texts)
        return texts[i];
    for (int c = 1; c < 256; c++)
        all[c - 1] = (char)((c + (int)i) % 255 + 1);
    return all;
}

#define HOSTILE 20

static void writers_give_the_defined_bytes(void **state)
{
    const struct {
        struct wide wide;
        const char *digits;
    } wides[] = {{{0, 0}, "0"},
                 {{UINT64_MAX, 0}, "18446744073709551615"},
                 {{0, 1}, "18446744073709551616"},
                 {{UINT64_MAX, UINT64_MAX}, "340282366920938463463374607431768211455"}};
    struct bytes expected = {0};
    struct record_writer w;
    char *found = NULL;
    size_t count = 0;
    FILE *to = open_memstream(&found, &count);
    (void)state;
    record_writer_start_stream(&w, to);
    for (unsigned i = 0; i < 3 * RECORD_BUFFER_BYTES / 200; i++) { /* some buffers full */
        const char *words[] = {hostile(i % HOSTILE), "x", NULL};
        add_record(&expected, "list", "ss", words[0], words[1]);
        record_put_raw(&w, "list");
        record_put_words(&w, words);
        record_end(&w);
        add_record(&expected, "line", "s", hostile(i % HOSTILE));
        record_put_line(&w, "line", hostile(i % HOSTILE));
    }
    record_put_line(&w, "none", NULL);
    add(&expected, "none\t-\nwide");
    record_put_raw(&w, "wide");
    for (size_t i = 0; i < sizeof wides / sizeof *wides; i++) {
        record_put_wide(&w, wides[i].wide);
        add(&expected, "\t%s", wides[i].digits);
    }
    for (unsigned bits = 0; bits < 64; bits++) {
        uint64_t number = UINT64_MAX >> bits;
        record_put_number(&w, number);
        record_put_hex(&w, number);
        add(&expected, "\t%" PRIu64 "\t0x%" PRIx64, number, number);
    }
    record_put_number(&w, 0);
    record_put_hex(&w, 0);
    record_put_hex_bytes(&w, NULL, 0);
    record_put_hex_bytes(&w, (const uint8_t *)"\x00\x0f\xa5\xff", 4);
    record_end(&w);
    add(&expected, "\t0\t0x0\t-\t000fa5ff\n");
    record_writer_finish(&w);
    add_complete(&expected);
    fclose(to);
    assert_int_equal(count, expected.count);
    assert_memory_equal(found, expected.at, count);
    free(found);
    free(expected.at);
}

/* ---------------------------------------------------------------- Each format */

static void same_again(const struct bytes *expected, char *found, size_t count)
{
    assert_int_equal(count, expected->count);
    assert_memory_equal(found, expected->at, count);
    free(found);
}

static void reports_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOSTILE; i++) {
        const char *text = hostile(i), *other = hostile((i + 7) % HOSTILE);
        struct bytes file = {0};
        struct report report;
        struct failure why;
        char *found;
        size_t count;
        add_record(&file, "aprof", "n", 1);
        add_record(&file, "creator", "s", text);
        add_record(&file, "tool", "s", other);
        add_record(&file, "arch", "s", text);
        add_record(&file, "command", "sss", text, other, text);
        add_record(&file, "process", "ss", other, text);
        add_record(&file, "options", "s", text);
        add_record(&file, "metrics", "s", "rms");
        add_record(&file, "resolution", "n", 4);
        add_record(&file, "cost", "s", "bb");
        add_record(&file, "threads", "s", "merged");
        add_record(&file, "end", "s", text);
        add_record(&file, "totals", "nnnnn", 5, 4, 3, 2, 1);
        add_record(&file, "object", "ns", 0, text);
        add_record(&file, "routine", "nnsnssn", 0, 0, "0x10", 7, text, other, 3);
        add_record(&file, "profile", "nnnnn", 0, 0, 1, 5, 5);
        add_record(&file, "rms", "nnnnnnnnn", 8, 1, 5, 5, 5, 25, 5, 0, 0);
        add_complete(&file);
        assert_true(report_read_memory(&report, file.at, file.count, "hostile", &why));
        assert_string_equal(report.command.at[1], other);
        assert_string_equal(report.objects.at[0], text);
        FILE *to = open_memstream(&found, &count);
        report_write(&report, to);
        fclose(to);
        same_again(&file, found, count);
        report_free(&report);
        free(file.at);
    }
}

static void contexts_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOSTILE; i++) {
        const char *text = hostile(i), *other = hostile((i + 7) % HOSTILE);
        struct bytes file = {0};
        struct context_profile profile;
        struct failure why;
        char *found;
        size_t count;
        add_record(&file, "aprof-contexts", "n", 1);
        add_record(&file, "creator", "s", text);
        add_record(&file, "command", "ss", text, other);
        add_record(&file, "process", "s", other);
        add_record(&file, "options", "ss", text, text);
        add_record(&file, "technique", "s", "cct");
        add_record(&file, "summary", "s", text);
        add_record(&file, "weight", "s", "calls");
        add_record(&file, "phi", "s", "");
        add_record(&file, "epsilon", "s", "");
        add_record(&file, "burst", "s", other);
        add_record(&file, "end", "s", text);
        add_record(&file, "object", "nss", 0, text, "beef");
        add_record(&file, "routine", "nnsnssn", 0, 0, "0x10", 0, text, other, 0);
        add_record(&file, "tree", "nnnnn", 1, 9, 9, 2, 1);
        add(&file, "context\t0\t-\t-\t-\t0x0\t0\t0\t0\ncontext\t1\t0\t0\t0\t0x11\t9\t0\t1\n");
        add_complete(&file);
        assert_true(contexts_read_memory(&profile, file.at, file.count, "hostile", &why));
        assert_string_equal(profile.command.at[1], other);
        assert_string_equal(profile.objects.at[0].path, text);
        FILE *to = open_memstream(&found, &count);
        contexts_write(&profile, to);
        fclose(to);
        same_again(&file, found, count);
        contexts_free(&profile);
        free(file.at);
    }
}

static void reports_of_analyses_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOSTILE; i++) {
        const char *text = hostile(i), *other = hostile((i + 7) % HOSTILE);
        struct bytes file = {0};
        struct events_report report;
        struct failure why;
        char *found;
        size_t count;
        add_record(&file, "aprof-analysis", "n", 1);
        add_record(&file, "creator", "s", text);
        add_record(&file, "command", "ss", text, other);
        add_record(&file, "process", "s", other);
        add_record(&file, "options", "s", text);
        add_record(&file, "end", "s", other);
        add_record(&file, "analysis", "s", "callgraph");
        add_record(&file, "object", "nss", 0, text, "");
        add_record(&file, "routine", "nnss", 0, 0, "0x10", other);
        add(&file, "call\t-\t0\t3\n");
        add_complete(&file);
        assert_true(events_read_memory(&report, file.at, file.count, "hostile", &why));
        assert_string_equal(report.command.at[1], other);
        FILE *to = open_memstream(&found, &count);
        events_write(&report, to);
        fclose(to);
        same_again(&file, found, count);
        events_free(&report);
        free(file.at);
    }
}

static void records_of_paths_come_back(void **state)
{
    char path[] = "/tmp/aprof-records-XXXXXX";
    struct bytes expected = {0};
    struct record_output out;
    struct record_file file;
    struct failure why;
    (void)state;
    close(mkstemp(path));
    record_output_start(&out, "aprof-hostile", 3);
    add_record(&expected, "aprof-hostile", "n", 3);
    for (unsigned i = 0; i < HOSTILE; i++) {
        record_output_put(&out, "text", "sui", hostile(i), (uint64_t)i, (int64_t)-7);
        add_record(&expected, "text", "snn", hostile(i), (int)i, -7);
    }
    uint64_t identity = out.records.checksum;
    add_complete(&expected);
    assert_true(record_output_finish(&out, path, &why));

    char found[16384];
    FILE *from = fopen(path, "rb");
    assert_int_equal(fread(found, 1, sizeof found, from), expected.count);
    assert_memory_equal(found, expected.at, expected.count);
    fclose(from);
    assert_true(record_open(&file, path, "aprof-hostile", 3, &why));
    assert_true(file.checksum == identity);
    for (unsigned i = 0; i < HOSTILE; i++) {
        uint64_t number;
        assert_true(record_next(&file) && record_is(&file, "text", 3, false));
        assert_string_equal(file.fields.at[1], hostile(i));
        assert_true(record_number(&file, 1, HOSTILE, &number));
        assert_int_equal(number, i);
        assert_string_equal(file.fields.at[3], "-7");
        assert_int_equal(file.line, i + 2);
    }
    assert_false(record_next(&file));
    record_close(&file);
    assert_false(record_open(&file, path, "aprof-hostile", 4, &why));
    assert_non_null(strstr(why.text, "version 3 of `aprof-hostile'; this aprof reads version 4"));
    assert_false(record_open(&file, path, "aprof-host", 3, &why));
    unlink(path);
    free(expected.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_give_the_defined_bytes),
        cmocka_unit_test(reports_come_back),
        cmocka_unit_test(contexts_come_back),
        cmocka_unit_test(reports_of_analyses_come_back),
        cmocka_unit_test(records_of_paths_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
