/* Atomic instructions: a compare-and-swap that fails only reads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * watch_* read x, let the other thread execute its instruction on x, and read x again. If the
 * instruction wrote, the second read is induced, and the input is 2; otherwise it is 1.
 * watch_failure: the compare fails (x is 0, 99 is expected). watch_16 and watch_8 read 4 and 2
 * cells, twice: 8 and 4 after a success, 4 and 2 after a failure.
 */
#include <pthread.h>
#include "tests/regress/handoff.h"

static volatile int x[16] CELL_ALIGNED;
static volatile int wide[16] CELL_ALIGNED;
static volatile int other[16] CELL_ALIGNED;

long cmpxchg(volatile int *, int, int), cmpxchg_16(volatile int *, long),
    cmpxchg_8(volatile int *, long);
long lock_add(volatile int *), lock_xadd(volatile int *), exchange(volatile int *);
long lock_bts(volatile int *), lock_inc_8(volatile int *);

static void *partner(void *unused)
{
    handoff_await(TURN_A);
    cmpxchg(x, 99, 1);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    cmpxchg(x, 0, 1);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    lock_add(x);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    cmpxchg_16(wide, 99);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    cmpxchg_16(wide, 0);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    cmpxchg_8(wide + 8, 99);
    handoff_give(TURN_B);
    handoff_await(TURN_A);
    cmpxchg_8(wide + 8, 0);
    handoff_give(TURN_B);
    return unused;
}

INLINE int watch(volatile int *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += at[i];
    handoff_give(TURN_A);
    handoff_await(TURN_B);
    for (int i = 0; i < n; i++)
        total += at[i];
    return total;
}

ROUTINE int watch_failure(void)
{
    return watch(x, 1);
}

ROUTINE int watch_success(void)
{
    return watch(x, 1);
}

ROUTINE int watch_add(void)
{
    return watch(x, 1);
}

ROUTINE int watch_16_failure(void)
{
    return watch(wide, 4);
}

ROUTINE int watch_16_success(void)
{
    return watch(wide, 4);
}

ROUTINE int watch_8_failure(void)
{
    return watch(wide + 8, 2);
}

ROUTINE int watch_8_success(void)
{
    return watch(wide + 8, 2);
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    pthread_create(&thread, NULL, partner, NULL);
    sink = watch_failure();
    sink = watch_success();
    sink = watch_add();
    sink = watch_16_failure();
    sink = watch_16_success();
    sink = watch_8_failure();
    sink = watch_8_success();
    pthread_join(thread, NULL);

    lock_xadd(other);
    exchange(other);
    lock_bts(other);
    lock_inc_8(other);
    return x[0] == 2 && wide[0] == 1 && wide[8] == 1 ? 0 : 1;
}
