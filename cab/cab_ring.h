/* The ring as the library's own files see it.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chunks are numbered from 0 without end, modulo 2^32; chunk n is at index n modulo the number of
 * chunks. Numbers are compared only by their difference. Each side keeps the index next to the
 * number, because 2^32 need not be a multiple of the ring's chunks.
 *
 * Members are grouped by their writer, and no two groups share a cache line.
 */
#ifndef CAB_CAB_RING_H
#define CAB_CAB_RING_H

#include "cab/cab.h"

#define CAB_DEFAULT_SPINS 256

/* The bytes that a consumer of an exhaustive ring analyses at a time. Batches are small enough that
 * analysed slots are cleared while in the first-level cache, and large enough that one call of the
 * analysis serves many events. */
#define CAB_BATCH_BYTES 4096

/* In front of each chunk of records; CAB_CLEAR: the chunk is free. */
struct cab_chunk_header {
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t words_used;
};

/* The statistics of one side. Only the owning side writes these members. Any thread may read the
 * statistics, so they are atomic; they are relaxed because no other data depends on them. */
struct cab_side {
    _Atomic uint64_t waits, spins, sleeps, sleep_ns, wakes;
};

struct cab {
    /* Constant after cab_open. */
    _Alignas(CAB_LINE_BYTES) struct cab_config config;
    unsigned char *ring;
    unsigned chunks;       /* in the ring */
    uint32_t chunk_words;  /* that carry events or records */
    unsigned ahead_chunks; /* how many chunks a producer that had to wait wants to find free */
    struct cab_bell *consumer_bell;

    /* The producer's own. */
    _Alignas(CAB_LINE_BYTES) uint32_t producer_chunk; /* the one it is in */
    unsigned producer_index;
    _Atomic uint32_t most_chunks;
    struct cab_side producer;

    /* The producer writes, the consumer reads. */
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t produced; /* chunks that are complete */
    _Atomic uint32_t flush_words; /* number of words in chunk flush_chunk that may be consumed: see
                                   * cab_flush */
    _Atomic uint32_t flush_chunk;
    _Atomic uint32_t flush_ticket; /* number of flushes so far */
    _Atomic uint32_t closed;

    /* The consumer's own. */
    _Alignas(CAB_LINE_BYTES) uint32_t consumer_chunk;
    unsigned consumer_index;
    uint32_t offset_words; /* of the chunk: everything before it is done */
    uint32_t limit_words;  /* of the chunk: everything before it may be read */
    uint32_t batch_words;  /* given out */
    unsigned burst_words, stride_words;
    uint32_t burst_left_words; /* of the current burst */
    uint32_t skip_words;       /* before it */
    uint32_t burst_phase;      /* state of the generator that varies the distance of bursts */
    bool gap;                  /* words were skipped since the last batch */
    _Atomic uint64_t events;
    _Atomic uint64_t overwritten_chunks;
    struct cab_side consumer;

    /* The consumer writes, the producer reads. */
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t consumed; /* chunks that are released */
    _Atomic uint32_t flush_done; /* ticket of the latest flush that is consumed completely */

    struct cab_bell producer_bell, own_bell;

    /* CAB_SAMPLING: a burst is copied before it is known to be intact. */
    _Alignas(CAB_LINE_BYTES) unsigned char burst[CAB_BURST_MAX_WORDS * 8];
};

static inline void cab_count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

/* Updates the producer's longest backlog. Chunks that the consumer has freed but not yet
 * counted, or that were overwritten, can make it seem longer than the ring. */
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

/* Words of either size, for operations once per chunk. The calls justify their orderings.
 */
static inline bool cab_word_is(const struct cab *cab, const void *slot, uint64_t value)
{
    if (cab->config.word_bytes == 4)
        return atomic_load_explicit((_Atomic uint32_t *)slot, memory_order_acquire) ==
               (uint32_t)value;
    return atomic_load_explicit((_Atomic uint64_t *)slot, memory_order_acquire) == value;
}

/* Wakes the other side if it sleeps. The caller has stored the condition with sequential
 * consistency before.
 */
void cab_wake(struct cab *cab, struct cab_bell *bell, struct cab_side *side);

/* Waits until `holds`, first spinning, then sleeping at `bell`. `holds` makes its decisive loads
 * sequentially consistent. */
void cab_wait_until(struct cab *cab, bool (*holds)(struct cab *cab, void *argument), void *argument,
                    struct cab_bell *bell, struct cab_side *side);

#endif
