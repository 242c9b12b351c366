/* Hand-made event streams for unit tests.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/unit/feed.h"

#include <stdlib.h>

const struct engine_config feed_config = {
    .resolution_log2 = 2, .counter_bits = 31, .trms = true, .rms = true, .collect_at_start = true};

struct payload nothing(void)
{
    return (struct payload){0};
}

struct payload access_of(enum access_kind kind, aprof_word address, unsigned size_bytes)
{
    return (struct payload){
        .n_accesses = 1, .kind = kind, .size_bytes = size_bytes, .address = address};
}

struct payload pushed(aprof_word slot)
{
    return access_of(ACCESS_WRITE, slot, sizeof(aprof_word));
}

struct payload slot(aprof_word slot)
{
    return (struct payload){.n_words = 1, .word = slot};
}

struct payload pointer(aprof_word sp)
{
    return slot(sp);
}

void feed_new_with(struct feed *f, const struct engine_config *config)
{
    *f = (struct feed){.engine = engine_new(config), .cost = 1};
    FEED(f, EVENT_THREAD_START, 1, 0x1000, 0x100000);
    FEED(f, EVENT_THREAD_SWITCH, 1);
}

void feed_new(struct feed *f)
{
    feed_new_with(f, &feed_config);
}

void feed_delete(struct feed *f)
{
    engine_free(f->engine);
    while (f->n_blocks)
        free(f->blocks[--f->n_blocks]);
}

void feed_again(struct feed *f, struct block *block, struct payload payload)
{
    aprof_word words[3] = {(aprof_word)block};
    unsigned n = 1;
    if (payload.n_accesses)
        words[n++] = payload.address;
    if (payload.n_words)
        words[n++] = payload.word;
    engine_consume(f->engine, words, words + n);
}

struct block *feed_block(struct feed *f, struct routine *routine, unsigned flags,
                         enum block_end end, struct payload payload)
{
    struct block *block = calloc(1, block_bytes(1));
    if (!block || f->n_blocks == FEED_BLOCKS_MAX)
        abort();
    f->blocks[f->n_blocks++] = block;
    block->event =
        (struct event_desc){EVENT_BLOCK, (uint16_t)(payload.n_accesses + payload.n_words)};
    block->end = (uint8_t)end;
    block->flags = (uint8_t)flags;
    block->n_accesses = (uint16_t)payload.n_accesses;
    block->cost = f->cost;
    block->routine = routine;
    block->start = 0x400000 + 64 * f->n_blocks;
    block->access[0] =
        (struct access){.kind = payload.kind,
                        .shape = access_shape(payload.kind, false, payload.size_bytes),
                        .size_bytes = (uint16_t)payload.size_bytes};
    block_close(block);
    feed_again(f, block, payload);
    return block;
}

void feed_event(struct feed *f, enum event_kind kind, unsigned n, const aprof_word *payload)
{
    const struct event_desc desc = {(uint16_t)kind, (uint16_t)n};
    aprof_word words[4] = {(aprof_word)&desc};
    memcpy(words + 1, payload, n * sizeof(*payload));
    engine_consume(f->engine, words, words + 1 + n);
}

size_t feed_depth(const struct feed *f)
{
    return f->engine->ctx->top;
}

const struct routine *feed_pending(const struct feed *f, size_t i)
{
    return f->engine->ctx->stack[i].profile->routine;
}

struct routine_profile *feed_profile(struct feed *f, struct routine *routine)
{
    engine_gather(f->engine);
    return profile_get(&f->engine->gathered[0], routine);
}

uint64_t feed_calls(struct feed *f, struct routine *routine, enum metric metric, uint64_t input)
{
    const struct point_table *table =
        profile_table(feed_profile(f, routine), metric, f->engine->metrics);
    for (uint32_t i = 0; i < table->n_points; i++) {
        if (table->points[i].input == input)
            return table->points[i].calls;
    }
    return 0;
}
