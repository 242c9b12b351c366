/* A program for the events runtime: the same calls, paths, loads and stores in each of its threads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: events_program THREADS ROUNDS [signals]
 *
 * Every thread makes the same events, so the sum over threads is known whatever their order.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define PLAIN __attribute__((no_instrument_function))

#ifdef EVENTS_PATHS
void aprof_event_path(unsigned procedure, unsigned long number);
#define PATH(procedure, number) aprof_event_path(procedure, number)
#else
#define PATH(procedure, number) (void)0
#endif

static int rounds;
static __thread volatile unsigned cells[256];

__attribute__((noinline)) static void leaf(unsigned i)
{
    cells[i % 256] += i;
    PATH(1, i % 5);
    if (i % 64 == 0)
        PATH(2, (1ul << 40) + i % 3);
}

__attribute__((noinline)) static void branch(unsigned i, int depth)
{
    leaf(i);
    if (depth > 0)
        branch(i + 1, depth - 1);
    if (i % 7 == 0)
        leaf(i + 1);
}

__attribute__((noinline)) static void *work(void *unused)
{
    for (int i = 0; i < rounds; i++)
        branch((unsigned)i, i % 4);
    return unused;
}

PLAIN static void on_alarm(int sig)
{
    (void)sig;
}

PLAIN static void start_alarms(void)
{
    struct itimerval often = {{0, 500}, {0, 500}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
}

PLAIN int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t *threads = calloc((size_t)n + 1, sizeof *threads);
    rounds = argc > 2 ? atoi(argv[2]) : 1000;
    if (argc > 3 && strcmp(argv[3], "signals") == 0)
        start_alarms();
    if (!threads)
        return 1;
    for (int i = 1; i < n; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 1;
    work(NULL);
    for (int i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    free(threads);
    return 0;
}
