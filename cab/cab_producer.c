/* The producer's side of rings of words, except the test that is inline in cab.h.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The code is as in Figures 3(a), 3(b) and 5(a) of paper 001. The paper marks the ring's end with
 * MAGIC. In this implementation, each chunk ends with MAGIC, so a producer calls chunk_next once
 * per chunk. In chunk_next, the producer publishes the number of complete chunks, and wakes the
 * consumer if it sleeps. So neither side needs to read the other side's slots to find the other
 * side's position. Inside a chunk, the code does what the paper describes.
 */
#include "cab/cab_ring.h"

#define FLUSH_OLD_CHUNKS (UINT32_C(1) << 30)

/* ---------------------------------------------------------------- Slow paths of enqueueing */

/* Chunk numbers are compared by their difference. So the latest flush must be less than 2^31 chunks
 * old. This function replaces the chunk number of an older flush by a newer number. This has no
 * other effect, because all chunks up to the newer number are complete. */
static void flush_keep_recent(struct cab *cab, uint32_t chunk)
{
    uint32_t flushed = atomic_load_explicit(&cab->flush_chunk, memory_order_relaxed);

    if (chunk - flushed < FLUSH_OLD_CHUNKS)
        return;
    /* The two stores have release order, like the stores in cab_flush. */
    atomic_store_explicit(&cab->flush_words, 0, memory_order_release);
    atomic_store_explicit(&cab->flush_chunk, chunk - 2, memory_order_release);
}

/* Publishes the chunk that the producer has completed, and makes the next chunk the producer's
 * chunk, even if this chunk is still full.
 */
static void *chunk_next(struct cab *cab)
{
    uint32_t chunk = ++cab->producer_chunk;
    /* Relaxed order suffices: an old value of `consumed` only makes the backlog seem longer, so the
     * consumer may be woken needlessly. */
    uint32_t backlog = chunk - atomic_load_explicit(&cab->consumed, memory_order_relaxed);

    cab->producer_index = cab_index_add(cab, cab->producer_index, 1);
    /* This store of `produced` pairs with the load in chunk_is_complete; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->produced, chunk, memory_order_seq_cst);
    /* The consumer stays two chunks behind, so it is woken only for at least two complete
     * chunks. */
    if (backlog >= 2)
        cab_wake(cab, cab->consumer_bell, &cab->producer);
    cab_backlog_note(cab, backlog);
    flush_keep_recent(cab, chunk);
    return cab_chunk_at(cab, cab->producer_index);
}

/* Returns whether the producer's chunk and the next `ahead_chunks` chunks are free. In the previous
 * round, chunk n - chunks used the memory of chunk n. */
static bool room_is_ahead(struct cab *cab, void *unused)
{
    (void)unused;
    /* The paper's producer tests a slot of the previous round's chunk. This code tests the number
     * of released chunks, which also shows that the consumer has finished reading the chunk.
     */
    uint32_t predecessor = cab->producer_chunk + cab->ahead_chunks - cab->chunks;

    /* This load of `consumed` pairs with the store in chunk_release; both are sequentially
     * consistent. */
    return (int32_t)(atomic_load_explicit(&cab->consumed, memory_order_seq_cst) - predecessor) > 0;
}

void *cab_slot_wait(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;
    void *slot = cursor->slot;

    if (cab_word_is(cab, slot, CAB_MAGIC64))
        slot = chunk_next(cab);
    /* The load has acquire order, like the load in cab_enqueue32. */
    if (!cab_word_is(cab, slot, CAB_CLEAR))
        cab_wait_until(cab, room_is_ahead, NULL, &cab->producer_bell, &cab->producer);
    return slot;
}

void *cab_slot_next(struct cab_cursor *cursor)
{
    return chunk_next(cursor->cab);
}

/* ---------------------------------------------------------------- Beginning and end */

void cab_cursor_init(struct cab_cursor *cursor, struct cab *cab)
{
    cursor->cab = cab;
    cursor->slot = cab_chunk_at(cab, cab->producer_index);
}

/* The consumer reads the ticket of a flush, then its chunk number, then its number of words. The
 * reads may mix two flushes, and any mixture is safe. If the chunk number is from an earlier flush
 * and the number of words from a later flush, the consumer reads fewer words than it may, or a
 * complete chunk. If the consumer reads the ticket of the later flush, it also reads the other
 * values of this flush. It would be wrong to use the chunk number of a later flush with the number
 * of words of an earlier flush. The consumer cannot read such a pair, because a flush stores its
 * number of words before its chunk number. */
void cab_flush(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;
    size_t bytes = (size_t)((unsigned char *)cursor->slot - cab_chunk_at(cab, cab->producer_index));
    uint32_t ticket = atomic_load_explicit(&cab->flush_ticket, memory_order_relaxed) + 1;

    /* The two stores have release order; they pair with the acquire loads in flushed_words. */
    atomic_store_explicit(&cab->flush_words, (uint32_t)(bytes / cab->config.word_bytes),
                          memory_order_release);
    atomic_store_explicit(&cab->flush_chunk, cab->producer_chunk, memory_order_release);
    /* This store of `flush_ticket` pairs with the load in chunk_limit; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->flush_ticket, ticket, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
}

static bool all_is_released(struct cab *cab, void *unused)
{
    (void)unused;
    /* This load of `flush_done` pairs with the store in flush_acknowledge; both are sequentially
     * consistent. */
    return atomic_load_explicit(&cab->flush_done, memory_order_seq_cst) ==
           atomic_load_explicit(&cab->flush_ticket, memory_order_relaxed);
}

void cab_drain(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;

    cab_flush(cursor);
    if (!all_is_released(cab, NULL))
        cab_wait_until(cab, all_is_released, NULL, &cab->producer_bell, &cab->producer);
}

void cab_close(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;

    cab_flush(cursor);
    /* This store of `closed` pairs with the load in cab_batch_try; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->closed, 1, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
}
