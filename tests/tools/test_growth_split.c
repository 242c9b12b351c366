/* Tests of the text that describes the parts of scattered costs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "lib/growth/growth_split.h"
#include "lib/base/memory.h"

#include <stdlib.h>

static void add_part(struct growth_split *split, const char *caller, double share,
                     enum growth_class class)
{
    struct growth_split_part part = {.caller = caller, .share = share};
    part.claim.basis = GROWTH_BASIS_VALIDATED;
    part.claim.first = part.claim.last = class;
    vector_push(&split->parts, part);
}

static void assert_told(struct growth_split *split, const char *expected)
{
    char *words = growth_split_words(split);
    assert_string_equal(words, expected);
    free(words);
    growth_split_free(split);
}

static void a_few_callers_are_named(void **state)
{
    (void)state;
    struct growth_split split = {.by = GROWTH_SPLIT_CALLER};
    add_part(&split, "parse", 98, GROWTH_SQUARE);
    add_part(&split, "load", 2, GROWTH_LINEAR);
    assert_told(&split, "by its callers: n^2 from parse (98 %), n from load (2 %)");
}

static void of_many_callers_the_most_expensive_are_named(void **state)
{
    (void)state;
    static const char *const callers[] = {"a", "b", "c", "d", "e", "f"};
    struct growth_split split = {.by = GROWTH_SPLIT_CALLER};
    for (int i = 0; i < 6; i++)
        add_part(&split, callers[i], 40 - 8 * i, GROWTH_LINEAR);
    assert_told(&split, "by its callers: n from a (40 %), n from b (32 %), n from c (24 %), "
                        "n from d (16 %), 2 more (8 %)");
}

static void a_kind_of_input_is_one_line(void **state)
{
    (void)state;
    struct growth_split split = {.by = GROWTH_SPLIT_EXTERNAL};
    add_part(&split, NULL, 100, GROWTH_LINEAR);
    assert_told(&split, "by external input: n");
}

static void what_is_claimed_or_few_is_not_split(void **state)
{
    (void)state;
    struct growth_claim claim = {.basis = GROWTH_BASIS_VALIDATED};
    assert_false(growth_split_may_help(&claim));
    claim.basis = GROWTH_BASIS_FEW;
    assert_false(growth_split_may_help(&claim));
    claim.basis = GROWTH_BASIS_NO_FIT;
    assert_true(growth_split_may_help(&claim));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_callers_are_named),
        cmocka_unit_test(of_many_callers_the_most_expensive_are_named),
        cmocka_unit_test(a_kind_of_input_is_one_line),
        cmocka_unit_test(what_is_claimed_or_few_is_not_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
