/* Benchmark kernel: global alignment of all pairs of a set of protein sequences, OpenMP loop.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the number of sequences. Each pair is scored by Gotoh's algorithm (affine gaps) in two
 * rows; pairs have different lengths and are distributed dynamically.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 96, LENGTH_MIN = 100, LENGTH_SPREAD = 120, LETTERS = 20 };
enum { GAP_OPEN = 10, GAP_EXTEND = 1, WORST = -1000000 };

struct sequence {
    int length;
    uint8_t letters[LENGTH_MIN + LENGTH_SPREAD];
};

struct problem {
    int n;
    struct sequence *sequences;      /* owned */
    int8_t matrix[LETTERS][LETTERS]; /* score of one letter against another */
};

static void problem_fill(struct problem *p)
{
    uint64_t seed = 2;

    for (int i = 0; i < LETTERS; i++) {
        for (int j = 0; j <= i; j++) {
            int8_t score = (int8_t)(i == j ? 6 : (int)(kernel_random(&seed) % 7) - 4);

            p->matrix[i][j] = p->matrix[j][i] = score;
        }
    }
    for (int i = 0; i < p->n; i++) {
        struct sequence *s = &p->sequences[i];

        s->length = LENGTH_MIN + (int)(kernel_random(&seed) % LENGTH_SPREAD);
        for (int j = 0; j < s->length; j++)
            s->letters[j] = (uint8_t)(kernel_random(&seed) % LETTERS);
    }
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* Computes one row: best[j] and down[j] hold the row above and are replaced by the new row. */
static void pair_row(const struct problem *p, uint8_t letter, const struct sequence *b, int row,
                     int *best, int *down)
{
    int diagonal = best[0];
    int across = WORST;

    best[0] = -(GAP_OPEN + GAP_EXTEND * row);
    for (int j = 1; j <= b->length; j++) {
        int match = diagonal + p->matrix[letter][b->letters[j - 1]];

        down[j] = max_of(down[j], best[j] - GAP_OPEN) - GAP_EXTEND;
        across = max_of(across, best[j - 1] - GAP_OPEN) - GAP_EXTEND;
        diagonal = best[j];
        best[j] = max_of(match, max_of(down[j], across));
    }
}

static int pair_score(const struct problem *p, const struct sequence *a, const struct sequence *b)
{
    int best[LENGTH_MIN + LENGTH_SPREAD + 1];
    int down[LENGTH_MIN + LENGTH_SPREAD + 1];

    for (int j = 0; j <= b->length; j++) {
        best[j] = j == 0 ? 0 : -(GAP_OPEN + GAP_EXTEND * j);
        down[j] = WORST;
    }
    for (int i = 1; i <= a->length; i++)
        pair_row(p, a->letters[i - 1], b, i, best, down);
    return best[b->length];
}

static void problem_solve(const struct problem *p, int *scores, int threads)
{
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            scores[i * p->n + j] = pair_score(p, &p->sequences[i], &p->sequences[j]);
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    struct problem p = {.n = args.size};
    size_t pairs = (size_t)args.size * args.size;
    int *scores = kernel_alloc(pairs * sizeof *scores);
    uint64_t sum = 0;

    p.sequences = kernel_alloc(args.size * sizeof *p.sequences);
    problem_fill(&p);
    problem_solve(&p, scores, args.threads);
    for (size_t i = 0; i < pairs; i++)
        sum = kernel_checksum_add(sum, (uint64_t)scores[i]);
    free(p.sequences);
    free(scores);
    return kernel_checksum_print("alignment", args.size, sum);
}
