/* A routine that reads n ints through a pointer has an input of exactly n cells of 4 bytes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The array is aligned to 64 bytes and n is a multiple of 4. So n ints are 4n cells of 1 byte, 2n
 * of 2, n of 4, n/2 of 8 and n/4 of 16. Arguments are passed in registers; what -O0 spills is
 * written before it is read.
 */
#include "tests/regress/regress.h"

static int data[256] CELL_ALIGNED;

ROUTINE int sum(const int *from, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += from[i];
    return total;
}

/* Bytes 2..9: cells of 4 bytes 0, 1 and 2; of 16 bytes 0; of 8 bytes 0 and 1; of 2 bytes 1..4; of 1
 * byte 8 of them. */
ROUTINE int sum_bytes(const signed char *from)
{
    int total = 0;
    for (int i = 2; i < 10; i++)
        total += from[i];
    return total;
}

/* An int at byte 14 touches bytes 14..17: two cells of 2, 4, 8 or 16 bytes, four of 1 byte. */
ROUTINE int read_across(const char *from)
{
    int value;
#ifdef __aarch64__
    __asm__ volatile("ldur %w0, [%1, #14]" : "=r"(value) : "r"(from) : "memory");
#else
    __asm__ volatile("mov 14(%1), %0" : "=r"(value) : "r"(from) : "memory");
#endif
    return value;
}

/* Nothing is read: no input. */
ROUTINE int read_nothing(int a, int b)
{
    return a + b;
}

int main(void)
{
    for (int n = 16; n <= 256; n *= 4)
        sink = sum(data, n);
    sink = sum(data, 0);
    sink = sum_bytes((signed char *)data);
    sink = read_across((char *)data);
    sink = read_nothing(1, 2);
    return 0;
}
