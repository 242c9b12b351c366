/* Cache-friendly asymmetric buffering: one ring from one producer to one consumer.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper: J. Ha, M. Arnold, S. Blackburn, K. McKinley, "A Concurrent Dynamic Analysis Framework for
 * Multicore Hardware", OOPSLA 2009, section 3. docs/cab.md justifies every ordering and lists the
 * differences from the paper.
 *
 * The producer writes to a plain ring of words, with one test per event; the consumer reads chunks.
 * The mode of the ring decides which side may lose events:
 *
 *   CAB_EXHAUSTIVE  every event arrives; a producer that finds the ring full spins, then sleeps
 *   CAB_SAMPLING    the producer never waits; the consumer sees bursts, and knows what was lost
 *   CAB_RECORDS     whole chunks of words with any values are handed over; nothing is lost
 *
 * Example: one event from a thread to another.
 *
 *     struct cab_config config = {.mode = CAB_EXHAUSTIVE, .word_bytes = 8,
 *                                 .ring_bytes = 2 << 20, .chunk_bytes = 128 << 10,
 *                                 .wait = cab_futex_wait, .wake = cab_futex_wake};
 *     struct cab *cab = cab_open(&config, zeroed_pages(cab_memory_bytes(&config)));
 *
 *     producer                                   consumer
 *     struct cab_cursor cursor;                  struct cab_batch batch;
 *     cab_cursor_init(&cursor, cab);             while (cab_batch_wait(cab, &batch)) {
 *     cab_enqueue64(&cursor, 42);                    analyse(batch.events, batch.count);
 *     cab_close(&cursor);                            cab_batch_release(cab);
 *                                                }
 *
 * Rules
 *   - One thread at a time calls the producer's functions of a ring, one at a time the consumer's.
 *     A hand-over to another thread of the same side needs its own synchronisation.
 *   - The producer's functions must not be interrupted by themselves: a signal handler of the
 *     producing thread may not use the thread's ring while the thread is inside one of them.
 *   - Nothing here allocates, and the only system calls are those of `wait` and `wake`.
 *   - The library needs the compiler's freestanding headers only. Words of 8 bytes need a machine
 *     whose pointers have 8 bytes.
 */
#ifndef CAB_CAB_H
#define CAB_CAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words with these values are reserved. An event may have any other value. */
#define CAB_CLEAR   0u         /* the slot is free */
#define CAB_MAGIC32 UINT32_MAX /* the chunk ends here */
#define CAB_MAGIC64 UINT64_MAX

/* The paper's sizes, large enough for one thread that only produces. */
#define CAB_RING_BYTES  (2u << 20)
#define CAB_CHUNK_BYTES (128u << 10)

/* Lines of this size never have two writers. */
#define CAB_LINE_BYTES 64

/* The longest burst, in words. */
#define CAB_BURST_MAX_WORDS 512

enum cab_mode { CAB_EXHAUSTIVE, CAB_SAMPLING, CAB_RECORDS };

/* A bell: the futex word on which a side sleeps. `sleeping` is 1 while its one sleeper sleeps or
 * is about to. A consumer that serves several rings uses one bell for all rings. Initialise it with
 * zeros. */
struct cab_bell {
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t sleeping;
};

struct cab_config {
    enum cab_mode mode;
    unsigned word_bytes; /* 4 or 8; CAB_RECORDS: sizeof(uintptr_t) */
    size_t ring_bytes;   /* a multiple of chunk_bytes: 3 to 65536 chunks */
    size_t chunk_bytes;  /* a multiple of 64, at least 128, at most 2^30 */

    /* CAB_SAMPLING: out of each stride_words words the consumer sees burst_words in a row. */
    unsigned burst_words;  /* 1 to CAB_BURST_MAX_WORDS */
    unsigned stride_words; /* burst_words (a rate of 1) or more */

    unsigned spins;        /* number of retries before a side sleeps; 0: the default */
    struct cab_bell *bell; /* the consumer's; NULL: the ring has its own */

    /* Sleeps while *word == expected; may return early. Wakes the one sleeper of `word`. `wait` and
     * `wake` behave as futex(2) FUTEX_WAIT and FUTEX_WAKE; cab_futex.h has both functions for Linux
     * with a C library. */
    void (*wait)(void *context, _Atomic uint32_t *word, uint32_t expected);
    void (*wake)(void *context, _Atomic uint32_t *word);
    uint64_t (*clock_ns)(void *context); /* NULL: the time slept is not measured */
    void *context;
};

struct cab;

/* How much memory cab_open needs; 0 if the configuration breaks a rule above. */
size_t cab_memory_bytes(const struct cab_config *config);

/* Makes a ring in `memory`, which the caller keeps: zeroed and aligned to CAB_LINE_BYTES, or the
 * memory of a ring of the same configuration that was closed and consumed to its end. Pages are
 * touched when they are used, except one word (and its page) of each chunk. NULL if the
 * configuration breaks a rule. Whatever passes the pointer to the other side also makes the ring
 * visible to it. */
struct cab *cab_open(const struct cab_config *config, void *memory);

/* ---------------------------------------------------------------- Producer of words */

/* The producer's position. The producer's state may be stored anywhere; thread-local storage is
 * best. `slot` always points to a word that may be read. */
struct cab_cursor {
    void *slot;
    struct cab *cab;
};

void cab_cursor_init(struct cab_cursor *cursor, struct cab *cab);

/* Slow paths: the slot for the next event at the end of a chunk, or of a full ring (it waits). */
void *cab_slot_wait(struct cab_cursor *cursor);
void *cab_slot_next(struct cab_cursor *cursor);

/* CAB_EXHAUSTIVE. `event` is neither CAB_CLEAR nor CAB_MAGIC. Paper, Figure 3(a). */
static inline __attribute__((always_inline)) void cab_enqueue32(struct cab_cursor *cursor,
                                                                uint32_t event)
{
    _Atomic uint32_t *slot = cursor->slot;

    /* Acquire: with the release store of CAB_CLEAR in cab_batch_release, so that the consumer has
     * read the slot before it is written again. */
    if (__builtin_expect(atomic_load_explicit(slot, memory_order_acquire) != CAB_CLEAR, 0))
        slot = cab_slot_wait(cursor);
    /* Release: with the acquire load in the consumer's test of the chunk two ahead. */
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}

/* CAB_SAMPLING. Paper, Figure 5(a). */
static inline __attribute__((always_inline)) void cab_overwrite32(struct cab_cursor *cursor,
                                                                  uint32_t event)
{
    _Atomic uint32_t *slot = cursor->slot;

    /* Relaxed: only the producer writes here, it reads its own stores. */
    if (__builtin_expect(atomic_load_explicit(slot, memory_order_relaxed) == CAB_MAGIC32, 0))
        slot = cab_slot_next(cursor);
    /* Release: with the acquire loads of cab_batch_try, which then sees that the chunk is reused.
     */
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}

#if UINTPTR_MAX > UINT32_MAX
/* cab_enqueue32 and cab_overwrite32 for words of 8 bytes. */
static inline __attribute__((always_inline)) void cab_enqueue64(struct cab_cursor *cursor,
                                                                uint64_t event)
{
    _Atomic uint64_t *slot = cursor->slot;

    if (__builtin_expect(atomic_load_explicit(slot, memory_order_acquire) != CAB_CLEAR, 0))
        slot = cab_slot_wait(cursor);
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}

static inline __attribute__((always_inline)) void cab_overwrite64(struct cab_cursor *cursor,
                                                                  uint64_t event)
{
    _Atomic uint64_t *slot = cursor->slot;

    if (__builtin_expect(atomic_load_explicit(slot, memory_order_relaxed) == CAB_MAGIC64, 0))
        slot = cab_slot_next(cursor);
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}
#endif

/* Makes everything enqueued so far visible to the consumer, including partly filled chunks. Does
 * not wait.
 */
void cab_flush(struct cab_cursor *cursor);

/* Flushes and waits until the consumer has released all of it. A consumer must be running. */
void cab_drain(struct cab_cursor *cursor);

/* Flushes and marks the end of the stream. The cursor must not be used again. */
void cab_close(struct cab_cursor *cursor);

/* ---------------------------------------------------------------- Producer of records */

/* CAB_RECORDS. Waits until the next chunk is free. The producer owns it until cab_chunk_end, and
 * may fill it by plain stores. */
uintptr_t *cab_chunk_begin(struct cab *cab, size_t *capacity_words);

/* Hands over the first `words_used` words of the chunk; 0: nothing is handed over, and the chunk
 * stays begun.
 */
void cab_chunk_end(struct cab *cab, size_t words_used);

/* Waits until the consumer has released every chunk that was ended. */
void cab_chunks_drain(struct cab *cab);

/* Marks the end of the stream. */
void cab_chunks_close(struct cab *cab);

/* ---------------------------------------------------------------- Consumer */

enum cab_state { CAB_EMPTY, CAB_READY, CAB_CLOSED };

/* Events in the order in which they were enqueued. `words` of word_bytes each; valid until it is
 * released. */
struct cab_batch {
    const void *events;
    size_t count;
    bool after_gap; /* CAB_SAMPLING: events are missing between the previous batch and this batch */
};

/* Word modes. CAB_READY: *batch is filled, and must be released before the next call. CAB_EMPTY:
 * try again later. CAB_CLOSED: the ring was closed and is completely consumed. Never waits. */
enum cab_state cab_batch_try(struct cab *cab, struct cab_batch *batch);

/* Waits for a batch, for consumers with one ring; false if the ring is closed and completely
 * consumed. */
bool cab_batch_wait(struct cab *cab, struct cab_batch *batch);
void cab_batch_release(struct cab *cab);

/* CAB_RECORDS: the words of the next chunk are [*from, *to). In other respects as cab_batch_try. */
enum cab_state cab_chunk_try(struct cab *cab, const uintptr_t **from, const uintptr_t **to);
bool cab_chunk_wait(struct cab *cab, const uintptr_t **from, const uintptr_t **to);
void cab_chunk_release(struct cab *cab);

/* CAB_SAMPLING: changes the rate from the next burst on, within the limits of the configuration. */
void cab_sampling_set(struct cab *cab, unsigned burst_words, unsigned stride_words);

/* A consumer that found all its rings empty arms the bell, tries all rings once more, and then
 * either sleeps or disarms the bell. Work that arrives in between makes the sleep return at once.
 *
 *     cab_bell_arm(&bell);
 *     if (try_all_rings() == nothing)
 *         cab_bell_sleep(&bell, config.wait, config.context);
 *     cab_bell_disarm(&bell);
 */
void cab_bell_arm(struct cab_bell *bell);
void cab_bell_sleep(struct cab_bell *bell,
                    void (*wait)(void *context, _Atomic uint32_t *word, uint32_t expected),
                    void *context);
void cab_bell_disarm(struct cab_bell *bell);

/* Wakes the bell's sleeper for a reason that is not in any ring: a new ring, or the end. Any
 * thread may call it. The caller must have stored the reason with sequential consistency before. */
void cab_bell_ring(struct cab_bell *bell, void (*wake)(void *context, _Atomic uint32_t *word),
                   void *context);

/* ---------------------------------------------------------------- Figures */

/* Chunks that the producer has completed and the consumer has not yet released. Either side may
 * call it; the value may be outdated. Serves to adapt a sampling rate. */
unsigned cab_backlog_chunks(const struct cab *cab);

struct cab_side_stats {
    uint64_t waits;    /* times it had to wait */
    uint64_t spins;    /* times it retried */
    uint64_t sleeps;   /* times it called `wait` */
    uint64_t sleep_ns; /* time in `wait`; 0 without a clock */
    uint64_t wakes;    /* number of calls of `wake` for the other side */
};

struct cab_stats {
    struct cab_side_stats producer, consumer;
    uint64_t chunks;             /* chunks completed by the producer, flushed chunks included */
    uint64_t events;             /* words that the consumer released (sampling: saw) */
    uint64_t overwritten_chunks; /* CAB_SAMPLING: lost, because the producer was a ring ahead */
    unsigned most_chunks;        /* the longest backlog that the producer met */
    unsigned chunks_in_ring;
};

/* The statistics so far. Exact when both sides are idle (after a drain, while nothing is
 * enqueued). */
void cab_stats_get(const struct cab *cab, struct cab_stats *stats);

#endif
