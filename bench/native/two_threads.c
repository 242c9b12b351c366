/* Two threads that each count the primes of their half of a range, and one lock between them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, last, total;

__attribute__((noinline)) static int divides(int a, int b)
{
    return b % a == 0;
}

static int is_prime(int n)
{
    PATH;
    for (int i = 2; i * i <= n; i++) {
        if (TURN(divides(i, n))) {
            PATH_END(1);
            return 0;
        }
        PATH_END(2);
    }
    PATH_END(1);
    return n > 1;
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    int from = next;
    next += 1000;
    pthread_mutex_unlock(&lock);
    return from;
}

static void *work(void *unused)
{
    int found = 0, from;
    (void)unused;
    while ((from = take()) < last)
        for (int i = from; i < from + 1000 && i < last; i++)
            found += is_prime(i);
    pthread_mutex_lock(&lock);
    total += found;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    last = argc > 1 ? atoi(argv[1]) : 300000;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    return 0;
}
