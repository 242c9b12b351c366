/* Procedures that are left in unusual ways: longjmp, exit in the middle, calls that do not return.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf here;
static int depth;

__attribute__((noinline, noreturn)) static void leave(int value)
{
    depth = 0;
    longjmp(here, value);
}

__attribute__((noinline)) static int dive(int n)
{
    depth++;
    if (n == 0)
        leave(depth % 3 + 1);
    for (int i = 0; i < n % 4; i++)
        depth += i & 1;
    return dive(n - 1) + 1; /* never reaches the addition */
}

__attribute__((noinline)) static int try(int n)
{
    volatile int rounds = 0;
    int value = setjmp(here);
    rounds++;
    if (value == 0)
        return dive(n);
    if (value < 3 && rounds < 5)
        dive(n + rounds);
    return value;
}

__attribute__((noinline)) static int tail(int n, int sum)
{
    if (n == 0)
        return sum;
    return tail(n - 1, n % 3 ? sum + n : sum ^ n);
}

__attribute__((noinline)) static void finish(int sum)
{
    printf("%d\n", sum);
    if (sum)
        exit(sum % 5);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50, sum = 0;
    for (int i = 0; i < n; i++) {
        sum += try(i % 17);
        sum += tail(i, i % 2);
    }
    finish(sum | 1);
    return 100;
}
