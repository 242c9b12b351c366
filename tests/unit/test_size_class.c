/* Unit tests of the size classes of small blocks.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "aprof/size_class.h"

static void every_size_has_the_smallest_class_that_holds_it(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= SIZE_LARGEST_BYTES; bytes++) {
        uint32_t size_class = size_class_of(bytes);
        assert_in_range(size_class, 0, SIZE_CLASSES - 1);
        assert_true(size_class_bytes(size_class) >= bytes);
        assert_true(size_class == 0 || size_class_bytes(size_class - 1) < bytes);
    }
}

static void blocks_are_at_most_an_eighth_or_a_grain_too_large(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= SIZE_LARGEST_BYTES; bytes++) {
        size_t more = size_class_bytes(size_class_of(bytes)) - bytes;
        assert_true(more < SIZE_GRAIN_BYTES || more * 8 <= bytes);
    }
}

static void classes_grow_by_whole_grains_up_to_the_largest(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SIZE_CLASSES; i++) {
        assert_int_equal(size_class_bytes(i) % SIZE_GRAIN_BYTES, 0);
        assert_true(i == 0 || size_class_bytes(i) > size_class_bytes(i - 1));
    }
    assert_int_equal(size_class_bytes(SIZE_CLASSES - 1), SIZE_LARGEST_BYTES);
}

static void what_is_left_of_a_run_becomes_the_largest_block_that_fits(void **state)
{
    (void)state;
    for (size_t left = SIZE_GRAIN_BYTES; left <= 4 * SIZE_LARGEST_BYTES; left += SIZE_GRAIN_BYTES) {
        uint32_t size_class = size_class_within(left);
        assert_true(size_class_bytes(size_class) <= left);
        assert_true(size_class == SIZE_CLASSES - 1 || size_class_bytes(size_class + 1) > left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_has_the_smallest_class_that_holds_it),
        cmocka_unit_test(blocks_are_at_most_an_eighth_or_a_grain_too_large),
        cmocka_unit_test(classes_grow_by_whole_grains_up_to_the_largest),
        cmocka_unit_test(what_is_left_of_a_run_becomes_the_largest_block_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
