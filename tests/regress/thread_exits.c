/* Threads that end in the middle: by pthread_exit, cancelled, and main itself before the others.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each of T threads calls `level_1`, which calls `level_2`: T activations of both. `level_2` reads
 * 4 unwritten cells and calls pthread_exit; its input is 4 plus the C library's reads during
 * unwinding. `before_exit` reads exactly 3. Then a thread is cancelled while it waits in `level_3`.
 * Last, main leaves by pthread_exit. The last thread calls `finale` (5 cells) and ends the process
 * with status 3.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/regress/handoff.h"

enum { T = 50 };

static int data[64] CELL_ALIGNED;
static pthread_t first;

INLINE int read_ints(volatile const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

ROUTINE int before_exit(void)
{
    return read_ints(data + 16, 3);
}

ROUTINE int level_2(void)
{
    int total = read_ints(data, 4) + before_exit();
    pthread_exit(NULL);
    return total;
}

ROUTINE int level_1(void)
{
    return level_2() + 1;
}

static void *leaver(void *unused)
{
    sink = level_1();
    return unused;
}

ROUTINE int level_3(void)
{
    handoff_give(TURN_B);
    for (;;)
        pause();
}

static void *cancelled(void *unused)
{
    sink = level_3();
    return unused;
}

ROUTINE int finale(void)
{
    return read_ints(data + 32, 5);
}

static void *last(void *unused)
{
    pthread_join(first, NULL);
    sink = finale();
    exit(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    for (int i = 0; i < T; i++) {
        pthread_create(&thread, NULL, leaver, NULL);
        pthread_join(thread, NULL);
    }
    pthread_create(&thread, NULL, cancelled, NULL);
    handoff_await(TURN_B);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    first = pthread_self();
    pthread_create(&thread, NULL, last, NULL);
    pthread_exit(NULL);
}
