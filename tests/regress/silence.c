/* With --toggle-collect, writes of unmeasured routines still count as input of measured ones.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phase 1, 10 rounds: a thread writes 64 cells, and main reads them within one activation of
 * `consume`. It has trms 640, all induced by the thread, and rms 64. Phase 2, 10 rounds: a thread
 * lets the kernel fill 16 cells, and main reads them within one activation of `listen_to_kernel`.
 * It has trms 160, all external, and rms 16.
 */
#include <fcntl.h>
#include <pthread.h>
#include "tests/regress/handoff.h"

enum { ROUNDS = 10, N = 64, HEARD = 16 };

static int cells[N] CELL_ALIGNED;
static int heard[HEARD] CELL_ALIGNED;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int consume(void)
{
    int total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        handoff_give(TURN_A);
        handoff_await(TURN_B);
        total += read_ints(cells, N);
    }
    return total;
}

ROUTINE int listen_to_kernel(void)
{
    int total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        handoff_give(TURN_A);
        handoff_await(TURN_B);
        total += read_ints(heard, HEARD);
    }
    return total;
}

static void *produce(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        handoff_await(TURN_A);
        for (int i = 0; i < N; i++)
            ((volatile int *)cells)[i] = round;
        handoff_give(TURN_B);
    }
    return unused;
}

static void *receive(void *unused)
{
    int zero = open("/dev/zero", O_RDONLY);

    for (int round = 0; round < ROUNDS; round++) {
        handoff_await(TURN_A);
        RAW3(SYS_read, zero, heard, sizeof heard);
        handoff_give(TURN_B);
    }
    return unused;
}

int main(void)
{
    pthread_t helper;

    handoff_open();
    pthread_create(&helper, NULL, produce, NULL);
    sink = consume();
    pthread_join(helper, NULL);
    pthread_create(&helper, NULL, receive, NULL);
    sink = listen_to_kernel();
    pthread_join(helper, NULL);
    return 0;
}
