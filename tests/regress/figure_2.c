/* Figure 2, example 3: a consumer reads n values that a producer wrote to one cell.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `consumer` reads x N times, each time after a write by the other thread: trms N, all induced; one
 * first access: rms 1. Each `consume_data` has 1, induced. The producer has none. With real
 * semaphores, the semaphores' own cells add to the consumer's input; the data cells are the same.
 */
#include <pthread.h>
#include <semaphore.h>
#include "tests/regress/handoff.h"

enum { N = 1000, N_SEM = 200 };

static volatile int x CELL_ALIGNED;

ROUTINE void produce_data(int value)
{
    x = value;
}

ROUTINE int consume_data(void)
{
    return x;
}

ROUTINE void producer(void)
{
    for (int i = 0; i < N; i++) {
        handoff_await(TURN_A);
        produce_data(i);
        handoff_give(TURN_B);
    }
}

ROUTINE int consumer(void)
{
    int total = 0;
    for (int i = 0; i < N; i++) {
        handoff_give(TURN_A);
        handoff_await(TURN_B);
        total += consume_data();
    }
    return total;
}

static void *producer_thread(void *unused)
{
    producer();
    return unused;
}

static sem_t empty, full, mutex;
static volatile int y CELL_ALIGNED;

ROUTINE void produce_sem(int value)
{
    y = value;
}

ROUTINE int consume_sem(void)
{
    return y;
}

ROUTINE void producer_sem(void)
{
    for (int i = 0; i < N_SEM; i++) {
        sem_wait(&empty);
        sem_wait(&mutex);
        produce_sem(i);
        sem_post(&mutex);
        sem_post(&full);
    }
}

ROUTINE int consumer_sem(void)
{
    int total = 0;
    for (int i = 0; i < N_SEM; i++) {
        sem_wait(&full);
        sem_wait(&mutex);
        total += consume_sem();
        sem_post(&mutex);
        sem_post(&empty);
    }
    return total;
}

static void *producer_sem_thread(void *unused)
{
    producer_sem();
    return unused;
}

int main(void)
{
    pthread_t thread;
    handoff_open();
    pthread_create(&thread, NULL, producer_thread, NULL);
    sink = consumer();
    pthread_join(thread, NULL);

    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    sem_init(&mutex, 0, 1);
    pthread_create(&thread, NULL, producer_sem_thread, NULL);
    sink = consumer_sem();
    pthread_join(thread, NULL);
    return 0;
}
