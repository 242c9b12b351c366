/* Cache-friendly asymmetric buffering: one ring from one producer to one consumer.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper: J. Ha, M. Arnold, S. Blackburn, K. McKinley, "A Concurrent Dynamic Analysis Framework for
 * Multicore Hardware", OOPSLA 2009, section 3. docs/cab.md justifies every ordering and lists the
 * differences from the paper.
 *
 * The producer writes to a plain ring of words, with one test per event; the consumer reads chunks.
 * The mode of the ring decides whether events may be lost:
 *
 *     CAB_EXHAUSTIVE  every event arrives; a producer that finds the ring full spins, then sleeps
 *     CAB_SAMPLING    the producer never waits; the consumer sees bursts, and knows what was lost
 *     CAB_RECORDS     whole chunks of words with any values are handed over; nothing is lost
 *
 * Example: a thread sends one event to another thread.
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
 * Rules:
 *
 * - At any time, at most one thread may call a ring's producer functions, and at most one thread
 *   may call its consumer functions. If another thread takes over one of these sides, the two
 *   threads need separate synchronisation.
 * - A signal handler of the producing thread may not use the thread's ring while the thread is
 *   inside one of the producer's functions.
 * - The library allocates no memory; only `wait` and `wake` make system calls.
 * - The library needs only the compiler's freestanding headers. Words of 8 bytes require a machine
 *   with pointers of 8 bytes.
 */
#ifndef CAB_CAB_H
#define CAB_CAB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words with these values are reserved; an event may have any other value. */
#define CAB_CLEAR   0u         /* the slot is free */
#define CAB_MAGIC32 UINT32_MAX /* the chunk ends here */
#define CAB_MAGIC64 UINT64_MAX

/* The paper's ring and chunk sizes are sufficient for one thread that only produces. */
#define CAB_RING_BYTES  (2u << 20)
#define CAB_CHUNK_BYTES (128u << 10)

/* No cache line of this size ever has two writers. */
#define CAB_LINE_BYTES 64

/* The longest burst, in words. */
#define CAB_BURST_MAX_WORDS 512

enum cab_mode { CAB_EXHAUSTIVE, CAB_SAMPLING, CAB_RECORDS };

/* A bell is the futex word on which the producer or the consumer sleeps. `sleeping` is 1 while the
 * bell's only sleeper sleeps or is about to sleep. A consumer that serves several rings uses one
 * bell for all rings. A bell must be initialised with zeros. */
struct cab_bell {
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t sleeping;
};

struct cab_config {
    enum cab_mode mode;
    unsigned word_bytes; /* bytes of a word: 4 or 8; CAB_RECORDS: sizeof(uintptr_t) */
    size_t ring_bytes;   /* multiple of chunk_bytes: 3 to 65536 chunks */
    size_t chunk_bytes;  /* size of a chunk: multiple of 64, at least 128, at most 2^30 */

    /* CAB_SAMPLING: of each stride_words words, the consumer receives burst_words consecutive
     * words. */
    unsigned burst_words;  /* 1 to CAB_BURST_MAX_WORDS */
    unsigned stride_words; /* at least burst_words; if both are equal, no word is skipped */

    unsigned spins;        /* number of retries before the producer or consumer sleeps; 0 means the
                            * default */
    struct cab_bell *bell; /* bell of the consumer; NULL: the ring contains a bell */

    /* `wait` sleeps while *word == expected, and may return early. `wake` wakes the only sleeper of
     * `word`. `wait` and `wake` behave as FUTEX_WAIT and FUTEX_WAKE of futex(2); cab_futex.h
     * implements both functions for Linux with a C library. */
    void (*wait)(void *context, _Atomic uint32_t *word, uint32_t expected);
    void (*wake)(void *context, _Atomic uint32_t *word);
    /* clock in nanoseconds; NULL: the time slept is not measured */
    uint64_t (*clock_ns)(void *context);
    void *context;
};

struct cab;

/* Returns how much memory cab_open needs; 0 if the configuration is invalid. */
size_t cab_memory_bytes(const struct cab_config *config);

/* Makes a ring in `memory`, which still belongs to the caller. The memory must be aligned to
 * CAB_LINE_BYTES. The memory must be zeroed, or contain an old ring of the same configuration that
 * is closed and completely consumed. cab_open touches one word of each chunk; other pages are
 * touched on first use. Returns NULL if the configuration is invalid. The code that passes the
 * pointer to another thread must also make the ring's contents visible to this thread. */
struct cab *cab_open(const struct cab_config *config, void *memory);

/* ---------------------------------------------------------------- Producer of words */

/* The producer's position in the ring. The cursor may be stored anywhere; thread-local storage is
 * fastest. `slot` always points to a readable word. */
struct cab_cursor {
    void *slot;
    struct cab *cab;
};

void cab_cursor_init(struct cab_cursor *cursor, struct cab *cab);

/* Slow paths that return the slot for the next event at the end of a chunk. If the ring is full,
 * the slow paths wait. */
void *cab_slot_wait(struct cab_cursor *cursor);
void *cab_slot_next(struct cab_cursor *cursor);

/* This function is for CAB_EXHAUSTIVE (paper, Figure 3(a)). `event` is neither CAB_CLEAR nor
 * CAB_MAGIC. */
static inline __attribute__((always_inline)) void cab_enqueue32(struct cab_cursor *cursor,
                                                                uint32_t event)
{
    _Atomic uint32_t *slot = cursor->slot;

    /* Acquire order pairs with the release store of CAB_CLEAR in cab_batch_release. So the consumer
     * has read the slot before the producer writes it again. */
    if (__builtin_expect(atomic_load_explicit(slot, memory_order_acquire) != CAB_CLEAR, 0))
        slot = cab_slot_wait(cursor);
    /* Release order pairs with an acquire load of the consumer. The consumer reads chunk n only
     * after it has found the first slot of chunk n + 2 filled. */
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}

/* This function is for CAB_SAMPLING (paper, Figure 5(a)). */
static inline __attribute__((always_inline)) void cab_overwrite32(struct cab_cursor *cursor,
                                                                  uint32_t event)
{
    _Atomic uint32_t *slot = cursor->slot;

    /* Relaxed order suffices: only the producer writes slots, so this load returns a value that the
     * producer itself has stored. */
    if (__builtin_expect(atomic_load_explicit(slot, memory_order_relaxed) == CAB_MAGIC32, 0))
        slot = cab_slot_next(cursor);
    /* Release order pairs with the acquire loads of cab_batch_try, which then detects that the
     * chunk is reused.
     */
    atomic_store_explicit(slot, event, memory_order_release);
    cursor->slot = slot + 1;
}

#if UINTPTR_MAX > UINT32_MAX
/* Counterparts of cab_enqueue32 and cab_overwrite32 for words of 8 bytes. */
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

/* Makes all events enqueued so far visible to the consumer, including events in partly filled
 * chunks. Returns without waiting.
 */
void cab_flush(struct cab_cursor *cursor);

/* Flushes the ring, then waits until the consumer has released all events. A consumer must be
 * running. */
void cab_drain(struct cab_cursor *cursor);

/* Flushes the ring and marks the end of the stream. After cab_close, the cursor must not be
 * used. */
void cab_close(struct cab_cursor *cursor);

/* ---------------------------------------------------------------- Producer of records */

/* For CAB_RECORDS: waits until the next chunk is free. The producer owns the chunk until
 * cab_chunk_end and may fill it with plain stores. */
uintptr_t *cab_chunk_begin(struct cab *cab, size_t *capacity_words);

/* Hands over the first `words_used` words of the chunk. If `words_used` is 0, the call does nothing
 * and the chunk stays open.
 */
void cab_chunk_end(struct cab *cab, size_t words_used);

/* Waits until the consumer has released every chunk that was ended. */
void cab_chunks_drain(struct cab *cab);

/* Marks the end of the stream. */
void cab_chunks_close(struct cab *cab);

/* ---------------------------------------------------------------- Consumer */

enum cab_state { CAB_EMPTY, CAB_READY, CAB_CLOSED };

/* A batch of events, in the order in which they were enqueued. `words` has words of word_bytes
 * each, and is valid until the batch is released. */
struct cab_batch {
    const void *events;
    size_t count;
    bool after_gap; /* CAB_SAMPLING: events are missing between the previous batch and this batch */
};

/* cab_batch_try is for modes other than CAB_RECORDS. CAB_READY: *batch is filled, and must be
 * released before the next call. CAB_EMPTY: no batch is available yet. CAB_CLOSED: the ring was
 * closed and is completely consumed. The function never waits. */
enum cab_state cab_batch_try(struct cab *cab, struct cab_batch *batch);

/* Waits for a batch, for consumers with one ring. Returns false if the ring is closed and
 * completely consumed. */
bool cab_batch_wait(struct cab *cab, struct cab_batch *batch);
void cab_batch_release(struct cab *cab);

/* For CAB_RECORDS: returns the words [*from, *to) of the next chunk. Otherwise like
 * cab_batch_try. */
enum cab_state cab_chunk_try(struct cab *cab, const uintptr_t **from, const uintptr_t **to);
bool cab_chunk_wait(struct cab *cab, const uintptr_t **from, const uintptr_t **to);
void cab_chunk_release(struct cab *cab);

/* For CAB_SAMPLING: changes the sampling rate from the next burst on, within the limits of the
 * configuration. */
void cab_sampling_set(struct cab *cab, unsigned burst_words, unsigned stride_words);

/* A consumer that finds all its rings empty arms the bell and tries all rings again. If all rings
 * are still empty, the consumer calls cab_bell_sleep; otherwise, it disarms the bell. If work has
 * arrived since the bell was armed, cab_bell_sleep returns at once.
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

/* Wakes the bell's sleeper. This function is for reasons other than data in a ring, such as a new
 * ring or the end of the program. Any thread may call this function. The caller must have stored
 * the reason before this call, with sequential consistency. */
void cab_bell_ring(struct cab_bell *bell, void (*wake)(void *context, _Atomic uint32_t *word),
                   void *context);

/* ---------------------------------------------------------------- Figures */

/* Returns the number of chunks that the producer has completed and the consumer has not yet
 * released. The producer or the consumer may call this function to adapt a sampling rate; the
 * number may be out of date. */
unsigned cab_backlog_chunks(const struct cab *cab);

struct cab_side_stats {
    uint64_t waits;    /* number of times that the producer or consumer had to wait */
    uint64_t spins;    /* number of retries */
    uint64_t sleeps;   /* number of calls of `wait` */
    uint64_t sleep_ns; /* time spent in `wait`; 0 without a clock */
    uint64_t wakes;    /* number of calls of `wake` to wake the other side */
};

struct cab_stats {
    struct cab_side_stats producer, consumer;
    uint64_t chunks; /* chunks completed by the producer, flushed chunks included */
    uint64_t events; /* words that the consumer has released, or (when sampling) received */
    /* CAB_SAMPLING: number of chunks lost because the producer was a whole ring ahead */
    uint64_t overwritten_chunks;
    unsigned most_chunks; /* largest number of unreleased chunks that the producer found */
    unsigned chunks_in_ring;
};

/* Returns the statistics so far. The statistics are exact when producer and consumer are idle
 * (after a drain, while nothing is enqueued). */
void cab_stats_get(const struct cab *cab, struct cab_stats *stats);

#endif
