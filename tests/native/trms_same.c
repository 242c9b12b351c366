/* Routines with input sizes that do not depend on how they are measured; for C and C++.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each routine except the last reads and writes only memory that its caller passes. It calls only
 * itself, needs no constants in memory, and has few enough variables for the registers. The main
 * program calls the routines with several sizes: from one thread, from two threads in turn, and
 * from an OpenMP loop.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef __clang__
#define KEPT __attribute__((noinline, noclone))
#else
#define KEPT __attribute__((noinline))
#endif

enum { LARGEST = 400, TURNS = 20 };

struct node {
    struct node *next, *left, *right;
    int key;
};

static int numbers[LARGEST], squares[3][20 * 20];
static char text[LARGEST];
static double reals[LARGEST];
static struct node nodes[LARGEST];
static sem_t filled, drained;
static volatile long result;

#ifdef __cplusplus
extern "C" {
#endif

KEPT long sum_range(const int *from, int n);
KEPT void insertion_sort(int *at, int n);
KEPT int list_length(const struct node *list);
KEPT int tree_depth(const struct node *tree);
KEPT void matrix_product(int *to, const int *a, const int *b, int n);
KEPT unsigned string_hash(const char *from, int n);
KEPT void fill(int *at, int n, int seed);
KEPT long drain(const int *at, int n);
KEPT void scale(double *at, int n);

#ifdef __cplusplus
}
#endif

long sum_range(const int *from, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i];
    return sum;
}

void insertion_sort(int *at, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && at[j - 1] > at[j]; j--) {
            int moved = at[j];
            at[j] = at[j - 1];
            at[j - 1] = moved;
        }
}

int list_length(const struct node *list)
{
    int n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

int tree_depth(const struct node *tree)
{
    if (!tree)
        return 0;
    int left = tree_depth(tree->left), right = tree_depth(tree->right);
    return 1 + (left > right ? left : right);
}

void matrix_product(int *to, const int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            to[i * n + j] = sum;
        }
}

unsigned string_hash(const char *from, int n)
{
    unsigned hash = 5381;
    for (int i = 0; i < n; i++)
        hash = hash * 33 + (unsigned char)from[i];
    return hash;
}

void fill(int *at, int n, int seed)
{
    for (int i = 0; i < n; i++)
        at[i] = seed;
}

long drain(const int *at, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += at[i];
    return sum;
}

/* The results differ: Valgrind counts the constant in memory, two cells. */
void scale(double *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] *= 1.0009765625;
}

static void *producer(void *unused)
{
    for (int turn = 1; turn <= TURNS; turn++) {
        fill(numbers, 10 * turn, turn);
        sem_post(&filled);
        sem_wait(&drained);
    }
    return unused;
}

static void take_turns(void)
{
    pthread_t thread;
    sem_init(&filled, 0, 0);
    sem_init(&drained, 0, 0);
    pthread_create(&thread, NULL, producer, NULL);
    for (int turn = 1; turn <= TURNS; turn++) {
        sem_wait(&filled);
        result += drain(numbers, 10 * turn);
        result += drain(numbers, 5 * turn);
        sem_post(&drained);
    }
    pthread_join(thread, NULL);
}

static void alone(void)
{
    for (int n = 10; n <= LARGEST; n += 30) {
        for (int i = 0; i < n; i++)
            numbers[i] = (i * 7919) % 1009;
        result += sum_range(numbers, n);
        insertion_sort(numbers, n);
        nodes[n - 1].next = NULL;
        result += list_length(nodes) + tree_depth(nodes) + (long)string_hash(text, n);
        nodes[n - 1].next = n < LARGEST ? &nodes[n] : NULL;
    }
    scale(reals, 100);
    for (int n = 2; n <= 20; n += 3)
        matrix_product(squares[0], squares[1], squares[2], n);
}

int main(void)
{
    for (int i = 0; i < LARGEST; i++) {
        nodes[i].next = i + 1 < LARGEST ? &nodes[i + 1] : NULL;
        nodes[i].left = 2 * i + 1 < LARGEST ? &nodes[2 * i + 1] : NULL;
        nodes[i].right = 2 * i + 2 < LARGEST ? &nodes[2 * i + 2] : NULL;
        text[i] = (char)('a' + i % 26);
    }
    alone();
    take_turns();
#ifdef _OPENMP
    long sum = 0;
#pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+ : sum)
    for (int i = 1; i <= 8; i++)
        sum += sum_range(numbers, 10 * i);
    result += sum;
#endif
    printf("%ld\n", result);
    return 0;
}
