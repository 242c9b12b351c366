/* Streams of events: a ring for each thread, replaced by a larger ring if the thread fills it.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * With ring=auto, a ring adapts to its thread's rate of events, and begins with 128 KiB. At the end
 * of a chunk, the producer tests whether three quarters of the ring are waiting for the consumer.
 * If three quarters are waiting, the producer closes the ring, and continues in a ring that is four
 * times as large. The consumer empties the old ring first, so the order of events is kept. A larger
 * ring absorbs bursts. A thread that is always faster than its analysis fills any ring, so the size
 * is limited.
 */
#include "native/events/runtime.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/process.h"

#define RING_FIRST_BYTES ((size_t)128 << 10)
#define RING_LARGEST     ((size_t)8 << 20)
#define RING_GROWTH      4
#define CHUNKS_IN_RING   16
#define CHUNK_LEAST      ((size_t)128)
/* free rings of at most this number of different sizes are kept for new threads */
#define SIZES 8

struct events_sums events_sums;

static struct {
    uint32_t lock; /* threads only try to take this lock; no thread ever waits for it */
    struct {
        size_t bytes;
        struct events_ring *first;
    } sizes[SIZES];
    struct events_ring *leaving; /* consumed rings whose producers are still closing them */
} free_rings;

/* ---------------------------------------------------------------- rings */

static bool uses_sampling(void)
{
    return events_config.sampling > 0 || !events_mode()->has_consumers;
}

static uint32_t stride_of(double rate)
{
    double stride = rate > 0 ? EVENTS_BURST_WORDS / rate : EVENTS_BURST_WORDS;
    return stride < EVENTS_BURST_WORDS      ? EVENTS_BURST_WORDS
           : stride > EVENTS_STRIDE_LARGEST ? EVENTS_STRIDE_LARGEST
                                            : (uint32_t)stride;
}

static size_t chunk_of(size_t ring_bytes)
{
    size_t chunk =
        events_config.chunk_bytes ? events_config.chunk_bytes : ring_bytes / CHUNKS_IN_RING;
    return chunk < CHUNK_LEAST ? CHUNK_LEAST : chunk;
}

static struct cab_config ring_config(const struct events_stream *stream, size_t bytes)
{
    return (struct cab_config){
        .mode = uses_sampling() ? CAB_SAMPLING : CAB_EXHAUSTIVE,
        .word_bytes = 8,
        .ring_bytes = bytes,
        .chunk_bytes = chunk_of(bytes),
        .burst_words = EVENTS_BURST_WORDS,
        .stride_words = stream->stride_words,
        .bell = events_consumers_bell(stream),
        .wait = events_wait,
        .wake = events_wake,
    };
}

static bool free_try_lock(void)
{
    return !__atomic_exchange_n(&free_rings.lock, 1, __ATOMIC_ACQUIRE);
}

static void free_unlock(void)
{
    __atomic_store_n(&free_rings.lock, 0, __ATOMIC_RELEASE);
}

static void ring_unmap(struct events_ring *ring)
{
    host_unmap(ring->cab, ring->memory_bytes);
    host_free(ring);
}

/* Acquire order pairs with the release in ring_leave. */
static bool has_left(const struct events_ring *ring)
{
    return __atomic_load_n(&ring->left, __ATOMIC_ACQUIRE);
}

/* Call this function with free_rings.lock held. A ring can be reused only if sampling is off,
 * because the consumer then has cleared all its words; a sampled ring still contains words. */
static void keep_or_unmap(struct events_ring *ring)
{
    for (unsigned i = 0; i < SIZES && !uses_sampling(); i++) {
        if (free_rings.sizes[i].bytes && free_rings.sizes[i].bytes != ring->bytes)
            continue;
        free_rings.sizes[i].bytes = ring->bytes;
        ring->next = free_rings.sizes[i].first;
        free_rings.sizes[i].first = ring;
        return;
    }
    ring_unmap(ring);
}

static void collect_leaving(void)
{
    for (struct events_ring **at = &free_rings.leaving; *at;) {
        struct events_ring *ring = *at;
        if (has_left(ring)) {
            *at = ring->next;
            keep_or_unmap(ring);
        } else {
            at = &ring->next;
        }
    }
}

static struct events_ring *free_take(size_t bytes)
{
    struct events_ring *ring = NULL;
    if (!free_try_lock())
        return NULL;
    collect_leaving();
    for (unsigned i = 0; i < SIZES && !ring; i++)
        if (free_rings.sizes[i].bytes == bytes && free_rings.sizes[i].first) {
            ring = free_rings.sizes[i].first;
            free_rings.sizes[i].first = ring->next;
        }
    free_unlock();
    return ring;
}

/* Keeps the ring for new threads if possible. If another thread holds the lock, the ring is
 * unmapped or, if its producer still accesses the ring, the ring's pages are leaked. */
static void free_give(struct events_ring *ring)
{
    if (!free_try_lock()) {
        if (has_left(ring))
            ring_unmap(ring);
        return;
    }
    collect_leaving();
    if (has_left(ring)) {
        keep_or_unmap(ring);
    } else {
        ring->next = free_rings.leaving;
        free_rings.leaving = ring;
    }
    free_unlock();
}

static struct events_ring *ring_open(const struct events_stream *stream, size_t bytes)
{
    struct cab_config config = ring_config(stream, bytes);
    struct events_ring *ring = free_take(bytes);
    if (!ring) {
        ring = host_alloc("events.ring", sizeof *ring);
        ring->bytes = bytes;
        ring->memory_bytes = pages_bytes(cab_memory_bytes(&config));
        ring->cab = host_map("events.ring.memory", ring->memory_bytes);
    }
    ring->next = NULL;
    ring->left = 0;
    ring->cab = cab_open(&config, ring->cab);
    if (bytes > events_sums.largest_ring_bytes)
        events_sums.largest_ring_bytes = bytes;
    return ring;
}

static void sum_ring(const struct events_ring *ring)
{
    struct cab_stats stats;
    cab_stats_get(ring->cab, &stats);
    __atomic_fetch_add(&events_sums.events, stats.events, __ATOMIC_RELAXED);
    __atomic_fetch_add(&events_sums.chunks, stats.chunks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&events_sums.overwritten_chunks, stats.overwritten_chunks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&events_sums.producer_sleeps, stats.producer.sleeps, __ATOMIC_RELAXED);
    __atomic_fetch_add(&events_sums.consumer_sleeps, stats.consumer.sleeps, __ATOMIC_RELAXED);
}

void events_ring_recycle(struct events_ring *ring)
{
    sum_ring(ring);
    free_give(ring);
}

/* ---------------------------------------------------------------- the slow path of hooks */

static bool should_grow(const struct events_local *local)
{
    if (events_config.ring_bytes || local->overwrites || local->ring->bytes >= RING_LARGEST)
        return false;
    return cab_backlog_chunks(local->cursor.cab) * 4 >= CHUNKS_IN_RING * 3;
}

/* Returns the number of words that the producer has written, including the latest chunk. */
static uint64_t words_made(const struct events_ring *ring, const struct cab_cursor *cursor)
{
    struct cab_stats stats;
    struct cab_cursor begin;
    cab_stats_get(cursor->cab, &stats);
    cab_cursor_init(&begin, cursor->cab);
    uint64_t in_chunk = (uint64_t)((uint64_t *)cursor->slot - (uint64_t *)begin.slot);
    return stats.chunks * (chunk_of(ring->bytes) / sizeof(uint64_t) - 1) + in_chunk;
}

/* Closes a ring. When the consumer finds that the ring is closed, the producer may still be in
 * cab_close and access the ring to wake the consumer. So the producer sets `left` after cab_close,
 * and the ring's memory is kept until then. */
static void ring_leave(struct events_ring *ring, struct cab_cursor *cursor)
{
    __atomic_fetch_add(&events_sums.made, words_made(ring, cursor), __ATOMIC_RELAXED);
    cab_close(cursor);
    __atomic_store_n(&ring->left, 1, __ATOMIC_RELEASE);
}

static void grow(struct events_local *local)
{
    struct events_ring *old = local->ring;
    struct events_ring *larger = ring_open(local->stream, old->bytes * RING_GROWTH);
    /* The consumer reads the pointer to the new ring only after it has found the old ring closed.
     * So storing this pointer before closing the old ring suffices. */
    __atomic_store_n(&old->next, larger, __ATOMIC_RELEASE);
    ring_leave(old, &local->cursor);
    local->ring = larger;
    cab_cursor_init(&local->cursor, larger->cab);
}

static void analyse_batch(struct events_local *local)
{
    size_t words = (size_t)((uint64_t *)local->cursor.slot - local->batch);
    local->analysing = true;
    events_analysis->consume(local->stream->states[0], local->batch, words);
    memset(local->batch, 0, words * sizeof *local->batch);
    local->cursor.slot = local->batch;
    local->analysing = false;
}

void *events_slot(struct events_local *local)
{
    if (!events_mode()->has_rings) {
        analyse_batch(local);
        return local->cursor.slot;
    }
    if (local->overwrites)
        return cab_slot_next(&local->cursor);
    if (should_grow(local)) {
        grow(local);
        return local->cursor.slot;
    }
    return cab_slot_wait(&local->cursor);
}

/* ---------------------------------------------------------------- streams */

/* A sampled ring must hold the events that are emitted while the system wakes the analysis
 * thread. */
static size_t first_ring_bytes(void)
{
    if (events_config.ring_bytes)
        return events_config.ring_bytes;
    return uses_sampling() ? CAB_RING_BYTES : RING_FIRST_BYTES;
}

static void local_begin(struct events_local *local, struct events_stream *stream)
{
    local->stream = stream;
    local->overwrites = events_mode()->has_rings && uses_sampling();
    local->highest = local->overwrites ? CAB_MAGIC64 - 1 : CAB_CLEAR;
    local->ended = false;
    if (!events_mode()->has_rings) {
        memset(local->batch, 0, sizeof local->batch);
        local->batch[EVENTS_BATCH_WORDS] = CAB_MAGIC64;
        local->cursor.slot = local->batch;
        return;
    }
    local->ring = ring_open(stream, first_ring_bytes());
    cab_cursor_init(&local->cursor, local->ring->cab);
}

void events_stream_begin(struct events_local *local, uint32_t thread)
{
    struct events_stream *stream = host_alloc("events.stream", sizeof *stream);
    stream->thread = thread;
    stream->stride_words = stride_of(events_config.sampling);
    events_states_make(stream->states);
    local_begin(local, stream);
    stream->ring = local->ring;
    __atomic_fetch_add(&events_sums.streams, 1, __ATOMIC_RELAXED);
    if (events_mode()->has_consumers)
        events_consumers_add(stream);
}

/* Returns a consistent cursor of a stopped thread's ring. The thread may have been stopped in a
 * hook's slow path, between taking the next chunk and moving its cursor to this chunk. If the
 * thread was stopped in the slow path, all earlier chunks are complete. */
static struct cab_cursor settled_cursor(const struct events_local *local)
{
    struct cab_cursor begin;
    cab_cursor_init(&begin, local->cursor.cab);
    size_t ahead = (size_t)((char *)local->cursor.slot - (char *)begin.slot);
    return ahead < chunk_of(local->ring->bytes) ? local->cursor : begin;
}

/* Ends sequential mode. If a signal handler of the program has interrupted the analysis and called
 * _exit, the analysis's tables may be inconsistent. */
static void end_sequential(struct events_local *local)
{
    if (local->analysing) {
        native_message("events",
                       "a thread was stopped inside its analysis; its events are missing");
        return;
    }
    analyse_batch(local);
    events_total_add(local->stream->states);
    host_free(local->stream);
}

void events_stream_end(struct events_local *local)
{
    if (local->ended)
        return;
    local->ended = true;
    if (!events_mode()->has_rings) {
        end_sequential(local);
    } else if (!events_mode()->has_consumers) {
        ring_unmap(local->ring);
    } else {
        struct cab_cursor cursor = settled_cursor(local);
        events_consumers_expect_end();
        ring_leave(local->ring, &cursor);
    }
}

void events_stream_drain(struct events_local *local)
{
    if (local->ended)
        return;
    if (!events_mode()->has_rings) {
        if (!local->analysing)
            analyse_batch(local);
        return;
    }
    if (!events_mode()->has_consumers)
        return;
    struct cab_cursor cursor = settled_cursor(local);
    cab_drain(&cursor);
}

void events_stream_sum(const struct events_local *local)
{
    if (!events_mode()->has_consumers)
        return;
    struct cab_cursor cursor = settled_cursor(local);
    events_sums.made += words_made(local->ring, &cursor);
    sum_ring(local->ring);
}

/* Unmaps the parent's ring in a forked child. Unmapping is cheap, because the child has no copies
 * of pages to which it has not written. */
void events_stream_forget(struct events_local *local)
{
    if (events_mode()->has_rings && local->ring)
        host_unmap(local->ring->cab, local->ring->memory_bytes);
    local->ring = NULL;
    free_rings.lock = 0;
    for (unsigned i = 0; i < SIZES; i++)
        free_rings.sizes[i].first = NULL;
    free_rings.leaving = NULL;
}
