/* Benchmark kernel: Poisson's equation on a square by multigrid V-cycles, OpenMP loops.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the base-2 logarithm of the grid's edge. Smoothing is red-black Gauss-Seidel: points of
 * one colour read only points of the other colour, so any thread can process a row.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 10, COARSEST = 2, CYCLES = 5, SMOOTHINGS = 2 };

struct grid {
    int edge;      /* points per side, including the border, which remains 0 */
    double *value; /* owned, as the rest */
    double *source;
    double *residual;
};

static void grid_new(struct grid *g, int log_edge)
{
    size_t points;

    g->edge = (1 << log_edge) + 1;
    points = (size_t)g->edge * g->edge;
    g->value = kernel_alloc(points * sizeof(double));
    g->source = kernel_alloc(points * sizeof(double));
    g->residual = kernel_alloc(points * sizeof(double));
}

static void grid_free(struct grid *g)
{
    free(g->value);
    free(g->source);
    free(g->residual);
}

static double neighbours_sum(const double *at, int edge)
{
    return at[-1] + at[1] + at[-edge] + at[edge];
}

static void row_smooth(struct grid *g, int row, int colour)
{
    double *v = g->value + (size_t)row * g->edge;
    const double *s = g->source + (size_t)row * g->edge;

    for (int j = 1 + (row + colour) % 2; j < g->edge - 1; j += 2)
        v[j] = 0.25 * (neighbours_sum(v + j, g->edge) + s[j]);
}

static void grid_smooth(struct grid *g, int threads)
{
    for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int i = 1; i < g->edge - 1; i++)
            row_smooth(g, i, colour);
    }
}

static void grid_residual(struct grid *g, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 1; i < g->edge - 1; i++) {
        for (int j = 1; j < g->edge - 1; j++) {
            size_t at = (size_t)i * g->edge + j;

            g->residual[at] =
                g->source[at] - 4.0 * g->value[at] + neighbours_sum(g->value + at, g->edge);
        }
    }
}

/* The coarse source is the fine residual, averaged over the point and its four neighbours. */
static void grid_restrict(const struct grid *fine, struct grid *coarse, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 1; i < coarse->edge - 1; i++) {
        for (int j = 1; j < coarse->edge - 1; j++) {
            const double *r = fine->residual + (size_t)2 * i * fine->edge + 2 * j;
            size_t at = (size_t)i * coarse->edge + j;

            coarse->source[at] = 2.0 * r[0] + 0.5 * neighbours_sum(r, fine->edge);
            coarse->value[at] = 0.0;
        }
    }
}

/* Adds the coarse correction, interpolated between the four surrounding coarse points. */
static void grid_prolong(const struct grid *coarse, struct grid *fine, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 1; i < fine->edge - 1; i++) {
        const double *above = coarse->value + (size_t)(i / 2) * coarse->edge;
        const double *below = coarse->value + (size_t)((i + 1) / 2) * coarse->edge;

        for (int j = 1; j < fine->edge - 1; j++) {
            int left = j / 2;
            int right = (j + 1) / 2;

            fine->value[(size_t)i * fine->edge + j] +=
                0.25 * (above[left] + above[right] + below[left] + below[right]);
        }
    }
}

/* levels[0] is the finest. */
static void cycle_run(struct grid *levels, int n_levels, int threads)
{
    for (int i = 0; i < SMOOTHINGS; i++)
        grid_smooth(levels, threads);
    if (n_levels == 1)
        return;
    grid_residual(levels, threads);
    grid_restrict(levels, levels + 1, threads);
    cycle_run(levels + 1, n_levels - 1, threads);
    grid_prolong(levels + 1, levels, threads);
    for (int i = 0; i < SMOOTHINGS; i++)
        grid_smooth(levels, threads);
}

static uint64_t grid_checksum(const struct grid *g)
{
    uint64_t sum = 0;

    for (int i = 0; i < g->edge; i++)
        sum = kernel_checksum_add_double(sum, g->value[(size_t)i * g->edge + i]);
    return sum;
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    int n_levels = args.size - COARSEST + 1;
    struct grid levels[16];
    uint64_t seed = 4;
    uint64_t sum;

    if (args.size < COARSEST || args.size > 14) {
        fprintf(stderr, "multigrid: SIZE must be 2 to 14\n");
        return 2;
    }
    for (int i = 0; i < n_levels; i++)
        grid_new(&levels[i], args.size - i);
    for (size_t i = 0; i < (size_t)levels[0].edge * levels[0].edge; i++)
        levels[0].source[i] = kernel_random_unit(&seed) - 0.5;
    for (int i = 0; i < CYCLES; i++)
        cycle_run(levels, n_levels, args.threads);
    sum = grid_checksum(&levels[0]);
    for (int i = 0; i < n_levels; i++)
        grid_free(&levels[i]);
    return kernel_checksum_print("multigrid", args.size, sum);
}
