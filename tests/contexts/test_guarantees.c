/* Property test: compares context trees with exact counts, on random and adversarial streams.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each round makes one configuration (summary, weights, sites, folding), and feeds one stream to a
 * tree and to the exact tree. At random moments and at the end, the test compares structure and
 * counts. There must be no false negatives at phi, all counts must be within epsilon*N, and nothing
 * below (phi - epsilon)*N may be reported. The test also checks the bounds on space, and on the
 * steps of the search for the least counter (Theorem 4.1). Every fourth round distributes its
 * stream over several trees and merges the trees.
 *
 *     APROF_ROUNDS   rounds to run [400]
 *     APROF_SEED     of the first round [1]
 *
 * A failure prints the seed; APROF_SEED=SEED APROF_ROUNDS=1 repeats the round.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "contexts/context_cursor.h"
#include "contexts/fraction.h"
#include "tests/contexts/exact_tree.h"
#include "tests/unit/cmocka_all.h"
#include "tests/host_test.h"
#include "tests/setting.h"
#include "tests/property/rng.h"

#define MAX_TREES 4

/* The properties of a random stream. */
struct shape {
    uint32_t routines, sites;
    uint32_t cold_routines; /* routines are called in turn, so that nearly every context is new */
    uint32_t percent_cold;
    uint32_t percent_leave;
    uint32_t depth; /* not deeper than this */
    uint32_t heaviest;
    uint32_t phase; /* number of events after which other routines become hot; 0: never */
    uint32_t once_in_cut, once_in_move, once_in_clear;
};

static const struct shape shapes[] = {
    /* like a program: few routines, all kinds of returns */
    {12, 3, 1, 0, 49, 14, 9, 0, 200, 300, 0},
    /* the hot contexts change */
    {9, 2, 40, 5, 48, 9, 1000, 2500, 0, 0, 0},
    /* only cold contexts: each arrival evicts one */
    {1, 1, 5000, 100, 50, 3, 3, 0, 0, 0, 0},
    /* a third of the events is in one context, and all others are cold: if a wrong victim is
     * evicted, that context is lost */
    {1, 1, 900, 66, 50, 2, 1, 0, 0, 0, 0},
    /* deep */
    {4, 1, 1, 0, 45, 700, 5, 0, 3000, 3000, 0},
    /* wide: a context with thousands of children */
    {2, 1, 3000, 90, 50, 1, 2, 0, 0, 0, 0},
    /* with forgetting */
    {7, 2, 30, 20, 47, 8, 50, 0, 50, 100, 4000},
};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct round {
    struct rng rng;
    uint64_t seed;
    const struct shape *shape;
    struct context_tree_config config;
    uint32_t n_trees;
    struct context_tree *trees[MAX_TREES];
    struct context_cursor cursors[MAX_TREES];
    struct exact_tree exact[MAX_TREES];
    uint64_t arrivals[MAX_TREES];
    uint32_t next_cold;
    uint32_t hot_base;
    unsigned checks;
};

static void round_fail(const struct round *round, const char *what, uint64_t a, uint64_t b)
{
    fail_msg("APROF_SEED=%" PRIu64 ": %s (%" PRIu64 ", %" PRIu64 "); %s, shape %d, sites %d, "
             "limit %u, weighted %d, trees %u",
             round->seed, what, a, b, context_summaries[round->config.summary].name,
             (int)(round->shape - shapes), round->config.call_sites, round->config.recursion_limit,
             round->config.weighted, round->n_trees);
}

/* Fails unless a <= b. */
static void at_most(const struct round *round, const char *what, uint64_t a, uint64_t b)
{
    if (a > b)
        round_fail(round, what, a, b);
}

static void equal(const struct round *round, const char *what, uint64_t a, uint64_t b)
{
    if (a != b)
        round_fail(round, what, a, b);
}

/* ---------------------------------------------------------------- comparison */

struct seen {
    struct round *round;
    struct exact_tree *exact;
    const struct context_tree *tree;
    uint32_t *ids; /* for each id of the visit, the node of the exact tree */
    uint32_t n;
};

static void see(void *closure, const struct context_node *node, uint32_t id, uint32_t parent)
{
    struct seen *seen = closure;
    struct exact_tree *exact = seen->exact;
    uint32_t at = 0;
    equal(seen->round, "ids are not dense", id, seen->n++);
    if (id) {
        at = exact_tree_find(exact, seen->ids[parent], (uint32_t)node->routine,
                             (uint32_t)node->site);
        if (!at)
            round_fail(seen->round, "a context that never was", node->routine, node->site);
    }
    seen->ids[id] = at;
    exact->nodes[at].seen = seen->round->checks;
    exact->nodes[at].count = node->count;
    exact->nodes[at].error = context_tree_error(seen->tree, node);
    exact->nodes[at].monitored = node->slot != 0;
}

static uint32_t look(struct round *round, const struct context_tree *tree, struct exact_tree *exact,
                     uint64_t least)
{
    struct seen seen = {.round = round, .exact = exact, .tree = tree};
    round->checks++;
    seen.ids = calloc(tree->n_nodes, sizeof(*seen.ids));
    uint32_t n = context_tree_visit(tree, least, see, &seen);
    free(seen.ids);
    return n;
}

static void check_counters(struct round *round, const struct exact_tree *exact, uint64_t slack)
{
    bool sticky = round->config.summary == CONTEXTS_STICKY_SAMPLING;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < exact->n_nodes; i++) {
        const struct exact_node *node = &exact->nodes[i];
        if (node->seen != round->checks || !node->monitored) {
            at_most(round, "a heavy context is not monitored", node->weight, slack);
            continue;
        }
        sum += node->count;
        at_most(round, "error above epsilon*N", node->error, slack);
        at_most(round, "count too high", node->count - node->error, node->weight);
        at_most(round, "count too low", node->weight, node->count + (sticky ? slack : 0));
    }
    if (round->n_trees == 1 && round->config.summary <= CONTEXTS_SPACE_SAVING)
        equal(round, "counts do not add up", sum, exact->total);
}

/* Checks hot contexts at phi: no false negatives, and nothing below (phi - epsilon)*N. */
static void check_hot(struct round *round, const struct context_tree *tree,
                      struct exact_tree *exact, uint64_t slack)
{
    uint32_t phi = round->config.phi + rng_below(&round->rng, 100000000);
    uint64_t hot = fraction_of(phi, tree->total);
    uint64_t least = context_tree_threshold(tree, phi);
    look(round, tree, exact, least);
    for (uint32_t i = 0; i < exact->n_nodes; i++) {
        const struct exact_node *node = &exact->nodes[i];
        bool reported = node->seen == round->checks && node->monitored && node->count >= least;
        if (!reported && node->weight && node->weight >= hot)
            round_fail(round, "a false negative", node->weight, hot);
        if (reported && tree->hot)
            at_most(round, "reported below (phi - epsilon)*N", hot, node->weight + slack + 1);
    }
}

static void check_space(struct round *round, const struct context_tree *tree, uint64_t arrivals)
{
    uint32_t limit =
        tree->hot ? (FRACTION_ONE + tree->config.epsilon - 1) / tree->config.epsilon : 0;
    unsigned logarithm = 1;
    while (logarithm < 63 && tree->total >> logarithm > limit)
        logarithm++;
    switch (tree->config.summary) {
    case CONTEXTS_LAZY_SPACE_SAVING:
        if (!tree->config.weighted)
            at_most(round, "Theorem 4.1", tree->steps, 2 * (tree->total + limit));
        else
            at_most(round, "steps of the heap", tree->steps, (arrivals + limit) * 20);
        at_most(round, "counters", tree->n_monitored, limit);
        break;
    case CONTEXTS_SPACE_SAVING:
        if (!tree->config.weighted)
            at_most(round, "steps over buckets", tree->steps, 2 * (tree->total + limit));
        at_most(round, "counters", tree->n_monitored, limit);
        break;
    case CONTEXTS_LOSSY_COUNTING:
        at_most(round, "counters", tree->most_monitored,
                round->n_trees * (2 * limit * logarithm + 128));
        break;
    default:
        break;
    }
}

static void check_path(struct round *round, const struct context_cursor *cursor,
                       const struct exact_tree *exact)
{
    const struct context_node *node = cursor->node;
    uint32_t at = exact_tree_now(exact);
    equal(round, "depth", cursor->depth, exact->depth);
    for (; node->parent && at; node = node->parent, at = exact->nodes[at].parent) {
        equal(round, "routine on the path", node->routine, exact->nodes[at].routine);
        equal(round, "site on the path", node->site, exact->nodes[at].site);
    }
    if (node->parent || at)
        round_fail(round, "length of the path", node->index, at);
}

static void check(struct round *round, uint32_t i)
{
    struct context_tree *tree = round->trees[i];
    struct exact_tree *exact = &round->exact[i];
    uint64_t slack = tree->hot ? fraction_of(round->config.epsilon, tree->total) : 0;
    context_tree_check(tree, tree->hot ? round->cursors[i].depth : 0);
    check_path(round, &round->cursors[i], exact);
    equal(round, "total", tree->total, exact->total);
    uint32_t n = look(round, tree, exact, 0);
    equal(round, "nodes visited", n, tree->n_nodes);
    at_most(round, "nodes", n, exact->n_nodes);
    if (!tree->hot && round->n_trees == 1)
        equal(round, "nodes of the full tree", n, exact->n_nodes);
    check_counters(round, exact, slack);
    check_hot(round, tree, exact, slack);
    check_space(round, tree, round->arrivals[i]);
}

/* ---------------------------------------------------------------- the stream */

static void enter(struct round *round, uint32_t i)
{
    const struct shape *shape = round->shape;
    uint32_t site = rng_below(&round->rng, shape->sites), routine;
    if (rng_below(&round->rng, 100) < shape->percent_cold)
        routine = 1000 + round->next_cold++ % shape->cold_routines;
    else
        routine = 1 + (round->hot_base +
                       rng_below(&round->rng, 1 + rng_below(&round->rng, shape->routines))) %
                          500;
    context_cursor_enter(&round->cursors[i], routine, site + 1, round->cursors[i].depth);
    exact_tree_enter(&round->exact[i], routine, site + 1);
}

static void count(struct round *round, uint32_t i, uint64_t weight)
{
    round->arrivals[i]++;
    context_cursor_count(&round->cursors[i], weight);
    exact_tree_count(&round->exact[i], weight);
}

static void leave(struct round *round, uint32_t i)
{
    context_cursor_leave(&round->cursors[i]);
    exact_tree_leave(&round->exact[i]);
}

static void cut(struct round *round, uint32_t i)
{
    size_t depth = rng_below(&round->rng, (uint32_t)round->exact[i].depth + 1);
    if (rng_once_in(&round->rng, 2))
        context_cursor_cut_back(&round->cursors[i], depth);
    else
        context_cursor_cut_below(&round->cursors[i], 0); /* removes no frame, because the marks are
                                                          * depths */
    if (round->cursors[i].depth != depth)
        context_cursor_cut_back(&round->cursors[i], depth);
    round->exact[i].depth = depth;
}

/* A burst has ended; the next burst begins with a stack that still has some of the old frames. */
static void move(struct round *round, uint32_t i)
{
    struct context_call path[64];
    struct context_cursor *cursor = &round->cursors[i];
    struct exact_tree *exact = &round->exact[i];
    size_t keep = rng_below(&round->rng, (uint32_t)exact->depth + 1);
    size_t length = rng_below(&round->rng, 8);
    if (keep + length > 64 || round->config.recursion_limit)
        return; /* the node of a folded call does not contain the site */
    for (size_t at = 0; at < keep; at++) {
        const struct exact_node *node = &exact->nodes[exact->stack[at + 1]];
        path[at] = (struct context_call){node->routine, node->site, at};
    }
    exact->depth = keep;
    for (size_t at = keep; at < keep + length; at++) {
        uint32_t routine = 1 + rng_below(&round->rng, round->shape->routines);
        path[at] = (struct context_call){routine, 2, at};
        exact_tree_enter(exact, routine, 2);
    }
    uint64_t calls = cursor->calls;
    context_cursor_move(cursor, path, keep + length);
    equal(round, "calls of a move", cursor->calls, calls);
}

static void event(struct round *round, uint32_t i)
{
    const struct shape *shape = round->shape;
    bool full_depth = round->exact[i].depth >= shape->depth;
    if (full_depth || rng_below(&round->rng, 100) < shape->percent_leave) {
        if (round->config.weighted && rng_once_in(&round->rng, 3))
            count(round, i, rng_below(&round->rng, shape->heaviest + 1));
        leave(round, i);
    } else {
        enter(round, i);
        if (!round->config.weighted || rng_once_in(&round->rng, 2))
            count(round, i,
                  round->config.weighted ? rng_below(&round->rng, shape->heaviest + 1) : 1);
    }
    if (shape->once_in_cut && rng_once_in(&round->rng, shape->once_in_cut))
        cut(round, i);
    if (shape->once_in_move && rng_once_in(&round->rng, shape->once_in_move))
        move(round, i);
    if (shape->once_in_clear && rng_once_in(&round->rng, shape->once_in_clear)) {
        context_tree_clear(round->trees[i]);
        exact_tree_clear(&round->exact[i]);
        round->trees[i]->steps = 0;
    }
    if (shape->phase && rng_once_in(&round->rng, shape->phase))
        round->hot_base += 17;
}

/* ---------------------------------------------------------------- rounds */

static void configure(struct round *round)
{
    static const uint32_t epsilons[] = {200000000, 100000000, 50000000, 12345678, 2000000};
    struct rng *rng = &round->rng;
    round->shape = &shapes[rng_below(rng, SHAPES)];
    round->config = (struct context_tree_config){
        .summary = (enum context_summary_kind)rng_below(rng, CONTEXT_SUMMARY_KINDS),
        .epsilon = epsilons[rng_below(rng, 5)],
        .weighted = rng_once_in(rng, 3),
        .call_sites = rng_once_in(rng, 2),
        .recursion_limit = rng_once_in(rng, 2) ? 0 : 1 + rng_below(rng, 2),
        .seed = rng_next(rng),
    };
    round->config.phi = round->config.epsilon * (2 + rng_below(rng, 3));
    round->n_trees = rng_once_in(rng, 4) ? 2 + rng_below(rng, MAX_TREES - 1) : 1;
}

static void merge(struct round *round)
{
    for (uint32_t i = 1; i < round->n_trees; i++) {
        context_tree_merge(round->trees[0], round->trees[i]);
        exact_tree_add(&round->exact[0], &round->exact[i]);
        round->arrivals[0] += round->arrivals[i];
        round->trees[0]->steps += round->trees[i]->steps;
        check(round, 0);
    }
    uint32_t more = rng_below(&round->rng, 2000);
    while (more--)
        event(round, 0);
    check(round, 0);
}

static void run(struct round *round)
{
    uint32_t events = 1 + rng_below(&round->rng, 20000);
    for (uint32_t i = 0; i < round->n_trees; i++) {
        round->trees[i] = context_tree_new(&round->config);
        context_cursor_start(&round->cursors[i], round->trees[i]);
        exact_tree_start(&round->exact[i], round->config.call_sites, round->config.recursion_limit);
    }
    while (events--) {
        uint32_t i = rng_below(&round->rng, round->n_trees);
        event(round, i);
        if (rng_once_in(&round->rng, 4000))
            check(round, i);
    }
    for (uint32_t i = 0; i < round->n_trees; i++)
        check(round, i);
    if (round->n_trees > 1)
        merge(round);
    for (uint32_t i = 0; i < round->n_trees; i++) {
        context_cursor_end(&round->cursors[i]);
        context_tree_check(round->trees[i], 0);
        context_tree_free(round->trees[i]);
        exact_tree_end(&round->exact[i]);
    }
    equal(round, "bytes left", host_test_live_bytes(NULL), 0);
}

static void trees_keep_their_guarantees(void **state)
{
    (void)state;
    uint64_t seed = setting("APROF_SEED", 1), rounds = setting("APROF_ROUNDS", 400);
    for (uint64_t i = 0; i < rounds; i++) {
        struct round round = {.rng = {seed + i}, .seed = seed + i};
        configure(&round);
        run(&round);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_keep_their_guarantees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
