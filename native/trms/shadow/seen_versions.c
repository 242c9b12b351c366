/* The table of last seen versions: look-up, insertion, and clean-up.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Callers that change the table have entered the guard. This file is compiled without vector
 * registers, like core.c; vector registers are saved around calls of functions that map memory.
 */
#include "native/trms/shadow/seen_versions.h"
#include "ground/host.h"
#include "ground/pages.h"

/* 2^32 divided by the golden ratio: neighbouring tokens get distant slots */
#define SPREAD 0x9e3779b1u

/* ---------------------------------------------------------------- HOT: the table */

static uint64_t *place_of(const struct trms_seen_version_table *table, uint32_t token)
{
    uint32_t last = (1u << table->log2) - 1;
    uint32_t i = (token * SPREAD) >> (32 - table->log2);
    while (table->places[i] && table->places[i] >> 32 != token)
        i = (i + 1) & last;
    return &table->places[i];
}

static void put(struct trms_seen_version_table *table, uint64_t seen)
{
    uint64_t *place = place_of(table, (uint32_t)(seen >> 32));
    table->n += !*place;
    *place = seen;
}

/* Returns whether at least half of the table's slots stay free if n more tokens are added. */
static bool has_room(const struct trms_seen_version_table *table, uint32_t n)
{
    return table->places && table->n + n <= 1u << table->log2 >> 1;
}

bool trms_seen_versions_have_room(const struct trms_exec_context *ctx)
{
    return has_room(&ctx->seen_versions.others, TRMS_SEEN_VERSIONS_SPARE);
}

/* ---------------------------------------------------------------- other tables */

static size_t table_bytes(uint32_t log2)
{
    return pages_bytes(sizeof(uint64_t) << log2);
}

static struct trms_seen_version_table empty(uint32_t log2)
{
    return (struct trms_seen_version_table){host_map("aprof.trms.seen_versions", table_bytes(log2)),
                                            log2, 0};
}

/* Replaces the table. The old table is freed after the replacement, because a signal handler that
 * ends by a jump must not leave a freed table in use. */
static void replace(struct trms_seen_version_table *table, struct trms_seen_version_table other)
{
    struct trms_seen_version_table old = *table;
    *table = other;
    if (old.places)
        host_unmap(old.places, table_bytes(old.log2));
}

static void forget_at_hand(struct trms_seen_versions *seen_versions)
{
    memset(seen_versions->at_hand, 0, sizeof(seen_versions->at_hand));
}

/* Keeps only the tokens that are still in cells. If a token is in no cell, no cell gets the token
 * again, because its epoch ended before this context read it. */
static void keep_written(void *context, uint32_t *written, uint64_t index)
{
    struct trms_seen_version_table *const *tables = context, *from = tables[0], *to = tables[1];
    uint32_t latest = 0;
    (void)index;
    for (uint64_t i = 0; i < TRMS_CHUNK_CELLS; i++) {
        uint32_t token = __atomic_load_n(&written[i], __ATOMIC_RELAXED);
        if (token == latest)
            continue;
        latest = token;
        uint64_t seen = token ? *place_of(from, token) : 0;
        if (seen)
            put(to, seen);
    }
}

static void look_through(struct trms_exec_context *ctx)
{
    struct trms_seen_versions *seen_versions = &ctx->seen_versions;
    struct trms_seen_version_table kept = empty(seen_versions->others.log2),
                                   *tables[] = {&seen_versions->others, &kept};
    trms_written_each(ctx->world, keep_written, tables);
    replace(&seen_versions->others, kept);
    forget_at_hand(seen_versions);
}

static void enlarge(struct trms_seen_version_table *table)
{
    struct trms_seen_version_table larger =
        empty(table->places ? table->log2 + 1 : TRMS_SEEN_VERSIONS_FIRST_LOG2);
    for (uint32_t i = 0; table->places && i < 1u << table->log2; i++)
        if (table->places[i])
            put(&larger, table->places[i]);
    replace(table, larger);
}

APROF_NOINLINE void trms_seen_versions_make_room(struct trms_exec_context *ctx)
{
    struct trms_seen_versions *seen_versions = &ctx->seen_versions;
    if (seen_versions->others.n >= TRMS_SEEN_VERSIONS_MANY &&
        seen_versions->others.n >= seen_versions->many) {
        look_through(ctx);
        seen_versions->many = 2 * seen_versions->others.n;
    }
    if (!trms_seen_versions_have_room(ctx))
        enlarge(&seen_versions->others);
}

/* ---------------------------------------------------------------- look-up */

static void add(struct trms_exec_context *ctx, uint32_t token, uint32_t since)
{
    if (UNLIKELY(!has_room(&ctx->seen_versions.others, 1)))
        trms_seen_versions_make_room(ctx);
    put(&ctx->seen_versions.others, (uint64_t)token << 32 | since);
}

uint32_t trms_seen_version_find(const struct trms_exec_context *ctx, uint32_t token)
{
    const struct trms_seen_version_table *table = &ctx->seen_versions.others;
    if (!token || trms_token_is_own(ctx, token))
        return 0;
    uint64_t seen = table->places ? *place_of(table, token) : 0;
    return seen ? (uint32_t)seen : TRMS_SEEN_VERSION_NONE;
}

/* The function changes the table by a single store, because interrupted code may be searching the
 * table. */
uint32_t trms_seen_version(struct trms_exec_context *ctx, uint32_t token, uint32_t synced)
{
    uint32_t since;
    if (LIKELY(trms_seen_version_at_hand(ctx, token, &since)))
        return since;
    since = trms_seen_version_find(ctx, token);
    if (since == TRMS_SEEN_VERSION_NONE) {
        since = synced;
        add(ctx, token, since);
    }
    trms_seen_version_keep(ctx, token, since);
    return since;
}

void trms_seen_version_add_first(struct trms_exec_context *ctx, uint32_t token)
{
    add(ctx, token, TRMS_SEEN_VERSION_FIRST);
}

void trms_seen_versions_renumber(struct trms_exec_context *ctx)
{
    struct trms_seen_version_table *table = &ctx->seen_versions.others;
    for (uint32_t i = 0; table->places && i < 1u << table->log2; i++)
        if (table->places[i])
            table->places[i] = (table->places[i] >> 32) << 32 | TRMS_SEEN_VERSION_FIRST;
    forget_at_hand(&ctx->seen_versions);
}

void trms_seen_versions_drop_recycled(struct trms_exec_context *ctx, uint32_t known)
{
    struct trms_seen_version_table *table = &ctx->seen_versions.others;
    const struct trms_tokens *tokens = &ctx->world->tokens;
    forget_at_hand(&ctx->seen_versions);
    if (!table->places)
        return;
    struct trms_seen_version_table kept = empty(table->log2);
    for (uint32_t i = 0; i < 1u << table->log2; i++) {
        uint32_t token = (uint32_t)(table->places[i] >> 32);
        if (token && tokens->recycled[token >> TRMS_KIND_BITS >> tokens->block_log2] <= known)
            put(&kept, table->places[i]);
    }
    replace(table, kept);
}

void trms_seen_versions_free(struct trms_exec_context *ctx)
{
    replace(&ctx->seen_versions.others, (struct trms_seen_version_table){NULL, 0, 0});
}

void trms_seen_versions_forget(struct trms_exec_context *ctx)
{
    trms_seen_versions_free(ctx);
    forget_at_hand(&ctx->seen_versions);
}
