/* The members of a ring, which only the library's files use.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chunks are numbered from 0 without end, modulo 2^32; chunk n is at index n modulo the number of
 * chunks. Chunk numbers are compared only by their difference. The producer and the consumer also
 * store the index of their chunk, because the ring's number of chunks need not divide 2^32.
 *
 * Members are grouped by the side that writes them; no two groups share a cache line.
 */
#ifndef CAB_CAB_RING_H
#define CAB_CAB_RING_H

#include "cab/cab.h"

#define CAB_DEFAULT_SPINS 256

/* The size of the batches that a consumer of an exhaustive ring analyses. A batch is so small that
 * its slots are still in the first-level cache when they are cleared. A batch is so large that one
 * call of the analysis handles many events. */
#define CAB_BATCH_BYTES 4096

/* A header precedes each chunk of records; CAB_CLEAR means that the chunk is free. */
struct cab_chunk_header {
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t words_used;
};

/* The statistics of the producer or the consumer. Only the owning side writes these members. Any
 * thread may read the statistics, so they are atomic. Relaxed order suffices, because no other data
 * depend on them. */
struct cab_side {
    _Atomic uint64_t waits, spins, sleeps, sleep_ns, wakes;
};

struct cab {
    /* Members that are constant after cab_open. */
    _Alignas(CAB_LINE_BYTES) struct cab_config config;
    unsigned char *ring;
    unsigned chunks;      /* number of chunks in the ring */
    uint32_t chunk_words; /* number of words of a chunk that carry events or records */
    /* a waiting producer continues when its chunk and this number of further chunks are free */
    unsigned ahead_chunks;
    struct cab_bell *consumer_bell;

    /* Members that only the producer uses. */
    _Alignas(CAB_LINE_BYTES) uint32_t producer_chunk; /* number of the producer's chunk */
    unsigned producer_index;
    _Atomic uint32_t most_chunks;
    struct cab_side producer;

    /* Members that the producer writes and the consumer reads. */
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t produced; /* number of complete chunks */
    /* number of words in chunk flush_chunk that may be consumed (see cab_flush) */
    _Atomic uint32_t flush_words;
    _Atomic uint32_t flush_chunk;
    _Atomic uint32_t flush_ticket; /* number of flushes so far */
    _Atomic uint32_t closed;

    /* Members that only the consumer uses. */
    _Alignas(CAB_LINE_BYTES) uint32_t consumer_chunk;
    unsigned consumer_index;
    uint32_t offset_words; /* end of the consumed part of the chunk */
    uint32_t limit_words;  /* end of the readable part of the chunk */
    uint32_t batch_words;  /* size of the batch that was returned last */
    unsigned burst_words, stride_words;
    uint32_t burst_left_words; /* number of remaining words of the current burst */
    uint32_t skip_words;       /* number of words to skip before the next burst */
    uint32_t burst_phase;      /* state of the generator that varies the distance between bursts */
    bool gap;                  /* whether words were skipped since the last batch */
    _Atomic uint64_t events;
    _Atomic uint64_t overwritten_chunks;
    struct cab_side consumer;

    /* Members that the consumer writes and the producer reads. */
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t consumed; /* number of released chunks */
    _Atomic uint32_t flush_done; /* ticket of the latest completely consumed flush */

    struct cab_bell producer_bell, own_bell;

    /* CAB_SAMPLING: copy of a burst, made before the consumer tests whether the burst is intact. */
    _Alignas(CAB_LINE_BYTES) unsigned char burst[CAB_BURST_MAX_WORDS * 8];
};

static inline void cab_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Updates the producer's longest backlog. `backlog` may exceed the number of chunks in the ring,
 * because it includes overwritten chunks, and released chunks that are not yet counted. */
static inline void cab_backlog_note(struct cab *cab, uint32_t backlog)
{
    if (backlog > cab->chunks)
        backlog = cab->chunks;
    if (backlog > atomic_load_explicit(&cab->most_chunks, memory_order_relaxed))
        atomic_store_explicit(&cab->most_chunks, backlog, memory_order_relaxed);
}

#if defined(__x86_64__) || defined(__i386__)
static inline void cab_relax(void)
{
    __builtin_ia32_pause();
}
#elif defined(__aarch64__)
static inline void cab_relax(void)
{
    __asm__ volatile("isb");
}
#else
static inline void cab_relax(void)
{
}
#endif

static inline unsigned char *cab_chunk_at(const struct cab *cab, unsigned index)
{
    return cab->ring + (size_t)index * cab->config.chunk_bytes;
}

static inline unsigned cab_index_add(const struct cab *cab, unsigned index, unsigned n)
{
    index += n;
    return index < cab->chunks ? index : index - cab->chunks;
}

/* These functions access words of 4 or 8 bytes, for operations that are executed once per chunk.
 * The callers justify the memory orders.
 */
static inline bool cab_word_is(const struct cab *cab, const void *slot, uint64_t value)
{
    if (cab->config.word_bytes == 4)
        return atomic_load_explicit((_Atomic uint32_t *)slot, memory_order_acquire) ==
               (uint32_t)value;
    return atomic_load_explicit((_Atomic uint64_t *)slot, memory_order_acquire) == value;
}

/* Wakes the other side if it sleeps. The caller must have stored the awaited condition before this
 * call, with sequential consistency.
 */
void cab_wake(struct cab *cab, struct cab_bell *bell, struct cab_side *side);

/* Waits until `holds` returns true; spins first, then sleeps at `bell`. The loads in `holds` that
 * decide its result are sequentially consistent. */
void cab_wait_until(struct cab *cab, bool (*holds)(struct cab *cab, void *argument), void *argument,
                    struct cab_bell *bell, struct cab_side *side);

#endif
