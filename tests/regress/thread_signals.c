/* Signals that are sent to threads: each handler is an execution context of its own.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each of T threads sends itself N signals in the middle of `busy_work`. Before and after the
 * signal, `busy_work` reads 5 cells that were never written: 5, in each call. The handler reads 7
 * cells that main wrote: 7 induced, T * N calls.
 */
#include <pthread.h>
#include <signal.h>
#include "tests/regress/regress.h"

enum { T = 4, N = 25 };

static int written[16] CELL_ALIGNED;
static int untouched[T][16] CELL_ALIGNED;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE void handler(int signal)
{
    sink = read_ints(written, 7) + signal;
}

ROUTINE int busy_work(const int *from)
{
    int total = read_ints(from, 5);
    RAW3(SYS_tkill, RAW3(SYS_gettid, 0, 0, 0), SIGUSR1, 0);
    return total + read_ints(from, 5);
}

static void *worker(void *from)
{
    for (int i = 0; i < N; i++)
        sink = busy_work(from);
    return from;
}

int main(void)
{
    pthread_t threads[T];
    for (int i = 0; i < 16; i++)
        ((volatile int *)written)[i] = i;
    signal(SIGUSR1, handler);
    for (int i = 0; i < T; i++)
        pthread_create(&threads[i], NULL, worker, untouched[i]);
    for (int i = 0; i < T; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
