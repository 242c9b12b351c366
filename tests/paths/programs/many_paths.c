/* More paths than an array can hold, and more than 32 bits can number.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned sink;

#define FORK(bit)                                                                                  \
    do {                                                                                           \
        if (n >> (bit)&1)                                                                          \
            sink += (bit);                                                                         \
        else                                                                                       \
            sink ^= 1;                                                                             \
    } while (0)

#define FORK5(first)                                                                               \
    FORK(first);                                                                                   \
    FORK((first) + 1);                                                                             \
    FORK((first) + 2);                                                                             \
    FORK((first) + 3);                                                                             \
    FORK((first) + 4)

/* 2^20 paths: a hash table. */
__attribute__((noinline)) static void twenty(unsigned n)
{
    FORK5(0);
    FORK5(5);
    FORK5(10);
    FORK5(15);
}

/* 2^40 paths: edges must be cut. */
__attribute__((noinline)) static void forty(unsigned long n)
{
    FORK5(0);
    FORK5(5);
    FORK5(10);
    FORK5(15);
    FORK5(20);
    FORK5(25);
    FORK5(30);
    FORK5(35);
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 50, random = 1;
    for (unsigned long i = 0; i < 40 * n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        twenty((unsigned)(random >> 40));
        forty(random >> 20);
    }
    printf("%u\n", sink);
    return 0;
}
