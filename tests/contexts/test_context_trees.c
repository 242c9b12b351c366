/* Unit tests of trees of contexts, their summaries and cursors, and of phi and epsilon as text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "contexts/context_cursor.h"
#include "contexts/fraction.h"
#include "tests/host_test.h"
#include "tests/property/rng.h"
#include "tests/unit/cmocka_all.h"

static struct context_tree *make_tree(enum context_summary_kind summary, uint32_t counters)
{
    struct context_tree_config config = {.summary = summary, .call_sites = true};
    config.epsilon = counters ? FRACTION_ONE / counters : 0;
    config.phi = 2 * config.epsilon;
    return context_tree_new(&config);
}

static void end(struct context_tree *tree)
{
    context_tree_free(tree);
    assert_int_equal(host_test_live_bytes(NULL), 0);
}

/* ---------------------------------------------------------------- trees */

static void test_same_context_is_one_node(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_ALL, 0);
    struct context_node *a = context_tree_child(tree, tree->root, 1, 10);
    assert_ptr_equal(context_tree_child(tree, tree->root, 1, 10), a);
    assert_ptr_not_equal(context_tree_child(tree, tree->root, 1, 11), a);
    assert_ptr_not_equal(context_tree_child(tree, a, 1, 10), a);
    assert_int_equal(tree->n_nodes, 4);
    end(tree);
}

static void test_sites_can_be_off(void **state)
{
    (void)state;
    struct context_tree_config config = {.summary = CONTEXTS_ALL};
    struct context_tree *tree = context_tree_new(&config);
    struct context_node *a = context_tree_child(tree, tree->root, 1, 10);
    assert_ptr_equal(context_tree_child(tree, tree->root, 1, 11), a);
    assert_int_equal(a->site, 0);
    end(tree);
}

/* Chains remain short for any number of children, if routines have addresses as in a program. */
static void test_wide_contexts_are_found_in_few_steps(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_ALL, 0);
    for (uintptr_t i = 0; i < 300000; i++)
        context_tree_child(tree, tree->root, 0x400000 + i * 16, 0x7f0000 + i % 7 * 5);
    for (uint32_t i = 0; i < 1u << tree->heads_log2; i++) {
        uint32_t length = 0;
        for (uint32_t at = tree->heads[i]; at; at = context_tree_at(tree, at)->chain)
            length++;
        assert_true(length < 20);
    }
    context_tree_check(tree, 0);
    end(tree);
}

struct order {
    uintptr_t routines[16];
    uint32_t parents[16];
    uint32_t n;
};

static void note(void *closure, const struct context_node *node, uint32_t id, uint32_t parent)
{
    struct order *order = closure;
    assert_int_equal(id, order->n);
    order->routines[order->n] = node->routine;
    order->parents[order->n++] = parent;
}

static void test_visit_is_depth_first_in_order_of_creation(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_ALL, 0);
    struct context_node *a = context_tree_child(tree, tree->root, 1, 0);
    struct context_node *b = context_tree_child(tree, tree->root, 2, 0);
    context_tree_child(tree, b, 3, 0);
    context_tree_count(tree, context_tree_child(tree, a, 4, 0), 7);
    struct order all = {.n = 0}, hot = {.n = 0};
    assert_int_equal(context_tree_visit(tree, 0, note, &all), 5);
    assert_memory_equal(all.routines, ((uintptr_t[]){0, 1, 4, 2, 3}), 5 * sizeof(uintptr_t));
    assert_memory_equal(all.parents, ((uint32_t[]){0, 0, 1, 0, 3}), 5 * sizeof(uint32_t));
    assert_int_equal(context_tree_visit(tree, 7, note, &hot), 3);
    assert_memory_equal(hot.routines, ((uintptr_t[]){0, 1, 4}), 3 * sizeof(uintptr_t));
    end(tree);
}

/* ---------------------------------------------------------------- pruning */

static bool has(const struct context_tree *tree, const char *path)
{
    const struct context_node *node = tree->root;
    for (; *path; path++) {
        const struct context_node *child = NULL;
        for (uint32_t i = 1; i < tree->n_used && !child; i++) {
            const struct context_node *at = context_tree_at(tree, i);
            if (at->parent == node && at->routine == (uintptr_t)*path)
                child = at;
        }
        if (!child)
            return false;
        node = child;
    }
    return true;
}

/* The example at the head of hcct.c: m calls a, a calls b; m calls c, then d. */
static void test_victims_go_with_their_unmonitored_ancestors(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_SPACE_SAVING, 2);
    struct context_cursor cursor;
    context_cursor_start(&cursor, tree);
    context_cursor_call(&cursor, 'm', 0, 0);
    context_cursor_call(&cursor, 'a', 0, 0);
    context_cursor_count(&cursor, 1); /* the count of a is 2, so that m is the victim */
    context_cursor_call(&cursor, 'b', 0, 0);
    context_cursor_cut_back(&cursor, 1);
    assert_true(has(tree, "mab"));
    assert_int_equal(tree->n_monitored, 2);
    context_cursor_call(&cursor, 'c', 0, 0);
    assert_true(has(tree, "mc"));
    assert_true(has(tree, "ma")); /* the context lost its counter, or is the parent of b */
    context_cursor_leave(&cursor);
    for (int i = 0; i < 9; i++) {
        context_cursor_call(&cursor, (uintptr_t) "de"[i % 2], 0, 0);
        context_cursor_leave(&cursor);
    }
    assert_false(has(tree, "ma"));
    assert_true(has(tree, "md"));
    assert_true(has(tree, "me"));
    context_tree_check(tree, cursor.depth);
    context_cursor_end(&cursor);
    end(tree);
}

/* If a context is evicted while it is running, it remains in the tree only until it returns. */
static void test_current_context_stays(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_LAZY_SPACE_SAVING, 1);
    struct context_cursor mine, other;
    context_cursor_start(&mine, tree);
    context_cursor_start(&other, tree);
    context_cursor_call(&mine, 'a', 0, 0);
    context_cursor_call(&other, 'b', 0, 0);
    assert_true(has(tree, "a"));
    assert_int_equal(mine.node->slot, 0);
    context_tree_check(tree, 2);
    context_cursor_leave(&mine);
    assert_false(has(tree, "a"));
    context_cursor_end(&mine);
    context_cursor_end(&other);
    end(tree);
}

static void count_eviction(void *closure, struct context_node *node)
{
    assert_int_not_equal(node->slot, 0);
    ++*(int *)closure;
}

static void test_evictions_are_told(void **state)
{
    (void)state;
    int evictions = 0;
    struct context_tree_config config = {.summary = CONTEXTS_LAZY_SPACE_SAVING,
                                         .epsilon = FRACTION_ONE / 3,
                                         .evicted = count_eviction,
                                         .closure = &evictions};
    struct context_tree *tree = context_tree_new(&config);
    for (uintptr_t i = 1; i <= 10; i++)
        context_tree_count(tree, context_tree_child(tree, tree->root, i, 0), 1);
    uint32_t limit = tree->n_monitored;
    assert_int_equal(evictions, 10 - limit);
    context_tree_clear(tree);
    assert_int_equal(evictions, 10);
    assert_int_equal(tree->n_nodes, 1);
    end(tree);
}

/* Section 3.2's example: N activations, main and p once each, q all others; epsilon 1/4, phi 1/2.
 */
static void test_example_of_section_3_2(void **state)
{
    (void)state;
    for (int kind = CONTEXTS_LAZY_SPACE_SAVING; kind < CONTEXT_SUMMARY_KINDS; kind++) {
        struct context_tree *tree = make_tree((enum context_summary_kind)kind, 4);
        struct context_cursor cursor;
        struct order hot = {.n = 0};
        context_cursor_start(&cursor, tree);
        context_cursor_call(&cursor, 'm', 0, 0);
        context_cursor_call(&cursor, 'p', 0, 0);
        context_cursor_leave(&cursor);
        for (int i = 0; i < 18; i++) {
            context_cursor_call(&cursor, 'q', 0, 0);
            context_cursor_leave(&cursor);
        }
        uint64_t least = context_tree_threshold(tree, FRACTION_ONE / 2);
        assert_int_equal(least, kind == CONTEXTS_STICKY_SAMPLING ? 5 : 10);
        context_tree_visit(tree, least, note, &hot);
        assert_memory_equal(hot.routines, ((uintptr_t[]){0, 'm', 'q'}), 3 * sizeof(uintptr_t));
        assert_int_equal(hot.n, 3);
        context_cursor_end(&cursor);
        end(tree);
    }
}

/* One context has 30 % of the events, all other contexts have one event: the count of the frequent
 * context is correct. */
static void test_heavy_context_among_cold_ones(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_LAZY_SPACE_SAVING, 50);
    uint64_t calls = 0;
    for (uintptr_t i = 0; i < 100000; i++) {
        bool heavy = i % 10 < 3;
        calls += heavy;
        context_tree_count(tree, context_tree_child(tree, tree->root, heavy ? 1 : i + 2, 0), 1);
    }
    struct context_node *heavy = context_tree_child(tree, tree->root, 1, 0);
    assert_int_equal(heavy->count - context_tree_error(tree, heavy), calls);
    assert_int_equal(tree->n_monitored, 50);
    assert_true(tree->steps <= 2 * (tree->total + 50));
    end(tree);
}

/* The rate doubles as the stream grows, so that cold contexts are dropped about as fast as they are
 * added.
 */
static void test_sticky_sampling_keeps_few(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_STICKY_SAMPLING, 10);
    for (uintptr_t i = 0; i < 1000000; i++)
        context_tree_count(tree, context_tree_child(tree, tree->root, i / 2 + 1, 0), 1);
    /* t = 10 ln(2^20 * 5) = 155; expected are at most 2t at a rate of r > N/(2t) */
    assert_in_range(tree->n_monitored, 60, 400);
    assert_true(tree->n_nodes == tree->n_monitored + 1);
    end(tree);
}

/* ---------------------------------------------------------------- cursors */

static void test_depth_has_no_limit(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_LAZY_SPACE_SAVING, 1000);
    struct context_cursor cursor;
    context_cursor_start(&cursor, tree);
    for (uintptr_t i = 0; i < 1500000; i++)
        context_cursor_call(&cursor, 1, 2, 0);
    assert_int_equal(cursor.depth, 1500000);
    assert_int_equal(cursor.deepest, 1500000);
    assert_int_equal(tree->n_nodes, 1500001);
    context_tree_check(tree, cursor.depth);
    context_cursor_cut_back(&cursor, 10);
    context_tree_check(tree, 10);
    context_cursor_end(&cursor);
    assert_int_equal(cursor.deepest, 1500000);
    end(tree);
}

static void test_folded_recursion_returns_to_where_it_was(void **state)
{
    (void)state;
    struct context_tree_config config = {.summary = CONTEXTS_ALL, .recursion_limit = 1};
    struct context_tree *tree = context_tree_new(&config);
    struct context_cursor cursor;
    context_cursor_start(&cursor, tree);
    context_cursor_call(&cursor, 'a', 0, 0);
    struct context_node *a = cursor.node;
    context_cursor_call(&cursor, 'b', 0, 0);
    struct context_node *b = cursor.node;
    context_cursor_call(&cursor, 'a', 0, 0);
    assert_ptr_equal(cursor.node, a);
    context_cursor_call(&cursor, 'a', 0, 0);
    assert_ptr_equal(cursor.node, a);
    context_cursor_call(&cursor, 'b', 0, 0);
    assert_ptr_equal(cursor.node, b);
    assert_int_equal(a->count, 3);
    context_cursor_cut_back(&cursor, 2);
    assert_ptr_equal(cursor.node, b);
    context_cursor_end(&cursor);
    end(tree);
}

/* Stack pointers as marks: after a longjmp, the frames below the stack pointer no longer exist. */
static void test_marks_tell_what_a_jump_has_left(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_LAZY_SPACE_SAVING, 100);
    struct context_cursor cursor;
    context_cursor_start(&cursor, tree);
    for (uintptr_t i = 0; i < 5; i++)
        context_cursor_call(&cursor, i + 1, 0, 0x1000 - 16 * i);
    context_cursor_cut_below(&cursor, 0x1000 - 16 * 2);
    assert_int_equal(cursor.depth, 3);
    assert_int_equal(context_cursor_mark(&cursor), 0x1000 - 16 * 2);
    context_cursor_cut_below(&cursor, 0x2000);
    assert_int_equal(cursor.depth, 0);
    context_cursor_leave(&cursor);
    assert_int_equal(cursor.depth, 0);
    context_cursor_end(&cursor);
    end(tree);
}

static void test_move_keeps_common_frames(void **state)
{
    (void)state;
    struct context_tree *tree = make_tree(CONTEXTS_LAZY_SPACE_SAVING, 100);
    struct context_cursor cursor;
    struct context_call path[] = {{1, 5, 90}, {2, 5, 80}, {7, 5, 70}};
    context_cursor_start(&cursor, tree);
    for (uintptr_t i = 1; i <= 4; i++)
        context_cursor_call(&cursor, i, 5, 100 - i);
    struct context_node *common = cursor.frames[2].node;
    context_cursor_move(&cursor, path, 3);
    assert_int_equal(cursor.depth, 3);
    assert_ptr_equal(cursor.frames[2].node, common);
    assert_ptr_equal(cursor.node->parent, common);
    assert_int_equal(cursor.frames[1].mark, 90);
    assert_int_equal(cursor.calls, 4);
    assert_int_equal(tree->total, 4);
    context_tree_check(tree, 3);
    context_cursor_move(&cursor, path, 0);
    assert_int_equal(cursor.depth, 0);
    context_cursor_end(&cursor);
    end(tree);
}

/* ---------------------------------------------------------------- fractions */

static void test_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t fraction; /* 0: refused */
        const char *written;
    } cases[] = {
        {"1e-4", 100000, "0.0001"},
        {"0.0001", 100000, "0.0001"},
        {"2e-5", 20000, "2e-05"},
        {"0.00002", 20000, "2e-05"},
        {"1", 1000000000, "1"},
        {"1.000", 1000000000, "1"},
        {"0.25", 250000000, "0.25"},
        {".5", 500000000, "0.5"},
        {"123E-8", 1230, "1.23e-06"},
        {"1e-9", 1, "1e-09"},
        {"0.123456789", 123456789, "0.123456789"},
        {"10e-1", 1000000000, "1"},
        {"0.1000000000", 100000000, "0.1"},
        {"1e-10", 0, ""},
        {"0", 0, ""},
        {"", 0, ""},
        {".", 0, ""},
        {"-1", 0, ""},
        {"1.1", 0, ""},
        {"2", 0, ""},
        {"1e", 0, ""},
        {"1e+", 0, ""},
        {"e-4", 0, ""},
        {"1e-4x", 0, ""},
        {" 1", 0, ""},
        {"0.0000000001", 0, ""},
        {"1e-99999", 0, ""},
        {"0.1.2", 0, ""},
        {"99999999999999999999999999e-26", 0, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t fraction = 0;
        char written[FRACTION_CHARACTERS];
        bool good = fraction_parse(cases[i].text, strlen(cases[i].text), &fraction);
        assert_int_equal(good, cases[i].fraction != 0);
        assert_int_equal(fraction, cases[i].fraction);
        if (!good)
            continue;
        assert_int_equal(fraction_format(fraction, written), strlen(cases[i].written));
        assert_string_equal(written, cases[i].written);
    }
}

static void test_fractions_read_back(void **state)
{
    (void)state;
    struct rng rng = {3};
    for (int i = 0; i < 20000; i++) {
        uint32_t fraction = 1 + rng_below(&rng, i % 2 ? FRACTION_ONE : 100000), again = 0;
        char written[FRACTION_CHARACTERS], expected[32];
        size_t length = fraction_format(fraction, written);
        snprintf(expected, sizeof(expected), "%.9g", fraction / 1e9);
        assert_string_equal(written, expected);
        assert_true(fraction_parse(written, length, &again));
        assert_int_equal(again, fraction);
    }
}

static void test_fraction_of_large_totals(void **state)
{
    (void)state;
    assert_int_equal(fraction_of(100000, 581), 0);
    assert_int_equal(fraction_of(100000000, 581), 58); /* Figure 2 */
    assert_int_equal(fraction_of(FRACTION_ONE, ~(uint64_t)0), ~(uint64_t)0);
    assert_int_equal(fraction_of(1, ~(uint64_t)0), ~(uint64_t)0 / FRACTION_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_context_is_one_node),
        cmocka_unit_test(test_sites_can_be_off),
        cmocka_unit_test(test_wide_contexts_are_found_in_few_steps),
        cmocka_unit_test(test_visit_is_depth_first_in_order_of_creation),
        cmocka_unit_test(test_victims_go_with_their_unmonitored_ancestors),
        cmocka_unit_test(test_current_context_stays),
        cmocka_unit_test(test_evictions_are_told),
        cmocka_unit_test(test_example_of_section_3_2),
        cmocka_unit_test(test_heavy_context_among_cold_ones),
        cmocka_unit_test(test_sticky_sampling_keeps_few),
        cmocka_unit_test(test_depth_has_no_limit),
        cmocka_unit_test(test_folded_recursion_returns_to_where_it_was),
        cmocka_unit_test(test_marks_tell_what_a_jump_has_left),
        cmocka_unit_test(test_move_keeps_common_frames),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_fractions_read_back),
        cmocka_unit_test(test_fraction_of_large_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
