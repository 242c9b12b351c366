/* Frames of flame graphs: recorded from contexts, approximated from edges, or of routines alone.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_frames.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
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

/* "a10(b5c5)": each frame's routine and cost, and its callees. */
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

/* a calls b, which calls a: the inner calls of a add no cost. */
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

/* The total width of each routine's frames; the routine has one frame in each path. */
static void add_widths(const struct report_frames *frames, double *widths)
{
    for (size_t i = 0; i < frames->list.count; i++)
        widths[frames->list.at[i].routine] += (double)frames->list.at[i].cost;
}

static void expect_widths_of_table(struct report *r, double most)
{
    struct report_frames frames = {0};
    double *widths = calloc(r->routines.count, sizeof *widths);
    report_frames_make(r, 0, &frames);
    assert_int_equal(frames.basis, FRAMES_OF_EDGES);
    add_widths(&frames, widths);
    for (size_t i = 0; i < r->profiles.count; i++) {
        double cost = (double)r->profiles.at[i].cost_total;
        double off = (widths[i] - cost) / (double)r->totals.cost;
        assert_in_range((int)(1000 * (off < 0 ? -off : off)), 0, (int)(1000 * most));
    }
    free(widths);
    report_frames_free(&frames);
    report_free(r);
}

/* a calls b, which calls a, which calls c: c is nearly all of b, too. */
static void indirect_recursion_is_in_the_frame_that_recurs(void **state)
{
    (void)state;
    struct report r = {0};
    add_routine(&r, 1000000, 20000);
    add_routine(&r, 950000, 50000);
    add_routine(&r, 930000, 930000);
    add_edge(&r, 0, 1, 950000);
    add_edge(&r, 0, 2, 930000);
    add_edge(&r, 1, 0, 0);
    expect_widths_of_table(&r, 0.01);
}

/* Simulated programs: routine i calls some other routines, up to a maximum depth, and has the self
 * cost 1000 (i + 1). */
#define ROUTINES  8
#define RUN_DEPTH 12

struct run {
    unsigned long random;
    bool calls[ROUTINES][ROUTINES];
    unsigned pending[ROUTINES];
    uint64_t total[ROUTINES], self[ROUTINES], count[ROUTINES][ROUTINES], cost[ROUTINES][ROUTINES];
};

static unsigned run_random(struct run *run, unsigned below)
{
    run->random = run->random * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(run->random >> 33) % below;
}

static uint64_t run_call(struct run *run, unsigned routine, unsigned depth)
{
    uint64_t cost = 1000 * (routine + 1);
    run->pending[routine]++;
    run->self[routine] += cost;
    for (unsigned i = 0; i < ROUTINES && depth < RUN_DEPTH; i++) {
        if (!run->calls[routine][i] || run_random(run, 3) == 0)
            continue;
        bool is_recursive = run->pending[i] > 0;
        uint64_t inner = run_call(run, i, depth + 1);
        run->count[routine][i]++;
        run->cost[routine][i] += is_recursive ? 0 : inner;
        cost += inner;
    }
    if (--run->pending[routine] == 0)
        run->total[routine] += cost;
    return cost;
}

static void frames_are_as_wide_as_the_table_says(void **state)
{
    (void)state;
    unsigned runs = 0;
    for (unsigned long seed = 1; seed <= 40; seed++) {
        struct run run = {.random = seed};
        struct report r = {0};
        for (unsigned i = 0; i < ROUTINES; i++) {
            for (unsigned k = 0; k < ROUTINES; k++)
                run.calls[i][k] = k == i + 1 || run_random(&run, 6) == 0;
        }
        if (run_call(&run, 0, 0) < 1000000)
            continue; /* it was over soon */
        runs++;
        for (unsigned i = 0; i < ROUTINES; i++)
            add_routine(&r, run.total[i], run.self[i]);
        for (unsigned i = 0; i < ROUTINES; i++) {
            for (unsigned k = 0; k < ROUTINES; k++) {
                if (run.count[i][k])
                    add_edge(&r, i, k, run.cost[i][k]);
            }
        }
        expect_widths_of_table(&r, 0.1);
    }
    assert_in_range(runs, 10, 40);
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
        cmocka_unit_test(indirect_recursion_is_in_the_frame_that_recurs),
        cmocka_unit_test(frames_are_as_wide_as_the_table_says),
        cmocka_unit_test(small_frames_are_left_out),
        cmocka_unit_test(contexts_are_as_they_were_recorded),
        cmocka_unit_test(too_many_frames_are_fewer_and_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
