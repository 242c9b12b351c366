/* Unit tests of perf maps: the latest line of an address applies, and names are parsed.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aprof/perf_map.h"
#include "tests/host_test.h"
#include "tests/property/rng.h"
#include "tests/setting.h"

#define ADDRESSES 600 /* number of addresses in random maps: few, so that most entries overlap */

static void add(struct perf_map *map, const char *text)
{
    perf_map_add(map, text, strlen(text));
}

/* "name entry" of the code at `address`, or "-". */
static const char *found(const struct perf_map *map, uintptr_t address)
{
    static char text[2048];
    const struct perf_code *code = perf_map_find(map, address);
    if (!code)
        return "-";
    assert_true(code->start <= address && address < code->end);
    snprintf(text, sizeof text, "%s %lx", code->name, (unsigned long)code->entry);
    return text;
}

static void finish(struct perf_map *map)
{
    perf_map_free(map);
    assert_int_equal(host_test_report_live(), 0);
}

static void a_later_line_covers_an_earlier_one(void **state)
{
    (void)state;
    struct perf_map map = {0};
    assert_string_equal(found(&map, 0x100), "-");
    add(&map, "100 100 f\n120 20 g\n");
    assert_string_equal(found(&map, 0xff), "-");
    assert_string_equal(found(&map, 0x11f), "f 100");
    assert_string_equal(found(&map, 0x120), "g 120");
    assert_string_equal(found(&map, 0x140), "f 100");
    assert_string_equal(found(&map, 0x200), "-");
    add(&map, "0x80 0x0000c0 int java.lang.String.hashCode()\r\n");
    assert_string_equal(found(&map, 0x13f), "int java.lang.String.hashCode() 80");
    assert_string_equal(found(&map, 0x140), "f 100");
    finish(&map);
}

static void lines_that_are_no_entries_are_ignored(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "100\n",
        "100 10\n",
        "100 10 \n",
        " 100 10 f\n",
        "100 0 f\n",
        "100 -10 f\n",
        "g00 10 f\n",
        "100 1g f\n",
        "0x 10 f\n",
        "100 0x f\n",
        "100 10 unfinished",
        "ffffffffffffffff 10 f\n",
        "11111111111111111 10 f\n",
        "100 ffffffffffffff00 f\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct perf_map map = {0};
        add(&map, texts[i]);
        for (uintptr_t at = 0x0; at < 0x200; at++)
            assert_null(perf_map_find(&map, at));
        finish(&map);
    }
}

static void long_names_are_cut_and_control_characters_replaced(void **state)
{
    (void)state;
    struct perf_map map = {0};
    char line[3 * PERF_MAP_LINE_MAX];
    memset(line, 'x', sizeof line);
    memcpy(line, "100 10 a\tb", 10);
    line[sizeof line - 1] = '\n';
    perf_map_add(&map, line, sizeof line);
    const struct perf_code *code = perf_map_find(&map, 0x100);
    assert_non_null(code);
    assert_int_equal(strlen(code->name), PERF_MAP_LINE_MAX - strlen("100 10 "));
    assert_memory_equal(code->name, "a?bx", 4);
    add(&map, "200 10 g\n");
    assert_string_equal(found(&map, 0x200), "g 200");
    finish(&map);
}

/* Random entries in random parts, against a table with one cell for each address. */
static void random_maps_are_what_their_lines_say(void **state)
{
    (void)state;
    uint64_t seed = setting("APROF_SEED", 1), rounds = setting("APROF_ROUNDS", 200);
    for (uint64_t round = 0; round < rounds; round++) {
        struct rng rng = {seed + round};
        struct perf_map map = {0};
        unsigned valid[ADDRESSES] = {0}, n = 1 + rng_below(&rng, 90);
        for (unsigned i = 1; i <= n; i++) {
            unsigned start = rng_below(&rng, ADDRESSES - 1);
            unsigned bytes = 1 + rng_below(&rng, rng_once_in(&rng, 3) ? ADDRESSES : 20);
            char line[64];
            int length = snprintf(line, sizeof line, "%x %x n%u\n", start, bytes, i);
            int part = (int)rng_below(&rng, (uint32_t)length);
            perf_map_add(&map, line, (size_t)part);
            perf_map_add(&map, line + part, (size_t)(length - part));
            for (unsigned at = start; at < start + bytes && at < ADDRESSES; at++)
                valid[at] = i;
        }
        for (unsigned at = 0; at < ADDRESSES; at++) {
            const struct perf_code *code = perf_map_find(&map, at);
            if ((code ? (unsigned)atoi(code->name + 1) : 0) != valid[at])
                fail_msg("address %x: APROF_SEED=%lu APROF_ROUNDS=1", at,
                         (unsigned long)(seed + round));
        }
        finish(&map);
    }
}

/* 50 000 pieces of code, one line after the other and a look-up after each. */
static void many_lines_take_little_memory(void **state)
{
    (void)state;
    struct perf_map map = {0};
    for (unsigned i = 0; i < 50000; i++) {
        char line[64];
        int length = snprintf(line, sizeof line, "%x 18 f%u\n", 0x10000 + 16 * (i % 9973), i);
        perf_map_add(&map, line, (size_t)length);
        assert_non_null(perf_map_find(&map, 0x10000 + 16 * (i % 9973)));
    }
    assert_true(host_test_live_bytes("aprof.perf_map.codes") < 100000 * sizeof(struct perf_code));
    finish(&map);
}

static void check_name(const char *name, const char *expected)
{
    struct perf_function f = perf_function_of(name);
    char text[512];
    snprintf(text, sizeof text, "%.*s%.*s|%.*s|%u%s", (int)f.name.n, f.name.at, (int)f.place.n,
             f.place.n ? f.place.at : "", (int)f.file.n, f.file.n ? f.file.at : "", f.line,
             f.is_runtime    ? " runtime"
             : f.is_prologue ? " prologue"
                             : "");
    assert_string_equal(text, expected);
}

static void names_of_run_time_systems_are_understood(void **state)
{
    (void)state;
    check_name("py::Book.insert:/srv/book.py", "Book.insert|/srv/book.py|0");
    check_name("py::<module>:C:/b.py", "<module>|C:/b.py|0");
    check_name("py::", "py::||0");
    check_name("py:::x", "py:::x||0");
    check_name("hook:Book::insert\n/srv/b:c.pl", "Book::insert|/srv/b:c.pl|0");
    check_name("hook:main chunk\n", "main chunk||0");
    check_name("hook:\n/srv/book.pl", "hook:\n/srv/book.pl||0");
    check_name("hook:insert", "hook:insert||0");
    check_name("JS:~insert /srv/my book.js:1:16", "insert|/srv/my book.js|1");
    check_name("JS:*insert /srv/book.js:1:16", "insert|/srv/book.js|1");
    check_name("LazyCompile:^get node:internal/a:20:3", "get|node:internal/a|20");
    check_name("JS:~ /srv/book.js:9:3", "(anonymous):9:3|/srv/book.js|9");
    check_name("Eval:~ /srv/book.js:1:1", "(anonymous):1:1|/srv/book.js|1");
    check_name("Function:^insert /srv/my book.js:31", "insert|/srv/my book.js|31");
    check_name("Script:~ /srv/book.js:1", "(anonymous):1|/srv/book.js|1");
    check_name("JS:~insert", "JS:~insert||0");
    check_name("JS:~insert /a:b", "JS:~insert /a:b||0");
    check_name("JS:1:2", "JS:1:2||0");
    check_name("JS:", "JS:||0");
    check_name("JS:~f /a:99999999999:1", "f|/a:99999999999|1");
    check_name("JS:~f /a:1:99999999999", "JS:~f /a:1:99999999999||0");
    check_name("Builtin:ArrayMap", "Builtin:ArrayMap||0 runtime");
    check_name("BytecodeHandler:LdaZero", "BytecodeHandler:LdaZero||0 runtime");
    check_name("$lists:sort/1", "lists:sort/1||0");
    check_name("$lists:sort/1-CodeInfoPrologue", "lists:sort/1||0 prologue");
    check_name("$-CodeInfoPrologue", "-CodeInfoPrologue||0");
    check_name("$", "$||0");
    check_name("int Book.insert(int[], int)", "Book.insert(int[], int)||0");
    check_name("void a.B$C.<init>()", "a.B$C.<init>()||0");
    check_name("StubRoutines (1)", "StubRoutines (1)||0");
    check_name("a b c.d()", "a b c.d()||0");
    check_name("int f()", "int f()||0");
    check_name("int A.f(", "int A.f(||0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_line_covers_an_earlier_one),
        cmocka_unit_test(lines_that_are_no_entries_are_ignored),
        cmocka_unit_test(long_names_are_cut_and_control_characters_replaced),
        cmocka_unit_test(random_maps_are_what_their_lines_say),
        cmocka_unit_test(many_lines_take_little_memory),
        cmocka_unit_test(names_of_run_time_systems_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
