/* Computed goto, a switch with many equal targets, an irreducible loop.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

/* A little machine with two positions that jump to the next instruction. */
__attribute__((noinline)) static long interpret(const unsigned char *code, long n)
{
    static const void *const table[] = {&&add, &&twice, &&less, &&loop, &&stop};
    long sum = 0;
    int at = 0;
    goto *table[code[at++]];
add:
    sum += n;
    goto *table[code[at++]];
twice:
    sum = sum * 2 & 0xffffff;
    goto *table[code[at++]];
less:
    if (sum % 3 == 0)
        n--;
    n--;
    goto *table[code[at++]];
loop:
    if (n > 0) {
        at = 0;
        goto *table[code[at++]];
    }
    goto *table[code[at++]];
stop:
    return sum;
}

__attribute__((noinline)) static int classify(int c)
{
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        return 1;
    case '0' ... '9':
        return c & 1 ? 2 : 3;
    case ' ':
    case '\n':
        return 4;
    default:
        return c > 'm' ? 5 : 6;
    }
}

/* Two entries into one loop. */
__attribute__((noinline)) static int irreducible(int n)
{
    int sum = 0;
    if (n & 1)
        goto inside;
    while (n > 0) {
        sum += 2;
    inside:
        sum ^= n;
        n -= 1 + (sum & 1);
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const unsigned char code[] = {0, 1, 2, 0, 3, 4};
    int n = argc > 1 ? atoi(argv[1]) : 50;
    long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += interpret(code, i);
        sum += classify(i % 128) * irreducible(i);
    }
    printf("%ld\n", sum);
    return 0;
}
