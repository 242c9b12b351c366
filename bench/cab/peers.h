/* Functions for memory and waiting that all measured buffers share.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef BENCH_CAB_PEERS_H
#define BENCH_CAB_PEERS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cab/cab_ring.h"
#include "cab/cab_futex.h"

#define PEER_SPINS 256 /* value of the ring's default */

static void *peer_memory(size_t alignment, size_t bytes)
{
    void *memory;

    if (posix_memalign(&memory, alignment, bytes) != 0) {
        perror("bench_cab: memory");
        exit(1);
    }
    return memset(memory, 0, bytes);
}

static inline void peer_relax_or_yield(unsigned looks)
{
    if (looks < PEER_SPINS)
        cab_relax();
    else
        sched_yield();
}

/* Spins, then sleeps at the bell, as the ring does. */
static void peer_wait(bool (*holds)(void *argument), void *argument, struct cab_bell *bell)
{
    for (unsigned spins = 0; spins < PEER_SPINS; spins++)
        if (holds(argument))
            return;
    for (;;) {
        cab_bell_arm(bell);
        if (holds(argument))
            break;
        cab_bell_sleep(bell, cab_futex_wait, NULL);
    }
    cab_bell_disarm(bell);
}

#endif
