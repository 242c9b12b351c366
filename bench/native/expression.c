/* An interpreter of arithmetic expressions: a parser makes a tree, which is then evaluated often.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "bench/native/by_hand.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    char kind; /* + - * / n x */
    double value;
    struct node *left, *right;
};

static const char *input;

static struct node *parse_sum(void);

static struct node *make(char kind, double value, struct node *left, struct node *right)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    *node = (struct node){kind, value, left, right};
    return node;
}

static struct node *parse_atom(void)
{
    struct node *node;
    PATH;
    if (TURN(*input == '(')) {
        input++;
        node = parse_sum();
        input++;
    } else if (TURN(*input == 'x')) {
        input++;
        node = make('x', 0, NULL, NULL);
    } else {
        char *end;
        node = make('n', strtod(input, &end), NULL, NULL);
        input = end;
    }
    PATH_END(1);
    return node;
}

static struct node *parse_product(void)
{
    struct node *node = parse_atom();
    while (*input == '*' || *input == '/') {
        char kind = *input++;
        node = make(kind, 0, node, parse_atom());
    }
    return node;
}

static struct node *parse_sum(void)
{
    struct node *node = parse_product();
    while (*input == '+' || *input == '-') {
        char kind = *input++;
        node = make(kind, 0, node, parse_product());
    }
    return node;
}

static double evaluate(const struct node *node, double x)
{
    double left, right, result;
    PATH;
    if (TURN(node->kind == 'n')) {
        PATH_END(2);
        return node->value;
    }
    if (TURN(node->kind == 'x')) {
        PATH_END(2);
        return x;
    }
    left = evaluate(node->left, x);
    right = evaluate(node->right, x);
    if (TURN(node->kind == '+'))
        result = left + right;
    else if (TURN(node->kind == '-'))
        result = left - right;
    else if (TURN(node->kind == '*'))
        result = left * right;
    else
        result = TURN(right != 0) ? left / right : 0;
    PATH_END(2);
    return result;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 300000;
    double sum = 0;
    input = "(x*x-3*x+2)/(x*x+1)+4*(x-1)*(x+7/(x+2))-(x*x*x-x)/(1+x*(2+x*(3+x)))";
    struct node *tree = parse_sum();
    for (long i = 0; i < rounds; i++)
        sum += evaluate(tree, (double)(i % 100) / 10);
    printf("%.6g\n", sum);
    return 0;
}
