/* Threads: cells that one thread writes and another reads are induced; threads start and end.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Phase 1. main writes 64 cells (`fill`: no input). A thread sums them: `sum` has 64, all induced,
 * rms 64. main sums them as well: 64, not induced, because main wrote them. Then the thread writes
 * 32 of them, and main sums again: 64, 32 induced. Phase 2. T threads run one after the other. Each
 * calls `short_work`, which reads 10 unwritten cells: 10, not induced, even if an earlier thread
 * had the same identifier. Phase 3. 4 threads run at the same time. Each reads its own 100 cells,
 * which main wrote: `part` has 100, all induced.
 */
#include <pthread.h>
#include "tests/regress/handoff.h"

enum { N = 64, T = 1000, PARTS = 4, PART = 100 };

static int shared[N] CELL_ALIGNED;
static int never_written[16] CELL_ALIGNED;
static int parts[PARTS][PART] CELL_ALIGNED;

ROUTINE void fill(volatile int *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int sum_other(void)
{
    return read_ints(shared, N);
}

ROUTINE int sum_own(void)
{
    return read_ints(shared, N);
}

ROUTINE int sum_mixed(void)
{
    return read_ints(shared, N);
}

ROUTINE int short_work(void)
{
    return read_ints(never_written, 10);
}

ROUTINE int part(const int *from)
{
    return read_ints(from, PART);
}

static void *phase_1(void *unused)
{
    sink = sum_other();
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    fill(shared, N / 2);
    return unused;
}

static void *phase_2(void *unused)
{
    sink = short_work();
    return unused;
}

static void *phase_3(void *from)
{
    sink = part(from);
    return from;
}

int main(void)
{
    pthread_t thread, several[PARTS];
    handoff_open();

    fill(shared, N);
    pthread_create(&thread, NULL, phase_1, NULL);
    handoff_await(TURN_B);
    sink = sum_own();
    handoff_give(TURN_A);
    pthread_join(thread, NULL);
    sink = sum_mixed();

    for (int i = 0; i < T; i++) {
        pthread_create(&thread, NULL, phase_2, NULL);
        pthread_join(thread, NULL);
    }

    for (int i = 0; i < PARTS; i++) {
        fill(parts[i], PART);
        pthread_create(&several[i], NULL, phase_3, parts[i]);
    }
    for (int i = 0; i < PARTS; i++)
        pthread_join(several[i], NULL);
    return 0;
}
