/* A product of two matrices of integers, by rows, and checksums of its columns.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * There is one call per element of the result. Threads share the factors and write different rows.
 */
#include <pthread.h>

#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 600, THREADS_MAX = 64 };

static struct {
    int n, threads;
    int *a, *b, *product;
} matrix;

__attribute__((noinline)) static int element(const int *row, const int *column, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += row[k] * column[(size_t)k * n];
    return sum;
}

static void *rows(void *first)
{
    int n = matrix.n;
    for (int i = (int)(intptr_t)first; i < n; i += matrix.threads)
        for (int j = 0; j < n; j++)
            matrix.product[i * n + j] = element(matrix.a + i * n, matrix.b + j, n);
    return NULL;
}

static uint64_t column_sum(int j)
{
    uint64_t sum = 0;
    for (int i = 0; i < matrix.n; i++)
        sum = kernel_checksum_add(sum, (uint64_t)matrix.product[i * matrix.n + j]);
    return sum;
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    pthread_t threads[THREADS_MAX];
    size_t cells = (size_t)args.size * (size_t)args.size;
    uint64_t state = 1, sum = 0;

    matrix.n = args.size;
    matrix.threads = args.threads < THREADS_MAX ? args.threads : THREADS_MAX;
    matrix.a = kernel_alloc(cells * sizeof *matrix.a);
    matrix.b = kernel_alloc(cells * sizeof *matrix.b);
    matrix.product = kernel_alloc(cells * sizeof *matrix.product);
    for (size_t i = 0; i < cells; i++) {
        matrix.a[i] = (int)(kernel_random(&state) % 100);
        matrix.b[i] = (int)(kernel_random(&state) % 100);
    }
    for (int i = 0; i < matrix.threads; i++)
        pthread_create(&threads[i], NULL, rows, (void *)(intptr_t)i);
    for (int i = 0; i < matrix.threads; i++)
        pthread_join(threads[i], NULL);
    for (int j = 0; j < matrix.n; j++)
        sum = kernel_checksum_add(sum, column_sum(j));
    return kernel_checksum_print("matrix", args.size, sum);
}
