/* Evaluates random expressions by recursion over their trees: deep stacks and many contexts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: expressions ROUNDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#define FORMULAS 40
#define NODES    4096 /* of a formula */
#define DEPTH    16

enum kind { NUMBER, VARIABLE, ADD, SUBTRACT, MULTIPLY, CHOOSE, KINDS };

struct node {
    enum kind kind;
    int32_t value;
    const struct node *part[3];
};

static struct node pool[FORMULAS][NODES];
static struct node *nodes;
static int n_nodes;
static uint64_t state = 88172645463325252u;

static NOINLINE uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static NOINLINE const struct node *make(int depth)
{
    struct node *node = &nodes[n_nodes++ % NODES];
    int parts;
    node->kind = depth ? (enum kind)(ADD + random_below(KINDS - ADD)) : (enum kind)random_below(2);
    node->value = (int32_t)random_below(100);
    parts = node->kind < ADD ? 0 : (node->kind == CHOOSE ? 3 : 2);
    for (int i = 0; i < parts; i++)
        node->part[i] = n_nodes >= NODES ? &nodes[0] : make(random_below(8) ? depth - 1 : 0);
    return node;
}

static NOINLINE int32_t evaluate(const struct node *node, int32_t x, int depth);

static NOINLINE int32_t add(const struct node *node, int32_t x, int depth)
{
    return evaluate(node->part[0], x, depth) + evaluate(node->part[1], x, depth);
}

static NOINLINE int32_t subtract(const struct node *node, int32_t x, int depth)
{
    return evaluate(node->part[0], x, depth) - evaluate(node->part[1], x, depth);
}

static NOINLINE int32_t multiply(const struct node *node, int32_t x, int depth)
{
    return (int32_t)((uint32_t)evaluate(node->part[0], x, depth) *
                     (uint32_t)evaluate(node->part[1], x, depth));
}

static NOINLINE int32_t choose(const struct node *node, int32_t x, int depth)
{
    int which = evaluate(node->part[0], x, depth) & 1;
    return evaluate(node->part[1 + which], x, depth);
}

static NOINLINE int32_t evaluate(const struct node *node, int32_t x, int depth)
{
    if (depth == 0)
        return node->value;
    switch (node->kind) {
    case ADD:
        return add(node, x, depth - 1);
    case SUBTRACT:
        return subtract(node, x, depth - 1);
    case MULTIPLY:
        return multiply(node, x, depth - 1);
    case CHOOSE:
        return choose(node, x, depth - 1);
    case VARIABLE:
        return x;
    default:
        return node->value;
    }
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    const struct node *roots[FORMULAS];
    uint32_t sum = 0;
    for (int i = 0; i < FORMULAS; i++) {
        nodes = pool[i];
        n_nodes = 0;
        roots[i] = make(9);
    }
    for (long i = 0; i < rounds; i++)
        sum += (uint32_t)evaluate(roots[random_below(FORMULAS)], (int32_t)i, DEPTH);
    printf("%u\n", sum);
    return 0;
}
