/* Benchmark kernel: LU factorisation of a sparse matrix of dense blocks, with OpenMP tasks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the number of block rows. Step k factors the diagonal block, then updates row k and
 * column k, and then the rest, with one task per block. Blocks of zeros are not stored until an
 * update fills them in. Each block is written by at most one task of a phase, so the result does
 * not depend on the order of tasks.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 34, BLOCK = 24 };

struct matrix {
    int rows;
    double **blocks; /* rows x rows; NULL is a block of zeros; owned */
};

static double **matrix_block(struct matrix *m, int row, int column)
{
    return &m->blocks[row * m->rows + column];
}

static double *block_new(void)
{
    return kernel_alloc(BLOCK * BLOCK * sizeof(double));
}

/* Random entries, with a heavy diagonal so that no pivoting is needed. */
static void block_fill(double *block, bool diagonal, uint64_t *seed)
{
    for (int i = 0; i < BLOCK * BLOCK; i++)
        block[i] = kernel_random_unit(seed) - 0.5;
    for (int i = 0; diagonal && i < BLOCK; i++)
        block[i * BLOCK + i] += 4.0 * BLOCK;
}

static void matrix_fill(struct matrix *m)
{
    uint64_t seed = 1;

    for (int i = 0; i < m->rows; i++) {
        for (int j = 0; j < m->rows; j++) {
            if (abs(i - j) > 1 && kernel_random(&seed) % 4 != 0)
                continue;
            *matrix_block(m, i, j) = block_new();
            block_fill(*matrix_block(m, i, j), i == j, &seed);
        }
    }
}

/* A = L U in place; L has a unit diagonal. */
static void block_factor(double *a)
{
    for (int k = 0; k < BLOCK; k++) {
        for (int i = k + 1; i < BLOCK; i++) {
            a[i * BLOCK + k] /= a[k * BLOCK + k];
            for (int j = k + 1; j < BLOCK; j++)
                a[i * BLOCK + j] -= a[i * BLOCK + k] * a[k * BLOCK + j];
        }
    }
}

/* B = L^-1 B */
static void block_solve_lower(const double *lu, double *b)
{
    for (int k = 0; k < BLOCK; k++)
        for (int i = k + 1; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++)
                b[i * BLOCK + j] -= lu[i * BLOCK + k] * b[k * BLOCK + j];
}

/* B = B U^-1 */
static void block_solve_upper(const double *lu, double *b)
{
    for (int i = 0; i < BLOCK; i++) {
        for (int k = 0; k < BLOCK; k++) {
            b[i * BLOCK + k] /= lu[k * BLOCK + k];
            for (int j = k + 1; j < BLOCK; j++)
                b[i * BLOCK + j] -= b[i * BLOCK + k] * lu[k * BLOCK + j];
        }
    }
}

/* C -= A B */
static void block_update(const double *a, const double *b, double *c)
{
    for (int i = 0; i < BLOCK; i++)
        for (int k = 0; k < BLOCK; k++)
            for (int j = 0; j < BLOCK; j++)
                c[i * BLOCK + j] -= a[i * BLOCK + k] * b[k * BLOCK + j];
}

static void matrix_update(struct matrix *m, int k, int i, int j)
{
    double **target = matrix_block(m, i, j);

    if (*target == NULL)
        *target = block_new();
    block_update(*matrix_block(m, i, k), *matrix_block(m, k, j), *target);
}

static void matrix_solve_borders(struct matrix *m, int k)
{
    double *pivot = *matrix_block(m, k, k);

    for (int i = k + 1; i < m->rows; i++) {
        double *right = *matrix_block(m, k, i);
        double *below = *matrix_block(m, i, k);

        if (right != NULL) {
#pragma omp task firstprivate(pivot, right)
            block_solve_lower(pivot, right);
        }
        if (below != NULL) {
#pragma omp task firstprivate(pivot, below)
            block_solve_upper(pivot, below);
        }
    }
#pragma omp taskwait
}

static void matrix_step(struct matrix *m, int k)
{
    block_factor(*matrix_block(m, k, k));
    matrix_solve_borders(m, k);
    for (int i = k + 1; i < m->rows; i++) {
        if (*matrix_block(m, i, k) == NULL)
            continue;
        for (int j = k + 1; j < m->rows; j++) {
            if (*matrix_block(m, k, j) == NULL)
                continue;
#pragma omp task firstprivate(m, k, i, j)
            matrix_update(m, k, i, j);
        }
    }
#pragma omp taskwait
}

static uint64_t matrix_checksum(struct matrix *m)
{
    uint64_t sum = 0;

    for (int i = 0; i < m->rows * m->rows; i++)
        for (int j = 0; m->blocks[i] != NULL && j < BLOCK * BLOCK; j++)
            sum = kernel_checksum_add_double(sum, m->blocks[i][j]);
    return sum;
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    struct matrix m = {args.size, kernel_alloc(sizeof(double *) * args.size * args.size)};
    uint64_t sum;

    matrix_fill(&m);
#pragma omp parallel num_threads(args.threads)
#pragma omp single
    for (int k = 0; k < m.rows; k++)
        matrix_step(&m, k);
    sum = matrix_checksum(&m);
    for (int i = 0; i < m.rows * m.rows; i++)
        free(m.blocks[i]);
    free(m.blocks);
    return kernel_checksum_print("sparse_lu", args.size, sum);
}
