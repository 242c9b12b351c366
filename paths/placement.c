/* Places a procedure's probes: increments on edges, and commits of paths.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/placement.h"

#include <string.h>

/* ---------------------------------------------------------------- What follows a vertex */

void placement_find_stops(bool *stop, const struct dag *dag, const struct graph_block *blocks,
                          bool early)
{
    stop[dag->exit] = true;
    if (!early)
        return;
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        if (v == dag->exit || v == dag->entry || dag->suffixes[v] != 1)
            continue;
        bool leaves = blocks && blocks[v].calls;
        uint32_t next = dag->edges.at[dag->out[dag->out_first[v]]].to;
        stop[v] = !leaves && stop[next];
    }
}

bool placement_commits(const struct placement *placement, const struct dag *dag,
                       const struct numbering *numbering, uint32_t edge)
{
    return numbering->interesting[edge] && placement->stop[dag->edges.at[edge].to] &&
           !placement->stop[dag->edges.at[edge].from];
}

static void find_live(struct placement *placement, const struct dag *dag,
                      const struct numbering *numbering)
{
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++) {
            uint32_t e = dag->out[j];
            if (placement->live[dag->edges.at[e].to] ||
                placement_commits(placement, dag, numbering, e))
                placement->live[v] = true;
        }
    }
}

/* Returns whether the increment of this edge can affect a committed path. */
static bool matters(const struct placement *placement, const struct dag *dag,
                    const struct numbering *numbering, uint32_t e)
{
    const struct dag_edge *edge = &dag->edges.at[e];
    if (placement->stop[edge->from])
        return false;
    return placement->live[edge->to] || placement_commits(placement, dag, numbering, e);
}

/* ---------------------------------------------------------------- Potentials */

/* Sums are modulo 2^64, as in the probes, so each path's sum is right for any potentials. */
static int64_t sum_of(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t difference_of(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

struct potentials {
    const struct dag *dag;
    const int64_t *label;
    const bool *matters;
    const uint64_t *weight; /* gain for each edge if its increment is 0 */
    const bool *stop;       /* whether each vertex's potential depends on EXIT's potential */
    bool base;              /* whether EXIT's potential may differ from 0 */
    int64_t *phi;
};

static int64_t increment_of(const struct potentials *p, uint32_t e)
{
    const struct dag_edge *edge = &p->dag->edges.at[e];
    return difference_of(sum_of(p->label[e], p->phi[edge->from]), p->phi[edge->to]);
}

static uint64_t gain_of(const struct potentials *p)
{
    uint64_t gain = 0;
    for (uint32_t e = 0; e < p->dag->edges.count; e++)
        if (p->matters[e] && increment_of(p, e) == 0)
            gain += p->weight[e];
    return gain;
}

/* Sets the potentials of stop vertices. The labels determine these potentials, because every
 * increment after a stop vertex is 0. */
static void settle_stops(struct potentials *p)
{
    const struct dag *dag = p->dag;
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        if (!p->stop[v] || v == dag->exit)
            continue;
        uint32_t e = dag->out[dag->out_first[v]];
        p->phi[v] = difference_of(p->phi[dag->edges.at[e].to], p->label[e]);
    }
}

/* Union-find in which each vertex has its potential relative to its parent. */
struct forest {
    uint32_t *parent;
    int64_t *above;
};

static uint32_t find_root(struct forest *forest, uint32_t v, int64_t *potential)
{
    uint32_t root = v;
    int64_t sum = 0;
    while (forest->parent[root] != root) {
        sum = sum_of(sum, forest->above[root]);
        root = forest->parent[root];
    }
    *potential = sum;
    while (forest->parent[v] != v) { /* let all vertices on the way point to the root */
        uint32_t next = forest->parent[v];
        int64_t step = forest->above[v];
        forest->parent[v] = root;
        forest->above[v] = sum;
        sum = difference_of(sum, step);
        v = next;
    }
    return root;
}

struct weighted_edge {
    uint64_t weight;
    uint32_t edge;
};

static int by_weight(const void *a, const void *b)
{
    const struct weighted_edge *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Builds the tree by Kruskal's algorithm, heaviest edge first. An edge is left out if both its ends
 * are already in one tree, because this tree determines their potentials. */
static void potentials_from_tree(struct potentials *p)
{
    const struct dag *dag = p->dag;
    struct forest forest = {
        .parent = memory_get_zeroed(dag->vertex_count, sizeof(uint32_t)),
        .above = memory_get_zeroed(dag->vertex_count, sizeof(int64_t)),
    };
    struct weighted_edge *sorted = memory_get_zeroed(dag->edges.count + 1, sizeof *sorted);
    uint32_t count = 0;
    for (uint32_t v = 0; v < dag->vertex_count; v++) {
        forest.parent[v] = p->stop[v] ? dag->exit : v;
        forest.above[v] = p->stop[v] ? p->phi[v] : 0;
    }
    if (!p->base)
        forest.parent[dag->exit] = dag->entry;
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (p->matters[e])
            sorted[count++] = (struct weighted_edge){p->weight[e], e};
    qsort(sorted, count, sizeof *sorted, by_weight);
    for (uint32_t i = 0; i < count; i++) {
        const struct dag_edge *edge = &dag->edges.at[sorted[i].edge];
        int64_t from_phi, to_phi;
        uint32_t from = find_root(&forest, edge->from, &from_phi);
        uint32_t to = find_root(&forest, edge->to, &to_phi);
        int64_t wanted = /* phi(to) - phi(from) */
            difference_of(sum_of(from_phi, p->label[sorted[i].edge]), to_phi);
        if (from == to)
            continue;
        bool keep_from = from == dag->entry || to != dag->entry;
        forest.parent[keep_from ? to : from] = keep_from ? from : to;
        forest.above[keep_from ? to : from] = keep_from ? wanted : difference_of(0, wanted);
    }
    /* ENTRY is always the root of its tree in the forest */
    for (uint32_t v = 0; v < dag->vertex_count; v++)
        find_root(&forest, v, &p->phi[v]);
    free(forest.parent);
    free(forest.above);
    free(sorted);
}

struct candidate {
    int64_t phi; /* potential of the vertex with which an edge has the increment 0 */
    uint64_t weight;
};

static int by_phi(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->phi > y->phi) - (x->phi < y->phi);
}

/* Returns the potential with which the edges with increment 0 have the largest total weight;
 * returns `phi` if no other potential is better. */
static int64_t best_candidate(struct candidate *candidates, uint32_t count, int64_t phi)
{
    uint64_t now = 0, best = 0, sum = 0;
    int64_t best_phi = phi;
    qsort(candidates, count, sizeof *candidates, by_phi);
    for (uint32_t i = 0; i < count; i++) {
        bool same = i && candidates[i].phi == candidates[i - 1].phi;
        sum = same ? sum + candidates[i].weight : candidates[i].weight;
        if (candidates[i].phi == phi)
            now = sum;
        if (sum > best) {
            best = sum;
            best_phi = candidates[i].phi;
        }
    }
    return best > now ? best_phi : phi;
}

static bool improve_vertex(struct potentials *p, uint32_t v, struct candidate *candidates)
{
    const struct dag *dag = p->dag;
    uint32_t count = 0;
    int64_t phi = p->phi[v];
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1]; i++) {
        uint32_t e = dag->out[i];
        if (p->matters[e])
            candidates[count++] =
                (struct candidate){difference_of(phi, increment_of(p, e)), p->weight[e]};
    }
    for (uint32_t i = dag->in_first[v]; i < dag->in_first[v + 1]; i++) {
        uint32_t e = dag->in[i];
        if (p->matters[e])
            candidates[count++] = (struct candidate){sum_of(phi, increment_of(p, e)), p->weight[e]};
    }
    p->phi[v] = best_candidate(candidates, count, phi);
    return p->phi[v] != phi;
}

/* Improves the potentials of all stop vertices by adding the same number to each of them. */
static bool improve_base(struct potentials *p, struct candidate *candidates)
{
    const struct dag *dag = p->dag;
    uint32_t count = 0;
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (p->matters[e] && p->stop[dag->edges.at[e].to])
            candidates[count++] = (struct candidate){increment_of(p, e), p->weight[e]};
    int64_t shift = best_candidate(candidates, count, 0);
    for (uint32_t v = 0; shift && v < dag->vertex_count; v++)
        if (p->stop[v])
            p->phi[v] = sum_of(p->phi[v], shift);
    return shift != 0;
}

static void improve(struct potentials *p)
{
    const int most_rounds = 10; /* three rounds are almost always enough */
    struct candidate *candidates = memory_get_zeroed(p->dag->edges.count + 1, sizeof *candidates);
    bool better = true;
    for (int round = 0; better && round < most_rounds; round++) {
        better = improve_base(p, candidates);
        /* ENTRY, the first vertex, keeps its potential */
        for (uint32_t i = 1; i < p->dag->order_count; i++)
            if (!p->stop[p->dag->order[i]])
                better |= improve_vertex(p, p->dag->order[i], candidates);
    }
    free(candidates);
}

static void choose_potentials(struct potentials *p, enum placement_kind kind)
{
    if (kind == PLACEMENT_AS_NUMBERED)
        return;
    if (kind == PLACEMENT_TREE) {
        potentials_from_tree(p);
        return;
    }
    struct potentials other = *p;
    size_t bytes = p->dag->vertex_count * sizeof *p->phi;
    other.phi = memory_get_zeroed(p->dag->vertex_count, sizeof *p->phi);
    memcpy(other.phi, p->phi, bytes);
    potentials_from_tree(p);
    improve(p);
    improve(&other);
    if (gain_of(&other) > gain_of(p))
        memcpy(p->phi, other.phi, bytes);
    free(other.phi);
}

/* ---------------------------------------------------------------- Result */

void placement_make(struct placement *placement, const struct dag *dag,
                    const struct numbering *numbering, const uint64_t *frequency,
                    const struct graph_block *blocks, enum placement_kind kind)
{
    size_t edges = dag->edges.count + 1;
    *placement = (struct placement){
        .increment = memory_get_zeroed(edges, sizeof(int64_t)),
        .stop = memory_get_zeroed(dag->vertex_count, 1),
        .live = memory_get_zeroed(dag->vertex_count, 1),
    };
    placement_find_stops(placement->stop, dag, blocks, kind == PLACEMENT_BEST);
    find_live(placement, dag, numbering);
    bool *of_interest = memory_get_zeroed(edges, 1);
    uint64_t *weight = memory_get_zeroed(edges, sizeof *weight);
    struct potentials potentials = {
        .dag = dag,
        .label = numbering->label,
        .matters = of_interest,
        .weight = weight,
        .stop = placement->stop,
        .base = kind == PLACEMENT_BEST,
        .phi = memory_get_zeroed(dag->vertex_count, sizeof(int64_t)),
    };
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        of_interest[e] = matters(placement, dag, numbering, e);
        /* Prefers few edges with increments, also among edges that never run. */
        weight[e] = frequency[e] * 8 + 1;
    }
    settle_stops(&potentials);
    choose_potentials(&potentials, kind);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (of_interest[e])
            placement->increment[e] = increment_of(&potentials, e);
    placement->base = potentials.phi[dag->exit];
    free(of_interest);
    free(weight);
    free(potentials.phi);
}

void placement_free(struct placement *placement)
{
    free(placement->increment);
    free(placement->stop);
    free(placement->live);
    *placement = (struct placement){0};
}

bool placement_hits(const struct placement *placement, const struct dag *dag, uint32_t edge)
{
    return placement->increment[edge] != 0 && !placement->stop[dag->edges.at[edge].from];
}

uint64_t placement_cost(const struct placement *placement, const struct dag *dag,
                        const uint64_t *frequency)
{
    uint64_t cost = 0;
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (placement_hits(placement, dag, e))
            cost += frequency[e];
    return cost;
}

uint32_t placement_count(const struct placement *placement, const struct dag *dag)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < dag->edges.count; e++)
        count += placement_hits(placement, dag, e);
    return count;
}
