/* Tests which pages of shadow memory are populated at once.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "native/trms/core.h"
#include "native/trms/shadow/shadow_pages.h"
#include "tests/property/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#define PAGE   ((size_t)4096)
#define BLOCK  (TRMS_BLOCK_PAGES * PAGE)
#define CHUNK  ((size_t)4 << TRMS_CHUNK_LOG2)
#define BLOCKS 4
#define ROUNDS 20000

/* ---------------------------------------------------------------- which */

static void alone_it_is_alone(void **state)
{
    (void)state;
    const uint8_t made[TRMS_BLOCK_PAGES] = {0};
    for (unsigned at = 0; at < TRMS_BLOCK_PAGES; at++)
        assert_int_equal(trms_pages_choose(at, 0, 0, made, TRMS_PAGE_WORDS), 1u << at);
}

static void what_is_in_place_is_made_beside(void **state)
{
    (void)state;
    const uint8_t made[TRMS_BLOCK_PAGES] = {3, 1, [9] = TRMS_PAGE_TOKENS};
    assert_int_equal(trms_pages_choose(4, 0, 0xffff, made, TRMS_PAGE_WORDS), 0xfffc);
    assert_int_equal(trms_pages_choose(4, 0, 0xffff, made, TRMS_PAGE_TOKENS), 0xfdfe);
    assert_int_equal(trms_pages_choose(2, 2, 0x60, made, TRMS_PAGE_WORDS), 0x7c);
}

/* Counts how often a page is requested, from the beginning of new memory on. */
static void new_memory_is_made_ever_farther_ahead(void **state)
{
    (void)state;
    uint8_t made[BLOCKS * TRMS_BLOCK_PAGES] = {0};
    unsigned asked = 0;
    for (unsigned page = 0; page < BLOCKS * TRMS_BLOCK_PAGES; page++) {
        unsigned at = page % TRMS_BLOCK_PAGES, before = 0;
        if (made[page])
            continue;
        while (before < TRMS_BLOCK_PAGES && before < page && made[page - before - 1])
            before++;
        asked++;
        uint32_t chosen = trms_pages_choose(at, before, 0, &made[page - at], 1);
        for (unsigned i = 0; i < TRMS_BLOCK_PAGES; i++)
            made[page - at + i] |= chosen >> i & 1;
    }
    assert_int_equal(asked, 5 + BLOCKS - 1);
}

static void no_more_is_made_than_was_before_or_is_in_place(void **state)
{
    (void)state;
    struct rng rng = {4711};
    for (int round = 0; round < ROUNDS; round++) {
        unsigned at = rng_below(&rng, TRMS_BLOCK_PAGES),
                 before = rng_below(&rng, TRMS_BLOCK_PAGES + 1);
        uint32_t in_place = rng_below(&rng, 0x10000);
        uint8_t made[TRMS_BLOCK_PAGES];
        for (unsigned i = 0; i < TRMS_BLOCK_PAGES; i++)
            made[i] = i != at && rng_below(&rng, 2);
        uint32_t chosen = trms_pages_choose(at, before, in_place, made, 1);
        assert_true(chosen >> at & 1);
        assert_int_equal(chosen >> TRMS_BLOCK_PAGES, 0);
        for (unsigned i = 0; i < TRMS_BLOCK_PAGES; i++) {
            if (made[i])
                assert_false(chosen >> i & 1);
            else if (i != at && !(in_place >> i & 1))
                assert_int_equal(chosen >> i & 1, i > at && i <= at + before);
        }
    }
}

/* ---------------------------------------------------------------- made */

/* An execution context with the words of one chunk of memory, and with its tokens. */
struct stage {
    struct trms_exec_context ctx;
    char *memory, *words, *tokens;
    uint8_t pages[CHUNK / PAGE];
};

static char *map(size_t bytes)
{
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    return pages;
}

/* Memory that begins with a chunk of the address space. */
static struct stage *stage_new(void)
{
    struct stage *stage = (struct stage *)map(sizeof(*stage));
    char *memory = map(2 * CHUNK);
    stage->memory = (char *)(((uintptr_t)memory + CHUNK - 1) & ~(CHUNK - 1));
    stage->words = map(CHUNK + PAGE);
    stage->tokens = map(CHUNK);
    uint64_t index = trms_chunk_of((uintptr_t)stage->memory);
    struct trms_exec_context *ctx = &stage->ctx;
    ctx->direct_shadow = (uintptr_t)stage->words + 0x840;
    ctx->mask = CHUNK - 4;
    ctx->pages = stage->pages;
    ctx->careful = 1;
    ctx->remembered.tag[(uint8_t)index] = index;
    ctx->remembered.written[(uint8_t)index] =
        (uintptr_t)stage->tokens - (index << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT));
    return stage;
}

static unsigned in_place(const char *from, size_t n)
{
    unsigned char found[CHUNK / PAGE];
    unsigned count = 0;
    assert_int_equal(mincore((void *)from, n * PAGE, found), 0);
    for (size_t i = 0; i < n; i++)
        count += found[i] & 1;
    return count;
}

static void want(struct stage *stage, size_t page, unsigned kinds)
{
    trms_pages_want(&stage->ctx, (uintptr_t)stage->memory + page * PAGE, kinds);
}

/* Older kernels lack this system call. */
static bool is_known_here(void)
{
    char *page = map(PAGE);
    return madvise(page, PAGE, 23) == 0;
}

static void the_shadow_of_what_is_in_place_is_made(void **state)
{
    (void)state;
    struct stage *stage = stage_new();
    if (!is_known_here())
        skip();
    memset(stage->memory + 4 * PAGE, 1, 6 * PAGE);
    want(stage, 5, TRMS_PAGE_WORDS);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 7); /* words of 6 pages, not aligned */
    assert_int_equal(in_place(stage->tokens, CHUNK / PAGE), 0);
    want(stage, 9, TRMS_PAGE_ALL);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 7);
    assert_int_equal(in_place(stage->tokens, CHUNK / PAGE), 6);
    assert_int_equal(in_place(stage->tokens + 4 * PAGE, 6), 6);
    assert_int_equal(in_place(stage->memory, CHUNK / PAGE), 6);
}

static void sparse_memory_gets_no_more_than_faults_give(void **state)
{
    (void)state;
    struct stage *stage = stage_new();
    for (size_t page = 3; page < CHUNK / PAGE; page += 2) {
        want(stage, page, TRMS_PAGE_ALL);
        assert_true(trms_pages_are_made(&stage->ctx, (uintptr_t)stage->memory + page * PAGE,
                                        TRMS_PAGE_ALL));
    }
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 0);
    assert_int_equal(in_place(stage->tokens, CHUNK / PAGE), 0);
}

static void a_row_gets_all_its_pages_and_no_others(void **state)
{
    (void)state;
    struct stage *stage = stage_new();
    uint64_t cell = (uintptr_t)stage->memory >> TRMS_FAST_SHIFT, n = 40 * PAGE / 4;
    if (!is_known_here())
        skip();
    trms_pages_want_all(&stage->ctx, cell + 5 * PAGE / 4, n, TRMS_PAGE_WORDS);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 41);
    assert_int_equal(in_place(stage->words + 5 * PAGE, 41), 41);
    stage->pages[15] = 0; /* alone */
    trms_pages_want_all(&stage->ctx, cell, 60 * PAGE / 4, TRMS_PAGE_ALL);
    for (size_t page = 0; page < CHUNK / PAGE; page++)
        assert_int_equal(stage->pages[page], page < 60 ? TRMS_PAGE_ALL : 0);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 61);
    assert_int_equal(in_place(stage->tokens, CHUNK / PAGE), 60);
    trms_pages_want_all(&stage->ctx, cell + 99 * PAGE / 4 + 7, 3, TRMS_PAGE_ALL);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 61);
    assert_int_equal(in_place(stage->memory, CHUNK / PAGE), 0);
}

static void tokens_that_are_not_at_hand_are_asked_for_again(void **state)
{
    (void)state;
    struct stage *stage = stage_new();
    uint8_t place = (uint8_t)trms_chunk_of((uintptr_t)stage->memory);
    uint64_t tag = stage->ctx.remembered.tag[place];
    stage->ctx.remembered.tag[place] = TRMS_NOT_REMEMBERED;
    want(stage, 0, TRMS_PAGE_ALL);
    assert_int_equal(stage->pages[0], TRMS_PAGE_WORDS);
    stage->ctx.remembered.tag[place] = tag;
    want(stage, 0, TRMS_PAGE_ALL);
    assert_int_equal(stage->pages[0], TRMS_PAGE_ALL);
}

static void where_a_block_ends_in_no_memory_faults_serve(void **state)
{
    (void)state;
    struct stage *stage = stage_new();
    memset(stage->memory, 1, BLOCK);
    assert_int_equal(munmap(stage->memory + 15 * PAGE, PAGE), 0);
    want(stage, 0, TRMS_PAGE_ALL);
    assert_int_equal(stage->pages[0], TRMS_PAGE_ALL);
    assert_int_equal(stage->pages[1], 0);
    assert_int_equal(in_place(stage->words, CHUNK / PAGE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_is_alone),
        cmocka_unit_test(what_is_in_place_is_made_beside),
        cmocka_unit_test(new_memory_is_made_ever_farther_ahead),
        cmocka_unit_test(no_more_is_made_than_was_before_or_is_in_place),
        cmocka_unit_test(the_shadow_of_what_is_in_place_is_made),
        cmocka_unit_test(sparse_memory_gets_no_more_than_faults_give),
        cmocka_unit_test(a_row_gets_all_its_pages_and_no_others),
        cmocka_unit_test(tokens_that_are_not_at_hand_are_asked_for_again),
        cmocka_unit_test(where_a_block_ends_in_no_memory_faults_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
