/* Threads that count at the same time; some of them end by pthread_exit.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8

__attribute__((noinline)) static long work(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i % 3 ? i % 5 ? 1 : 2 : 3;
    return sum;
}

static void *run(void *argument)
{
    long n = *(long *)argument, sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += work(n + i % 7);
    *(long *)argument = sum;
    if (sum % 2)
        pthread_exit(NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atoi(argv[1]) : 50, total = 0;
    for (int round = 0; round < 3; round++) {
        pthread_t threads[THREADS];
        long sums[THREADS];
        for (int i = 0; i < THREADS; i++) {
            sums[i] = n + i;
            pthread_create(&threads[i], NULL, run, &sums[i]);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            total += sums[i];
        }
    }
    printf("%ld\n", total);
    return 0;
}
