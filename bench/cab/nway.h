/* N-way buffering, measured for comparison with the ring: N buffers, each passed as a whole.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The method of PiPA (Q. Zhao et al., CGO 2008), with the two improvements of paper 001, section
 * 6.1. A flag for each buffer replaces semaphores. A buffer is aligned to its size, a power of two,
 * so that a mask tests for its end. A buffer corresponds to a chunk of the ring. The two sides
 * sleep like the sides of the ring.
 */
#ifndef BENCH_CAB_NWAY_H
#define BENCH_CAB_NWAY_H

#include "bench/cab/peers.h"

struct nway_flag {
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t words; /* number of words to consume; 0: the buffer is
                                                      * the producer's */
};

struct nway {
    uint64_t *cursor; /* only word of the producer on the fast path */
    uint64_t *memory;
    struct nway_flag *flags;
    uint32_t buffer_words, buffers, producer_buffer;
    _Alignas(CAB_LINE_BYTES) uint32_t consumer_buffer;
    _Atomic uint32_t closed;
    struct cab_bell producer_bell, consumer_bell;
};

static void nway_open(struct nway *nway, size_t ring_bytes, size_t chunk_bytes)
{
    memset(nway, 0, sizeof(*nway));
    nway->buffer_words = (uint32_t)(chunk_bytes / 8);
    nway->buffers = (uint32_t)(ring_bytes / chunk_bytes);
    nway->memory = peer_memory(chunk_bytes, ring_bytes);
    nway->flags = peer_memory(CAB_LINE_BYTES, nway->buffers * sizeof(struct nway_flag));
    nway->cursor = nway->memory;
}

static void nway_free(struct nway *nway)
{
    free(nway->memory);
    free(nway->flags);
}

static bool nway_is_free(void *flag)
{
    return atomic_load(&((struct nway_flag *)flag)->words) == 0;
}

static __attribute__((noinline)) void nway_switch(struct nway *nway, uint32_t words)
{
    atomic_store(&nway->flags[nway->producer_buffer].words, words);
    cab_bell_ring(&nway->consumer_bell, cab_futex_wake, NULL);
    nway->producer_buffer = (nway->producer_buffer + 1) % nway->buffers;
    peer_wait(nway_is_free, &nway->flags[nway->producer_buffer], &nway->producer_bell);
    nway->cursor = nway->memory + (size_t)nway->producer_buffer * nway->buffer_words;
}

static inline __attribute__((always_inline)) void nway_enqueue(struct nway *nway, uint64_t mask,
                                                               uint64_t event)
{
    uint64_t *cursor = nway->cursor;

    *cursor++ = event;
    nway->cursor = cursor;
    if (__builtin_expect(((uintptr_t)cursor & mask) == 0, 0))
        nway_switch(nway, nway->buffer_words);
}

static void nway_close(struct nway *nway)
{
    uint32_t words =
        (uint32_t)(nway->cursor - nway->memory) - nway->producer_buffer * nway->buffer_words;

    if (words > 0)
        nway_switch(nway, words);
    atomic_store(&nway->closed, 1);
    cab_bell_ring(&nway->consumer_bell, cab_futex_wake, NULL);
}

static bool nway_is_full(void *argument)
{
    struct nway *nway = argument;

    return atomic_load(&nway->flags[nway->consumer_buffer].words) > 0 || atomic_load(&nway->closed);
}

/* Waits for the next buffer; returns the number of its words, or 0 at the end. */
static uint32_t nway_get(struct nway *nway, const uint64_t **events)
{
    peer_wait(nway_is_full, nway, &nway->consumer_bell);
    *events = nway->memory + (size_t)nway->consumer_buffer * nway->buffer_words;
    return atomic_load(&nway->flags[nway->consumer_buffer].words);
}

static void nway_release(struct nway *nway)
{
    atomic_store(&nway->flags[nway->consumer_buffer].words, 0);
    cab_bell_ring(&nway->producer_bell, cab_futex_wake, NULL);
    nway->consumer_buffer = (nway->consumer_buffer + 1) % nway->buffers;
}

#endif
