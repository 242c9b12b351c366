/* The table of last seen versions: look-up, insertion, and clean-up.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Callers that change it have entered the guard. Compiled without vector registers, like core.c;
 * functions that map memory are called with them saved.
 */
#include "native/trms/shadow/sights.h"
#include "ground/host.h"
#include "ground/pages.h"

#define SPREAD 0x9e3779b1u /* 2^32 over the golden ratio: neighbours lie apart */

/* ---------------------------------------------------------------- HOT: the table */

static uint64_t *place_of(const struct trms_sight_table *table, uint32_t token)
{
    uint32_t last = (1u << table->log2) - 1;
    uint32_t i = (token * SPREAD) >> (32 - table->log2);
    while (table->places[i] && table->places[i] >> 32 != token)
        i = (i + 1) & last;
    return &table->places[i];
}

static void put(struct trms_sight_table *table, uint64_t sight)
{
    uint64_t *place = place_of(table, (uint32_t)(sight >> 32));
    table->n += !*place;
    *place = sight;
}

/* At least half of the slots stay free. */
static bool has_room(const struct trms_sight_table *table, uint32_t n)
{
    return table->places && table->n + n <= 1u << table->log2 >> 1;
}

bool trms_sights_have_room(const struct trms_exec_context *ctx)
{
    return has_room(&ctx->sights.others, TRMS_SIGHTS_SPARE);
}

/* ---------------------------------------------------------------- other tables */

static size_t table_bytes(uint32_t log2)
{
    return pages_bytes(sizeof(uint64_t) << log2);
}

static struct trms_sight_table empty(uint32_t log2)
{
    return (struct trms_sight_table){host_map("aprof.trms.sights", table_bytes(log2)), log2, 0};
}

/* The old table is freed last, because a signal handler may jump away. */
static void replace(struct trms_sight_table *table, struct trms_sight_table other)
{
    struct trms_sight_table old = *table;
    *table = other;
    if (old.places)
        host_unmap(old.places, table_bytes(old.log2));
}

static void forget_at_hand(struct trms_sights *sights)
{
    memset(sights->at_hand, 0, sizeof(sights->at_hand));
}

/* A token that no cell holds will not be written again: its epoch ended before this context saw
 * it. */
static void keep_written(void *context, uint32_t *written, uint64_t index)
{
    struct trms_sight_table *const *tables = context, *from = tables[0], *to = tables[1];
    uint32_t latest = 0;
    (void)index;
    for (uint64_t i = 0; i < TRMS_CHUNK_CELLS; i++) {
        uint32_t token = __atomic_load_n(&written[i], __ATOMIC_RELAXED);
        if (token == latest)
            continue;
        latest = token;
        uint64_t sight = token ? *place_of(from, token) : 0;
        if (sight)
            put(to, sight);
    }
}

static void look_through(struct trms_exec_context *ctx)
{
    struct trms_sights *sights = &ctx->sights;
    struct trms_sight_table kept = empty(sights->others.log2), *tables[] = {&sights->others, &kept};
    trms_written_each(ctx->world, keep_written, tables);
    replace(&sights->others, kept);
    forget_at_hand(sights);
}

static void enlarge(struct trms_sight_table *table)
{
    struct trms_sight_table larger =
        empty(table->places ? table->log2 + 1 : TRMS_SIGHTS_FIRST_LOG2);
    for (uint32_t i = 0; table->places && i < 1u << table->log2; i++)
        if (table->places[i])
            put(&larger, table->places[i]);
    replace(table, larger);
}

APROF_NOINLINE void trms_sights_make_room(struct trms_exec_context *ctx)
{
    struct trms_sights *sights = &ctx->sights;
    if (sights->others.n >= TRMS_SIGHTS_MANY && sights->others.n >= sights->many) {
        look_through(ctx);
        sights->many = 2 * sights->others.n;
    }
    if (!trms_sights_have_room(ctx))
        enlarge(&sights->others);
}

/* ---------------------------------------------------------------- what is asked */

static void add(struct trms_exec_context *ctx, uint32_t token, uint32_t since)
{
    if (UNLIKELY(!has_room(&ctx->sights.others, 1)))
        trms_sights_make_room(ctx);
    put(&ctx->sights.others, (uint64_t)token << 32 | since);
}

uint32_t trms_sight_find(const struct trms_exec_context *ctx, uint32_t token)
{
    const struct trms_sight_table *table = &ctx->sights.others;
    if (!token || trms_token_is_own(ctx, token))
        return 0;
    uint64_t sight = table->places ? *place_of(table, token) : 0;
    return sight ? (uint32_t)sight : TRMS_SIGHT_NONE;
}

/* One store, because interrupted code may be searching the table. */
uint32_t trms_sight(struct trms_exec_context *ctx, uint32_t token, uint32_t synced)
{
    uint32_t since;
    if (LIKELY(trms_sight_at_hand(ctx, token, &since)))
        return since;
    since = trms_sight_find(ctx, token);
    if (since == TRMS_SIGHT_NONE) {
        since = synced;
        add(ctx, token, since);
    }
    trms_sight_keep(ctx, token, since);
    return since;
}

void trms_sight_add_first(struct trms_exec_context *ctx, uint32_t token)
{
    add(ctx, token, TRMS_SIGHT_FIRST);
}

void trms_sights_renumber(struct trms_exec_context *ctx)
{
    struct trms_sight_table *table = &ctx->sights.others;
    for (uint32_t i = 0; table->places && i < 1u << table->log2; i++)
        if (table->places[i])
            table->places[i] = (table->places[i] >> 32) << 32 | TRMS_SIGHT_FIRST;
    forget_at_hand(&ctx->sights);
}

void trms_sights_drop_recycled(struct trms_exec_context *ctx, uint32_t known)
{
    struct trms_sight_table *table = &ctx->sights.others;
    const struct trms_tokens *tokens = &ctx->world->tokens;
    forget_at_hand(&ctx->sights);
    if (!table->places)
        return;
    struct trms_sight_table kept = empty(table->log2);
    for (uint32_t i = 0; i < 1u << table->log2; i++) {
        uint32_t token = (uint32_t)(table->places[i] >> 32);
        if (token && tokens->recycled[token >> TRMS_KIND_BITS >> tokens->block_log2] <= known)
            put(&kept, table->places[i]);
    }
    replace(table, kept);
}

void trms_sights_free(struct trms_exec_context *ctx)
{
    replace(&ctx->sights.others, (struct trms_sight_table){NULL, 0, 0});
}

void trms_sights_forget(struct trms_exec_context *ctx)
{
    trms_sights_free(ctx);
    forget_at_hand(&ctx->sights);
}
