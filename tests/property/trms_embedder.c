/* A lock that only records whether it is taken, and direct-mapped shadows of a few KiB.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/property/trms_embedder.h"

static uint32_t words[TRMS_TEST_DIRECT_SHADOWS][TRMS_TEST_DIRECT_SHADOW_MASK / 4 + 1];
static uint8_t pages[TRMS_TEST_DIRECT_SHADOWS][TRMS_PAGES_OF(TRMS_TEST_DIRECT_SHADOW_MASK) + 1];
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

void trms_test_direct_shadow_give(struct trms_exec_context *ctx, unsigned number)
{
    memset(words[number], 0, sizeof(words[number]));
    memset(pages[number], 0, sizeof(pages[number]));
    trms_direct_shadow_begin(ctx, (uintptr_t)words[number], TRMS_TEST_DIRECT_SHADOW_MASK,
                             pages[number]);
}

void trms_direct_shadow_each(struct trms_exec_context *ctx, trms_words_visit *visit, void *context)
{
    for (uint64_t cell = first_cell; cell < first_cell + n_cells; cell++)
        visit(context, trms_direct_shadow_word(ctx, cell), cell, 1);
}

void trms_direct_shadow_clear(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first_cell; cell < first_cell + n_cells; cell++)
        if (cell >= first && cell <= last)
            *trms_direct_shadow_word(ctx, cell) = 0;
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

void trms_direct_shadow_unmap(struct trms_exec_context *ctx)
{
    (void)ctx;
}
