/* An OpenMP loop: four threads share 400 cells that the first one has written.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * schedule(static, 1) over 4 parts and 4 threads: one part of 100 cells each. `part` has 100
 * in each call. Three of the four calls are in other threads than the writer: 300 induced, 100 not.
 * The results are written to one cell per part, and not read.
 */
#include <omp.h>
#include "tests/regress/regress.h"

enum { PARTS = 4, PART = 100 };

static int data[PARTS][PART] CELL_ALIGNED;
static volatile int results[PARTS][16] CELL_ALIGNED;

ROUTINE void fill(volatile int *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

ROUTINE int part(volatile const int *from)
{
    int total = 0;
    for (int i = 0; i < PART; i++)
        total += from[i];
    return total;
}

ROUTINE void parallel(void)
{
#pragma omp parallel for schedule(static, 1) num_threads(PARTS)
    for (int i = 0; i < PARTS; i++)
        results[i][0] = part(data[i]);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int i = 0; i < PARTS; i++)
        fill(data[i], PART);
    parallel();
    return 0;
}
