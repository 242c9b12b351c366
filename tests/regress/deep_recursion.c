/* Recursion a million deep, on a stack of its own that is large enough.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * descend(k) costs 2 + 3k (see recursion.S); with k = 1000000: max and total 3000002, calls
 * 1000001, sum 2 * 1000001 + 3 * (1000000 * 1000001 / 2) = 1500003500002. `deepest` reads one cell
 * at the bottom; this cell is the input of every `read_at_bottom` above it.
 */
#include <pthread.h>
#include "tests/regress/regress.h"

enum { DEPTH = 1000000, STACK_BYTES = 256 << 20 };

static volatile int bottom CELL_ALIGNED;

void descend(int);

ROUTINE int read_at_bottom(int n)
{
    if (n == 0)
        return bottom;
    return read_at_bottom(n - 1) ^ n;
}

static void *deep(void *unused)
{
    descend(DEPTH);
    sink = read_at_bottom(DEPTH);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, deep, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
