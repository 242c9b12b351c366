/* Tokens identify the writer of a cell and its epoch: allocation, search for free tokens, reuse.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An execution context takes whole blocks of tokens, so contexts synchronise with each other for
 * tokens only once in a thousand epochs. A context needs a new token only after an epoch in which
 * it wrote a cell. When all blocks are taken, one context searches written[] for tokens that still
 * exist. A block without such tokens is free: none of its tokens can be written again, because its
 * owner now takes tokens from another block.
 *
 * Other contexts may still have last seen versions for tokens of a freed block, although these
 * tokens are in no cell. If such a token were written again, these contexts would mistake it for
 * the old token. So each search is a new generation, and a context must catch up before it compares
 * tokens. A context that catches up drops the tokens of all blocks that were freed after the
 * context's own generation (seen_versions.c). No context waits for another context: a sleeping
 * context catches up when it wakes.
 *
 *     search:   owner leaves block -> written[] searched -> generation + 1 -> block given out again
 *     partner:  written with a new token -> (synchronisation of the program) -> reader sees the new
 *               generation before it sees the new token
 *
 * Limit: if every block is in use, a context keeps its token, and induced accesses may be missed.
 * This happens only if each of a million cells was last written in another epoch, with a thousand
 * epochs between any two of these writes. `stuck` counts these cases, and the report shows the
 * number.
 */
#include "native/trms/core.h"
#include "native/trms/shadow/seen_versions.h"
#include "ground/host.h"
#include "ground/pages.h"

static uint32_t block_of(const struct trms_tokens *tokens, uint32_t token)
{
    return token >> TRMS_KIND_BITS >> tokens->block_log2;
}

/* ---------------------------------------------------------------- the search for free blocks */

struct search {
    const struct trms_tokens *tokens;
    uint8_t *used; /* whether each block is in use */
};

static void mark_used(void *context, uint32_t *written, uint64_t index)
{
    const struct search *search = context;
    (void)index;
    for (uint64_t i = 0; i < TRMS_CHUNK_CELLS; i++) {
        uint32_t token = __atomic_load_n(&written[i], __ATOMIC_RELAXED);
        if (token)
            search->used[block_of(search->tokens, token)] = 1;
    }
}

static void mark_all(struct trms_world *world, const struct search *search)
{
    search->used[0] = 1;
    trms_written_each(world, mark_used, (void *)search);
    for (const struct trms_exec_context *s = world->exec_contexts; s; s = s->next)
        if (s->token_limit)
            search->used[block_of(search->tokens, s->token_limit - 1)] = 1;
    for (uint32_t i = 0; i < world->n_ranges; i++)
        search->used[block_of(search->tokens, world->ranges[i].token)] = 1;
}

static void find_free(struct trms_world *world)
{
    struct trms_tokens *tokens = &world->tokens;
    size_t bytes = pages_bytes(tokens->n_blocks);
    struct search search = {tokens, host_map("aprof.trms.search", bytes)};
    uint32_t generation = world->generation + 1;
    mark_all(world, &search);
    for (uint32_t b = 1; b < tokens->n_blocks; b++) {
        if (search.used[b])
            continue;
        tokens->free[tokens->n_free++] = b;
        __atomic_store_n(&tokens->recycled[b], generation, __ATOMIC_RELAXED);
    }
    world->recycled_generation = generation;
    /* This release store pairs with the acquire load that precedes every comparison of tokens. */
    __atomic_store_n(&world->generation, generation, __ATOMIC_RELEASE);
    host_unmap(search.used, bytes);
}

/* ---------------------------------------------------------------- blocks */

/* Takes a free block; returns 0 if every block is in use. */
static uint32_t take_block(struct trms_world *world)
{
    struct trms_tokens *tokens = &world->tokens;
    if (tokens->next < tokens->n_blocks)
        return tokens->next++;
    if (!tokens->n_free)
        find_free(world);
    return tokens->n_free ? tokens->free[--tokens->n_free] : 0;
}

static void set_token(struct trms_exec_context *ctx, uint32_t token)
{
    ctx->stamp = (uint64_t)token << 32 | (uint32_t)ctx->stamp;
    ctx->token_used = false;
    trms_seen_version_keep(ctx, token, 0);
}

static APROF_NOINLINE void next_block(struct trms_exec_context *ctx)
{
    struct trms_world *world = ctx->world;
    struct trms_tokens *tokens = &world->tokens;
    trms_lock(world);
    uint32_t limit = ctx->token_limit;
    ctx->token_limit = 0; /* the search may find that the block that the context gives up is free */
    uint32_t block = take_block(world);
    if (!block) {
        ctx->token_limit = limit;
        tokens->stuck++;
        trms_unlock(world);
        return;
    }
    tokens->owners[block] = ctx->serial;
    ctx->token_limit = ((block + 1) << tokens->block_log2) << TRMS_KIND_BITS;
    trms_unlock(world);
    set_token(ctx, (block << tokens->block_log2) << TRMS_KIND_BITS);
}

void trms_token_next(struct trms_exec_context *ctx)
{
    uint32_t next = (uint32_t)(ctx->stamp >> 32) + (1u << TRMS_KIND_BITS);
    if (UNLIKELY(next >= ctx->token_limit))
        next_block(ctx);
    else
        set_token(ctx, next);
}
