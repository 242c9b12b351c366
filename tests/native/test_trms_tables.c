/* Handlers that jump away after each instruction, while tables of calls and points grow.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table of FULL slots, the initial size for edges, is full when the operation begins. After the
 * jump, the table must contain each old entry once, with all earlier and later counts. Accumulators
 * do not accept COSTLY calls.
 */
#include "tests/native/trms_stage.h"
#include "tests/unit/cmocka_all.h"

enum { UNUSUAL = ORDINARY + 1, FULL = 64, COSTLY = 1 << 17, SAME_PLACE = 258 };

static void handler_reads_one(struct trms_exec_context *ctx)
{
    stage_read(ctx, SOME);
}

static void nothing(void)
{
}

static void handler_reads(void)
{
    stage_handle(handler_reads_one, nothing);
}

/* ---------------------------------------------------------------- calls */

static void call_and_return(unsigned routine, unsigned site)
{
    stage_call_from(stage.own, routine, site);
    trms_exec_context_return(stage.own);
}

static void call_from_sites(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        call_and_return(LATER, i);
}

static void call_from_all_but_one(void)
{
    call_from_sites(FULL - 1);
}

static void call_from_all(void)
{
    call_from_sites(FULL);
}

static void call_from_another(void)
{
    stage_call_from(stage.own, CALLED, FULL + 1);
}

static void call_what_was_not_called(void)
{
    stage_call(stage.own, FULL + 2);
}

/* The cached edge of site 1 has the slot of the other site's edge (trms_known_slot). */
static void call_from_two(void)
{
    call_and_return(CALLED, 1);
    call_and_return(CALLED, SAME_PLACE);
}

static void call_from_the_first(void)
{
    stage_call_from(stage.own, CALLED, 1);
}

static void return_all(void)
{
    while (trms_depth(stage.own) > 1)
        trms_exec_context_return(stage.own);
}

static void call_from_all_again(void)
{
    return_all();
    call_from_sites(FULL + 4);
    call_and_return(CALLED, FULL + 5);
}

static void call_from_two_again(void)
{
    return_all();
    call_from_two();
}

static void call_all_again(void)
{
    return_all();
    for (unsigned i = LATER; i < FULL + 4; i++)
        call_and_return(i, 0);
}

/* ---------------------------------------------------------------- returns */

/* The state before the return. */
static void begin_size(uint64_t size, uint64_t cost)
{
    stage_call(stage.own, CALLED);
    for (unsigned i = 0; i < size; i++)
        stage_read(stage.own, i);
    stage.own->cost += cost;
}

static void return_latest(void)
{
    trms_exec_context_return(stage.own);
}

static void return_size(uint64_t size, uint64_t cost)
{
    begin_size(size, cost);
    return_latest();
}

static void return_sizes(uint64_t n, uint64_t cost)
{
    for (uint64_t size = 1; size <= n; size++)
        return_size(size, cost + size);
}

static void fill_points(uint64_t n)
{
    return_sizes(n, COSTLY);
    begin_size(UNUSUAL, COSTLY);
}

static void fill_two(void)
{
    fill_points(2);
}

static void fill_eight(void)
{
    fill_points(8);
}

static void fill_sixteen(void)
{
    fill_points(16);
}

/* Its size, and other sizes. */
static void return_more(void)
{
    return_all();
    return_sizes(ORDINARY + 4, COSTLY);
    return_sizes(ORDINARY + 4, 0);
}

/* Two sizes find the slot occupied and are not added; the third size makes the accumulator
 * larger. */
static void lose_two(void)
{
    for (int i = 0; i < 5; i++)
        return_size(1, 10);
    return_size(2, 10);
    return_size(2, 11);
}

static void begin_to_widen(void)
{
    lose_two();
    begin_size(UNUSUAL, 12);
}

/* The fourth size has the slot of the first size. */
static void begin_to_move(void)
{
    lose_two();
    return_size(3, 12);
    begin_size(UNUSUAL, 12);
}

static void begin_induced(void)
{
    return_sizes(9, COSTLY);
    stage.partner = trms_exec_context_new(&stage.world, 2);
    stage_call(stage.partner, PARTNERS);
    for (unsigned i = 0; i < 3; i++) {
        trms_sync(stage.own);
        trms_sync(stage.partner);
        stage_write(stage.partner, 0);
        trms_sync(stage.partner);
        trms_sync(stage.own);
        if (i == 0)
            begin_size(UNUSUAL, COSTLY);
        stage_read(stage.own, 0);
    }
}

#define JUMPS .handler = handler_reads, .jumps = true
static const struct trms_scene scenes[] = {
    {"a call by the edge that enlarges the table", .before = call_from_all_but_one,
     .operation = call_from_another, .after = call_from_all_again, .has_edges = true, JUMPS},
    {"a call from the site that enlarges the table", .before = call_from_all,
     .operation = call_from_another, .after = call_from_all_again, .has_edges = true, JUMPS},
    {"a call from a site whose place at hand is taken", .before = call_from_two,
     .operation = call_from_the_first, .after = call_from_two_again, .has_edges = true, JUMPS},
    {"a call of the routine that enlarges tables", .before = nothing,
     .operation = call_what_was_not_called, .after = call_all_again, JUMPS},
    {"a return with the third size", .before = fill_two, .operation = return_latest,
     .after = return_more, .returns = true, JUMPS},
    {"a return with the size that makes the index", .before = fill_eight,
     .operation = return_latest, .after = return_more, .returns = true, JUMPS},
    {"a return with the size that enlarges the index", .before = fill_sixteen,
     .operation = return_latest, .after = return_more, .returns = true, JUMPS},
    {"a return with two sizes", .before = begin_induced, .operation = return_latest,
     .after = return_more, .returns = true, JUMPS},
    {"a return that enlarges an accumulator", .before = begin_to_widen, .operation = return_latest,
     .after = return_more, .returns = true, JUMPS},
    {"a return that takes a place", .before = begin_to_move, .operation = return_latest,
     .after = return_more, .returns = true, JUMPS},
};

static void a_handler_that_jumps_away_leaves_tables_whole(void **state)
{
    (void)state;
    assert_int_equal(stage_play(scenes, sizeof scenes / sizeof *scenes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_that_jumps_away_leaves_tables_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
