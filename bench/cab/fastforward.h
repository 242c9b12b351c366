/* FastForward, measured for comparison with the ring: a queue with a sentinel in each slot.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * J. Giacomoni, T. Moseley, M. Vachharajani, PPoPP 2008, with the parameters of paper 001, section
 * 6.1. Events are enqueued and dequeued one by one. A consumer that is closer than two lines to the
 * producer (danger) waits until the distance is six lines (safe). Neither side reads the other's
 * index, because the slots show the distance. The number of slots is a power of two. In the ring,
 * one side wakes the other at the end of a chunk. A queue has no chunks, so the two sides yield
 * instead of sleeping.
 */
#ifndef BENCH_CAB_FASTFORWARD_H
#define BENCH_CAB_FASTFORWARD_H

#include "bench/cab/peers.h"

#define FASTFORWARD_LINE   8 /* words */
#define FASTFORWARD_DANGER (2 * FASTFORWARD_LINE)
#define FASTFORWARD_SAFE   (6 * FASTFORWARD_LINE)

struct fastforward {
    _Atomic uint64_t *slots;
    uint32_t mask;
    _Alignas(CAB_LINE_BYTES) uint32_t head; /* the producer's */
    _Alignas(CAB_LINE_BYTES) uint32_t tail; /* the consumer's */
    _Alignas(CAB_LINE_BYTES) _Atomic uint32_t closed;
};

static void fastforward_open(struct fastforward *queue, size_t ring_bytes, size_t chunk_bytes)
{
    (void)chunk_bytes;
    memset(queue, 0, sizeof(*queue));
    queue->slots = peer_memory(4096, ring_bytes);
    queue->mask = (uint32_t)(ring_bytes / 8) - 1;
}

static void fastforward_free(struct fastforward *queue)
{
    free(queue->slots);
}

static __attribute__((noinline)) void fastforward_wait_clear(_Atomic uint64_t *slot)
{
    for (unsigned looks = 0; atomic_load_explicit(slot, memory_order_acquire) != CAB_CLEAR; looks++)
        peer_relax_or_yield(looks);
}

static inline __attribute__((always_inline)) void fastforward_enqueue(struct fastforward *queue,
                                                                      uint64_t mask, uint64_t event)
{
    uint32_t head = queue->head;
    _Atomic uint64_t *slot = &queue->slots[head];

    if (__builtin_expect(atomic_load_explicit(slot, memory_order_acquire) != CAB_CLEAR, 0))
        fastforward_wait_clear(slot);
    atomic_store_explicit(slot, event, memory_order_release);
    queue->head = (head + 1) & (uint32_t)mask;
}

static void fastforward_close(struct fastforward *queue)
{
    atomic_store_explicit(&queue->closed, 1, memory_order_release);
}

static bool fastforward_is_behind(struct fastforward *queue, uint32_t words)
{
    return atomic_load_explicit(&queue->slots[(queue->tail + words) & queue->mask],
                                memory_order_acquire) != CAB_CLEAR;
}

/* Keeps the distance between the two sides; called once for each line. */
static void fastforward_slip(struct fastforward *queue)
{
    if (fastforward_is_behind(queue, FASTFORWARD_DANGER))
        return;
    for (unsigned looks = 0; !fastforward_is_behind(queue, FASTFORWARD_SAFE) &&
                             !atomic_load_explicit(&queue->closed, memory_order_acquire);
         looks++)
        peer_relax_or_yield(looks);
}

/* Returns false if the queue is closed and empty. */
static inline bool fastforward_dequeue(struct fastforward *queue, uint64_t *event)
{
    _Atomic uint64_t *slot = &queue->slots[queue->tail];

    if (queue->tail % FASTFORWARD_LINE == 0)
        fastforward_slip(queue);
    *event = atomic_load_explicit(slot, memory_order_acquire);
    if (*event == CAB_CLEAR)
        return false;
    atomic_store_explicit(slot, CAB_CLEAR, memory_order_release);
    queue->tail = (queue->tail + 1) & queue->mask;
    return true;
}

#endif
