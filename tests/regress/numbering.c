/* A program with threads, in which the routines mix and round_of run identically in every run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include "tests/regress/handoff.h"

enum { N = 128 };

static volatile int data[N] CELL_ALIGNED;

ROUTINE int mix(int depth, unsigned seed)
{
    int total = 0;
    for (int i = 0; i < 6; i++) {
        seed = seed * 1103515245 + 12345;
        if (seed >> 16 & 1)
            total += data[seed >> 20 & (N - 1)];
        else
            data[seed >> 20 & (N - 1)] = total;
    }
    if (depth == 0)
        return total;
    total += mix(depth - 1, seed ^ depth);
    return total + (seed >> 30 ? mix(depth - 1, seed + depth) : 0);
}

ROUTINE int round_of(unsigned seed)
{
    return mix(5, seed) + mix(3, seed * 7);
}

static void *partner(void *unused)
{
    for (int i = 0; i < 40; i++) {
        handoff_await(TURN_A);
        sink = round_of(i * 3 + 1);
        handoff_give(TURN_B);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < 40; i++) {
        sink = round_of(i * 5 + 2);
        handoff_give(TURN_A);
        handoff_await(TURN_B);
    }
    pthread_join(thread, NULL);
    return 0;
}
