/* A lock that only says whether it is taken, and windows of a few KiB.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/property/trms_embedder.h"

static uint32_t words[TRMS_TEST_WINDOWS][TRMS_TEST_WINDOW_MASK / 4 + 1];
static uint8_t pages[TRMS_TEST_WINDOWS][TRMS_PAGES_OF(TRMS_TEST_WINDOW_MASK) + 1];
static uint64_t first_cell, n_cells;
uint32_t trms_test_quiet;

void trms_lock(struct trms_world *world)
{
    world->lock++;
}

void trms_unlock(struct trms_world *world)
{
    world->lock--;
}

void trms_quiet_begin(struct trms_quiet *quiet)
{
    (void)quiet;
    trms_test_quiet++;
}

void trms_quiet_end(const struct trms_quiet *quiet)
{
    (void)quiet;
    trms_test_quiet--;
}

void trms_test_cells(uint64_t first, uint64_t n)
{
    first_cell = first;
    n_cells = n;
}

void trms_test_window_give(struct trms_exec_context *ctx, unsigned number)
{
    memset(words[number], 0, sizeof(words[number]));
    memset(pages[number], 0, sizeof(pages[number]));
    trms_window_begin(ctx, (uintptr_t)words[number], TRMS_TEST_WINDOW_MASK, pages[number]);
}

void trms_window_each(struct trms_exec_context *ctx, trms_words_visit *visit, void *context)
{
    for (uint64_t cell = first_cell; cell < first_cell + n_cells; cell++)
        visit(context, trms_window_word(ctx, cell), cell, 1);
}

void trms_window_clear(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first_cell; cell < first_cell + n_cells; cell++)
        if (cell >= first && cell <= last)
            *trms_window_word(ctx, cell) = 0;
}

void trms_pages_make(struct trms_exec_context *ctx, uintptr_t address, unsigned kinds)
{
    ctx->pages[TRMS_PAGES_OF(address & ctx->mask)] |= (uint8_t)kinds;
}

void trms_pages_make_all(struct trms_exec_context *ctx, uintptr_t first, uintptr_t end,
                         unsigned kinds)
{
    (void)end;
    trms_pages_make(ctx, first, kinds);
}

void trms_window_unmap(struct trms_exec_context *ctx)
{
    (void)ctx;
}
