/* Solves a system of equations, or finds eigenvalues, with the installed LAPACK (Fortran).
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     lapack solve 100     LU factorisation of a matrix of 100 columns, and one right side
 *     lapack eigen 100     eigenvalues and eigenvectors of a symmetric one
 *
 * The library is opened by name, so that its package for programmers is not needed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "liblapack.so.3"

typedef void solve_function(const int *n, const int *sides, double *matrix, const int *rows,
                            int *pivots, double *side, const int *side_rows, int *status);
typedef void eigen_function(const char *job, const char *triangle, const int *n, double *matrix,
                            const int *rows, double *values, double *room, const int *room_size,
                            int *status, size_t, size_t);

static void *function_of(const char *name)
{
    void *library = dlopen(LIBRARY, RTLD_NOW), *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "lapack: %s: %s: not found\n", LIBRARY, name);
        exit(1);
    }
    return function;
}

/* Makes a symmetric matrix with a large diagonal, so that the matrix has an inverse. */
static double *matrix_of(int n)
{
    double *matrix = malloc((size_t)n * (size_t)n * sizeof *matrix);
    for (int i = 0; matrix && i < n; i++) {
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = i == j ? n : ((i + j) * 7919 + i * j) % 101 / 101.0;
    }
    return matrix;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 0, one = 1, status = 1, room_size = 34 * n;
    double *matrix = n > 0 ? matrix_of(n) : NULL;
    double *room = calloc((size_t)n * 35 + 1, sizeof *room);
    int *pivots = calloc((size_t)n + 1, sizeof *pivots);
    if (!matrix || !room || !pivots) {
        fputs("usage: lapack solve|eigen SIZE\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], "solve") == 0)
        ((solve_function *)function_of("dgesv_"))(&n, &one, matrix, &n, pivots, room, &n, &status);
    else
        ((eigen_function *)function_of("dsyev_"))("V", "U", &n, matrix, &n, room, room + n,
                                                  &room_size, &status, 1, 1);
    printf("%d\n", status);
    free(matrix);
    free(room);
    free(pivots);
    return status != 0;
}
