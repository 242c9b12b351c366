/* Since when a strand has known others' tokens: what it needs to tell whether it has seen a write.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A strand with a window keeps of a cell the time of its latest access alone. Whether somebody else
 * has written the cell since is a question about the token in written[]: all that was written with
 * a token was written before any access that the strand has made since the synchronisation after
 * which it first saw the token, in whichever cell (docs/parallel-trms.md, "Last seen versions").
 *
 *     since(token) = 0                its own, and "never written": nothing new is behind it
 *                    synced           as it was when the strand first saw the token
 *                    1                before time was numbered anew: later than never, and no more
 *     a read of a cell last accessed at `time` is induced if time < since
 *
 * The table behind the sights at hand grows with the tokens that were ever seen. When these are many,
 * those that no cell holds any more are dropped.
 */
#ifndef NATIVE_TRMS_SHADOW_SIGHTS_H
#define NATIVE_TRMS_SHADOW_SIGHTS_H

#include "native/trms/state.h"

#define TRMS_SIGHT_NONE  (~0u) /* later than all times */
#define TRMS_SIGHT_FIRST 1u    /* earlier than all times but "never accessed", which is 0 */

/* HOT: tokens of one strand follow each other, those of different ones begin alike. */
APROF_INLINE uint32_t trms_sight_place(uint32_t token)
{
    return (token >> TRMS_KIND_BITS ^ token >> 9) % (1u << TRMS_SIGHTS_AT_HAND_LOG2);
}

APROF_INLINE bool trms_sight_at_hand(const struct trms_strand *strand, uint32_t token,
                                     uint32_t *since)
{
    uint64_t sight =
        __atomic_load_n(&strand->sights.at_hand[trms_sight_place(token)], __ATOMIC_RELAXED);
    *since = (uint32_t)sight;
    return sight >> 32 == token;
}

APROF_INLINE void trms_sight_keep(struct trms_strand *strand, uint32_t token, uint32_t since)
{
    __atomic_store_n(&strand->sights.at_hand[trms_sight_place(token)],
                     (uint64_t)token << 32 | since, __ATOMIC_RELAXED);
}

/* Whether the tokens of TRMS_SIGHTS_SPARE cells can be noted without a larger table; and makes room. */
#define TRMS_SIGHTS_SPARE (1u << TRMS_SIGHTS_FIRST_LOG2 >> 2)
bool trms_sights_have_room(const struct trms_strand *strand);
void trms_sights_make_room(struct trms_strand *strand);

/* A token that stood in a cell that the strand reads when this was the strand's `synced`: since when it has known
 * it, which is from then on if it is new. */
uint32_t trms_sight(struct trms_strand *strand, uint32_t token, uint32_t synced);

/* The same; TRMS_SIGHT_NONE: it does not know it, and still does not. */
uint32_t trms_sight_find(const struct trms_strand *strand, uint32_t token);

/* A token that the strand has known from the beginning. */
void trms_sight_add_first(struct trms_strand *strand, uint32_t token);

/* All times are numbered anew: what is known has been known from the beginning. */
void trms_sights_renumber(struct trms_strand *strand);

/* Drops the tokens of blocks that were recycled after generation `known`. */
void trms_sights_drop_recycled(struct trms_strand *strand, uint32_t known);

/* The strand knows no token any more; or it ends, and only its memory is given back. */
void trms_sights_forget(struct trms_strand *strand);
void trms_sights_free(struct trms_strand *strand);

#endif
