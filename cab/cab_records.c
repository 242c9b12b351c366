/* Rings of records: whole chunks are handed over.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records have several words of any value, so no slot can be a sentinel. The chunk's header has the
 * number of words in use, or CAB_CLEAR while the producer owns the chunk. Producer and consumer
 * read the header once per chunk, and never touch each other's chunks.
 *
 * Sleeping works as for rings of words (cab.c). Each side waits for a value in one chunk's header.
 * Therefore the store that hands over a chunk also ends the other side's wait.
 */
#include "cab/cab_ring.h"

static struct cab_chunk_header *header_at(const struct cab *cab, unsigned index)
{
    return (struct cab_chunk_header *)cab_chunk_at(cab, index);
}

/* ---------------------------------------------------------------- Producer */

static bool chunk_is_free(struct cab *cab, void *unused)
{
    struct cab_chunk_header *header = header_at(cab, cab->producer_index);

    (void)unused;
    /* This load of `words_used` pairs with the store in cab_chunk_release; both are sequentially
     * consistent. */
    return atomic_load_explicit(&header->words_used, memory_order_seq_cst) == CAB_CLEAR;
}

uintptr_t *cab_chunk_begin(struct cab *cab, size_t *capacity_words)
{
    if (!chunk_is_free(cab, NULL))
        cab_wait_until(cab, chunk_is_free, NULL, &cab->producer_bell, &cab->producer);
    *capacity_words = cab->chunk_words;
    return (uintptr_t *)(header_at(cab, cab->producer_index) + 1);
}

void cab_chunk_end(struct cab *cab, size_t words_used)
{
    struct cab_chunk_header *header = header_at(cab, cab->producer_index);

    if (words_used == 0)
        return;
    cab->producer_index = cab_index_add(cab, cab->producer_index, 1);
    /* Relaxed order suffices: only the producer and the statistics read `produced`. */
    atomic_store_explicit(&cab->produced, ++cab->producer_chunk, memory_order_relaxed);
    /* This store of `words_used` pairs with the load in cab_chunk_try; both are sequentially
     * consistent. */
    atomic_store_explicit(&header->words_used, (uint32_t)words_used, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
    cab_backlog_note(cab, cab_backlog_chunks(cab));
}

static bool all_is_released(struct cab *cab, void *unused)
{
    (void)unused;
    /* This load of `consumed` pairs with the store in cab_chunk_release; both are sequentially
     * consistent. */
    return atomic_load_explicit(&cab->consumed, memory_order_seq_cst) == cab->producer_chunk;
}

void cab_chunks_drain(struct cab *cab)
{
    if (!all_is_released(cab, NULL))
        cab_wait_until(cab, all_is_released, NULL, &cab->producer_bell, &cab->producer);
}

void cab_chunks_close(struct cab *cab)
{
    /* This store of `closed` pairs with the load in cab_chunk_try; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->closed, 1, memory_order_seq_cst);
    cab_wake(cab, cab->consumer_bell, &cab->producer);
}

/* ---------------------------------------------------------------- Consumer */

enum cab_state cab_chunk_try(struct cab *cab, const uintptr_t **from, const uintptr_t **to)
{
    struct cab_chunk_header *header = header_at(cab, cab->consumer_index);
    /* `closed` is read before the header, so that all chunks that ended before the ring was closed
     * are found. The loads of `closed` and `words_used` pair with the stores in cab_chunks_close
     * and cab_chunk_end; all are sequentially consistent. */
    uint32_t closed = atomic_load_explicit(&cab->closed, memory_order_seq_cst);
    uint32_t words = atomic_load_explicit(&header->words_used, memory_order_seq_cst);

    if (words == CAB_CLEAR)
        return closed ? CAB_CLOSED : CAB_EMPTY;
    *from = (const uintptr_t *)(header + 1);
    *to = *from + words;
    return CAB_READY;
}

void cab_chunk_release(struct cab *cab)
{
    struct cab_chunk_header *header = header_at(cab, cab->consumer_index);

    cab_count(&cab->events, atomic_load_explicit(&header->words_used, memory_order_relaxed));
    cab->consumer_index = cab_index_add(cab, cab->consumer_index, 1);
    /* The two stores are sequentially consistent; they pair with the loads in all_is_released and
     * chunk_is_free. */
    atomic_store_explicit(&cab->consumed, ++cab->consumer_chunk, memory_order_seq_cst);
    atomic_store_explicit(&header->words_used, CAB_CLEAR, memory_order_seq_cst);
    cab_wake(cab, &cab->producer_bell, &cab->consumer);
}

struct chunk_wait {
    const uintptr_t **from, **to;
    enum cab_state state;
};

static bool chunk_is_there(struct cab *cab, void *argument)
{
    struct chunk_wait *wait = argument;

    wait->state = cab_chunk_try(cab, wait->from, wait->to);
    return wait->state != CAB_EMPTY;
}

bool cab_chunk_wait(struct cab *cab, const uintptr_t **from, const uintptr_t **to)
{
    struct chunk_wait wait = {from, to, CAB_EMPTY};

    if (!chunk_is_there(cab, &wait))
        cab_wait_until(cab, chunk_is_there, &wait, cab->consumer_bell, &cab->consumer);
    return wait.state == CAB_READY;
}
