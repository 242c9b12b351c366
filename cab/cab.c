/* Rings: their layout, and how each side sleeps and wakes up.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: no wake-up is lost. A sleeper stores sleeping = 1 and then loads the condition that it
 * waits for. The waker stores the condition and then loads `sleeping`. The two stores and two loads
 * are sequentially consistent, so they have one order. If the waker's load comes before the
 * sleeper's store, the sleeper's load comes after the waker's store, so the sleeper finds the
 * condition true. If the sleeper finds the condition false, the waker reads sleeping = 1 and wakes
 * the sleeper. The system's `wait` returns at once if the waker has already set `sleeping` to 0.
 */
#include "cab/cab_ring.h"

/* ---------------------------------------------------------------- Sleeping and waking */

void cab_bell_arm(struct cab_bell *bell)
{
    /* This store of `sleeping` pairs with the load in cab_bell_ring; both are sequentially
     * consistent. */
    atomic_store_explicit(&bell->sleeping, 1, memory_order_seq_cst);
}

void cab_bell_disarm(struct cab_bell *bell)
{
    /* Relaxed order suffices: a thread that still reads sleeping = 1 only calls `wake`
     * needlessly. */
    atomic_store_explicit(&bell->sleeping, 0, memory_order_relaxed);
}

void cab_bell_sleep(struct cab_bell *bell,
                    void (*wait)(void *context, _Atomic uint32_t *word, uint32_t expected),
                    void *context)
{
    wait(context, &bell->sleeping, 1);
}

static bool bell_ring(struct cab_bell *bell, void (*wake)(void *context, _Atomic uint32_t *word),
                      void *context)
{
    /* This load of `sleeping` pairs with the store in cab_bell_arm; both are sequentially
     * consistent. */
    if (atomic_load_explicit(&bell->sleeping, memory_order_seq_cst) == 0)
        return false;
    /* Relaxed order suffices: the only purposes of the exchange are that `wait` does not sleep, and
     * that only one thread calls `wake`. */
    if (atomic_exchange_explicit(&bell->sleeping, 0, memory_order_relaxed) == 0)
        return false;
    wake(context, &bell->sleeping);
    return true;
}

void cab_bell_ring(struct cab_bell *bell, void (*wake)(void *context, _Atomic uint32_t *word),
                   void *context)
{
    bell_ring(bell, wake, context);
}

static void sleep_at(struct cab *cab, struct cab_bell *bell, struct cab_side *side)
{
    const struct cab_config *config = &cab->config;
    uint64_t from = config->clock_ns ? config->clock_ns(config->context) : 0;

    config->wait(config->context, &bell->sleeping, 1);
    cab_count(&side->sleeps, 1);
    if (config->clock_ns)
        cab_count(&side->sleep_ns, config->clock_ns(config->context) - from);
}

void cab_wake(struct cab *cab, struct cab_bell *bell, struct cab_side *side)
{
    if (bell_ring(bell, cab->config.wake, cab->config.context))
        cab_count(&side->wakes, 1);
}

void cab_wait_until(struct cab *cab, bool (*holds)(struct cab *cab, void *argument), void *argument,
                    struct cab_bell *bell, struct cab_side *side)
{
    cab_count(&side->waits, 1);
    for (unsigned spins = 0; spins < cab->config.spins; spins++) {
        if (holds(cab, argument)) {
            cab_count(&side->spins, spins);
            return;
        }
        cab_relax();
    }
    cab_count(&side->spins, cab->config.spins);
    for (;;) {
        cab_bell_arm(bell);
        if (holds(cab, argument))
            break;
        sleep_at(cab, bell, side);
    }
    cab_bell_disarm(bell);
}

/* ---------------------------------------------------------------- Opening */

static bool config_is_valid(const struct cab_config *config)
{
    size_t chunk = config->chunk_bytes;

    if (config->mode > CAB_RECORDS || !config->wait || !config->wake)
        return false;
    if (config->word_bytes != sizeof(uintptr_t) &&
        (config->word_bytes != 4 || config->mode == CAB_RECORDS))
        return false;
    if (chunk < 2 * CAB_LINE_BYTES || chunk % CAB_LINE_BYTES != 0 || chunk > (size_t)1 << 30)
        return false;
    if (config->ring_bytes % chunk != 0 || config->ring_bytes / chunk < 3 ||
        config->ring_bytes / chunk > 65536)
        return false;
    return config->mode != CAB_SAMPLING ||
           (config->burst_words >= 1 && config->burst_words <= CAB_BURST_MAX_WORDS &&
            config->stride_words >= config->burst_words);
}

size_t cab_memory_bytes(const struct cab_config *config)
{
    return config_is_valid(config) ? sizeof(struct cab) + config->ring_bytes : 0;
}

/* The following stores may be relaxed, because the caller hands the ring to the other side. */
static void word_store(const struct cab *cab, void *slot, uint64_t value)
{
    if (cab->config.word_bytes == 4)
        atomic_store_explicit((_Atomic uint32_t *)slot, (uint32_t)value, memory_order_relaxed);
    else
        atomic_store_explicit((_Atomic uint64_t *)slot, value, memory_order_relaxed);
}

/* The last word of each chunk of events is always CAB_MAGIC. */
static void ring_lay_out(struct cab *cab)
{
    const struct cab_config *config = &cab->config;

    for (unsigned i = 0; i < cab->chunks && config->mode != CAB_RECORDS; i++)
        word_store(cab, cab_chunk_at(cab, i) + config->chunk_bytes - config->word_bytes,
                   CAB_MAGIC64);
    if (config->mode == CAB_RECORDS)
        cab->chunk_words = (uint32_t)((config->chunk_bytes - sizeof(struct cab_chunk_header)) /
                                      config->word_bytes);
    else
        cab->chunk_words = (uint32_t)(config->chunk_bytes / config->word_bytes - 1);
}

struct cab *cab_open(const struct cab_config *config, void *memory)
{
    struct cab *cab = memory;

    if (!config_is_valid(config))
        return NULL;
    __builtin_memset(cab, 0, sizeof(*cab));
    cab->config = *config;
    /* the number before 0, the first chunk's number, because no chunk is flushed yet */
    cab->flush_chunk = UINT32_MAX;
    if (cab->config.spins == 0)
        cab->config.spins = CAB_DEFAULT_SPINS;
    cab->ring = (unsigned char *)memory + sizeof(struct cab);
    cab->chunks = (unsigned)(config->ring_bytes / config->chunk_bytes);
    cab->ahead_chunks = cab->chunks - 2 < 2 ? cab->chunks - 2 : 2;
    cab->consumer_bell = config->bell ? config->bell : &cab->own_bell;
    cab->burst_words = config->burst_words;
    cab->stride_words = config->stride_words;
    cab->burst_left_words = config->burst_words;
    ring_lay_out(cab);
    return cab;
}

/* ---------------------------------------------------------------- Figures */

unsigned cab_backlog_chunks(const struct cab *cab)
{
    uint32_t consumed = atomic_load_explicit(&cab->consumed, memory_order_relaxed);

    return atomic_load_explicit(&cab->produced, memory_order_relaxed) - consumed;
}

static void side_stats(struct cab_side_stats *to, const struct cab_side *from)
{
    to->waits = atomic_load_explicit(&from->waits, memory_order_relaxed);
    to->spins = atomic_load_explicit(&from->spins, memory_order_relaxed);
    to->sleeps = atomic_load_explicit(&from->sleeps, memory_order_relaxed);
    to->sleep_ns = atomic_load_explicit(&from->sleep_ns, memory_order_relaxed);
    to->wakes = atomic_load_explicit(&from->wakes, memory_order_relaxed);
}

void cab_stats_get(const struct cab *cab, struct cab_stats *stats)
{
    side_stats(&stats->producer, &cab->producer);
    side_stats(&stats->consumer, &cab->consumer);
    stats->chunks = atomic_load_explicit(&cab->produced, memory_order_relaxed);
    stats->events = atomic_load_explicit(&cab->events, memory_order_relaxed);
    stats->overwritten_chunks =
        atomic_load_explicit(&cab->overwritten_chunks, memory_order_relaxed);
    stats->most_chunks = atomic_load_explicit(&cab->most_chunks, memory_order_relaxed);
    stats->chunks_in_ring = cab->chunks;
}
