/* Unit tests of moving the profiles of calling contexts from one tree to another.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/cmocka_all.h"

#include "points/thread_contexts.h"
#include "tests/host_test.h"

#define CALLEES 100

static struct routine routines[CALLEES + 1];
static const struct contexts_config full = {.mode = CONTEXTS_FULL};

static int nothing_is_left(void **state)
{
    (void)state;
    return host_test_report_live() != 0;
}

/* Calls the routines 1 to CALLEES from routine 0. Each activation has the input size `input`. */
static void call_all(struct thread_contexts *contexts, uint64_t input)
{
    struct measurement m = {.input = {input, input}, .cost = 2, .self = 2};
    struct context_cursor cursor = {0};
    struct routine_profile profile = {.routine = &routines[0], .pending = 1};
    context_cursor_start(&cursor, contexts->tree);
    thread_contexts_call(contexts, &cursor, &profile, true);
    for (int i = 1; i <= CALLEES; i++) {
        profile.routine = &routines[i];
        thread_contexts_call(contexts, &cursor, &profile, true);
        thread_contexts_return(contexts, &cursor, &m, BOTH_METRICS);
    }
    thread_contexts_return(contexts, &cursor, &m, BOTH_METRICS);
    context_cursor_end(&cursor);
}

static const struct routine_profile *profile_of_call(struct thread_contexts *contexts, int callee)
{
    struct context_tree *tree = contexts->tree;
    struct context_node *caller = context_tree_child(tree, tree->root, (uintptr_t)&routines[0], 0);
    return contexts
        ->profiles[context_tree_child(tree, caller, (uintptr_t)&routines[callee], 0)->index];
}

static void setup(struct thread_contexts **into, struct thread_contexts **from)
{
    for (uint32_t i = 0; i <= CALLEES; i++)
        routines[i].id = i;
    *into = thread_contexts_new(&full);
    *from = thread_contexts_new(&full);
}

static void end(struct thread_contexts *into, struct thread_contexts *from)
{
    thread_contexts_free(into);
    thread_contexts_free(from);
}

static void a_move_to_an_empty_tree_copies_no_profile(void **state)
{
    (void)state;
    struct thread_contexts *into, *from;
    setup(&into, &from);
    call_all(from, 7);
    const struct routine_profile *profile = profile_of_call(from, CALLEES);
    size_t bytes = host_test_live_bytes("aprof.profile.points");
    thread_contexts_move(into, from);
    assert_ptr_equal(profile_of_call(into, CALLEES), profile);
    assert_int_equal(profile->calls, 1);
    assert_int_equal(profile->table[METRIC_TRMS].points[0].input, 7);
    assert_null(profile_of_call(from, CALLEES));
    assert_int_equal(host_test_live_bytes("aprof.profile.points"), bytes);
    end(into, from);
}

static void moves_add_the_points_of_equal_contexts(void **state)
{
    (void)state;
    struct thread_contexts *into, *from;
    setup(&into, &from);
    for (uint64_t input = 7; input < 9; input++) {
        call_all(from, input);
        call_all(from, input);
        thread_contexts_move(into, from);
    }
    const struct routine_profile *profile = profile_of_call(into, 1);
    assert_int_equal(profile->calls, 4);
    assert_int_equal(profile->cost_total, 8);
    assert_int_equal(profile->table[METRIC_TRMS].n_points, 2);
    assert_int_equal(profile->table[METRIC_TRMS].points[1].calls, 2);
    end(into, from);
}

#define TEST(function) cmocka_unit_test_teardown(function, nothing_is_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_move_to_an_empty_tree_copies_no_profile),
        TEST(moves_add_the_points_of_equal_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
