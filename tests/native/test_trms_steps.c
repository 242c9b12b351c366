/* Sends signals in each instruction of the TRMS core: each must count as before or after.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <unistd.h>

#include "native/trms/shadow/rows.h"
#include "native/trms/shadow/words.h"
#include "tests/native/trms_stage.h"
#include "tests/unit/cmocka_all.h"

/* ---------------------------------------------------------------- scenes */

static void nothing(void)
{
}

static void partner_begins(void)
{
    stage.partner = trms_exec_context_new(&stage.world, 2);
    stage_call(stage.partner, PARTNERS);
}

/* The partner detects the writes of `stage.own` if the partner knows the writer. */
static void partner_reads(void)
{
    trms_sync(stage.own);
    if (!stage.partner)
        partner_begins();
    trms_sync(stage.partner);
    stage_read_all(stage.partner);
}

static void read_one(struct trms_exec_context *s)
{
    stage_read(s, SOME);
}

static void write_one(struct trms_exec_context *s)
{
    stage_write(s, SOME);
}

static void write_own(void)
{
    write_one(stage.own);
}

static void read_own(void)
{
    read_one(stage.own);
}

static void write_range(void)
{
    trms_access_bytes(stage.own, stage_base, (uint64_t)4 * CELLS, WATCH_WRITE);
}

static void read_range(void)
{
    trms_access_bytes(stage.own, stage_base, (uint64_t)4 * CELLS, WATCH_READ);
}

/* Writes every second cell, as a call of aprof_trms_write_rows does. */
static void write_pieces(void)
{
    bool is_alone = trms_is_alone_in_direct_shadow(stage.own);
    trms_rows_write(stage.own, stage_base + 4, 4, 8, CELLS / 2);
    if (is_alone && !trms_is_alone_in_direct_shadow(stage.own))
        trms_rows_write(stage.own, stage_base + 4, 4, 8, CELLS / 2);
}

static void read_pieces(void)
{
    trms_rows_read(stage.own, stage_base + 4, 4, 8, CELLS / 2);
}

static void kernel_writes(void)
{
    trms_kernel_wrote(stage.own, stage_base, (uint64_t)4 * CELLS);
}

static void call_own(void)
{
    stage_call(stage.own, CALLED);
}

static void call_and_return(void)
{
    stage_call(stage.own, CALLED);
    trms_exec_context_return(stage.own);
}

/* Calls until one more call would enlarge the stack. */
static void call_many(void)
{
    while (trms_depth(stage.own) < stage.own->capacity / 4 * 3)
        stage_call(stage.own, LATER);
}

static void handler_reads(void)
{
    stage_handle(read_one, nothing);
}

static void handler_writes(void)
{
    stage_handle(write_one, nothing);
}

static void partner_reads_alone(void)
{
    trms_sync(stage.partner);
    read_one(stage.partner);
    trms_sync(stage.partner);
}

/* Meanwhile, the partner's last seen versions that belong to the epoch of `stage.own` are handed
 * over. */
static void handler_hands_over(void)
{
    stage_handle(read_one, partner_reads_alone);
}

static void handler_hands_over_and_writes(void)
{
    stage_handle(write_one, partner_reads_alone);
}

/* Examines the latest activation first, as hooks do. */
static void handler_looks_at_stack(void)
{
    if (trms_depth(stage.own) >= stage.own->capacity || stage.own->activation->induced)
        _exit(2);
    handler_writes();
}

static void write_in_one_epoch(void)
{
    partner_begins();
    write_own();
}

/* The next write is checked in full, and has the same token. */
static void write_and_call(void)
{
    write_in_one_epoch();
    stage_call(stage.own, CALLED);
}

static void partner_writes_in_many(void)
{
    partner_begins();
    for (unsigned i = 0; i < CELLS; i++) {
        trms_sync(stage.partner);
        stage_write(stage.partner, i);
    }
    trms_sync(stage.partner);
    trms_sync(stage.own);
}

static void read_all_own(void)
{
    stage_read_all(stage.own);
}

static void call_then_write(void)
{
    stage_call(stage.own, LATER);
    write_own();
    partner_reads();
}

#define BOTH(...)                                                                                  \
    {__VA_ARGS__, .has_direct_shadow = true},                                                      \
    {                                                                                              \
        __VA_ARGS__, .has_direct_shadow = false                                                    \
    }
static const struct trms_scene scenes[] = {
    BOTH("a call, and the second execution context", .before = nothing, .operation = call_own,
         .handler = handler_reads, .after = call_then_write),
    BOTH("a call and a return", .before = write_own, .operation = call_and_return,
         .handler = handler_reads, .after = call_then_write),
    BOTH("a call that enlarges the stack", .before = call_many, .operation = call_own,
         .handler = handler_looks_at_stack, .after = call_then_write),
    BOTH("a write, and the second execution context", .before = nothing, .operation = write_own,
         .handler = handler_reads, .after = partner_reads),
    BOTH("a write once more, and the second execution context", .before = write_own,
         .operation = write_own, .handler = handler_writes, .after = partner_reads),
    BOTH("a range, and the second execution context", .before = nothing, .operation = write_range,
         .handler = handler_reads, .after = partner_reads),
    BOTH("pieces, and the second execution context", .before = nothing, .operation = write_pieces,
         .handler = handler_reads, .after = partner_reads),
    BOTH("a read, and the second execution context", .before = write_own, .operation = read_own,
         .handler = handler_writes, .after = read_all_own),
    BOTH("the kernel, and the second execution context", .before = nothing,
         .operation = kernel_writes, .handler = handler_reads, .after = partner_reads),
    BOTH("a write in the epoch of the one before", .before = write_in_one_epoch,
         .operation = write_own, .handler = handler_hands_over, .after = partner_reads),
    BOTH("a write where the handler writes", .before = write_in_one_epoch, .operation = write_own,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a write in a call where the handler writes", .before = write_and_call,
         .operation = write_own, .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a range where the handler writes", .before = write_in_one_epoch, .operation = write_range,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("pieces where the handler writes", .before = write_in_one_epoch, .operation = write_pieces,
         .handler = handler_hands_over_and_writes, .after = partner_reads),
    BOTH("a read where the handler writes", .before = write_in_one_epoch, .operation = read_own,
         .handler = handler_writes, .after = read_all_own),
    BOTH("reads that enlarge tables", .before = partner_writes_in_many, .operation = read_range,
         .handler = handler_reads, .after = read_all_own),
    BOTH("reads of pieces that enlarge tables", .before = partner_writes_in_many,
         .operation = read_pieces, .handler = handler_reads, .after = read_all_own),
    BOTH("reads that enlarge tables, left by a jump", .before = partner_writes_in_many,
         .operation = read_range, .handler = handler_reads, .after = read_all_own, .jumps = true,
         .is_loose = true),
    BOTH("a call that enlarges the stack, left by a jump", .before = call_many,
         .operation = call_own, .handler = handler_looks_at_stack, .after = call_then_write,
         .jumps = true),
};

static void a_signal_between_two_instructions_comes_before_or_after_the_operation(void **state)
{
    (void)state;
    assert_int_equal(stage_play(scenes, sizeof scenes / sizeof *scenes), 0);
}

/* ---------------------------------------------------------------- the end of time */

/* Shortly before the next renumbering, each handler advances the time by one tick. */
static void handlers_at_the_end_of_time_leave_it_within_its_bits(void **state)
{
    static const struct trms_scene only = {.has_direct_shadow = true, .before = partner_begins};
    (void)state;
    stage.scene = &only;
    stage.time_bits = 8;
    stage_begin();
    stage.time_bits = 29;
    while ((uint32_t)stage.own->stamp < stage.own->time_limit)
        trms_sync(stage.own);
    for (int i = 0; i < (1 << 8) / 8 - 1; i++) {
        handler_writes();
        read_own();
        write_own();
        assert_in_range((uint32_t)stage.own->stamp / TRMS_TICK, 1, (1 << 8) - 1);
    }
    assert_int_equal(stage.own->renumberings, 0);
    call_and_return();
    assert_int_equal(stage.own->renumberings, 1);
    trms_world_free(&stage.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_at_the_end_of_time_leave_it_within_its_bits),
        cmocka_unit_test(a_signal_between_two_instructions_comes_before_or_after_the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
