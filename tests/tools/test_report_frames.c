/* Frames of flame graphs: recorded from contexts, approximated from edges, or of routines alone.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_frames.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

/* Routines a, b, c, ... with their whole and self cost; the first is the root. */
static void add_routine(struct report *r, uint64_t total, uint64_t self)
{
    vector_push(&r->routines, (struct report_routine){0});
    struct report_profile profile = {
        .routine = (uint32_t)r->profiles.count, .calls = 1, .cost_total = total, .cost_self = self};
    vector_push(&r->profiles, profile);
    r->totals.cost += self;
}

static void add_edge(struct report *r, uint32_t caller, uint32_t callee, uint64_t cost)
{
    struct report_edge edge = {
        .caller = caller, .callee = callee, .place = {REPORT_NONE, REPORT_NONE, 0}, .calls = 1};
    edge.cost = cost;
    vector_push(&r->code.edges, edge);
}

static void add_context(struct report *r, uint32_t caller, uint32_t routine, uint64_t self)
{
    struct report_context context = {.caller = caller};
    context.profile.routine = routine;
    context.profile.cost_self = self;
    vector_push(&r->contexts.all, context);
    r->totals.cost += self;
}

/* "a10(b5c5)": each frame's routine and cost, and what it calls. */
static size_t write_frames(const struct report_frames *frames, uint32_t caller, char *to)
{
    size_t length = 0;
    for (uint32_t i = 0; i < frames->list.count; i++) {
        const struct report_frame *frame = &frames->list.at[i];
        if (frame->caller != caller)
            continue;
        char inner[256] = "";
        write_frames(frames, i, inner);
        length += (size_t)sprintf(to + length, "%c%llu", 'a' + (int)frame->routine,
                                  (unsigned long long)frame->cost);
        if (*inner)
            length += (size_t)sprintf(to + length, "(%s)", inner);
    }
    return length;
}

static void expect(struct report *r, double least, enum report_frames_basis basis,
                   const char *wanted)
{
    struct report_frames frames = {0};
    char text[256] = "";
    report_frames_make(r, least, &frames);
    write_frames(&frames, CONTEXT_NO_CALLER, text);
    assert_int_equal(frames.basis, basis);
    assert_string_equal(text, wanted);
    report_frames_free(&frames);
    report_free(r);
}

static void routines_stand_beside_each_other(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 100, 60);
    add_routine(&r, 40, 40);
    expect(&r, 0, FRAMES_OF_ROUTINES, "a60b40");
}

static void a_single_caller_makes_edges_exact(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 100, 10);
    add_routine(&r, 60, 20);
    add_routine(&r, 30, 30);
    add_routine(&r, 40, 40);
    add_edge(&r, 0, 1, 25); /* from two lines */
    add_edge(&r, 0, 1, 35);
    add_edge(&r, 0, 2, 30);
    add_edge(&r, 1, 3, 40);
    expect(&r, 0, FRAMES_OF_EDGES, "a100(b60(d40)c30)");
}

static void callees_are_shared_by_the_callers_cost(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 100, 0);
    add_routine(&r, 30, 10);
    add_routine(&r, 70, 50);
    add_routine(&r, 40, 30);
    add_routine(&r, 10, 10);
    add_edge(&r, 0, 1, 30);
    add_edge(&r, 0, 2, 70);
    add_edge(&r, 1, 3, 20);
    add_edge(&r, 2, 3, 20);
    add_edge(&r, 3, 4, 10);
    expect(&r, 0, FRAMES_OF_EDGES, "a100(b30(d20(e5))c70(d20(e5)))");
}

/* a calls b, which calls a: the inner calls of a cost nothing more. */
static void recursion_ends_in_the_outermost_frame(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 100, 40);
    add_routine(&r, 60, 60);
    add_edge(&r, 0, 0, 0);
    add_edge(&r, 0, 1, 60);
    add_edge(&r, 1, 0, 0);
    expect(&r, 0, FRAMES_OF_EDGES, "a100(b60)");
}

/* a calls b, which calls a, which calls c: widths equal the self costs, but for rounding. */
static void indirect_recursion_returns_to_the_pending_frame(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 1000000, 20000);
    add_routine(&r, 950000, 50000);
    add_routine(&r, 930000, 930000);
    add_edge(&r, 0, 1, 950000);
    add_edge(&r, 0, 2, 930000);
    add_edge(&r, 1, 0, 0);
    expect(&r, 0, FRAMES_OF_EDGES, "a1000000(b50000c930001)");
}

static void small_frames_are_left_out(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 1000, 100);
    add_routine(&r, 891, 891);
    add_routine(&r, 9, 9);
    add_edge(&r, 0, 1, 891);
    add_edge(&r, 0, 2, 9);
    expect(&r, 0.01, FRAMES_OF_EDGES, "a1000(b891)");
}

static void contexts_are_as_they_were_recorded(void **state)
{
    (void)state;
    struct report r = {.contexts.kind = "full"};
    for (int i = 0; i < 3; i++)
        add_routine(&r, 0, 0);
    add_edge(&r, 0, 2, 1);
    add_context(&r, CONTEXT_NO_CALLER, 0, 10);
    add_context(&r, 0, 1, 5);
    add_context(&r, 1, 2, 20);
    add_context(&r, 0, 2, 1);
    expect(&r, 0, FRAMES_OF_CONTEXTS, "a36(b25(c20)c1)");
}

/* Each routine calls the next one twice: 2^40 paths. */
static void too_many_frames_are_fewer_and_larger(void **state)
{
    (void)state;
    struct report r = {0};
    for (int i = 0; i < 80; i++)
        add_routine(&r, UINT64_C(1) << 40, 0);
    for (uint32_t i = 0; i < 78; i += 2) {
        add_edge(&r, i, i + 1, UINT64_C(1) << 39);
        add_edge(&r, i, i + 2, UINT64_C(1) << 39);
        add_edge(&r, i + 1, i + 2, UINT64_C(1) << 39);
    }
    r.totals.cost = UINT64_C(1) << 40;
    struct report_frames frames = {0};
    report_frames_make(&r, 0, &frames);
    assert_in_range(frames.list.count, 100, 40000);
    assert_int_equal(frames.list.at[0].cost, UINT64_C(1) << 40);
    report_frames_free(&frames);
    report_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_stand_beside_each_other),
        cmocka_unit_test(a_single_caller_makes_edges_exact),
        cmocka_unit_test(callees_are_shared_by_the_callers_cost),
        cmocka_unit_test(recursion_ends_in_the_outermost_frame),
        cmocka_unit_test(indirect_recursion_returns_to_the_pending_frame),
        cmocka_unit_test(small_frames_are_left_out),
        cmocka_unit_test(contexts_are_as_they_were_recorded),
        cmocka_unit_test(too_many_frames_are_fewer_and_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
