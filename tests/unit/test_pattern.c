/* Unit tests of patterns of names: against the definition, and in bounded time.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include <unistd.h>

#include "ground/pattern.h"
#include "tests/property/rng.h"

#define ROUNDS         200000
#define LONG_BYTES     20000
#define LIMIT_SECONDS  60
#define PATTERN_LENGTH 8

/* The definition: `*` takes nothing, or one byte and then the rest. */
static bool matches(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    if (*pattern == '?')
        return *text && matches(pattern + 1, text + 1);
    if (*pattern == '\\' && pattern[1])
        pattern++;
    if (*pattern == '\0' || *text == '\0')
        return *pattern == *text;
    return *pattern == *text && matches(pattern + 1, text + 1);
}

static void random_text(struct rng *rng, const char *bytes, char *text)
{
    size_t length = rng_below(rng, PATTERN_LENGTH), n = strlen(bytes);
    for (size_t i = 0; i < length; i++)
        text[i] = bytes[rng_below(rng, n)];
    text[length] = '\0';
}

static void random_patterns_match_what_the_definition_says(void **state)
{
    struct rng rng = {1};
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        char pattern[PATTERN_LENGTH + 1], text[PATTERN_LENGTH + 1];
        random_text(&rng, "ab*?*\\", pattern);
        random_text(&rng, "ab*\\", text);
        bool wanted = matches(pattern, text);
        found += wanted;
        if (pattern_matches(pattern, text) != wanted)
            fail_msg("'%s' and '%s'", pattern, text);
    }
    assert_in_range(found, ROUNDS / 100, ROUNDS / 2);
}

static void brackets_are_ordinary(void **state)
{
    (void)state;
    assert_true(pattern_matches("operator[]", "operator[]"));
    assert_true(pattern_matches("*operator[](int*", "list::operator[](int) const"));
    assert_false(pattern_matches("[ab]", "a"));
}

/* With a search for each `*`, this match would never end. */
static void many_stars_take_no_longer(void **state)
{
    static char text[LONG_BYTES + 1], pattern[LONG_BYTES / 10];
    (void)state;
    memset(text, 'a', LONG_BYTES);
    for (size_t i = 0; i + 2 < sizeof pattern; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    alarm(LIMIT_SECONDS);
    assert_true(pattern_matches(pattern, text));
    strcat(pattern, "b");
    assert_false(pattern_matches(pattern, text));
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_match_what_the_definition_says),
        cmocka_unit_test(brackets_are_ordinary),
        cmocka_unit_test(many_stars_take_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
