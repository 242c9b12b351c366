/* Last seen versions: for tokens of other contexts, the time since which a context has known them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For each cell, an execution context keeps only the time of its own latest access. With this time,
 * the token in written[] shows whether another context has written the cell since this context's
 * latest access. When the context first finds a token, in any cell, it stores the time of its
 * latest synchronisation (`synced`) for this token.
 *
 * Invariant: all writes with a token precede all accesses of the context from the time `since` on
 * (docs/parallel-trms.md, "Last seen versions").
 *
 *     since(token) = 0                the context's own tokens, and "never written": never induced
 *                    synced           its value when the context first saw the token
 *                    1                first seen before times were renumbered; later only than the
 *                                     time of "never accessed"
 *     a read of a cell last accessed at `time` is induced if time < since
 *
 * A small cache (`at_hand`) is searched before the table, which grows with the number of tokens
 * seen. When the table has many tokens, tokens that are no longer in any cell are dropped.
 */
#ifndef NATIVE_TRMS_SHADOW_SEEN_VERSIONS_H
#define NATIVE_TRMS_SHADOW_SEEN_VERSIONS_H

#include "native/trms/state.h"

#define TRMS_SEEN_VERSION_NONE  (~0u) /* later than all times */
#define TRMS_SEEN_VERSION_FIRST 1u    /* earlier than all times except "never accessed", 0 */

/* HOT: returns the token's slot in the cache. The hash includes higher bits: a context's tokens are
 * consecutive, and blocks of different contexts begin with the same low bits. */
APROF_INLINE uint32_t trms_seen_version_place(uint32_t token)
{
    return (token >> TRMS_KIND_BITS ^ token >> 9) % (1u << TRMS_SEEN_VERSIONS_AT_HAND_LOG2);
}

APROF_INLINE bool trms_seen_version_at_hand(const struct trms_exec_context *ctx, uint32_t token,
                                            uint32_t *since)
{
    uint64_t seen = __atomic_load_n(&ctx->seen_versions.at_hand[trms_seen_version_place(token)],
                                    __ATOMIC_RELAXED);
    *since = (uint32_t)seen;
    return seen >> 32 == token;
}

APROF_INLINE void trms_seen_version_keep(struct trms_exec_context *ctx, uint32_t token,
                                         uint32_t since)
{
    __atomic_store_n(&ctx->seen_versions.at_hand[trms_seen_version_place(token)],
                     (uint64_t)token << 32 | since, __ATOMIC_RELAXED);
}

/* Returns whether the table has room for the tokens of TRMS_SEEN_VERSIONS_SPARE more cells;
 * trms_seen_versions_make_room enlarges the table. */
#define TRMS_SEEN_VERSIONS_SPARE (1u << TRMS_SEEN_VERSIONS_FIRST_LOG2 >> 2)
bool trms_seen_versions_have_room(const struct trms_exec_context *ctx);
void trms_seen_versions_make_room(struct trms_exec_context *ctx);

/* Returns the time since which the context has known a token that it has found in a cell. A token
 * that the context finds for the first time is added as known since `synced`. */
uint32_t trms_seen_version(struct trms_exec_context *ctx, uint32_t token, uint32_t synced);

/* Finds the same time as trms_seen_version, but does not add the token to the table. Returns
 * TRMS_SEEN_VERSION_NONE if the context does not know the token. */
uint32_t trms_seen_version_find(const struct trms_exec_context *ctx, uint32_t token);

/* Adds a token as known from the beginning. */
void trms_seen_version_add_first(struct trms_exec_context *ctx, uint32_t token);

/* Call this function when all times are renumbered. After this call, all tokens in the table count
 * as known from the beginning. */
void trms_seen_versions_renumber(struct trms_exec_context *ctx);

/* Drops the tokens of blocks that were recycled after generation `known`. */
void trms_seen_versions_drop_recycled(struct trms_exec_context *ctx, uint32_t known);

/* trms_seen_versions_forget discards all tokens of the table. trms_seen_versions_free frees the
 * table when the execution context ends. */
void trms_seen_versions_forget(struct trms_exec_context *ctx);
void trms_seen_versions_free(struct trms_exec_context *ctx);

#endif
