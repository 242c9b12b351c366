/* Counts contexts exactly, in the simplest way, as a reference for trees and summaries.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/contexts/exact_tree.h"

#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static uint32_t *bucket_of(const struct exact_tree *tree, uint32_t parent, uint32_t routine,
                           uint32_t site)
{
    uint32_t hash = (parent * 31 + routine) * 131 + site;
    return (uint32_t *)&tree->buckets[hash % EXACT_BUCKETS];
}

static uint32_t make(struct exact_tree *tree, uint32_t parent, uint32_t routine, uint32_t site)
{
    if (tree->n_nodes == tree->room) {
        tree->room = tree->room ? 2 * tree->room : 256;
        tree->nodes = must(realloc(tree->nodes, tree->room * sizeof(*tree->nodes)));
    }
    uint32_t *bucket = bucket_of(tree, parent, routine, site);
    tree->nodes[tree->n_nodes] =
        (struct exact_node){.parent = parent, .routine = routine, .site = site, .next = *bucket};
    if (tree->n_nodes)
        *bucket = tree->n_nodes;
    return tree->n_nodes++;
}

static void push(struct exact_tree *tree, uint32_t node)
{
    if (tree->depth + 1 >= tree->stack_room) {
        tree->stack_room = tree->stack_room ? 2 * tree->stack_room : 64;
        tree->stack = must(realloc(tree->stack, tree->stack_room * sizeof(*tree->stack)));
    }
    tree->stack[++tree->depth] = node;
}

void exact_tree_start(struct exact_tree *tree, bool sites, uint32_t recursion_limit)
{
    memset(tree, 0, sizeof(*tree));
    tree->sites = sites;
    tree->recursion_limit = recursion_limit;
    make(tree, 0, 0, 0);
    push(tree, 0);
    tree->depth = 0;
    tree->stack[0] = 0;
}

void exact_tree_end(struct exact_tree *tree)
{
    free(tree->nodes);
    free(tree->stack);
}

void exact_tree_clear(struct exact_tree *tree)
{
    tree->total = 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        tree->nodes[i].weight = 0;
}

uint32_t exact_tree_now(const struct exact_tree *tree)
{
    return tree->stack[tree->depth];
}

uint32_t exact_tree_find(const struct exact_tree *tree, uint32_t parent, uint32_t routine,
                         uint32_t site)
{
    uint32_t at = *bucket_of(tree, parent, routine, site);
    for (; at; at = tree->nodes[at].next) {
        const struct exact_node *node = &tree->nodes[at];
        if (node->parent == parent && node->routine == routine && node->site == site)
            return at;
    }
    return 0;
}

/* The definition of folding, applied whether or not the contexts exist. */
static uint32_t fold(const struct exact_tree *tree, uint32_t routine)
{
    uint32_t deepest = 0, occurrences = 0;
    for (uint32_t at = exact_tree_now(tree); at; at = tree->nodes[at].parent)
        if (tree->nodes[at].routine == routine) {
            deepest = deepest ? deepest : at;
            occurrences++;
        }
    return tree->recursion_limit && occurrences >= tree->recursion_limit ? deepest : 0;
}

void exact_tree_enter(struct exact_tree *tree, uint32_t routine, uint32_t site)
{
    uint32_t now = exact_tree_now(tree), node = fold(tree, routine);
    site = tree->sites ? site : 0;
    if (!node)
        node = exact_tree_find(tree, now, routine, site);
    if (!node)
        node = make(tree, now, routine, site);
    push(tree, node);
}

void exact_tree_leave(struct exact_tree *tree)
{
    if (tree->depth)
        tree->depth--;
}

void exact_tree_count(struct exact_tree *tree, uint64_t weight)
{
    tree->total += weight;
    tree->nodes[exact_tree_now(tree)].weight += weight;
}

void exact_tree_add(struct exact_tree *to, const struct exact_tree *from)
{
    uint32_t *map = must(calloc(from->n_nodes, sizeof(*map)));
    for (uint32_t i = 0; i < from->n_nodes; i++) {
        const struct exact_node *node = &from->nodes[i];
        if (i) { /* parents come before children */
            map[i] = exact_tree_find(to, map[node->parent], node->routine, node->site);
            if (!map[i])
                map[i] = make(to, map[node->parent], node->routine, node->site);
        }
        to->nodes[map[i]].weight += node->weight;
    }
    to->total += from->total;
    free(map);
}
