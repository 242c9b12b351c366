/* Shadow memory of the compiled-in TRMS: three-level tables, made without locks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An execution context without a direct-mapped shadow has a table of words, which only this context
 * changes. All execution contexts share written[]. The first context that needs a part of written[]
 * makes this part, and publishes it by compare-and-swap. The release order of the compare-and-swap
 * pairs with the acquire loads of the levels. If two contexts make the same part at the same time,
 * the context that publishes second frees its copy. Parts of written[] exist as long as the world.
 *
 * Chunks take memory only for touched pages: a chunk covers 1 MiB of the program, but costs only
 * its touched part.
 */
#include "native/trms/core.h"
#include "native/trms/shadow/words.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

/* size of a chunk of shadow words or of tokens */
#define CHUNK_BYTES  (pages_bytes(TRMS_CHUNK_CELLS * sizeof(uint32_t)) + SLACK_BYTES)
#define TOP_BYTES    (sizeof(void *) << TRMS_TOP_LOG2)
#define MIDDLE_BYTES (sizeof(void *) << TRMS_MIDDLE_LOG2)
#define MIDDLE_MASK  (((uint64_t)1 << TRMS_MIDDLE_LOG2) - 1)

/* An aligned access stays within its chunk; a misaligned access may exceed its chunk by less than
 * SLACK_BYTES. */
#define SLACK_BYTES 4096

/* ---------------------------------------------------------------- one execution context's words */

/* Adds a mapping to the context's array. Signals are blocked, because a signal handler that ends by
 * a jump would otherwise leave the array incomplete. */
static void own_mapping(struct trms_exec_context *ctx, struct trms_mapping mapping)
{
    trms_lock(ctx->world);
    ctx->mappings = array_grow("aprof.trms.mappings", ctx->mappings, &ctx->mappings_capacity,
                               ctx->n_mappings + 1, sizeof(*ctx->mappings));
    ctx->mappings[ctx->n_mappings++] = mapping;
    trms_unlock(ctx->world);
}

static void *map_owned(struct trms_exec_context *ctx, const char *site, size_t bytes,
                       uint64_t index, bool is_words)
{
    struct trms_mapping mapping = {host_map(site, bytes), bytes, index, is_words};
    own_mapping(ctx, mapping);
    return mapping.pages;
}

uint32_t *trms_words_make(struct trms_exec_context *ctx, uint64_t index)
{
    struct trms_table *table = &ctx->table;
    if (!table->top)
        table->top = map_owned(ctx, "aprof.trms.top", TOP_BYTES, 0, false);
    void ***middle = &table->top[index >> TRMS_MIDDLE_LOG2];
    if (!*middle)
        *middle = map_owned(ctx, "aprof.trms.middle", MIDDLE_BYTES, 0, false);
    void **chunk = &(*middle)[index & MIDDLE_MASK];
    if (!*chunk)
        *chunk = map_owned(ctx, "aprof.trms.words", CHUNK_BYTES, index, true);
    return *chunk;
}

void trms_exec_context_unmap(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_mappings; i++)
        host_unmap(ctx->mappings[i].pages, ctx->mappings[i].bytes);
    host_free(ctx->mappings);
    ctx->mappings = NULL;
    ctx->n_mappings = ctx->mappings_capacity = 0;
    ctx->table.top = NULL;
    trms_remembered_clear(ctx);
}

/* ---------------------------------------------------------------- written[] */

/* Returns the object at `place`; creates it with `bytes` bytes if it does not exist. */
static void *publish(void **place, const char *site, size_t bytes)
{
    void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    void *made = host_map(site, bytes);
    if (__atomic_compare_exchange_n(place, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    host_unmap(made, bytes);
    return found;
}

uint32_t *trms_written_find(struct trms_world *world, uint64_t index)
{
    void ***top = __atomic_load_n(&world->written.top, __ATOMIC_ACQUIRE);
    void **middle = top ? __atomic_load_n(&top[index >> TRMS_MIDDLE_LOG2], __ATOMIC_ACQUIRE) : NULL;
    return middle ? __atomic_load_n(&middle[index & MIDDLE_MASK], __ATOMIC_ACQUIRE) : NULL;
}

/* Gives cells of mapped files their token. No other token can be right: if a cell of a new chunk
 * had been written since the file was mapped, the chunk would already exist. The chunk is filled
 * before it is published. */
static void fill_from_files(struct trms_world *world, uint32_t *tokens, uint64_t index)
{
    uint64_t begin = index << TRMS_CHUNK_LOG2, end = begin + TRMS_CHUNK_CELLS - 1;
    for (uint32_t i = 0; i < world->n_ranges; i++) {
        const struct trms_range *range = &world->ranges[i];
        uint64_t first = range->first > begin ? range->first : begin;
        uint64_t last = range->last < end ? range->last : end;
        for (uint64_t cell = first; range->token && cell <= last; cell++)
            tokens[cell - begin] = range->token;
    }
}

uint32_t *trms_written_make(struct trms_world *world, uint64_t index)
{
    uint32_t *found = trms_written_find(world, index);
    if (found)
        return found;
    void ***top = publish((void **)&world->written.top, "aprof.trms.written.top", TOP_BYTES);
    void **middle = publish((void **)&top[index >> TRMS_MIDDLE_LOG2], "aprof.trms.written.middle",
                            MIDDLE_BYTES);
    void **place = &middle[index & MIDDLE_MASK];
    trms_lock(world);
    found = *place;
    if (!found) {
        found = host_map("aprof.trms.written", CHUNK_BYTES);
        fill_from_files(world, found, index);
        __atomic_store_n(place, found, __ATOMIC_RELEASE);
    }
    trms_unlock(world);
    return found;
}

void trms_written_each(struct trms_world *world,
                       void (*visit)(void *context, uint32_t *tokens, uint64_t index),
                       void *context)
{
    void ***top = __atomic_load_n(&world->written.top, __ATOMIC_ACQUIRE);
    for (uint64_t t = 0; top && t < (uint64_t)1 << TRMS_TOP_LOG2; t++) {
        void **middle = __atomic_load_n(&top[t], __ATOMIC_ACQUIRE);
        for (uint64_t m = 0; middle && m <= MIDDLE_MASK; m++) {
            uint32_t *tokens = __atomic_load_n(&middle[m], __ATOMIC_ACQUIRE);
            if (tokens)
                visit(context, tokens, t << TRMS_MIDDLE_LOG2 | m);
        }
    }
}

static void unmap_tokens(void *context, uint32_t *tokens, uint64_t index)
{
    (void)context;
    (void)index;
    host_unmap(tokens, CHUNK_BYTES);
}

void trms_written_unmap(struct trms_world *world)
{
    trms_written_each(world, unmap_tokens, NULL);
    for (uint64_t t = 0; world->written.top && t < (uint64_t)1 << TRMS_TOP_LOG2; t++)
        if (world->written.top[t])
            host_unmap(world->written.top[t], MIDDLE_BYTES);
    if (world->written.top)
        host_unmap(world->written.top, TOP_BYTES);
    world->written.top = NULL;
}

/* ---------------------------------------------------------------- chunks at hand */

void trms_remembered_drop(struct trms_exec_context *ctx, uint8_t place)
{
    ctx->remembered.tag[place] = TRMS_NOT_REMEMBERED;
}

void trms_remembered_clear(struct trms_exec_context *ctx)
{
    for (int i = 0; i < TRMS_REMEMBERED; i++)
        trms_remembered_drop(ctx, (uint8_t)i);
}

/* Puts a chunk into the cache. The slot has no tag while its other fields change, because these
 * would remain incomplete if a signal handler ended by a jump. Returns false if, in the meantime, a
 * signal handler became the second execution context, because the slot then also needs the chunk's
 * tokens. */
static bool remember(struct trms_exec_context *ctx, uint64_t index, uint64_t tag)
{
    struct trms_remembered *remembered = &ctx->remembered;
    uint8_t place = (uint8_t)index;
    bool is_exclusive = trms_is_exclusive(ctx);
    uint32_t *words = trms_has_direct_shadow(ctx) ? NULL : trms_words_make(ctx, index);
    uint32_t *tokens = is_exclusive ? NULL : trms_written_make(ctx->world, index);
    uintptr_t first = (uintptr_t)(index << TRMS_CHUNK_LOG2) * sizeof(*words);
    trms_remembered_drop(ctx, place);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    remembered->words[place] = words ? (uintptr_t)words - first : 0;
    remembered->written[place] = tokens ? (uintptr_t)tokens - first : 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    remembered->tag[place] = tag;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (LIKELY(trms_is_exclusive(ctx) == is_exclusive))
        return true;
    trms_remembered_drop(ctx, place);
    return false;
}

uint8_t trms_remember(struct trms_exec_context *ctx, uint64_t index)
{
    bool is_fast = ctx->world->config.shift == TRMS_FAST_SHIFT;
    uint64_t tag = is_fast ? index : index | TRMS_TAG_OTHER;
    while (UNLIKELY(ctx->remembered.tag[(uint8_t)index] != tag))
        if (LIKELY(remember(ctx, index, tag)))
            break;
    return (uint8_t)index;
}
