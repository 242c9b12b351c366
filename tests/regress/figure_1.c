/* Figures 1a and 1b, examples 1 and 2: another thread writes x while f is running.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * 1a: f reads x (first access), g writes x in the other thread, f reads x (induced): rms 1, trms 2,
 * 1 induced. 1b: f reads x (first), g writes x, and h, called by f, reads x. This read is induced
 * for f and h, because an access that is both first and induced counts as induced. f reads x again
 * (neither). f has rms 1, trms 2, 1 induced; h has rms 1, trms 1, 1 induced.
 */
#include <pthread.h>
#include "tests/regress/handoff.h"

static volatile int x CELL_ALIGNED;

/* Only writes: no input. */
ROUTINE void g(int value)
{
    x = value;
}

static void *partner(void *unused)
{
    for (int i = 0; i < 2; i++) {
        handoff_await(TURN_A);
        g(i + 1);
        handoff_give(TURN_B);
    }
    return unused;
}

ROUTINE int f_1a(void)
{
    int first = x;
    handoff_give(TURN_A);
    handoff_await(TURN_B);
    return first + x;
}

ROUTINE int h(void)
{
    return x;
}

ROUTINE int f_1b(void)
{
    int total = x;
    handoff_give(TURN_A);
    handoff_await(TURN_B);
    total += h();
    return total + x;
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    x = 0;
    pthread_create(&thread, NULL, partner, NULL);
    sink = f_1a();
    sink = f_1b();
    pthread_join(thread, NULL);
    return 0;
}
