/* Memory that is released and returns zeroed is new memory: the heap by brk, and stack frames.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `heap_again` grows the break by 8 pages, reads 50 ints, shrinks and grows the break, and reads 50
 * ints again: trms and rms are 100. The child of `stack_again` fills a large frame and returns. The
 * next child reads the dead frame's cells only after writing them, as compiled code does: both 0.
 */
#define _GNU_SOURCE
#include <unistd.h>
#include "tests/regress/regress.h"

enum { PAGE = 4096, LARGE = 1 << 16 };

INLINE int read_ints(const char *at, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += ((volatile const int *)at)[i];
    return total;
}

ROUTINE int heap_again(char *at)
{
    RAW3(SYS_brk, at + 8 * PAGE, 0, 0);
    int total = read_ints(at + PAGE, 50);
    RAW3(SYS_brk, at, 0, 0);
    RAW3(SYS_brk, at + 8 * PAGE, 0, 0);
    return total + read_ints(at + PAGE, 50);
}

ROUTINE int large_frame(int seed)
{
    volatile int frame[LARGE];
    int total = 0;
    for (int i = 0; i < LARGE; i++)
        frame[i] = seed;
    for (int i = 0; i < LARGE; i++)
        total += frame[i];
    return total;
}

ROUTINE int stack_again(int seed)
{
    return large_frame(seed) + large_frame(seed + 1);
}

int main(void)
{
    char *end = sbrk(0);
    end += -(unsigned long)end % PAGE;
    if (brk(end) != 0)
        return 99;
    for (int i = 0; i < 20; i++)
        sink = stack_again(i);
    sink = heap_again(end);
    return 0;
}
