/* Ranges of memory: kernel writes, mapped files, unmapped memory.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that was just unmapped or mapped counts as never accessed. Only an execution context
 * itself can clear its words, so the range is first recorded with a new generation. Before a
 * context uses a word again, it catches up: it clears its words in all ranges with later
 * generations than its own. This clears no words of accesses to the new memory, because a context
 * catches up before it first accesses this memory. The ranges are disjoint: a later range replaces
 * the parts of earlier ranges that it overlaps. So there are at most as many ranges as unmapped
 * areas.
 *
 * Mapping a large file changes only the existing chunks of written[]; in a new chunk, the cells of
 * mapped files get their token when the chunk is made.
 */
#include "native/trms/core.h"
#include "native/trms/shadow/words.h"
#include "ground/array.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct trms_range range_of(const struct trms_world *world, uint64_t address, uint64_t bytes)
{
    uint64_t first = address & TRMS_ADDRESS_MASK, room = TRMS_ADDRESS_MASK - first;
    uint64_t last = first + smaller(bytes - 1, room);
    return (struct trms_range){first >> world->config.shift, last >> world->config.shift, 0, 0};
}

/* ---------------------------------------------------------------- catching up */

static void clear_in_chunk(const struct trms_mapping *mapping, const struct trms_range *range)
{
    uint64_t begin = mapping->index << TRMS_CHUNK_LOG2, end = begin + TRMS_CHUNK_CELLS - 1;
    uint64_t first = larger(range->first, begin), last = smaller(range->last, end);
    if (mapping->is_words && first <= last)
        memset((uint32_t *)mapping->pages + (first - begin), 0,
               (last - first + 1) * sizeof(uint32_t));
}

static void clear_forgotten(struct trms_exec_context *ctx, uint32_t known)
{
    const struct trms_world *world = ctx->world;
    for (uint32_t r = 0; r < world->n_ranges; r++) {
        if (world->ranges[r].generation <= known)
            continue;
        if (trms_has_direct_shadow(ctx))
            trms_direct_shadow_clear(ctx, world->ranges[r].first, world->ranges[r].last);
        for (uint32_t i = 0; i < ctx->n_mappings; i++)
            clear_in_chunk(&ctx->mappings[i], &world->ranges[r]);
    }
}

/* Ends the epoch of an execution context after a signal handler interrupted the context, which
 * continues at the time that trms_interrupted has set. Times are not renumbered here, because an
 * interrupted inline check may already have loaded the time. */
static void end_epoch(struct trms_exec_context *ctx)
{
    if ((uint32_t)ctx->stamp < ctx->synced)
        ctx->stamp += TRMS_TICK;
    if (ctx->token_used)
        trms_token_next(ctx);
}

APROF_NOINLINE void trms_catch_up(struct trms_exec_context *ctx)
{
    struct trms_world *world = ctx->world;
    trms_lock(world);
    bool was_interrupted = ctx->settled != ctx->generation;
    clear_forgotten(ctx, ctx->generation);
    if (world->recycled_generation > ctx->generation)
        trms_seen_versions_drop_recycled(ctx, ctx->generation);
    ctx->generation = ctx->settled = world->generation;
    trms_unlock(world);
    if (was_interrupted)
        end_epoch(ctx);
}

/* ---------------------------------------------------------------- written[] */

static void fill_piece(uint32_t *tokens, uint64_t index, const struct trms_range *range)
{
    uint64_t begin = index << TRMS_CHUNK_LOG2, end = begin + TRMS_CHUNK_CELLS - 1;
    uint64_t first = larger(range->first, begin), last = smaller(range->last, end);
    for (uint64_t cell = first; cell <= last; cell++)
        __atomic_store_n(&tokens[cell - begin], range->token, __ATOMIC_RELAXED);
}

struct filling {
    const struct trms_range *range;
};

static void fill_visited(void *context, uint32_t *tokens, uint64_t index)
{
    const struct filling *filling = context;
    const struct trms_range *range = filling->range;
    if (index >= range->first >> TRMS_CHUNK_LOG2 && index <= range->last >> TRMS_CHUNK_LOG2)
        fill_piece(tokens, index, range);
}

static void fill_existing(struct trms_world *world, const struct trms_range *range)
{
    const uint64_t few =
        /* visiting all existing chunks is not more expensive than looking up this many chunks */
        1024;
    uint64_t index = range->first >> TRMS_CHUNK_LOG2, last = range->last >> TRMS_CHUNK_LOG2;
    struct filling filling = {range};
    if (last - index >= few) {
        trms_written_each(world, fill_visited, &filling);
        return;
    }
    for (; index <= last; index++) {
        uint32_t *tokens = trms_written_find(world, index);
        if (tokens)
            fill_piece(tokens, index, range);
    }
}

/* ---------------------------------------------------------------- the table of ranges */

/* Makes space for two more entries: the new range, and a second part of a range that the new range
 * splits. */
static void reserve(struct trms_world *world)
{
    world->ranges = array_grow("aprof.trms.ranges", world->ranges, &world->ranges_capacity,
                               world->n_ranges + 2, sizeof(*world->ranges));
}

/* Replaces `old` slots at `at` by `n` slots. */
static void make_room(struct trms_world *world, uint32_t at, uint32_t old, uint32_t n)
{
    memmove(world->ranges + at + n, world->ranges + at + old,
            (world->n_ranges - at - old) * sizeof(*world->ranges));
    world->n_ranges += n - old;
}

/* Inserts `range` into the table; the parts of other ranges that `range` overlaps are removed. */
static void insert(struct trms_world *world, const struct trms_range *range)
{
    uint32_t at = 0, end, n = 0;
    struct trms_range pieces[3];
    while (at < world->n_ranges && world->ranges[at].last < range->first)
        at++;
    for (end = at; end < world->n_ranges && world->ranges[end].first <= range->last;)
        end++;
    if (end > at && world->ranges[at].first < range->first) {
        pieces[n] = world->ranges[at];
        pieces[n++].last = range->first - 1;
    }
    pieces[n++] = *range;
    if (end > at && world->ranges[end - 1].last > range->last) {
        pieces[n] = world->ranges[end - 1];
        pieces[n++].first = range->last + 1;
    }
    make_room(world, at, end - at, n);
    memcpy(world->ranges + at, pieces, n * sizeof(*pieces));
    world->n_files = 0;
    for (uint32_t i = 0; i < world->n_ranges; i++)
        world->n_files += world->ranges[i].token != 0;
}

/* The range is added to the table before the existing chunks are filled. Otherwise, a chunk that
 * another thread makes in between would lack the range's token. */
static void forget(struct trms_exec_context *ctx, struct trms_range *range)
{
    struct trms_world *world = ctx->world;
    trms_lock(world);
    reserve(world);
    range->generation = world->generation + 1;
    insert(world, range);
    /* This release store pairs with the acquire load that precedes every use of a word. */
    __atomic_store_n(&world->generation, range->generation, __ATOMIC_RELEASE);
    trms_unlock(world);
    fill_existing(world, range);
    trms_catch_up(ctx);
    trms_remembered_clear(ctx); /* the context may need a chunk of written[] now */
}

/* ---------------------------------------------------------------- entry points */

static uint32_t kernel_token(struct trms_exec_context *ctx)
{
    trms_epoch_end(ctx);
    if (!ctx->token_limit)
        trms_token_next(ctx);
    ctx->token_used = true;
    return (uint32_t)(ctx->stamp >> 32) | TRMS_TOKEN_KERNEL;
}

void trms_kernel_wrote(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes)
{
    struct trms_range range = range_of(ctx->world, address, bytes);
    uint64_t index = range.first >> TRMS_CHUNK_LOG2;
    range.token = kernel_token(ctx);
    if (trms_is_exclusive(ctx)) {
        trms_words_kernel_wrote(ctx, range.first, range.last);
        /* During this call, a signal handler may have become the second execution context. */
        if (trms_is_exclusive(ctx))
            return;
    }
    for (; index <= range.last >> TRMS_CHUNK_LOG2; index++) {
        uint32_t *tokens = trms_written_find(ctx->world, index);
        if (!tokens) {
            tokens = trms_written_make(ctx->world, index);
            trms_remembered_drop(ctx, (uint8_t)index);
        }
        fill_piece(tokens, index, &range);
    }
}

void trms_forgotten(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes)
{
    struct trms_range range = range_of(ctx->world, address, bytes);
    trms_sync(ctx);
    forget(ctx, &range);
}

void trms_file_mapped(struct trms_exec_context *ctx, uint64_t address, uint64_t bytes)
{
    struct trms_range range = range_of(ctx->world, address, bytes);
    range.token = kernel_token(ctx);
    forget(ctx, &range);
}
