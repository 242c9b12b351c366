/* Benchmark kernel: builds a k-d tree of points with OpenMP tasks, then finds neighbours.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the number of points in units of 1000. The tree is implicit: the median of a range of the
 * array is the range's root. Selection is quickselect with the middle as pivot. So the array's
 * order and every answer are the same for any number of threads.
 */
#include "bench/programs/kernel.h"

enum { DEFAULT_SIZE = 250, UNIT = 1000, DIMENSIONS = 3, TASK_MIN = 2000, QUERY_SHARE = 4 };

struct kd_point {
    double at[DIMENSIONS];
};

static void point_swap(struct kd_point *a, struct kd_point *b)
{
    struct kd_point c = *a;

    *a = *b;
    *b = c;
}

/* Moves the median element to `middle`, smaller elements before it, and larger elements after it.
 */
static void points_select(struct kd_point *points, int low, int high, int middle, int axis)
{
    while (low < high) {
        double pivot = points[(low + high) / 2].at[axis];
        int i = low;
        int j = high;

        while (i <= j) {
            while (points[i].at[axis] < pivot)
                i++;
            while (points[j].at[axis] > pivot)
                j--;
            if (i <= j)
                point_swap(&points[i++], &points[j--]);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* Makes [low, high) a tree with a root that splits by `axis`. */
static void tree_build(struct kd_point *points, int low, int high, int axis)
{
    int middle = low + (high - low) / 2;
    int next_axis = (axis + 1) % DIMENSIONS;

    if (high - low < 2)
        return;
    points_select(points, low, high - 1, middle, axis);
#pragma omp task if (high - low > TASK_MIN) firstprivate(points, low, middle, next_axis)
    tree_build(points, low, middle, next_axis);
#pragma omp task if (high - low > TASK_MIN) firstprivate(points, middle, high, next_axis)
    tree_build(points, middle + 1, high, next_axis);
}

static double square_distance(const struct kd_point *a, const struct kd_point *b)
{
    double sum = 0;

    for (int k = 0; k < DIMENSIONS; k++)
        sum += (a->at[k] - b->at[k]) * (a->at[k] - b->at[k]);
    return sum;
}

/* Returns the smaller of `best` and the least square distance from `q` to a point of [low,
 * high). */
static double tree_nearest(const struct kd_point *points, int low, int high, int axis,
                           const struct kd_point *q, double best)
{
    int middle = low + (high - low) / 2;
    int next_axis = (axis + 1) % DIMENSIONS;
    double beyond, distance;
    bool left_first;

    if (low >= high)
        return best;
    distance = square_distance(&points[middle], q);
    if (distance < best)
        best = distance;
    beyond = q->at[axis] - points[middle].at[axis];
    left_first = beyond < 0;
    best = left_first ? tree_nearest(points, low, middle, next_axis, q, best)
                      : tree_nearest(points, middle + 1, high, next_axis, q, best);
    if (beyond * beyond >= best)
        return best;
    return left_first ? tree_nearest(points, middle + 1, high, next_axis, q, best)
                      : tree_nearest(points, low, middle, next_axis, q, best);
}

static struct kd_point point_random(uint64_t *seed)
{
    struct kd_point p;

    for (int k = 0; k < DIMENSIONS; k++)
        p.at[k] = kernel_random_unit(seed);
    return p;
}

static void queries_answer(const struct kd_point *points, int n, double *answers, int n_queries,
                           int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (int i = 0; i < n_queries; i++) {
        uint64_t seed = 1000003u * (uint64_t)i;
        struct kd_point q = point_random(&seed);

        answers[i] = tree_nearest(points, 0, n, 0, &q, 1e9);
    }
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    int n = args.size * UNIT;
    int n_queries = n / QUERY_SHARE;
    struct kd_point *points = kernel_alloc(n * sizeof *points);
    double *answers = kernel_alloc(n_queries * sizeof *answers);
    uint64_t seed = 5;
    uint64_t sum = 0;

    for (int i = 0; i < n; i++)
        points[i] = point_random(&seed);
#pragma omp parallel num_threads(args.threads)
#pragma omp single
    tree_build(points, 0, n, 0);
    queries_answer(points, n, answers, n_queries, args.threads);
    for (int i = 0; i < n_queries; i++)
        sum = kernel_checksum_add_double(sum, answers[i]);
    free(points);
    free(answers);
    return kernel_checksum_print("kdtree", args.size, sum);
}
