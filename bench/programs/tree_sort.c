/* Benchmark kernel: merge sort of slices and a shared search tree under a lock, with POSIX threads.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIZE is the number of keys in units of 1000. Each thread sorts its slice and inserts the slice
 * into a shared treap (in batches under one mutex). The priorities of the treap are hashes of the
 * keys, so it has the same shape for any order of insertions. The checksum may therefore include
 * the depths.
 */
#include "bench/programs/kernel.h"
#include <pthread.h>

enum { DEFAULT_SIZE = 300, UNIT = 1000, BATCH = 64, SMALL = 8 };

struct node {
    uint32_t key;
    uint32_t priority;
    struct node *left;
    struct node *right;
};

struct shared {
    uint32_t *keys; /* owned, as the rest */
    uint32_t *scratch;
    struct node *nodes; /* one per key */
    struct node *root;
    pthread_mutex_t lock;
};

struct worker {
    pthread_t thread;
    struct shared *shared;
    int low, high; /* its slice */
};

static void keys_insertion_sort(uint32_t *keys, int n)
{
    for (int i = 1; i < n; i++) {
        uint32_t key = keys[i];
        int j = i;

        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static void keys_merge(uint32_t *keys, int middle, int n, uint32_t *scratch)
{
    int i = 0;
    int j = middle;

    for (int k = 0; k < n; k++) {
        if (j == n || (i < middle && keys[i] <= keys[j]))
            scratch[k] = keys[i++];
        else
            scratch[k] = keys[j++];
    }
    memcpy(keys, scratch, n * sizeof *keys);
}

static void keys_merge_sort(uint32_t *keys, int n, uint32_t *scratch)
{
    if (n <= SMALL) {
        keys_insertion_sort(keys, n);
        return;
    }
    keys_merge_sort(keys, n / 2, scratch);
    keys_merge_sort(keys + n / 2, n - n / 2, scratch);
    keys_merge(keys, n / 2, n, scratch);
}

/* Splits a tree into the keys below `key` and all other keys. */
static void tree_split(struct node *tree, uint32_t key, struct node **below, struct node **rest)
{
    while (tree != NULL) {
        if (tree->key < key) {
            *below = tree;
            below = &tree->right;
            tree = tree->right;
        } else {
            *rest = tree;
            rest = &tree->left;
            tree = tree->left;
        }
    }
    *below = NULL;
    *rest = NULL;
}

static void tree_insert(struct node **tree, struct node *node)
{
    while (*tree != NULL && (*tree)->priority >= node->priority)
        tree = (*tree)->key < node->key ? &(*tree)->right : &(*tree)->left;
    tree_split(*tree, node->key, &node->left, &node->right);
    *tree = node;
}

static uint64_t tree_checksum(const struct node *tree, uint64_t depth)
{
    if (tree == NULL)
        return depth;
    return kernel_checksum_add(tree_checksum(tree->left, depth + 1), tree->key) +
           tree_checksum(tree->right, depth + 1);
}

static void batch_insert(struct shared *s, int low, int high)
{
    pthread_mutex_lock(&s->lock);
    for (int i = low; i < high; i++)
        tree_insert(&s->root, &s->nodes[i]);
    pthread_mutex_unlock(&s->lock);
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    struct shared *s = w->shared;

    keys_merge_sort(s->keys + w->low, w->high - w->low, s->scratch + w->low);
    for (int i = w->low; i < w->high; i += BATCH)
        batch_insert(s, i, i + BATCH < w->high ? i + BATCH : w->high);
    return NULL;
}

/* Multiplication by an odd number is a permutation: no key appears twice. */
static void shared_fill(struct shared *s, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t seed = (uint64_t)i;

        s->keys[i] = (uint32_t)i * 2654435761u;
        s->nodes[i].key = s->keys[i];
        s->nodes[i].priority = (uint32_t)kernel_random(&seed);
    }
}

static void workers_run(struct worker *workers, struct shared *s, int n, int threads)
{
    for (int t = 0; t < threads; t++) {
        struct worker *w = &workers[t];

        w->shared = s;
        w->low = (int)((int64_t)n * t / threads);
        w->high = (int)((int64_t)n * (t + 1) / threads);
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            fprintf(stderr, "tree_sort: cannot start a thread\n");
            exit(1);
        }
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(workers[t].thread, NULL);
        keys_merge(s->keys, workers[t].low, workers[t].high, s->scratch);
    }
}

int main(int argc, char **argv)
{
    struct kernel_args args = kernel_args_parse(argc, argv, DEFAULT_SIZE);
    int n = args.size * UNIT;
    struct shared s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct worker *workers = kernel_alloc(args.threads * sizeof *workers);
    uint64_t sum;

    s.keys = kernel_alloc(n * sizeof *s.keys);
    s.scratch = kernel_alloc(n * sizeof *s.scratch);
    s.nodes = kernel_alloc(n * sizeof *s.nodes);
    shared_fill(&s, n);
    workers_run(workers, &s, n, args.threads);
    sum = tree_checksum(s.root, 0);
    for (int i = 0; i < n; i++)
        sum = kernel_checksum_add(sum, s.keys[i]);
    free(s.keys);
    free(s.scratch);
    free(s.nodes);
    free(workers);
    return kernel_checksum_print("tree_sort", args.size, sum);
}
