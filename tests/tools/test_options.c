/* Options of commands that read several kinds of reports: one table for all kinds.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/load/command_line.h"
#include "lib/base/message.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    int sort;
    bool tree, filter;
    unsigned long top;
};

static const char *const point_keys[] = {"self", "growth", NULL};
static const char *const context_keys[] = {"count", "depth", "growth", NULL};

static const struct option_entry rows[] = {
    {'s', "sort", "KEY", "* [self]", OPTION_INTO(struct settings, sort), OPTION_CHOICES(point_keys),
     .kinds = OPTION_FOR(REPORT_POINTS)},
    {'s', "sort", "KEY", "* [count]", OPTION_INTO(struct settings, sort),
     OPTION_CHOICES(context_keys), .kinds = OPTION_FOR(REPORT_CONTEXTS)},
    {0, "tree", NULL, "as a tree", OPTION_INTO(struct settings, tree),
     .kinds = OPTION_FOR(REPORT_CONTEXTS)},
    {0, "filter", NULL, "fewer", OPTION_INTO(struct settings, filter),
     .kinds = OPTION_FOR(REPORT_POINTS) | OPTION_FOR(REPORT_EVENTS)},
    {'n', "top", "N", "N of them", OPTION_INTO(struct settings, top)},
    {0}};

#define COMMAND(of)                                                                                \
    {                                                                                              \
        .usage = "", .details = "", .options = rows, .kinds = of, .operands_most = 2,              \
        .operands = "a word"                                                                       \
    }
static const struct command points = COMMAND(OPTION_FOR(REPORT_POINTS));
static const struct command contexts = COMMAND(OPTION_FOR(REPORT_CONTEXTS));
static const struct command events = COMMAND(OPTION_FOR(REPORT_EVENTS));
static const char *wrong_shape(const void *settings)
{
    const struct settings *s = settings;
    return s->tree && s->top == 1 ? "--tree and --top=1 exclude each other" : NULL;
}

static const struct command strict = {.usage = "",
                                      .details = "",
                                      .options = rows,
                                      .kinds = OPTION_FOR(REPORT_CONTEXTS),
                                      .wrong = wrong_shape};
static const struct command whole = {.usage = "",
                                     .details = "",
                                     .options = rows,
                                     .operands_most = 2,
                                     .operands = "a word",
                                     .verb = 1};

static char name[] = "show";

/* Parses "show WORDS..." and returns what was printed as a message, which the caller frees. */
static char *parse(const struct command *command, struct settings *s, char **argv)
{
    struct options options;
    char *printed = NULL;
    size_t bytes;
    FILE *real = stderr;
    *s = (struct settings){.sort = -1};
    stderr = open_memstream(&printed, &bytes);
    bool good = options_parse(&options, command, argv, s);
    fclose(stderr);
    stderr = real;
    assert_int_equal(good, bytes == 0);
    return printed;
}

static void expect(const struct command *command, struct settings *s, char **argv,
                   const char *message)
{
    char *printed = parse(command, s, argv);
    assert_string_equal(printed, message);
    free(printed);
}

#define WORDS(...)                                                                                 \
    (char *[])                                                                                     \
    {                                                                                              \
        name, __VA_ARGS__, NULL                                                                    \
    }

static void test_row_of_the_kind_takes_the_value(void **state)
{
    struct settings s;
    (void)state;
    expect(&points, &s, WORDS((char[]){"-s"}, (char[]){"growth"}), "");
    assert_int_equal(s.sort, 1);
    expect(&contexts, &s, WORDS((char[]){"file"}, (char[]){"--sort=growth"}), "");
    assert_int_equal(s.sort, 2);
    expect(&points, &s, WORDS((char[]){"--sort=depth"}),
           "aprof: show: --sort must be one of self, growth, not depth; see 'aprof help show'\n");
    expect(&contexts, &s, WORDS((char[]){"--tree"}, (char[]){"-n3"}), "");
    assert_true(s.tree && s.top == 3);
}

static void test_row_of_another_kind_does_not_apply(void **state)
{
    struct settings s;
    (void)state;
    expect(&points, &s, WORDS((char[]){"--tree"}),
           "aprof: show: --tree does not apply to points of routines; see 'aprof help show'\n");
    expect(&contexts, &s, WORDS((char[]){"--fil"}),
           "aprof: show: --filter does not apply to calling contexts; see 'aprof help show'\n");
    expect(&events, &s, WORDS((char[]){"-s"}, (char[]){"depth"}),
           "aprof: show: --sort does not apply to counts of events; see 'aprof help show'\n");
    expect(&events, &s, WORDS((char[]){"--filter"}), "");
    assert_true(s.filter);
}

static void test_scan_finds_operands_of_any_kind(void **state)
{
    struct options options;
    char **argv = WORDS((char[]){"-s"}, (char[]){"depth"}, (char[]){"a"}, (char[]){"--tree"},
                        (char[]){"b"}, (char[]){"-n"}, (char[]){"1"});
    struct settings s;
    (void)state;
    assert_true(options_scan(&options, &whole, argv));
    assert_int_equal(options.operands.count, 2);
    assert_string_equal(options.operands.at[0], "a");
    assert_string_equal(options.operands.at[1], "b");
    expect(&contexts, &s, argv, "");
    assert_true(s.tree && s.top == 1 && s.sort == 1);
}

static void test_settings_may_be_wrong_together(void **state)
{
    struct settings s;
    (void)state;
    expect(&strict, &s, WORDS((char[]){"-n2"}, (char[]){"--tree"}), "");
    expect(&strict, &s, WORDS((char[]){"-n1"}), "");
    expect(&strict, &s, WORDS((char[]){"-n1"}, (char[]){"--tree"}),
           "aprof: show: --tree and --top=1 exclude each other; see 'aprof help show'\n");
}

static void test_help_says_which_kinds(void **state)
{
    char *printed = NULL;
    size_t bytes;
    FILE *real = stdout;
    (void)state;
    stdout = open_memstream(&printed, &bytes);
    options_print_command(&whole, name);
    options_print_command(&events, name);
    fclose(stdout);
    stdout = real;
    assert_non_null(strstr(printed, "self or growth [self] (points)\n"));
    assert_non_null(strstr(printed, "fewer (points, events)\n"));
    assert_non_null(strstr(printed, "N of them\n"));
    char *of_events = strstr(printed + 1, "usage:");
    assert_non_null(of_events);
    assert_null(strstr(of_events, "--tree"));
    assert_non_null(strstr(of_events, "fewer\n"));
    free(printed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_of_the_kind_takes_the_value),
        cmocka_unit_test(test_row_of_another_kind_does_not_apply),
        cmocka_unit_test(test_scan_finds_operands_of_any_kind),
        cmocka_unit_test(test_settings_may_be_wrong_together),
        cmocka_unit_test(test_help_says_which_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
