/* Unit tests of jitdumps: the latest line of an address applies, and damaged records are ignored.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/jit_dump.h"
#include "tests/host_test.h"
#include "tests/property/rng.h"
#include "tests/setting.h"

#define ADDRESSES  600 /* number of addresses in random dumps: few, so that most lines overlap */
#define BYTES_MAX  300000
#define LINES_MAX  8
#define NO_PADDING 0

/* The text of a dump. */
struct dump_text {
    unsigned char bytes[BYTES_MAX];
    size_t n;
};

static struct dump_text text;

static void put(const void *bytes, size_t n)
{
    assert_true(text.n + n <= sizeof text.bytes);
    memcpy(text.bytes + text.n, bytes, n);
    text.n += n;
}

static void put_32(uint32_t value)
{
    put(&value, sizeof value);
}

static void put_64(uint64_t value)
{
    put(&value, sizeof value);
}

static void put_header(void)
{
    text.n = 0;
    put_32(0x4a695444);
    put_32(1);
    put_32(40);
    for (unsigned i = 0; i < 7; i++)
        put_32(0);
}

static size_t begin_record(uint32_t id)
{
    put_32(id);
    put_32(0);
    put_64(0);
    return text.n - 16;
}

static void end_record(size_t begin)
{
    uint32_t size = (uint32_t)(text.n - begin);
    memcpy(text.bytes + begin + 4, &size, sizeof size);
}

struct line {
    uint64_t address;
    uint32_t line;
    const char *file;
};

static void put_lines(const struct line *lines, unsigned n, unsigned padding)
{
    size_t begin = begin_record(2);
    put_64(0);
    put_64(n);
    for (unsigned i = 0; i < n; i++) {
        put_64(lines[i].address);
        put_32(lines[i].line);
        put_32(0);
        put(lines[i].file, strlen(lines[i].file) + 1);
    }
    for (unsigned i = 0; i < padding; i++)
        put("", 1);
    end_record(begin);
}

static void put_code(uint64_t address, uint64_t bytes, size_t n_code)
{
    size_t begin = begin_record(0);
    put_64(0);
    put_64(address);
    put_64(address);
    put_64(bytes);
    put_64(0);
    put("f", 2);
    for (size_t i = 0; i < n_code; i++)
        put("\x90", 1);
    end_record(begin);
}

/* Reads the text as the tool does, from a file that grows by `step` bytes. */
static void read_all(struct jit_dump *dump, size_t step)
{
    size_t read = 0;
    for (size_t end = step < text.n ? step : text.n;;
         end = end + step < text.n ? end + step : text.n) {
        while (read < end) {
            size_t n = end - read < JIT_DUMP_RECORD_MAX ? end - read : JIT_DUMP_RECORD_MAX;
            size_t skip = jit_dump_add(dump, text.bytes + read, n);
            if (!skip)
                break;
            read += skip;
        }
        if (end == text.n)
            break;
    }
}

/* "FILE:LINE" of the address, "-" if it is not known. */
static const char *found(const struct jit_dump *dump, uintptr_t address)
{
    static char place[512];
    uint32_t line;
    const char *file = jit_dump_line(dump, address, &line);
    if (!file)
        return "-";
    snprintf(place, sizeof place, "%s:%u", file, line);
    return place;
}

static void finish(struct jit_dump *dump)
{
    jit_dump_free(dump);
    assert_int_equal(host_test_report_live(), 0);
}

static void a_line_applies_up_to_the_next_line(void **state)
{
    (void)state;
    struct jit_dump dump = {0};
    put_header();
    put_lines(
        (struct line[]){
            {0xf0, 3, "book.erl"}, {0x110, 4, "\xff"}, {0x118, 0, ""}, {0x120, 9, "b.erl"}},
        4, NO_PADDING);
    put_code(0x100, 0x40, 0x40);
    read_all(&dump, 1);
    assert_string_equal(found(&dump, 0xef), "-");
    assert_string_equal(found(&dump, 0xf0), "book.erl:3");
    assert_string_equal(found(&dump, 0x10f), "book.erl:3");
    assert_string_equal(found(&dump, 0x110), "book.erl:4");
    assert_string_equal(found(&dump, 0x118), "-");
    assert_string_equal(found(&dump, 0x120), "b.erl:9");
    assert_string_equal(found(&dump, 0x13f), "b.erl:9");
    assert_string_equal(found(&dump, 0x140), "-");
    finish(&dump);
}

static void code_without_lines_ends_the_latest_lines(void **state)
{
    (void)state;
    struct jit_dump dump = {0};
    put_header();
    put_lines((struct line[]){{0x100, 3, "a"}}, 1, 7);
    put_code(0x100, 0x10, 0);
    put_code(0x200, 0x10, 0);
    read_all(&dump, text.n);
    assert_string_equal(found(&dump, 0x10f), "a:3");
    assert_string_equal(found(&dump, 0x110), "-");
    assert_string_equal(found(&dump, 0x200), "-");
    finish(&dump);
}

static void long_records_are_skipped(void **state)
{
    (void)state;
    struct jit_dump dump = {0};
    put_header();
    put_lines((struct line[]){{0x100, 3, "a"}}, 1, NO_PADDING);
    put_code(0x100, 0x10, 2 * JIT_DUMP_RECORD_MAX);
    put_lines((struct line[]){{0x200, 4, "b"}}, 1, NO_PADDING);
    put_code(0x200, 0x10, 0);
    read_all(&dump, 1000);
    assert_string_equal(found(&dump, 0x100), "-");
    assert_string_equal(found(&dump, 0x200), "b:4");
    finish(&dump);
}

static void records_that_contradict_the_format_are_ignored(void **state)
{
    (void)state;
    static const struct line descending[] = {{0x110, 3, "a"}, {0x100, 4, "a"}};
    static const struct line negative[] = {{0x100, 0x80000000, "a"}};
    static const struct line valid[] = {{0x100, 3, "a"}};
    for (unsigned i = 0; i < 5; i++) {
        struct jit_dump dump = {0};
        put_header();
        size_t begin = text.n;
        if (i < 2)
            put_lines(i ? negative : descending, i ? 1 : 2, NO_PADDING);
        else
            put_lines(valid, 1, i == 2 ? 8 : NO_PADDING);
        if (i == 3)
            text.bytes[begin + 24]++; /* one line more than the record has */
        if (i == 4)
            text.bytes[text.n - 1] = 'x'; /* the file's name does not end */
        put_code(0x100, 0x40, 0);
        read_all(&dump, text.n);
        assert_string_equal(found(&dump, 0x100), "-");
        finish(&dump);
    }
}

static void a_file_that_is_no_jitdump_has_no_lines(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct jit_dump dump = {0};
        put_header();
        text.bytes[i == 0 ? 0 : 8] = i == 1 ? 39 : 'x';
        if (i == 2)
            text.n = 39;
        put_lines((struct line[]){{0x100, 3, "a"}}, 1, NO_PADDING);
        put_code(0x100, 0x40, 0);
        read_all(&dump, 64);
        assert_string_equal(found(&dump, 0x100), "-");
        finish(&dump);
    }
}

/* Random records, against a table with one cell for each address. Each second dump is then damaged:
 * reading it must end, and must free everything. */
static void random_dumps_are_what_their_records_say(void **state)
{
    (void)state;
    static const char *const files[] = {"a.erl", "b.erl", "/srv/c.erl", "\xff"};
    uint64_t seed = setting("APROF_SEED", 1), rounds = setting("APROF_ROUNDS", 200);
    for (uint64_t round = 0; round < rounds; round++) {
        struct rng rng = {seed + round};
        struct jit_dump dump = {0};
        static struct {
            uint32_t line;
            const char *file;
        } valid[ADDRESSES];
        memset(valid, 0, sizeof valid);
        put_header();
        for (unsigned i = rng_below(&rng, 60); i > 0; i--) {
            struct line lines[LINES_MAX];
            unsigned n = 1 + rng_below(&rng, LINES_MAX), start = rng_below(&rng, ADDRESSES / 2),
                     at = start;
            const char *file = NULL;
            for (unsigned k = 0; k < n; k++, at += rng_below(&rng, 20))
                lines[k] = (struct line){at, rng_below(&rng, 5), files[rng_below(&rng, 4)]};
            unsigned end = (unsigned)lines[n - 1].address + 1 + rng_below(&rng, 40);
            put_lines(lines, n, rng_below(&rng, 8));
            put_code(start, end - start, rng_below(&rng, 100));
            for (unsigned k = 0; k < n; k++) {
                file = lines[k].file[0] == '\xff' ? file : lines[k].file;
                unsigned to = k + 1 < n ? (unsigned)lines[k + 1].address : end;
                for (unsigned a = (unsigned)lines[k].address; a < to && a < ADDRESSES; a++)
                    if (file && lines[k].line) {
                        valid[a].line = lines[k].line;
                        valid[a].file = file;
                    }
            }
        }
        bool is_damaged = round % 2 && text.n > 40;
        for (unsigned i = 0; is_damaged && i < 3; i++)
            text.bytes[rng_below(&rng, (uint32_t)text.n)] ^=
                (unsigned char)(1 + rng_below(&rng, 255));
        read_all(&dump, 1 + rng_below(&rng, 5000));
        for (unsigned at = 0; !is_damaged && at < ADDRESSES; at++) {
            uint32_t line;
            const char *file = jit_dump_line(&dump, at, &line);
            if (line != valid[at].line || !file != !valid[at].file ||
                (file && strcmp(file, valid[at].file) != 0))
                fail_msg("address %x: APROF_SEED=%lu APROF_ROUNDS=1", at,
                         (unsigned long)(seed + round));
        }
        finish(&dump);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_applies_up_to_the_next_line),
        cmocka_unit_test(code_without_lines_ends_the_latest_lines),
        cmocka_unit_test(long_records_are_skipped),
        cmocka_unit_test(records_that_contradict_the_format_are_ignored),
        cmocka_unit_test(a_file_that_is_no_jitdump_has_no_lines),
        cmocka_unit_test(random_dumps_are_what_their_records_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
