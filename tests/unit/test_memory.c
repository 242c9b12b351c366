/* Unit tests of the begin and end of cells: files, moves, release, the table of writes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cells have 4 bytes, so that a chunk covers 64 KiB.
 */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "aprof/activation.h"
#include "tests/unit/feed.h"
#include "tests/host_test.h"

enum { CHUNK = 4 * CHUNK_CELLS, DATA = 0x10000000 };

static struct routine r_main = {.id = 0}, r_f = {.id = 1};

static int setup(void **state)
{
    static struct feed feed;
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

static void do_access(struct feed *f, enum access_kind kind, aprof_word address)
{
    feed_block(f, &r_main, 0, BLOCK_JUMP, access_of(kind, address, 4));
}

/* How a read of the cell counts for the root: the growth of its partial sums. */
struct partial_counts {
    int64_t rms, delta;
    uint64_t thread, external;
};

static struct partial_counts counts_now(const struct feed *f)
{
    struct exec_context *ctx = f->engine->ctx;
    const struct induced *induced = activation_induced(ctx, 1);
    return (struct partial_counts){ctx->stack[1].rms, induced->delta, induced->thread,
                                   induced->external};
}

static void assert_read(struct feed *f, aprof_word address, int64_t rms, int64_t delta,
                        uint64_t thread, uint64_t external)
{
    struct partial_counts before = counts_now(f);
    do_access(f, ACCESS_READ, address);
    struct partial_counts after = counts_now(f);
    assert_int_equal(after.rms - before.rms, rms);
    assert_int_equal(after.delta - before.delta, delta);
    assert_int_equal(after.thread - before.thread, thread);
    assert_int_equal(after.external - before.external, external);
}
#define ASSERT_FIRST(f, address)          assert_read(f, address, 1, 0, 0, 0)
#define ASSERT_KNOWN(f, address)          assert_read(f, address, 0, 0, 0, 0)
#define ASSERT_FIRST_EXTERNAL(f, address) assert_read(f, address, 1, 0, 0, 1)
#define ASSERT_AGAIN_EXTERNAL(f, address) assert_read(f, address, 0, 1, 0, 1)
#define ASSERT_FIRST_THREAD(f, address)   assert_read(f, address, 1, 0, 1, 0)
#define ASSERT_AGAIN_THREAD(f, address)   assert_read(f, address, 0, 1, 1, 0)

static void start_second_thread(struct feed *f)
{
    FEED(f, EVENT_THREAD_START, 2, 0x200000, 0x300000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
}

/* ---------------------------------------------------------------- files */

static void a_file_is_external_input_once(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_MAP_FILE, DATA, 4096);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    ASSERT_KNOWN(f, DATA);
    ASSERT_FIRST_EXTERNAL(f, DATA + 4092);
    ASSERT_FIRST(f, DATA + 4096);
    ASSERT_FIRST(f, DATA - 4);
}

/* Without a second thread, the table of writes has no writes, but a write still hides the file. */
static void what_the_program_wrote_over_a_file_is_known(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_MAP_FILE, DATA, 4096);
    do_access(f, ACCESS_WRITE, DATA);
    ASSERT_KNOWN(f, DATA);
    start_second_thread(f);
    ASSERT_FIRST_THREAD(f, DATA);
    ASSERT_FIRST_EXTERNAL(f, DATA + 4);
}

static void a_huge_file_costs_what_is_touched_of_it(void **state)
{
    struct feed *f = *state;
    aprof_word base = 0x100000000000;
    FEED(f, EVENT_MAP_FILE, base, (aprof_word)1 << 43);
    assert_int_equal(f->engine->written.n_chunks, 0);
    ASSERT_FIRST_EXTERNAL(f, base + ((aprof_word)1 << 42));
    assert_int_equal(f->engine->written.n_chunks, 1);
    FEED(f, EVENT_FORGET, base, (aprof_word)1 << 43);
    ASSERT_FIRST(f, base + ((aprof_word)1 << 42));
    assert_int_equal(f->engine->n_files, 0);
}

static void a_mapping_over_another_replaces_its_part(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_MAP_FILE, DATA, 3 * 4096);
    FEED(f, EVENT_FORGET, DATA + 4096, 4096);
    assert_int_equal(f->engine->n_files, 2);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    ASSERT_FIRST(f, DATA + 4096);
    ASSERT_FIRST_EXTERNAL(f, DATA + 8192);
    FEED(f, EVENT_MAP_FILE, DATA, 3 * 4096);
    assert_int_equal(f->engine->n_files, 1);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    ASSERT_FIRST_EXTERNAL(f, DATA + 4096);
}

static void a_file_is_still_external_after_zero(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_MAP_FILE, DATA, 4096);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    FEED(f, EVENT_KERNEL_WRITE, DATA + 8192, 4);
    FEED(f, EVENT_ZERO, 0);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    ASSERT_FIRST_EXTERNAL(f, DATA + 4);
    ASSERT_FIRST(f, DATA + 8192);
}

/* ---------------------------------------------------------------- moves */

static void a_move_takes_accesses_along(void **state)
{
    struct feed *f = *state;
    do_access(f, ACCESS_WRITE, DATA);
    FEED(f, EVENT_KERNEL_WRITE, DATA + 8, 4);
    FEED(f, EVENT_MOVE, DATA, DATA + 16 * CHUNK, 4096);
    ASSERT_KNOWN(f, DATA + 16 * CHUNK);
    ASSERT_FIRST_EXTERNAL(f, DATA + 16 * CHUNK + 8);
    ASSERT_FIRST(f, DATA + 16 * CHUNK + 4);
    ASSERT_FIRST(f, DATA);
}

/* No cell of the file was accessed, so there is no timestamp to copy. */
static void a_move_of_an_untouched_file(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_MAP_FILE, DATA, 8192);
    FEED(f, EVENT_KERNEL_WRITE, DATA + 16 * CHUNK, 4);
    FEED(f, EVENT_MOVE, DATA, DATA + 16 * CHUNK + 4096, 8192);
    ASSERT_FIRST_EXTERNAL(f, DATA + 16 * CHUNK + 4096);
    ASSERT_FIRST_EXTERNAL(f, DATA + 16 * CHUNK + 4096 + 8188);
    ASSERT_FIRST(f, DATA);
    ASSERT_FIRST(f, DATA + 16 * CHUNK + 4092);
}

/* The chunk for the moved cells also contains an untouched file. */
static void a_move_beside_an_untouched_file(void **state)
{
    struct feed *f = *state;
    aprof_word to = DATA + 16 * CHUNK;
    FEED(f, EVENT_MAP_FILE, to + 4096, 4096);
    FEED(f, EVENT_KERNEL_WRITE, DATA, 4);
    FEED(f, EVENT_MOVE, DATA, to, 4096);
    ASSERT_FIRST_EXTERNAL(f, to);
    ASSERT_FIRST_EXTERNAL(f, to + 4096);
}

/* ----------------------------------------------------- writes of one or more execution contexts */

static void one_thread_needs_no_table_of_writes(void **state)
{
    struct feed *f = *state;
    for (aprof_word i = 0; i < 100; i++)
        do_access(f, ACCESS_WRITE, DATA + i * CHUNK);
    assert_int_equal(f->engine->written.n_chunks, 0);
    start_second_thread(f);
    assert_int_equal(f->engine->written.n_chunks, 100);
    ASSERT_FIRST_THREAD(f, DATA + 99 * CHUNK);
    ASSERT_KNOWN(f, DATA + 99 * CHUNK);
    ASSERT_FIRST(f, DATA + 4);
}

static void a_late_thread_reads_what_the_latest_writer_left(void **state)
{
    struct feed *f = *state;
    do_access(f, ACCESS_WRITE, DATA);
    FEED(f, EVENT_KERNEL_WRITE, DATA, 4);
    FEED(f, EVENT_KERNEL_WRITE, DATA + 4, 4);
    do_access(f, ACCESS_WRITE, DATA + 4);
    FEED(f, EVENT_KERNEL_WRITE, DATA + 8, 4);
    ASSERT_FIRST_EXTERNAL(f, DATA + 8);
    start_second_thread(f);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    ASSERT_FIRST_THREAD(f, DATA + 4);
    ASSERT_FIRST_EXTERNAL(f, DATA + 8);
    FEED(f, EVENT_THREAD_SWITCH, 1);
    ASSERT_AGAIN_EXTERNAL(f, DATA);
    ASSERT_KNOWN(f, DATA + 4);
    ASSERT_KNOWN(f, DATA + 8);
}

static void the_kernel_reads_for_a_thread_that_has_not_begun(void **state)
{
    struct feed *f = *state;
    FEED(f, EVENT_THREAD_START, 2, 0x100000000, 0x200000000);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    FEED(f, EVENT_KERNEL_READ, DATA, 64);
    assert_int_equal(feed_depth(f), 0);
    assert_int_equal(f->engine->ctx->stack[0].rms, 16);
    FEED(f, EVENT_THREAD_END, 2);
}

static void threads_induce_each_others_input(void **state)
{
    struct feed *f = *state;
    start_second_thread(f);
    for (int i = 0; i < 3; i++) {
        do_access(f, ACCESS_WRITE, DATA);
        FEED(f, EVENT_THREAD_SWITCH, 1);
        if (i == 0)
            ASSERT_FIRST_THREAD(f, DATA);
        else
            ASSERT_AGAIN_THREAD(f, DATA);
        ASSERT_KNOWN(f, DATA);
        FEED(f, EVENT_THREAD_SWITCH, 2);
        ASSERT_KNOWN(f, DATA);
    }
}

/* ---------------------------------------------------------------- release */

static void forgotten_memory_is_given_back(void **state)
{
    struct feed *f = *state;
    start_second_thread(f);
    for (aprof_word i = 0; i < 400; i++)
        do_access(f, ACCESS_WRITE, DATA + i * CHUNK);
    struct engine_stats stats;
    engine_get_stats(f->engine, &stats);
    assert_int_equal(stats.chunks, 800);
    assert_int_equal(stats.write_chunks, 400);
    FEED(f, EVENT_FORGET, DATA, 400 * CHUNK);
    engine_get_stats(f->engine, &stats);
    assert_int_equal(stats.chunks, 0);
    ASSERT_FIRST(f, DATA);
}

static bool is_remembered(const struct feed *f, aprof_word address)
{
    uint64_t index = address >> 2 >> CHUNK_CELLS_LOG2;
    return f->engine->ctx->remembered[index % REMEMBERED_CHUNKS].index == index;
}

/* Releases and mappings are frequent in many programs, so other chunks stay remembered. */
static void a_release_forgets_its_chunks_only(void **state)
{
    struct feed *f = *state;
    aprof_word twin = DATA + (aprof_word)REMEMBERED_CHUNKS * CHUNK;
    do_access(f, ACCESS_WRITE, DATA);
    do_access(f, ACCESS_WRITE, DATA + CHUNK);
    do_access(f, ACCESS_WRITE, DATA + 2 * CHUNK);
    FEED(f, EVENT_FORGET, DATA + CHUNK, CHUNK);
    assert_true(is_remembered(f, DATA));
    assert_false(is_remembered(f, DATA + CHUNK));
    FEED(f, EVENT_MAP_FILE, DATA + 2 * CHUNK + 4096, 4096);
    assert_true(is_remembered(f, DATA));
    assert_false(is_remembered(f, DATA + 2 * CHUNK));
    FEED(f, EVENT_FORGET, twin, CHUNK);
    assert_true(is_remembered(f, DATA));
    FEED(f, EVENT_FORGET, DATA - CHUNK, 3 * (aprof_word)REMEMBERED_CHUNKS * CHUNK);
    assert_false(is_remembered(f, DATA));
}

/* Two chunks have the same position in the cache; the kernel writes to the chunk that is not
 * remembered. */
static void a_kernel_write_beside_a_remembered_chunk(void **state)
{
    struct feed *f = *state;
    aprof_word twin = DATA + (aprof_word)REMEMBERED_CHUNKS * CHUNK;
    do_access(f, ACCESS_WRITE, DATA);
    FEED(f, EVENT_KERNEL_WRITE, twin, 4);
    assert_true(is_remembered(f, DATA));
    ASSERT_KNOWN(f, DATA);
    FEED(f, EVENT_KERNEL_WRITE, DATA, 4);
    ASSERT_AGAIN_EXTERNAL(f, DATA);
    ASSERT_FIRST_EXTERNAL(f, twin);
}

/* A stack that was a few megabytes deep; its cells are gone when it is shallow again. */
static void left_stack_is_given_back(void **state)
{
    struct feed *f = *state;
    aprof_word high = 0x700000000000;
    FEED(f, EVENT_THREAD_START, 2, high - (64 << 20), high);
    FEED(f, EVENT_THREAD_SWITCH, 2);
    struct block *block = feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_CALL, pushed(high - 64));
    for (aprof_word depth = 1; depth < 128; depth++)
        feed_again(f, block, pushed(high - 64 - depth * CHUNK));
    struct engine_stats deep, shallow;
    engine_get_stats(f->engine, &deep);
    block->end = BLOCK_RETURN;
    block->n_accesses = 0;
    block_close(block);
    for (aprof_word depth = 128; depth-- > 0;)
        feed_again(f, block, slot(high - 64 - depth * CHUNK));
    engine_get_stats(f->engine, &shallow);
    assert_true(deep.chunks >= 256);
    assert_true(shallow.chunks < 100);
}

/* Addresses beyond user space and ranges that run over the end stay within the tables. */
static void the_end_of_the_address_space_is_safe(void **state)
{
    struct feed *f = *state;
    do_access(f, ACCESS_MODIFY, ADDRESS_MASK);
    do_access(f, ACCESS_MODIFY, ~(aprof_word)0);
    do_access(f, ACCESS_READ, 0xffffffffff600000);
    FEED(f, EVENT_KERNEL_WRITE, ADDRESS_MASK - 3, 4096);
    FEED(f, EVENT_KERNEL_READ, ADDRESS_MASK - 3, 4096);
    FEED(f, EVENT_MAP_FILE, ADDRESS_MASK - 4095, 1 << 20);
    FEED(f, EVENT_FORGET, ADDRESS_MASK - 4095, 1 << 20);
    FEED(f, EVENT_KERNEL_WRITE, 0, 0);
    FEED(f, EVENT_FORGET, 0, 0);
    assert_true(f->engine->written.n_chunks < 4);
}

/* ---------------------------------------------------------------- small execution contexts */

/* A handler: an execution context with few accesses. */
static void enter_handler(struct feed *f)
{
    FEED(f, EVENT_SIGNAL_ENTER, 1, 0x80000);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    assert_true(exec_context_is_small(f->engine, f->engine->ctx));
}

static void read_lines(struct feed *f, aprof_word n)
{
    for (aprof_word i = 0; i < n; i++)
        ASSERT_FIRST(f, DATA + i * 4 * LINE_CELLS);
    for (aprof_word i = 0; i < n; i++)
        ASSERT_KNOWN(f, DATA + i * 4 * LINE_CELLS);
}

static void a_small_exec_context_knows_what_it_read(void **state)
{
    struct feed *f = *state;
    do_access(f, ACCESS_WRITE, DATA + 4);
    enter_handler(f);
    read_lines(f, LINES_MAX);
    ASSERT_FIRST_THREAD(f, DATA + 4);
    do_access(f, ACCESS_WRITE, DATA + 8);
    ASSERT_KNOWN(f, DATA + 8);
    assert_true(exec_context_is_small(f->engine, f->engine->ctx));
    assert_int_equal(f->engine->ctx->accessed.n_chunks, 0);
}

static void a_small_exec_context_becomes_large_and_knows_the_same(void **state)
{
    struct feed *f = *state;
    enter_handler(f);
    read_lines(f, LINES_MAX);
    ASSERT_FIRST(f, DATA + CHUNK);
    assert_false(exec_context_is_small(f->engine, f->engine->ctx));
    assert_int_equal(host_test_live_bytes("aprof.shadow.lines"), 0);
    for (aprof_word i = 0; i < LINES_MAX; i++)
        ASSERT_KNOWN(f, DATA + i * 4 * LINE_CELLS);
}

static void many_accesses_make_a_exec_context_large(void **state)
{
    struct feed *f = *state;
    enter_handler(f);
    struct block *block = feed_block(f, &r_f, 0, BLOCK_JUMP, access_of(ACCESS_WRITE, DATA, 4));
    for (int i = 1; i < ALLOWED_ACCESSES; i++)
        feed_again(f, block, access_of(ACCESS_WRITE, DATA, 4));
    assert_true(exec_context_is_small(f->engine, f->engine->ctx));
    do_access(f, ACCESS_WRITE, DATA);
    assert_false(exec_context_is_small(f->engine, f->engine->ctx));
    ASSERT_KNOWN(f, DATA);
}

static void small_exec_contexts_forget_and_move(void **state)
{
    struct feed *f = *state;
    enter_handler(f);
    read_lines(f, 3);
    FEED(f, EVENT_FORGET, DATA, 4);
    ASSERT_FIRST(f, DATA);
    ASSERT_KNOWN(f, DATA + 4 * LINE_CELLS);
    FEED(f, EVENT_MOVE, DATA + CHUNK, DATA + 3 * CHUNK, CHUNK);
    assert_true(exec_context_is_small(f->engine, f->engine->ctx));
    FEED(f, EVENT_MOVE, DATA, DATA + CHUNK, CHUNK);
    ASSERT_KNOWN(f, DATA + CHUNK);
    ASSERT_KNOWN(f, DATA + CHUNK + 4 * LINE_CELLS);
    ASSERT_FIRST(f, DATA + 4 * LINE_CELLS);
}

/* The cell belongs to the handler's root, before and after. */
static void small_exec_contexts_are_renumbered(void **state)
{
    struct feed *f = *state;
    enter_handler(f);
    ASSERT_FIRST(f, DATA);
    overflow_renumber(f->engine);
    trms_call(f->engine, f->engine->ctx, &r_main, 0x7f000);
    assert_read(f, DATA, -1, 0, 0, 0);
    assert_int_equal(f->engine->ctx->stack[2].rms, 1);
    overflow_renumber(f->engine);
    ASSERT_KNOWN(f, DATA);
}

/* A thousand coroutines have each read a word of their stack and a word of the heap. */
static void a_coroutine_that_does_little_takes_few_bytes(void **state)
{
    enum { COROUTINES = 1000 };
    struct feed *f = *state;
    size_t before = host_test_live_bytes(NULL) - host_test_live_bytes("aprof.shadow.chunk");
    feed_block(f, &r_main, 0, BLOCK_INDIRECT, pointer(0x900000));
    struct payload payload = access_of(ACCESS_READ, DATA, 4);
    payload.n_words = 1;
    struct block *enter = NULL;
    for (aprof_word i = 1; i <= COROUTINES; i++) {
        payload.address = i % 2 ? DATA + i : 0x900000 + i * 0x10000 - 64;
        payload.word = 0x900000 + i * 0x10000;
        if (enter)
            feed_again(f, enter, payload);
        else
            enter = feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_INDIRECT, payload);
    }
    assert_int_equal(f->engine->n_exec_contexts, 1 + COROUTINES);
    size_t after = host_test_live_bytes(NULL) - host_test_live_bytes("aprof.shadow.chunk");
    assert_in_range((after - before) / COROUTINES, 1, 4096);
}

/* ---------------------------------------------------------------- no memory */

static void use_all_parts(struct feed *f)
{
    feed_new(f);
    feed_block(f, &r_main, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_MAP_FILE, DATA, 4096);
    ASSERT_FIRST_EXTERNAL(f, DATA);
    start_second_thread(f);
    for (aprof_word i = 0; i < 20; i++)
        do_access(f, ACCESS_WRITE, DATA + i * CHUNK);
    FEED(f, EVENT_SIGNAL_ENTER, 2, 0x208000);
    feed_block(f, &r_f, BLOCK_ENTRY, BLOCK_JUMP, nothing());
    FEED(f, EVENT_MOVE, DATA, DATA + 64 * CHUNK, CHUNK);
    feed_delete(f);
}

/* The host may end the process at any request for memory that it cannot fulfil.
 */
static void memory_may_run_out_anywhere(void **state)
{
    static struct feed f;
    static unsigned long failures;
    jmp_buf out_of_memory;
    (void)state;
    if (setjmp(out_of_memory) != 0) {
        failures++;
        host_test_release_all();
        while (f.n_blocks)
            free(f.blocks[--f.n_blocks]);
    }
    host_test_fail_at(failures + 1, &out_of_memory);
    use_all_parts(&f);
    host_test_fail_at(0, NULL);
    assert_true(failures > 30);
    assert_int_equal(host_test_report_live(), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_external_input_once),
        TEST(what_the_program_wrote_over_a_file_is_known),
        TEST(a_huge_file_costs_what_is_touched_of_it),
        TEST(a_mapping_over_another_replaces_its_part),
        TEST(a_file_is_still_external_after_zero),
        TEST(a_move_takes_accesses_along),
        TEST(a_move_of_an_untouched_file),
        TEST(a_move_beside_an_untouched_file),
        TEST(one_thread_needs_no_table_of_writes),
        TEST(a_late_thread_reads_what_the_latest_writer_left),
        TEST(the_kernel_reads_for_a_thread_that_has_not_begun),
        TEST(threads_induce_each_others_input),
        TEST(forgotten_memory_is_given_back),
        TEST(a_release_forgets_its_chunks_only),
        TEST(a_kernel_write_beside_a_remembered_chunk),
        TEST(left_stack_is_given_back),
        TEST(the_end_of_the_address_space_is_safe),
        TEST(a_small_exec_context_knows_what_it_read),
        TEST(a_small_exec_context_becomes_large_and_knows_the_same),
        TEST(many_accesses_make_a_exec_context_large),
        TEST(small_exec_contexts_forget_and_move),
        TEST(small_exec_contexts_are_renumbered),
        TEST(a_coroutine_that_does_little_takes_few_bytes),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
