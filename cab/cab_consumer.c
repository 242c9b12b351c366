/* The consumer's side of rings of words.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The code is as in Figures 3(c) and 5(b) of paper 001. The consumer takes chunk n when the
 * producer has begun chunk n + 2, so the two sides never touch the same cache lines. After a flush,
 * the consumer may also read words of later chunks, because these chunks may never be completed;
 * the flush publishes the number of these words.
 *
 * The paper's sampling consumer clears the first slot of each chunk; this consumer clears no slots.
 * Cleared slots do not reliably mark free chunks when the producer is a whole ring ahead. Slots of
 * skipped chunks still hold words of the previous round, so these chunks seem full. If the producer
 * refills a slot before a consumer clears it, the consumer misses a chunk. The number of completed
 * chunks reveals both refilled and overwritten chunks, and costs one store per chunk.
 */
#include "cab/cab_ring.h"

/* ---------------------------------------------------------------- How far may be read */

/* Chunk n is ready when the first slot of chunk n + 2 is not CLEAR. */
static bool chunk_is_behind(const struct cab *cab)
{
    unsigned two_ahead = cab_index_add(cab, cab->consumer_index, 2);

    /* Acquire order pairs with the release store in cab_enqueue32, which follows the stores to
     * chunk n. */
    return !cab_word_is(cab, cab_chunk_at(cab, two_ahead), CAB_CLEAR);
}

/* Returns whether the consumer's chunk and the next chunk are complete, by the number of complete
 * chunks. In sampling mode, slots do not show which chunks are complete. The consumer also tests
 * this number before it sleeps, because the producer wakes the consumer after storing the
 * number. */
static bool chunk_is_complete(const struct cab *cab)
{
    /* This load of `produced` pairs with the store in chunk_next; both are sequentially
     * consistent. */
    uint32_t produced = atomic_load_explicit(&cab->produced, memory_order_seq_cst);

    return (int32_t)(produced - cab->consumer_chunk) >= 2;
}

/* Returns the number of words of the consumer's chunk that the latest flush covers. */
static uint32_t flushed_words(const struct cab *cab)
{
    /* The two loads have acquire order, and pair with the release stores in cab_flush. */
    uint32_t chunk = atomic_load_explicit(&cab->flush_chunk, memory_order_acquire);
    uint32_t words = atomic_load_explicit(&cab->flush_words, memory_order_acquire);

    if (chunk == cab->consumer_chunk)
        return words;
    return (int32_t)(chunk - cab->consumer_chunk) > 0 ? cab->chunk_words : 0;
}

static uint32_t chunk_limit(const struct cab *cab)
{
    if (cab->config.mode == CAB_EXHAUSTIVE && chunk_is_behind(cab))
        return cab->chunk_words;
    if (chunk_is_complete(cab))
        return cab->chunk_words;
    return flushed_words(cab);
}

/* ---------------------------------------------------------------- Releasing */

static void chunk_release(struct cab *cab)
{
    cab->offset_words = cab->limit_words = 0;
    cab->consumer_index = cab_index_add(cab, cab->consumer_index, 1);
    /* This store of `consumed` pairs with the load in room_is_ahead; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->consumed, ++cab->consumer_chunk, memory_order_seq_cst);
    cab_wake(cab, &cab->producer_bell, &cab->consumer);
}

/* Reports that the consumer has consumed all events that flush number `ticket` covered. */
static void flush_acknowledge(struct cab *cab, uint32_t ticket)
{
    if (atomic_load_explicit(&cab->flush_done, memory_order_relaxed) == ticket)
        return;
    /* This store of `flush_done` pairs with the load in all_is_released; both are sequentially
     * consistent. */
    atomic_store_explicit(&cab->flush_done, ticket, memory_order_seq_cst);
    cab_wake(cab, &cab->producer_bell, &cab->consumer);
}

/* Clears slots that the analysis has read. The release stores pair with the acquire load by which
 * the producer tests whether a slot is clear. */
static void words_clear(struct cab *cab, uint32_t from, uint32_t to)
{
    unsigned char *chunk = cab_chunk_at(cab, cab->consumer_index);

    if (cab->config.word_bytes == 4) {
        _Atomic uint32_t *slots = (_Atomic uint32_t *)chunk;
        for (uint32_t i = from; i < to; i++)
            atomic_store_explicit(&slots[i], CAB_CLEAR, memory_order_release);
        return;
    }
    _Atomic uint64_t *slots = (_Atomic uint64_t *)chunk;
    for (uint32_t i = from; i < to; i++)
        atomic_store_explicit(&slots[i], CAB_CLEAR, memory_order_release);
}

void cab_batch_release(struct cab *cab)
{
    if (cab->config.mode == CAB_EXHAUSTIVE) {
        words_clear(cab, cab->offset_words, cab->offset_words + cab->batch_words);
        cab->offset_words += cab->batch_words;
    }
    cab_count(&cab->events, cab->batch_words);
    cab->batch_words = 0;
    if (cab->offset_words == cab->chunk_words)
        chunk_release(cab);
}

/* ---------------------------------------------------------------- Sampling */

/* Returns whether the producer has begun to overwrite the consumer's chunk. `produced` is the
 * number of the producer's chunk. */
static bool chunk_is_overwritten(const struct cab *cab)
{
    /* Acquire order suffices. The loads of the burst's words also have acquire order. If a load
     * returns a word of the new chunk, the later load of `produced` returns the new chunk's number,
     * which was stored earlier. */
    uint32_t produced = atomic_load_explicit(&cab->produced, memory_order_acquire);

    return (int32_t)(produced - cab->consumer_chunk) >= (int32_t)cab->chunks;
}

/* Advances to the chunk that is two chunks behind the producer. This chunk is the newest readable
 * chunk, so the producer will overwrite all other readable chunks earlier. */
static void overwritten_skip(struct cab *cab)
{
    uint32_t produced = atomic_load_explicit(&cab->produced, memory_order_acquire);
    uint32_t skipped = produced - 2 - cab->consumer_chunk;

    cab_count(&cab->overwritten_chunks, skipped);
    cab->consumer_index = cab_index_add(cab, cab->consumer_index, skipped % cab->chunks);
    cab->consumer_chunk += skipped;
    cab->offset_words = cab->limit_words = 0;
    cab->gap = true;
    atomic_store_explicit(&cab->consumed, cab->consumer_chunk, memory_order_relaxed);
}

/* Returns the number of words until the next burst. The number varies at random from half to one
 * and a half times its average, which is stride - burst. The variation keeps bursts from following
 * the period of a program's loops. The random numbers come from the 32-bit generator of Numerical
 * Recipes. */
static uint32_t burst_distance(struct cab *cab)
{
    uint32_t between = cab->stride_words - cab->burst_words;

    cab->burst_phase = cab->burst_phase * 1664525u + 1013904223u;
    return (uint32_t)(between / 2 + ((uint64_t)cab->burst_phase * (between + 1) >> 32));
}

/* The loads of the burst's words have acquire order, because chunk_is_overwritten relies on the
 * order of these loads. */
static void burst_copy(struct cab *cab, uint32_t words)
{
    unsigned char *chunk = cab_chunk_at(cab, cab->consumer_index);

    if (cab->config.word_bytes == 4) {
        const _Atomic uint32_t *slots = (const _Atomic uint32_t *)chunk + cab->offset_words;
        for (uint32_t i = 0; i < words; i++)
            ((uint32_t *)cab->burst)[i] = atomic_load_explicit(&slots[i], memory_order_acquire);
        return;
    }
    const _Atomic uint64_t *slots = (const _Atomic uint64_t *)chunk + cab->offset_words;
    for (uint32_t i = 0; i < words; i++)
        ((uint64_t *)cab->burst)[i] = atomic_load_explicit(&slots[i], memory_order_acquire);
}

/* Takes the next burst from the words before index `limit_words` of the consumer's chunk. Returns
 * false if no chunk is ready, or if the chunk is lost. If `limit_words` cuts a burst short, the
 * burst continues at the next call. */
static bool burst_take(struct cab *cab, struct cab_batch *batch)
{
    uint32_t left = cab->limit_words - cab->offset_words;

    if (cab->skip_words > 0) {
        uint32_t skip = cab->skip_words < left ? cab->skip_words : left;
        cab->skip_words -= skip;
        cab->offset_words += skip;
        cab->gap = true;
        left -= skip;
    }
    if (left == 0)
        return false;
    cab->batch_words = cab->burst_left_words < left ? cab->burst_left_words : left;
    burst_copy(cab, cab->batch_words);
    if (chunk_is_overwritten(cab)) {
        cab->batch_words = 0;
        overwritten_skip(cab);
        return false;
    }
    *batch = (struct cab_batch){cab->burst, cab->batch_words, cab->gap};
    cab->gap = false;
    cab->offset_words += cab->batch_words;
    cab->burst_left_words -= cab->batch_words;
    if (cab->burst_left_words == 0) {
        cab->burst_left_words = cab->burst_words;
        cab->skip_words = burst_distance(cab);
    }
    return true;
}

void cab_sampling_set(struct cab *cab, unsigned burst_words, unsigned stride_words)
{
    cab->burst_words = burst_words;
    cab->stride_words = stride_words;
    if (cab->burst_left_words > burst_words)
        cab->burst_left_words = burst_words;
    if (cab->skip_words > stride_words)
        cab->skip_words = stride_words;
}

/* ---------------------------------------------------------------- Taking */

static bool words_take(struct cab *cab, struct cab_batch *batch)
{
    uint32_t left = cab->limit_words - cab->offset_words;
    uint32_t most = CAB_BATCH_BYTES / cab->config.word_bytes;
    const unsigned char *chunk = cab_chunk_at(cab, cab->consumer_index);

    cab->batch_words = left < most ? left : most;
    *batch = (struct cab_batch){chunk + (size_t)cab->offset_words * cab->config.word_bytes,
                                cab->batch_words, false};
    return true;
}

enum cab_state cab_batch_try(struct cab *cab, struct cab_batch *batch)
{
    bool sampling = cab->config.mode == CAB_SAMPLING;

    for (;;) {
        if (cab->offset_words < cab->limit_words &&
            (sampling ? burst_take(cab, batch) : words_take(cab, batch)))
            return CAB_READY;
        if (cab->offset_words == cab->chunk_words)
            chunk_release(cab);
        /* `closed` is read before the limit of readable words, so that this limit covers everything
         * that was closed or flushed. The loads of `closed` and `flush_ticket` pair with the stores
         * in cab_close and cab_flush; all are sequentially consistent. */
        uint32_t closed = atomic_load_explicit(&cab->closed, memory_order_seq_cst);
        uint32_t ticket = atomic_load_explicit(&cab->flush_ticket, memory_order_seq_cst);
        uint32_t limit = chunk_limit(cab);
        if (limit <= cab->offset_words) {
            flush_acknowledge(cab, ticket);
            return closed ? CAB_CLOSED : CAB_EMPTY;
        }
        cab->limit_words = limit;
    }
}

struct batch_wait {
    struct cab_batch *batch;
    enum cab_state state;
};

static bool batch_is_there(struct cab *cab, void *argument)
{
    struct batch_wait *wait = argument;

    wait->state = cab_batch_try(cab, wait->batch);
    return wait->state != CAB_EMPTY;
}

bool cab_batch_wait(struct cab *cab, struct cab_batch *batch)
{
    struct batch_wait wait = {batch, CAB_EMPTY};

    if (!batch_is_there(cab, &wait))
        cab_wait_until(cab, batch_is_there, &wait, cab->consumer_bell, &cab->consumer);
    return wait.state == CAB_READY;
}
