/* Tests ranges of narrow direct-mapped shadows: no shared words, and space for each to grow.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "native/trms/shadow/direct_shadow_places.h"
#include "tests/property/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LOG2   30
#define BYTES  ((uintptr_t)1 << LOG2)
#define MIB    ((uintptr_t)1 << 20)
#define PAGE   ((uintptr_t)4096)
#define BOTH   (DIRECT_SHADOW_GROWS_UP | DIRECT_SHADOW_GROWS_DOWN)
#define ROUNDS 20000

static void the_way_between_two_is_shared(void **state)
{
    (void)state;
    struct direct_shadow_cluster heap = {5 * BYTES + 100 * MIB, 5 * BYTES + 200 * MIB,
                                         DIRECT_SHADOW_GROWS_UP};
    struct direct_shadow_cluster stack = {99 * BYTES + 900 * MIB, 99 * BYTES + 910 * MIB, 0};
    struct direct_shadow_cluster libraries = {77 * BYTES + 600 * MIB, 77 * BYTES + 700 * MIB, BOTH};
    struct direct_shadow_cluster clusters[] = {heap, libraries, stack};
    struct direct_shadow_places places;
    assert_true(direct_shadow_places_share(&places, LOG2, clusters, 3));
    assert_int_equal(places.n, 3);
    assert_int_equal(places.at[0].low, heap.low);
    assert_int_equal(places.at[0].high, heap.high + 200 * MIB);
    assert_int_equal(places.at[1].low, libraries.low - 200 * MIB);
    assert_int_equal(places.at[1].high, libraries.high + 200 * MIB);
    assert_int_equal(places.at[2].low, stack.low);
    assert_int_equal(places.at[2].high, stack.high);
    assert_true(direct_shadow_places_have(&places, heap.high, heap.high + 168 * MIB));
    assert_false(
        direct_shadow_places_have(&places, heap.high, heap.high + 169 * MIB)); /* the margin */
    assert_false(direct_shadow_places_have(&places, heap.low - MIB, heap.low));
    assert_false(direct_shadow_places_have(&places, 20 * BYTES, 20 * BYTES + 1));
}

static void what_shares_words_has_no_places(void **state)
{
    (void)state;
    struct direct_shadow_cluster one = {5 * BYTES + MIB, 5 * BYTES + 100 * MIB, BOTH};
    struct direct_shadow_cluster other = {9 * BYTES + 99 * MIB, 9 * BYTES + 120 * MIB, BOTH};
    struct direct_shadow_cluster across = {BYTES - MIB, BYTES + MIB, BOTH};
    struct direct_shadow_cluster clusters[] = {one, other};
    struct direct_shadow_places places;
    assert_false(direct_shadow_places_share(&places, LOG2, clusters, 2));
    assert_int_equal(places.n, 0);
    assert_false(direct_shadow_places_share(&places, LOG2, &across, 1));
    assert_true(direct_shadow_places_share(&places, LOG2, clusters, 1));
}

static void a_page_beside_each_multiple_has_no_place(void **state)
{
    (void)state;
    struct direct_shadow_cluster first = {5 * BYTES, 5 * BYTES + MIB, 0};
    struct direct_shadow_cluster last = {6 * BYTES - MIB, 6 * BYTES, 0};
    struct direct_shadow_places places;
    assert_false(direct_shadow_places_share(&places, LOG2, &first, 1));
    assert_false(direct_shadow_places_share(&places, LOG2, &last, 1));
    first.low += PAGE;
    last.high -= PAGE;
    assert_true(direct_shadow_places_share(&places, LOG2, &first, 1));
    assert_true(direct_shadow_places_share(&places, LOG2, &last, 1));
}

static bool share_a_word(const struct direct_shadow_place *a, const struct direct_shadow_place *b)
{
    uintptr_t low_a = a->low % BYTES, low_b = b->low % BYTES;
    return low_a < low_b + (b->high - b->low) && low_b < low_a + (a->high - a->low);
}

static void no_two_places_share_a_word(void **state)
{
    (void)state;
    struct rng rng = {1};
    unsigned found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct direct_shadow_cluster clusters[DIRECT_SHADOW_PLACES_MOST];
        struct direct_shadow_places places;
        unsigned n = 0;
        uintptr_t at = 0;
        for (unsigned i = 0, count = 1 + rng_below(&rng, 12); i < count; i++) {
            at += (1 + rng_below(&rng, 3000)) * MIB;
            uintptr_t end = at + (1 + rng_below(&rng, 40)) * MIB;
            struct direct_shadow_cluster next = {at, end, rng_below(&rng, 4)};
            assert_true(direct_shadow_cluster_add(clusters, &n, LOG2, &next));
            at = end;
        }
        if (!direct_shadow_places_share(&places, LOG2, clusters, n))
            continue;
        found++;
        for (unsigned i = 0; i < n; i++) {
            const struct direct_shadow_place *place = &places.at[i];
            assert_true(place->low % BYTES >= PAGE);
            assert_true(place->low % BYTES + (place->high - place->low) <= BYTES - PAGE);
            assert_true(place->low <= place->low_most && place->high_most <= place->high);
            for (unsigned j = 0; j < i; j++)
                assert_false(share_a_word(place, &places.at[j]));
            assert_true(direct_shadow_places_have(&places, clusters[i].low, clusters[i].high));
        }
    }
    assert_true(found > ROUNDS / 10);
}

static void what_lies_together_is_one_cluster(void **state)
{
    (void)state;
    struct direct_shadow_cluster clusters[DIRECT_SHADOW_PLACES_MOST];
    unsigned n = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct direct_shadow_cluster next = {BYTES + i * 10 * MIB, BYTES + (i * 10 + 1) * MIB,
                                             BOTH};
        assert_true(direct_shadow_cluster_add(clusters, &n, LOG2, &next));
    }
    assert_int_equal(n, 1);
    assert_int_equal(clusters[0].high, BYTES + 21 * MIB);
    for (unsigned i = 1; i < DIRECT_SHADOW_PLACES_MOST; i++) {
        struct direct_shadow_cluster next = {(i + 2) * BYTES, (i + 2) * BYTES + MIB, BOTH};
        assert_true(direct_shadow_cluster_add(clusters, &n, LOG2, &next));
    }
    struct direct_shadow_cluster more = {99 * BYTES, 99 * BYTES + MIB, BOTH};
    assert_false(direct_shadow_cluster_add(clusters, &n, LOG2, &more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_between_two_is_shared),
        cmocka_unit_test(what_shares_words_has_no_places),
        cmocka_unit_test(a_page_beside_each_multiple_has_no_place),
        cmocka_unit_test(no_two_places_share_a_word),
        cmocka_unit_test(what_lies_together_is_one_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
