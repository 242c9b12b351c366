/* A binary search tree: random keys are inserted, found and traversed.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <stdio.h>
#include <stdlib.h>

struct node {
    unsigned key;
    struct node *left, *right;
};

static unsigned seed = 1;

__attribute__((noinline)) static unsigned next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

__attribute__((noinline)) static int compare(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

static struct node *insert(struct node *tree, unsigned key)
{
    PATH;
    if (TURN(!tree)) {
        tree = calloc(1, sizeof *tree);
        if (!tree)
            exit(1);
        tree->key = key;
    } else {
        int order = compare(key, tree->key);
        if (TURN(order < 0))
            tree->left = insert(tree->left, key);
        else if (TURN(order > 0))
            tree->right = insert(tree->right, key);
    }
    PATH_END(1);
    return tree;
}

static int contains(const struct node *tree, unsigned key)
{
    PATH;
    while (tree) {
        int order = compare(key, tree->key);
        if (TURN(order == 0)) {
            PATH_END(2);
            return 1;
        }
        tree = TURN(order < 0) ? tree->left : tree->right;
        PATH_END(3);
    }
    PATH_END(2);
    return 0;
}

static unsigned long sum_of(const struct node *tree)
{
    return tree ? tree->key + sum_of(tree->left) + sum_of(tree->right) : 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60000, found = 0;
    struct node *tree = NULL;
    for (int i = 0; i < n; i++)
        tree = insert(tree, next_random());
    for (int i = 0; i < 3 * n; i++)
        found += contains(tree, next_random());
    printf("%d %lu\n", found, sum_of(tree));
    return 0;
}
