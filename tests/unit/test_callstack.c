/* Unit tests of the conversion of calls, returns and jumps to activations.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stack of thread 1 is 0x1000 to 0x100000. `main` is the first recorded routine.
 */
#include "tests/unit/cmocka_all.h"

#include <sys/mman.h>

#include "aprof/activation.h"
#include "tests/unit/feed.h"
#include "tests/host_test.h"

static struct routine r_main, r_f, r_g, r_h, r_binder, r_unnamed;

static int setup(void **state)
{
    static struct feed feed;
    struct routine *all[] = {&r_main, &r_f, &r_g, &r_h, &r_binder, &r_unnamed};
    for (uint32_t i = 0; i < 6; i++)
        *all[i] = (struct routine){.id = i};
    feed_new(&feed);
    feed_block(&feed, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    *state = &feed;
    return 0;
}

static int teardown(void **state)
{
    feed_delete(*state);
    return host_test_report_live() != 0;
}

/* The running execution context's activations, outermost first, up to NULL. */
static void assert_stack(struct feed *f, ...)
{
    va_list list;
    size_t n = 0;
    const struct routine *routine;
    va_start(list, f);
    while ((routine = va_arg(list, const struct routine *))) {
        n++;
        assert_true(n <= feed_depth(f));
        assert_ptr_equal(feed_pending(f, n), routine);
    }
    va_end(list);
    assert_int_equal(feed_depth(f), n);
}
#define ASSERT_STACK(f, ...) assert_stack(f, __VA_ARGS__, (const struct routine *)NULL)

/* The running code calls `routine`; the first block of `routine` jumps. */
static void call(struct feed *f, struct routine *routine, aprof_word slot)
{
    feed_block(f, (struct routine *)feed_pending(f, feed_depth(f)), 0, BLOCK_CALL, pushed(slot));
    feed_block(f, routine, BLOCK_ENTRY, BLOCK_JUMP, nothing());
}

/* The running code pops `slot_address` and continues in `to`. */
static void return_to(struct feed *f, struct routine *to, aprof_word slot_address)
{
    feed_block(f, (struct routine *)feed_pending(f, feed_depth(f)), 0, BLOCK_RETURN,
               slot(slot_address));
    feed_block(f, to, 0, BLOCK_JUMP, nothing());
}

static void jump_to(struct feed *f, struct routine *to, unsigned flags)
{
    feed_block(f, (struct routine *)feed_pending(f, feed_depth(f)), 0, BLOCK_JUMP, nothing());
    feed_block(f, to, flags, BLOCK_JUMP, nothing());
}

static void computed_jump_to(struct feed *f, struct routine *to, unsigned flags, aprof_word sp)
{
    feed_block(f, (struct routine *)feed_pending(f, feed_depth(f)), 0, BLOCK_INDIRECT, pointer(sp));
    feed_block(f, to, flags, BLOCK_JUMP, nothing());
}

/* ---------------------------------------------------------------- calls and returns */

static void a_call_begins_and_its_return_ends_an_activation(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    ASSERT_STACK(f, &r_main, &r_f);
    call(f, &r_g, 0xfe00);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_f, 0xfe00);
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
    assert_int_equal(feed_profile(f, &r_f)->calls, 1);
    assert_int_equal(feed_profile(f, &r_g)->calls, 1);
}

static void recursion_makes_one_activation_each(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_f, 0xfe00);
    call(f, &r_f, 0xfd00);
    ASSERT_STACK(f, &r_main, &r_f, &r_f, &r_f);
    return_to(f, &r_f, 0xfd00);
    return_to(f, &r_f, 0xfe00);
    return_to(f, &r_main, 0xff00);
    /* Own blocks: 2 of the third activation (entry, return), 4 of the other activations (entry,
     * call, landing, return). The total is the total of the outermost activation. */
    struct routine_profile *p = feed_profile(f, &r_f);
    assert_int_equal(p->calls, 3);
    assert_int_equal(p->cost_self, 10);
    assert_int_equal(p->cost_total, 10);
}

static void a_million_deep_recursion_is_followed(void **state)
{
    struct feed *f = *state;
    struct block *caller = feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff000));
    FEED(f, EVENT_THREAD_START, 2, 0x100000000, 0x200000000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    FEED(f, EVENT_BLOCK_GONE, (aprof_word)caller); /* the descriptor becomes another block */
    caller->routine = &r_f;
    caller->flags = BLOCK_ENTRY;
    for (aprof_word i = 1; i <= 1000000; i++)
        feed_again(f, caller, pushed(0x200000000 - 16 * i));
    assert_int_equal(feed_depth(f), 1000000);
    caller->end = BLOCK_RETURN;
    caller->n_accesses = 0;
    block_close(caller);
    for (aprof_word i = 1000000; i > 0; i--)
        feed_again(f, caller, slot(0x200000000 - 16 * (i - 1)));
    assert_true(feed_depth(f) <= 2);
}

static void a_call_into_the_middle_of_another_routine_counts(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
}

static void a_call_into_its_own_midst_is_none(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main);
}

static void a_return_on_an_empty_stack_begins_a_new_root(void **state)
{
    struct feed *f = *state;
    return_to(f, &r_g, 0xff000);
    ASSERT_STACK(f, &r_g);
    assert_int_equal(feed_profile(f, &r_main)->calls, 1);
}

static void a_loop_to_the_entry_block_is_no_call(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    for (int i = 0; i < 5; i++)
        jump_to(f, &r_f, BLOCK_ENTRY);
    ASSERT_STACK(f, &r_main, &r_f);
}

static void frames_that_left_no_trace_end_at_the_next_call(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff40));
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_h);
}

/* ---------------------------------------------------------------- jumps */

static void a_tail_call_shares_the_slot_and_ends_with_it(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    jump_to(f, &r_g, BLOCK_ENTRY);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    computed_jump_to(f, &r_h, BLOCK_ENTRY, 0xff00);
    ASSERT_STACK(f, &r_main, &r_f, &r_g, &r_h);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

static void a_jump_back_into_the_chain_is_a_loop(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    for (int i = 0; i < 100; i++) {
        jump_to(f, &r_g, BLOCK_ENTRY);
        jump_to(f, &r_f, BLOCK_ENTRY);
    }
    ASSERT_STACK(f, &r_main, &r_f);
    assert_int_equal(feed_profile(f, &r_g)->calls, 100);
}

static void jumps_into_the_middle_or_to_cold_parts_are_not_calls(void **state)
{
    struct feed *f = *state;
    r_g.transparent = true;
    jump_to(f, &r_f, 0);
    jump_to(f, &r_g, BLOCK_ENTRY);
    jump_to(f, &r_unnamed, BLOCK_UNNAMED);
    ASSERT_STACK(f, &r_main);
}

static void unnamed_code_is_a_routine_once_it_was_called(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_unnamed, BLOCK_UNNAMED, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_unnamed);
    assert_true(r_unnamed.was_called);
    return_to(f, &r_main, 0xff00);
    call(f, &r_f, 0xff00);
    jump_to(f, &r_unnamed, BLOCK_UNNAMED);
    ASSERT_STACK(f, &r_main, &r_f, &r_unnamed);
}

/* call 1f; ...; 1: mov %rax,(%rsp); ret: the return enters the routine that was meant. */
static void a_retpoline_calls_what_its_return_reaches(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_CALL, pushed(0xfef8));
    feed_block(f, &r_f, 0, BLOCK_RETURN, slot(0xfef8));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

/* ---------------------------------------------------------------- unwinding */

static void longjmp_ends_what_lies_below_its_target(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    call(f, &r_h, 0xfd00);
    computed_jump_to(f, &r_f, 0, 0xfe80);
    ASSERT_STACK(f, &r_main, &r_f);
    call(f, &r_g, 0xfe00);
    return_to(f, &r_main, 0xff80);
    ASSERT_STACK(f, &r_main);
}

static void longjmp_to_an_outer_activation_of_the_same_routine(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_f, 0xfe00);
    call(f, &r_f, 0xfd00);
    computed_jump_to(f, &r_f, 0, 0xfe80);
    ASSERT_STACK(f, &r_main, &r_f);
}

static void a_return_past_several_slots_ends_them_all(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

/* `push target; ret` as a jump: the slot is below the top's. */
static void push_and_return_is_a_jump(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_RETURN, slot(0xfef8));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

/* ---------------------------------------------------------------- the lazy binder */

static void bind(struct feed *f, aprof_word slot_address)
{
    feed_block(f, &r_binder, BLOCK_RESOLVER | BLOCK_UNNAMED, BLOCK_JUMP, slot(slot_address));
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_CALL, pushed(slot_address - 64));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, slot(slot_address - 64));
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(slot_address - 32));
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(slot_address));
}

static void the_binder_is_neither_routine_nor_cost(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    bind(f, 0xff00);
    ASSERT_STACK(f, &r_main);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff00);
    assert_int_equal(feed_profile(f, &r_f)->cost_total, 2);
    assert_int_equal(feed_profile(f, &r_h)->calls, 0);
    assert_int_equal(f->engine->ctx->cost, 5);
}

static void a_tail_call_by_the_binder_stays_one(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    bind(f, 0xff00);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

static void what_the_binder_reads_is_not_input(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    feed_block(f, &r_binder, BLOCK_RESOLVER | BLOCK_UNNAMED, BLOCK_JUMP, slot(0xff00));
    feed_block(f, &r_h, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    FEED(f, EVENT_KERNEL_READ, 0x6000, 64);
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(0xff00));
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, access_of(ACCESS_READ, 0x7000, 4));
    return_to(f, &r_main, 0xff00);
    assert_int_equal(feed_calls(f, &r_f, METRIC_TRMS, 1), 1);
    assert_int_equal(f->engine->ctx->stack[1].rms, 1);
}

/* ---------------------------------------------------------------- signals */

static void a_handler_has_a_root_of_its_own(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe00);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_g);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff00);
    assert_int_equal(feed_profile(f, &r_f)->cost_total, 3);
    assert_int_equal(feed_profile(f, &r_g)->cost_total, 1);
}

/* f is interrupted in a loop, after a return of g, and after a call; the handler pushes a word. */
static void a_handler_injects_a_call(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    for (int round = 0; round < 2; round++) {
        FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe00);
        feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
        FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xfe00 - sizeof(aprof_word));
        feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
        ASSERT_STACK(f, &r_main, &r_f, &r_g);
        return_to(f, &r_f, 0xfe00 - sizeof(aprof_word));
        ASSERT_STACK(f, &r_main, &r_f);
        call(f, &r_g, 0xfd00);
        feed_block(f, &r_g, 0, BLOCK_RETURN, slot(0xfd00));
    }
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfd08);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xfd08 - sizeof(aprof_word));
    feed_block(f, &r_f, 0, BLOCK_CALL, pushed(0xfc00)); /* no entry: the handler has pushed data */
    ASSERT_STACK(f, &r_main, &r_f);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfc00);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xfc00 - sizeof(aprof_word));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_f, 0xfc00);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
    assert_int_equal(feed_profile(f, &r_g)->calls, 5);
}

/* A signal arrives after a call of `callee`, before the callee's first block, and the handler
 * injects a call of g. */
static void inject_before(struct feed *f, struct routine *callee)
{
    feed_block(f, &r_f, 0, BLOCK_CALL, pushed(0xfe00));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe00);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xfe00 - sizeof(aprof_word));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfe00 - sizeof(aprof_word)));
    feed_block(f, callee, BLOCK_ENTRY, BLOCK_JUMP, nothing());
}

static void a_handler_injects_a_call_before_the_callee(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    for (int round = 0; round < 2; round++) {
        struct routine *callee = round == 0 ? &r_h : &r_f;
        inject_before(f, callee);
        ASSERT_STACK(f, &r_main, &r_f, callee);
        return_to(f, &r_f, 0xfe00);
        ASSERT_STACK(f, &r_main, &r_f);
    }
    return_to(f, &r_main, 0xff00);
    assert_int_equal(feed_profile(f, &r_f)->calls, 2);
    assert_int_equal(feed_profile(f, &r_g)->calls, 2);
    assert_int_equal(feed_profile(f, &r_h)->calls, 1);
}

static void a_signal_between_call_and_callee_changes_nothing(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_CALL, pushed(0xff00));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff00);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
}

static void siglongjmp_leaves_nested_handlers(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfd00);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xf000);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    computed_jump_to(f, &r_f, 0, 0xfe80);
    ASSERT_STACK(f, &r_main, &r_f);
    assert_int_equal(f->engine->n_exec_contexts, 1);
    assert_int_equal(feed_profile(f, &r_h)->calls, 2);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

/* The same jump after the engine has freed the handlers' state, because it is no longer needed. */
static void siglongjmp_leaves_handlers_after_a_thread_has_ended(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    FEED(f, EVENT_THREAD_START, 2, 0x200000, 0x300000);
    for (aprof_word sp = 0xfd00; sp > 0xfa00; sp -= 0x100) {
        FEED(f, EVENT_SIGNAL_ENTER, 1, sp);
        feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    }
    FEED(f, EVENT_THREAD_END, 2);
    computed_jump_to(f, &r_f, 0, 0xfe80);
    ASSERT_STACK(f, &r_main, &r_f);
    assert_int_equal(feed_profile(f, &r_h)->calls, 3);
}

/* The next signal arrives before any code at the jump's destination has run. Its handler's frames
 * have the addresses of the frames that were left, and do not count as those frames. */
static void a_signal_behind_a_jump_out_of_handlers_finds_them_ended(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfd00);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    call(f, &r_h, 0xfb00);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfa00);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_INDIRECT, pointer(0xfe80));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe80);
    assert_int_equal(f->engine->n_exec_contexts, 2);
    assert_int_equal(feed_profile(f, &r_h)->calls, 3);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfb00));
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_HANDLER);
    ASSERT_STACK(f, &r_main);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff00);
    ASSERT_STACK(f, &r_main);
}

static void a_signal_behind_a_longjmp_finds_what_it_left_ended(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    call(f, &r_h, 0xf000);
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(0xfe80));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe80);
    assert_int_equal(feed_profile(f, &r_h)->calls, 1);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, slot(0xf000));
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_HANDLER);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing()); /* a loop to the routine's entry is no
                                                              * call */
    ASSERT_STACK(f, &r_main, &r_f);
}

/* Two calls have left no trace except the slot of the next call, and the signal arrives before that
 * call's callee runs. */
static void a_signal_behind_a_call_finds_what_that_overwrote_ended(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    call(f, &r_g, 0xfe00);
    call(f, &r_g, 0xfd00);
    feed_block(f, &r_f, 0, BLOCK_CALL, pushed(0xfe80));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xfe80);
    assert_int_equal(feed_profile(f, &r_g)->calls, 2);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfd00));
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_HANDLER);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing()); /* in the middle of the routine: the jump is a
                                                    * call nevertheless */
    ASSERT_STACK(f, &r_main, &r_f, &r_f);
}

static void a_sigreturn_without_a_handler_is_ignored(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0);
    ASSERT_STACK(f, &r_main, &r_f);
}

/* ---------------------------------------------------------------- coroutines */

enum { CO = 0x900000 };

/* f switches to a new stack, on which `g` begins. */
static void begin_coroutine(struct feed *f)
{
    call(f, &r_f, 0xff00);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, CO);
}

static void a_new_stack_is_a_new_exec_context(void **state)
{
    struct feed *f = *state;
    begin_coroutine(f);
    ASSERT_STACK(f, &r_g);
    call(f, &r_h, CO - 64);
    ASSERT_STACK(f, &r_g, &r_h);
    feed_block(f, &r_h, 0, BLOCK_RETURN, slot(0xff00));
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main);
    assert_int_equal(feed_profile(f, &r_f)->calls, 1);
    assert_int_equal(feed_profile(f, &r_h)->calls, 0);
}

static void coroutines_take_turns(void **state)
{
    struct feed *f = *state;
    begin_coroutine(f);
    for (int i = 0; i < 10; i++) {
        call(f, &r_h, CO - 64);
        feed_block(f, &r_h, 0, BLOCK_RETURN, slot(0xff00));
        feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
        ASSERT_STACK(f, &r_main);
        call(f, &r_f, 0xff00);
        feed_block(f, &r_f, 0, BLOCK_RETURN, slot(CO - 64));
        feed_block(f, &r_g, 0, BLOCK_JUMP, nothing());
        ASSERT_STACK(f, &r_g);
    }
    assert_int_equal(f->engine->n_exec_contexts, 2);
    assert_int_equal(feed_profile(f, &r_h)->calls, 10);
}

/* A signal arrives after the jump from the coroutine's stack back to main, before main continues.
 * Memory between the two stacks belongs to neither stack, but to another thread. */
static void a_signal_behind_a_switch_enlarges_no_stack(void **state)
{
    struct feed *f = *state;
    begin_coroutine(f);
    call(f, &r_h, CO - 64);
    feed_block(f, &r_h, 0, BLOCK_RETURN, slot(0xff00));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff08);
    FEED(f, EVENT_THREAD_START, 2, 0x100000, 0x200000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_SIGNAL_ENTER, 2, 0x190000);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_RETURN, slot(0x180000));
    feed_block(f, &r_g, 0, BLOCK_JUMP, nothing());
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_HANDLER);
    ASSERT_STACK(f, &r_g);
    FEED(f, EVENT_SIGNAL_LEAVE, 2, 0);
    feed_block(f, &r_h, 0, BLOCK_JUMP, nothing());
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_THREAD);
    ASSERT_STACK(f, &r_h);
}

enum { ABOVE = 0x100400 }; /* close above the end of the thread's own stack */

/* A coroutine calls a routine on the thread's own stack. The stack of another, parked coroutine
 * begins immediately above the thread's own stack. */
static void a_call_on_the_threads_stack_resumes_no_coroutine_above(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, ABOVE);
    return_to(f, &r_main, 0xff00);
    begin_coroutine(f);
    call(f, &r_h, 0xffe00);
    assert_int_equal(f->engine->ctx->kind, EXEC_CONTEXT_THREAD);
    ASSERT_STACK(f, &r_main, &r_h);
    assert_int_equal(f->engine->n_exec_contexts, 3);
}

/* A coroutine has moved the stack pointer to the thread's own stack when a signal arrives. Memory
 * between the two stack pointers belongs to a coroutine that thread 2 begins. */
static void a_signal_on_the_threads_stack_enlarges_no_coroutine(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, ABOVE + 0x1000);
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff000);
    FEED(f, EVENT_THREAD_START, 2, 0x300000, 0x400000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    computed_jump_to(f, &r_f, BLOCK_ENTRY, ABOVE);
    ASSERT_STACK(f, &r_f);
    FEED(f, EVENT_THREAD_SWITCH, 1);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xff000);
    feed_block(f, &r_g, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_g);
}

static void a_stack_that_is_used_again_is_a_new_coroutine(void **state)
{
    struct feed *f = *state;
    begin_coroutine(f);
    call(f, &r_h, CO - 64);
    feed_block(f, &r_h, 0, BLOCK_RETURN, slot(0xff00));
    feed_block(f, &r_main, 0, BLOCK_JUMP, nothing());
    begin_coroutine(f);
    ASSERT_STACK(f, &r_g);
    assert_int_equal(feed_profile(f, &r_g)->calls, 1);
    assert_int_equal(f->engine->n_exec_contexts, 2);
}

/* Cells that g writes on the coroutine's stack are induced input for f. */
static void coroutines_induce_input(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    call(f, &r_h, 0xfe00);
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(CO));
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfe00));
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    assert_int_equal(f->engine->ctx->stack[2].is_induced, 0);
    call(f, &r_h, 0xfe00);
    feed_block(f, &r_h, 0, BLOCK_INDIRECT, pointer(CO));
    struct payload both = access_of(ACCESS_WRITE, 0x5000, 4);
    both.n_words = 1;
    both.word = 0xfe00;
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_RETURN, both);
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    ASSERT_STACK(f, &r_main, &r_f);
    assert_int_equal(f->engine->ctx->stack[2].rms, 1);
    assert_int_equal(f->engine->ctx->stack[2].is_induced, 1);
    assert_int_equal(f->engine->ctx->induced[2].delta, 1);
    assert_int_equal(f->engine->ctx->induced[2].thread, 1);
}

/* ---------------------------------------------------------------- cost */

static void what_continues_or_repeats_a_block_costs_what_it_says(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    struct block *cut = feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    cut->end = BLOCK_FALL;
    block_close(cut);
    cut->next = 0x1000;
    cut->repeat = 0x2000;
    struct block *after = feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    after->cost = 100;
    after->cost_continued = 10;
    after->cost_repeated = 1;
    uint64_t before = f->engine->ctx->cost;

    cut->cost = 0;
    after->start = 0x1000;
    feed_again(f, cut, nothing());
    feed_again(f, after, nothing());
    assert_int_equal(f->engine->ctx->cost - before, 10);
    after->start = 0x2000;
    feed_again(f, cut, nothing());
    feed_again(f, after, nothing());
    assert_int_equal(f->engine->ctx->cost - before, 11);
    after->start = 0x3000;
    feed_again(f, cut, nothing());
    feed_again(f, after, nothing());
    assert_int_equal(f->engine->ctx->cost - before, 111);
}

/* ---------------------------------------------------------------- collection */

static void nothing_is_measured_while_collection_is_off(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_COLLECT_OFF, 0);
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    ASSERT_STACK(f, &r_main, &r_f);
    FEED(f, EVENT_COLLECT_ON, 0);
    call(f, &r_g, 0xfe00);
    feed_block(f, &r_g, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    return_to(f, &r_f, 0xfe00);
    return_to(f, &r_main, 0xff00);
    assert_int_equal(feed_profile(f, &r_f)->calls, 0);
    assert_int_equal(feed_profile(f, &r_g)->calls, 1);
    assert_int_equal(feed_calls(f, &r_g, METRIC_RMS, 1), 1);
}

static void only_what_a_toggling_routine_does_is_measured(void **state)
{
    (void)state;
    struct feed f;
    struct engine_config config = feed_config;
    config.collect_in_toggles = true;
    feed_new_with(&f, &config);
    r_f.toggles = true;
    feed_block(&f, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    call(&f, &r_g, 0xff00);
    return_to(&f, &r_main, 0xff00);
    call(&f, &r_f, 0xff00);
    call(&f, &r_g, 0xfe00);
    return_to(&f, &r_f, 0xfe00);
    return_to(&f, &r_main, 0xff00);
    call(&f, &r_h, 0xff00);
    return_to(&f, &r_main, 0xff00);
    assert_int_equal(feed_profile(&f, &r_f)->calls, 1);
    assert_int_equal(feed_profile(&f, &r_g)->calls, 1);
    assert_int_equal(feed_profile(&f, &r_h)->calls, 0);
    assert_int_equal(f.engine->cost_total, feed_profile(&f, &r_f)->cost_total);
    feed_delete(&f);
}

static void zero_begins_pending_activations_anew(void **state)
{
    struct feed *f = *state;
    call(f, &r_f, 0xff00);
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x5000, 4));
    FEED(f, EVENT_ZERO, 0);
    feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_READ, 0x6000, 4));
    return_to(f, &r_main, 0xff00);
    struct routine_profile *p = feed_profile(f, &r_f);
    assert_int_equal(p->calls, 1);
    assert_int_equal(p->cost_total, 2);
    assert_int_equal(feed_calls(f, &r_f, METRIC_TRMS, 1), 1);
}

static void a_forked_child_has_its_own_thread_only(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_THREAD_START, 2, 0x200000, 0x300000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_THREAD_SWITCH, 1);
    call(f, &r_f, 0xff00);
    FEED(f, EVENT_FORKED, 1);
    assert_int_equal(f->engine->n_exec_contexts, 1);
    assert_false(f->engine->shared);
    engine_finish(f->engine);
    assert_int_equal(feed_profile(f, &r_g)->calls, 0);
    assert_int_equal(feed_profile(f, &r_f)->calls, 1);
    assert_int_equal(f->engine->cost_total, 0);
}

/* ---------------------------------------------------------------- deep recursion */

enum { DEEP = 1 << 16 }; /* with main and the bottom a power of two: the arrays are full */

static void call_deep(struct feed *f)
{
    for (aprof_word i = 0; i < DEEP - 2; i++)
        trms_call(f->engine, f->engine->ctx, &r_f, 0xff000 - 8 * i);
}

static size_t resident_pages(void *pages, size_t bytes)
{
    unsigned char is_resident[DEEP * sizeof(struct induced) / 4096];
    size_t n = 0;
    assert_int_equal(mincore(pages, bytes, is_resident), 0);
    for (size_t i = 0; i < bytes / 4096; i++)
        n += is_resident[i] & 1;
    return n;
}

static void an_activation_takes_few_bytes(void **state)
{
    struct feed *f = *state;
    call_deep(f);
    size_t bytes = host_test_live_bytes("aprof.stack") + host_test_live_bytes("aprof.stamps");
    assert_int_equal(f->engine->ctx->capacity, DEEP);
    assert_in_range(bytes, 1, DEEP * (sizeof(uintptr_t) == 8 ? 49 : 41));
    assert_int_equal(resident_pages(f->engine->ctx->induced, DEEP * sizeof(struct induced)), 0);
}

/* Each thousandth activation has two induced reads. */
static void a_growing_stack_keeps_induced_input(void **state)
{
    struct feed *f = *state;
    struct exec_context *ctx = f->engine->ctx;
    for (aprof_word i = 0; i < DEEP - 2; i++) {
        trms_call(f->engine, ctx, &r_f, 0xff000 - 8 * i);
        if (i % 1000 == 0)
            activation_induced(ctx, ctx->top)->thread += 2;
    }
    while (ctx->top > 1)
        trms_return(f->engine, ctx);
    assert_int_equal(activation_induced(ctx, 1)->thread, 2 * (DEEP / 1000 + 1));
    assert_int_equal(activation_induced(ctx, 1)->delta, 0);
}

/* ---------------------------------------------------------------- the link register */

static int setup_linked(void **state)
{
    static struct feed feed;
    struct engine_config config = feed_config;
    struct routine *all[] = {&r_main, &r_f, &r_g, &r_h, &r_binder, &r_unnamed};
    for (uint32_t i = 0; i < 6; i++)
        *all[i] = (struct routine){.id = i};
    config.linked = true;
    feed_new_with(&feed, &config);
    feed_block(&feed, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    *state = &feed;
    return 0;
}

/* The running code calls `routine` with the stack pointer of that slot. */
static void call_linked(struct feed *f, struct routine *routine, aprof_word slot_address)
{
    feed_block(f, (struct routine *)feed_pending(f, feed_depth(f)), 0, BLOCK_LINKED_CALL,
               slot(slot_address));
    feed_block(f, routine, BLOCK_ENTRY, BLOCK_JUMP, nothing());
}

static void calls_by_the_link_register_are_calls(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    call_linked(f, &r_g, 0xfe08);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_f, 0xfe08);
    ASSERT_STACK(f, &r_main, &r_f);
    call_linked(f, &r_h, 0xfe08);
    ASSERT_STACK(f, &r_main, &r_f, &r_h);
    return_to(f, &r_main, 0xff08); /* longjmp */
    ASSERT_STACK(f, &r_main);
}

static void calls_without_a_frame_return_one_by_one(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    call_linked(f, &r_g, 0xff08);
    call_linked(f, &r_h, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f, &r_g, &r_h);
    return_to(f, &r_g, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    jump_to(f, &r_h, BLOCK_ENTRY); /* a tail call ends together with its caller */
    ASSERT_STACK(f, &r_main, &r_f, &r_g, &r_h);
    return_to(f, &r_f, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff08);
    ASSERT_STACK(f, &r_main);
}

/* Only a limited number of routines can keep their return addresses in registers. */
static void calls_without_a_frame_never_leave_the_word(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    for (unsigned i = 0; i < 20; i++)
        call_linked(f, i % 2 ? &r_g : &r_h, 0xff08);
    assert_true(f->engine->ctx->stack[feed_depth(f)].slot > 0xff00);
    call_linked(f, &r_f, 0xfe08);
    return_to(f, &r_main, 0xff18);
    ASSERT_STACK(f, &r_main);
}

static void a_jump_with_the_stack_pointer_of_the_entry_stays_or_enters(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    computed_jump_to(f, &r_f, 0, 0xff08); /* a table of jumps */
    ASSERT_STACK(f, &r_main, &r_f);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_main, 0xff08);
    ASSERT_STACK(f, &r_main);
    call_linked(f, &r_f, 0xff08);
    call_linked(f, &r_g, 0xfe08);
    computed_jump_to(f, &r_main, 0, 0xff18); /* an exception is caught */
    ASSERT_STACK(f, &r_main);
}

static void a_coroutine_begins_and_goes_on_by_the_link_register(void **state)
{
    struct feed *f = *state;
    const aprof_word pointer = 0x900010;
    call_linked(f, &r_f, 0xff08);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, pointer - 8);
    ASSERT_STACK(f, &r_g);
    call_linked(f, &r_h, pointer - 0x48);
    return_to(f, &r_main, 0xff08); /* r_f had made the switch */
    ASSERT_STACK(f, &r_main);
    call_linked(f, &r_f, 0xff08);
    return_to(f, &r_g, pointer - 0x48);
    ASSERT_STACK(f, &r_g);
}

/* The switch was called by a routine without a frame, which continues. */
static void a_coroutine_resumes_a_routine_without_a_frame(void **state)
{
    struct feed *f = *state;
    const aprof_word pointer = 0x900010;
    call_linked(f, &r_f, 0xff08);
    computed_jump_to(f, &r_g, BLOCK_ENTRY, pointer - 8);
    call_linked(f, &r_h, pointer - 0x48);
    call_linked(f, &r_f, pointer - 0x48);
    ASSERT_STACK(f, &r_g, &r_h, &r_f);
    return_to(f, &r_main, 0xff08);
    ASSERT_STACK(f, &r_main);
    call_linked(f, &r_f, 0xff08);
    return_to(f, &r_h, pointer - 0x48);
    ASSERT_STACK(f, &r_g, &r_h);
    return_to(f, &r_g, pointer - 0x48);
    ASSERT_STACK(f, &r_g);
}

static void inject_linked(struct feed *f)
{
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff10);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xff00);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
}

/* The interrupted stack pointer is the stack pointer with which r_f was called. */
static void a_call_injected_into_a_routine_without_a_frame_ends_alone(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    inject_linked(f);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    call_linked(f, &r_h, 0xfe08);
    return_to(f, &r_g, 0xfe08);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_f, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f);
    inject_linked(f);
    computed_jump_to(f, &r_f, 0, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f);
    call_linked(f, &r_h, 0xff08);
    feed_block(f, &r_h, 0, BLOCK_RETURN, slot(0xff08));
    inject_linked(f);
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    feed_block(f, &r_g, 0, BLOCK_RETURN, slot(0xff08));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff10);
    FEED(f, EVENT_SIGNAL_LEAVE, 1, 0xff10);
    feed_block(f, &r_f, 0, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
    call_linked(f, &r_g, 0xfe08);
    return_to(f, &r_main, 0xff08); /* longjmp */
    ASSERT_STACK(f, &r_main);
}

static void a_signal_behind_a_call_without_a_frame_ends_nothing(void **state)
{
    struct feed *f = *state;
    call_linked(f, &r_f, 0xff08);
    feed_block(f, &r_f, 0, BLOCK_LINKED_CALL, slot(0xff08));
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0xff10);
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfd08));
    FEED(f, EVENT_SIGNAL_LEAVE, 1);
    feed_block(f, &r_g, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f, &r_g);
    return_to(f, &r_f, 0xff08);
    ASSERT_STACK(f, &r_main, &r_f);
}

static void the_binder_is_entered_with_the_stack_pointer_of_the_call(void **state)
{
    struct feed *f = *state;
    feed_block(f, &r_main, 0, BLOCK_LINKED_CALL, slot(0xff08));
    feed_block(f, &r_binder, BLOCK_RESOLVER | BLOCK_UNNAMED, BLOCK_JUMP, slot(0xff08));
    feed_block(f, &r_binder, BLOCK_ENTRY, BLOCK_LINKED_CALL, slot(0xfe08));
    feed_block(f, &r_h, BLOCK_ENTRY, BLOCK_RETURN, slot(0xfe08));
    feed_block(f, &r_binder, 0, BLOCK_INDIRECT, pointer(0xff08));
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    ASSERT_STACK(f, &r_main, &r_f);
    return_to(f, &r_main, 0xff08);
    ASSERT_STACK(f, &r_main);
}

/* ---------------------------------------------------------------- mistakes of a front end */

static void an_unknown_event_is_a_panic(void **state)
{
    jmp_buf panic;
    if (setjmp(panic) == 0) {
        host_test_catch_panic(&panic);
        FEED((struct feed *)*state, EVENT_KINDS, 0);
        fail();
    }
    host_test_catch_panic(NULL);
    assert_string_equal(host_test_panic_message, "unknown event in the stream");
}

#define TEST(function)   cmocka_unit_test_setup_teardown(function, setup, teardown)
#define LINKED(function) cmocka_unit_test_setup_teardown(function, setup_linked, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_begins_and_its_return_ends_an_activation),
        TEST(recursion_makes_one_activation_each),
        TEST(a_million_deep_recursion_is_followed),
        TEST(a_call_into_the_middle_of_another_routine_counts),
        TEST(a_call_into_its_own_midst_is_none),
        TEST(a_return_on_an_empty_stack_begins_a_new_root),
        TEST(a_loop_to_the_entry_block_is_no_call),
        TEST(frames_that_left_no_trace_end_at_the_next_call),
        TEST(a_tail_call_shares_the_slot_and_ends_with_it),
        TEST(a_jump_back_into_the_chain_is_a_loop),
        TEST(jumps_into_the_middle_or_to_cold_parts_are_not_calls),
        TEST(unnamed_code_is_a_routine_once_it_was_called),
        TEST(a_retpoline_calls_what_its_return_reaches),
        TEST(longjmp_ends_what_lies_below_its_target),
        TEST(longjmp_to_an_outer_activation_of_the_same_routine),
        TEST(a_return_past_several_slots_ends_them_all),
        TEST(push_and_return_is_a_jump),
        TEST(the_binder_is_neither_routine_nor_cost),
        TEST(a_tail_call_by_the_binder_stays_one),
        TEST(what_the_binder_reads_is_not_input),
        TEST(a_handler_has_a_root_of_its_own),
        TEST(a_handler_injects_a_call),
        TEST(a_handler_injects_a_call_before_the_callee),
        TEST(a_signal_between_call_and_callee_changes_nothing),
        TEST(siglongjmp_leaves_nested_handlers),
        TEST(siglongjmp_leaves_handlers_after_a_thread_has_ended),
        TEST(a_signal_behind_a_jump_out_of_handlers_finds_them_ended),
        TEST(a_signal_behind_a_longjmp_finds_what_it_left_ended),
        TEST(a_signal_behind_a_call_finds_what_that_overwrote_ended),
        TEST(a_sigreturn_without_a_handler_is_ignored),
        TEST(a_new_stack_is_a_new_exec_context),
        TEST(coroutines_take_turns),
        TEST(a_signal_behind_a_switch_enlarges_no_stack),
        TEST(a_call_on_the_threads_stack_resumes_no_coroutine_above),
        TEST(a_signal_on_the_threads_stack_enlarges_no_coroutine),
        TEST(a_stack_that_is_used_again_is_a_new_coroutine),
        TEST(coroutines_induce_input),
        TEST(what_continues_or_repeats_a_block_costs_what_it_says),
        TEST(nothing_is_measured_while_collection_is_off),
        TEST(only_what_a_toggling_routine_does_is_measured),
        TEST(zero_begins_pending_activations_anew),
        TEST(a_forked_child_has_its_own_thread_only),
        TEST(an_activation_takes_few_bytes),
        TEST(a_growing_stack_keeps_induced_input),
        LINKED(calls_by_the_link_register_are_calls),
        LINKED(calls_without_a_frame_return_one_by_one),
        LINKED(calls_without_a_frame_never_leave_the_word),
        LINKED(a_jump_with_the_stack_pointer_of_the_entry_stays_or_enters),
        LINKED(a_coroutine_begins_and_goes_on_by_the_link_register),
        LINKED(a_coroutine_resumes_a_routine_without_a_frame),
        LINKED(a_signal_behind_a_call_without_a_frame_ends_nothing),
        LINKED(a_call_injected_into_a_routine_without_a_frame_ends_alone),
        LINKED(the_binder_is_entered_with_the_stack_pointer_of_the_call),
        TEST(an_unknown_event_is_a_panic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
