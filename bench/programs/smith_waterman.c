/* Benchmark kernel: local alignment of two long sequences, by tiles along diagonals, OpenMP.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the length of the sequences in tiles. A tile needs the last row of the tile above, the
 * last column of the tile to the left, and one corner. Tiles of one anti-diagonal are independent.
 * Threads read cells that other threads wrote in the previous step.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 64, TILE = 128, MATCH = 5, MISMATCH = -3, GAP = 4 };

struct problem {
    int tiles;
    uint8_t *a; /* tiles x TILE letters; owned, as the rest */
    uint8_t *b;
    int *rows;    /* latest known row of each column of the matrix */
    int *columns; /* latest known column of each row of the matrix */
    int *corners; /* (tiles + 1) x (tiles + 1): lower right corner of each tile */
    int *best;    /* for each tile of the first row, the best score of the tiles in its column */
};

static void problem_new(struct problem *p, int tiles)
{
    size_t length = (size_t)tiles * TILE;
    size_t corners = (size_t)(tiles + 1) * (tiles + 1);
    uint64_t seed = 6;

    p->tiles = tiles;
    p->a = kernel_alloc(length);
    p->b = kernel_alloc(length);
    p->rows = kernel_alloc(length * sizeof(int));
    p->columns = kernel_alloc(length * sizeof(int));
    p->corners = kernel_alloc(corners * sizeof(int));
    p->best = kernel_alloc(tiles * sizeof(int));
    for (size_t i = 0; i < length; i++) {
        p->a[i] = (uint8_t)(kernel_random(&seed) % 4);
        p->b[i] = kernel_random(&seed) % 3 == 0 ? (uint8_t)(kernel_random(&seed) % 4) : p->a[i];
    }
}

static void problem_free(struct problem *p)
{
    free(p->a);
    free(p->b);
    free(p->rows);
    free(p->columns);
    free(p->corners);
    free(p->best);
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* Computes one row of a tile: `row` holds the row above and is replaced by the new row. Returns the
 * best score of the new row.
 */
static int tile_row(uint8_t letter, const uint8_t *b, int corner, int left, int *row)
{
    int best = 0;

    for (int j = 0; j < TILE; j++) {
        int score = corner + (letter == b[j] ? MATCH : MISMATCH);

        score = max_of(score, max_of(left, row[j]) - GAP);
        left = max_of(score, 0);
        corner = row[j];
        row[j] = left;
        best = max_of(best, left);
    }
    return best;
}

static void tile_solve(struct problem *p, int ti, int tj)
{
    int *row = p->rows + (size_t)tj * TILE;
    int *column = p->columns + (size_t)ti * TILE;
    int corner = p->corners[ti * (p->tiles + 1) + tj];

    for (int i = 0; i < TILE; i++) {
        int left = column[i];
        int best = tile_row(p->a[ti * TILE + i], p->b + (size_t)tj * TILE, corner, left, row);

        p->best[tj] = max_of(p->best[tj], best);
        corner = left;
        column[i] = row[TILE - 1];
    }
    p->corners[(ti + 1) * (p->tiles + 1) + tj + 1] = row[TILE - 1];
}

static void problem_solve(struct problem *p, int threads)
{
#pragma omp parallel num_threads(threads)
    for (int d = 0; d < 2 * p->tiles - 1; d++) {
        int first = d < p->tiles ? 0 : d - p->tiles + 1;
        int last = d < p->tiles ? d : p->tiles - 1;

#pragma omp for schedule(dynamic)
        for (int tj = first; tj <= last; tj++)
            tile_solve(p, d - tj, tj);
    }
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    struct problem p;
    uint64_t sum = 0;

    problem_new(&p, args.size);
    problem_solve(&p, args.threads);
    for (int i = 0; i < p.tiles; i++)
        sum = kernel_checksum_add(sum, (uint64_t)p.best[i]);
    problem_free(&p);
    return kernel_checksum_print("smith_waterman", args.size, sum);
}
