/* Benchmark kernel: molecules under Lennard-Jones forces in a periodic box, OpenMP loops.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the number of cells along an edge of the box; four molecules per cell on average. Each
 * molecule sums the forces of its neighbours in the order of the cell lists. So the sums and the
 * trajectories do not depend on the number of threads.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 16, PER_CELL = 4, STEPS = 8 };
#define TIME_STEP 0.0005

struct vector {
    double x, y, z;
};

struct box {
    int edge;              /* cells; a cell is as wide as the cut-off, 1.0 */
    int n;                 /* molecules */
    struct vector *places; /* owned, as the rest */
    struct vector *speeds;
    struct vector *forces;
    int *first; /* first molecule of each cell, or -1 */
    int *next;  /* next molecule in the cell of each molecule, or -1 */
};

static void box_new(struct box *b, int edge)
{
    b->edge = edge;
    b->n = edge * edge * edge * PER_CELL;
    b->places = kernel_alloc(b->n * sizeof *b->places);
    b->speeds = kernel_alloc(b->n * sizeof *b->speeds);
    b->forces = kernel_alloc(b->n * sizeof *b->forces);
    b->first = kernel_alloc((size_t)edge * edge * edge * sizeof *b->first);
    b->next = kernel_alloc(b->n * sizeof *b->next);
}

static void box_free(struct box *b)
{
    free(b->places);
    free(b->speeds);
    free(b->forces);
    free(b->first);
    free(b->next);
}

/* A face-centred lattice (the four corners of each cell's own pattern) with a little disorder. */
static void box_fill(struct box *b)
{
    static const double corner[PER_CELL][3] = {
        {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
    uint64_t seed = 3;

    for (int i = 0; i < b->n; i++) {
        int cell = i / PER_CELL;
        const double *c = corner[i % PER_CELL];

        b->places[i].x = cell % b->edge + c[0] + 0.1 * kernel_random_unit(&seed);
        b->places[i].y = cell / b->edge % b->edge + c[1] + 0.1 * kernel_random_unit(&seed);
        b->places[i].z = cell / b->edge / b->edge + c[2] + 0.1 * kernel_random_unit(&seed);
    }
}

static int box_cell(const struct box *b, const struct vector *place)
{
    return ((int)place->z * b->edge + (int)place->y) * b->edge + (int)place->x;
}

static void box_sort_into_cells(struct box *b)
{
    for (int c = 0; c < b->edge * b->edge * b->edge; c++)
        b->first[c] = -1;
    for (int i = 0; i < b->n; i++) {
        int cell = box_cell(b, &b->places[i]);

        b->next[i] = b->first[cell];
        b->first[cell] = i;
    }
}

/* The shorter distance in the periodic box. */
static double distance_along(double from, double to, double edge)
{
    double d = to - from;

    if (d > 0.5 * edge)
        return d - edge;
    if (d < -0.5 * edge)
        return d + edge;
    return d;
}

static void pair_force(const struct box *b, int i, int j, struct vector *force)
{
    double dx = distance_along(b->places[j].x, b->places[i].x, b->edge);
    double dy = distance_along(b->places[j].y, b->places[i].y, b->edge);
    double dz = distance_along(b->places[j].z, b->places[i].z, b->edge);
    double square = dx * dx + dy * dy + dz * dz;
    double s2, s6, f;

    if (square >= 1.0)
        return;
    s2 = 0.16 / square; /* the molecule's radius is 0.4 of the cut-off */
    s6 = s2 * s2 * s2;
    f = 48.0 * s6 * (s6 - 0.5) / square;
    force->x += f * dx;
    force->y += f * dy;
    force->z += f * dz;
}

static void cell_force(const struct box *b, int i, int cell, struct vector *force)
{
    for (int j = b->first[cell]; j >= 0; j = b->next[j]) {
        if (j != i)
            pair_force(b, i, j, force);
    }
}

static struct vector molecule_force(const struct box *b, int i)
{
    struct vector force = {0, 0, 0};
    int edge = b->edge;

    for (int d = 0; d < 27; d++) {
        int x = ((int)b->places[i].x + edge + d % 3 - 1) % edge;
        int y = ((int)b->places[i].y + edge + d / 3 % 3 - 1) % edge;
        int z = ((int)b->places[i].z + edge + d / 9 - 1) % edge;

        cell_force(b, i, (z * edge + y) * edge + x, &force);
    }
    return force;
}

static double coordinate_wrap(double x, double edge)
{
    if (x < 0)
        x += edge;
    return x >= edge ? x - edge : x;
}

static void molecule_move(struct box *b, int i)
{
    struct vector *place = &b->places[i];
    struct vector *speed = &b->speeds[i];

    speed->x += TIME_STEP * b->forces[i].x;
    speed->y += TIME_STEP * b->forces[i].y;
    speed->z += TIME_STEP * b->forces[i].z;
    place->x = coordinate_wrap(place->x + TIME_STEP * speed->x, b->edge);
    place->y = coordinate_wrap(place->y + TIME_STEP * speed->y, b->edge);
    place->z = coordinate_wrap(place->z + TIME_STEP * speed->z, b->edge);
}

static void box_step(struct box *b, int threads)
{
    box_sort_into_cells(b);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for
        for (int i = 0; i < b->n; i++)
            b->forces[i] = molecule_force(b, i);
#pragma omp for
        for (int i = 0; i < b->n; i++)
            molecule_move(b, i);
    }
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    struct box b;
    uint64_t sum = 0;

    if (args.size < 3) {
        fprintf(stderr, "molecular_dynamics: SIZE must be 3 or more\n");
        return 2;
    }
    box_new(&b, args.size);
    box_fill(&b);
    for (int step = 0; step < STEPS; step++)
        box_step(&b, args.threads);
    for (int i = 0; i < b.n; i++)
        sum = kernel_checksum_add_double(sum, b.places[i].x + b.speeds[i].y);
    box_free(&b);
    return kernel_checksum_print("molecular_dynamics", args.size, sum);
}
