/* The producer's side of rings of words, except the one test that cab.h has inline.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper 001, Figures 3(a), 3(b), 5(a). The paper marks the ring's end with MAGIC; here each chunk
 * ends with it, so a producer passes through chunk_next once per chunk. In chunk_next, the producer
 * publishes the number of complete chunks, and wakes the consumer if it sleeps. Neither side has to
 * read the other side's slots to find the other side's position. Inside a chunk nothing differs
 * from the paper.
 */
#include "cab/cab_ring.h"

#define FLUSH_OLD_CHUNKS (UINT32_C(1) << 30)

/* ---------------------------------------------------------------- Slow paths of enqueueing */

/* Chunk numbers are compared by their difference, so the number of the latest flush must stay
 * less than 2^31 behind. Repeating what the number of complete chunks already implies changes
 * nothing else. */
static void flush_keep_recent(struct cab *cab, uint32_t chunk)
{
    uint32_t flushed = atomic_load_explicit(&cab->flush_chunk, memory_order_relaxed);

    if (chunk - flushed < FLUSH_OLD_CHUNKS)
        return;
    /* The two stores release, as in cab_flush. */
    atomic_store_explicit(&cab->flush_words, 0, memory_order_release);
    atomic_store_explicit(&cab->flush_chunk, chunk - 2, memory_order_release);
}

/* The producer has completed a chunk: publishes it, and continues with the next one, full or not.
 */
static void *chunk_next(struct cab *cab)
{
    uint32_t chunk = ++cab->producer_chunk;
    /* Relaxed: an old value only makes the backlog seem longer, so the consumer may be woken
     * needlessly. An old value never makes the backlog seem shorter. */
    uint32_t backlog = chunk - atomic_load_explicit(&cab->consumed, memory_order_relaxed);

    cab->producer_index = cab_index_add(cab, cab->producer_index, 1);
    /* Sequentially consistent: with the load in chunk_is_complete. */
    atomic_store_explicit(&cab->produced, chunk, memory_order_seq_cst);
    /* The consumer stays two chunks behind: fewer than two do not wake it. */
    if (backlog >= 2)
        cab_wake(cab, cab->consumer_bell, &cab->producer);
    cab_backlog_note(cab, backlog);
    flush_keep_recent(cab, chunk);
    return cab_chunk_at(cab, cab->producer_index);
}

/* Whether all chunks up to `ahead_chunks` ahead of the producer's are free. In the previous round,
 * the memory of chunk n held chunk n - chunks. */
static bool room_is_ahead(struct cab *cab, void *unused)
{
    (void)unused;
    /* The paper tests the slot there; the number also shows that the consumer has finished with it.
     */
    uint32_t predecessor = cab->producer_chunk + cab->ahead_chunks - cab->chunks;

    /* Sequentially consistent: with the store in chunk_release. */
    return (int32_t)(atomic_load_explicit(&cab->consumed, memory_order_seq_cst) - predecessor) > 0;
}

void *cab_slot_wait(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;
    void *slot = cursor->slot;

    if (cab_word_is(cab, slot, CAB_MAGIC64))
        slot = chunk_next(cab);
    /* Acquire, as in cab_enqueue32. */
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

/* The consumer reads the ticket, then the chunk, then the words. Any mixture of two flushes is
 * safe. The words of a later flush with the chunk of an earlier flush are too few, or right because
 * that chunk has become complete. The later ticket will be seen, and then the whole flush. Words of
 * an earlier flush with the chunk of a later flush would be wrong. Such a mixture cannot be read,
 * because a flush stores its words before its chunk. */
void cab_flush(struct cab_cursor *cursor)
{
    struct cab *cab = cursor->cab;
    size_t bytes = (size_t)((unsigned char *)cursor->slot - cab_chunk_at(cab, cab->producer_index));
    uint32_t ticket = atomic_load_explicit(&cab->flush_ticket, memory_order_relaxed) + 1;

    /* The two stores release: they pair with the acquire loads in flushed_words. */
    atomic_store_explicit(&cab->flush_words, (uint32_t)(bytes / cab->config.word_bytes),
                          memory_order_release);
    atomic_store_explicit(&cab->flush_chunk, cab->producer_chunk, memory_order_release);
    /* Sequentially consistent: with the load in chunk_limit. */
    atomic_store_explicit(&cab->flush_ticket, ticket, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
}

static bool all_is_released(struct cab *cab, void *unused)
{
    (void)unused;
    /* Sequentially consistent: with the store in flush_acknowledge. */
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
    /* Sequentially consistent: with the load in cab_batch_try. */
    atomic_store_explicit(&cab->closed, 1, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
}
