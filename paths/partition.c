/* Divides the paths of one procedure into sets that different copies can count.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In the reduced graph, one edge replaces the two arms of a diamond or triangle, and represents all
 * edges of both arms. (In the paper, a vertex replaces them, which is ill-defined if two diamonds
 * share a vertex.) The threshold is tested only after an edge has been appended to all prefixes
 * that end at its start vertex. If the threshold were tested earlier, as in the paper, paths would
 * be lost, for example with the edges 0->2, 1->2, 0->1, 1->2, 0->1 and threshold 4.
 */
#include "paths/partition.h"

#include <string.h>

/* The size limit for all sets of a procedure together, which must fit into memory. */
static const uint64_t most_set_bytes = (uint64_t)1 << 28;

void edge_sets_free(edge_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        free(sets->at[i]);
    vector_free(sets);
}

/* ---------------------------------------------------------------- Reduced graph */

struct reduced {
    const struct dag *dag;
    uint32_t *to;    /* target of each reduced edge; the index is its first edge */
    uint32_t *twin;  /* first edge of the other arm, or NONE */
    bool *inner;     /* whether each vertex has become part of an arm */
    bool *is_second; /* whether each edge begins a second arm, which the first arm represents */
};

#define NONE UINT32_MAX

static uint32_t out_degree(const struct dag *dag, uint32_t v)
{
    return dag->out_first[v + 1] - dag->out_first[v];
}

static uint32_t in_degree(const struct dag *dag, uint32_t v)
{
    return dag->in_first[v + 1] - dag->in_first[v];
}

static bool is_straight(const struct dag *dag, uint32_t v)
{
    return v != dag->exit && v != dag->entry && in_degree(dag, v) == 1 && out_degree(dag, v) == 1;
}

static uint32_t arm_end(const struct dag *dag, uint32_t e)
{
    uint32_t v = dag->edges.at[e].to;
    while (is_straight(dag, v))
        v = dag->edges.at[dag->out[dag->out_first[v]]].to;
    return v;
}

static void hide_arm(struct reduced *reduced, uint32_t e)
{
    const struct dag *dag = reduced->dag;
    uint32_t v = dag->edges.at[e].to;
    for (; is_straight(dag, v); v = dag->edges.at[dag->out[dag->out_first[v]]].to)
        reduced->inner[v] = true;
}

static void reduced_make(struct reduced *reduced, const struct dag *dag)
{
    size_t edges = dag->edges.count + 1;
    *reduced = (struct reduced){
        .dag = dag,
        .to = memory_get_zeroed(edges, sizeof(uint32_t)),
        .twin = memory_get_zeroed(edges, sizeof(uint32_t)),
        .inner = memory_get_zeroed(dag->vertex_count, 1),
        .is_second = memory_get_zeroed(edges, 1),
    };
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        reduced->to[e] = dag->edges.at[e].to;
        reduced->twin[e] = NONE;
    }
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        if (out_degree(dag, v) != 2)
            continue;
        uint32_t a = dag->out[dag->out_first[v]], b = dag->out[dag->out_first[v] + 1];
        uint32_t end = arm_end(dag, a);
        if (end != arm_end(dag, b))
            continue;
        hide_arm(reduced, a);
        hide_arm(reduced, b);
        reduced->to[a] = end;
        reduced->twin[a] = b;
        reduced->is_second[b] = true;
    }
}

static void reduced_free(struct reduced *reduced)
{
    free(reduced->to);
    free(reduced->twin);
    free(reduced->inner);
    free(reduced->is_second);
}

static void mark_arm(const struct dag *dag, uint32_t e, uint32_t end, bool *set)
{
    set[e] = true;
    for (uint32_t v = dag->edges.at[e].to; v != end; v = dag->edges.at[e].to) {
        e = dag->out[dag->out_first[v]];
        set[e] = true;
    }
}

static void mark_original(const struct reduced *reduced, uint32_t e, bool *set)
{
    mark_arm(reduced->dag, e, reduced->to[e], set);
    if (reduced->twin[e] != NONE)
        mark_arm(reduced->dag, reduced->twin[e], reduced->to[e], set);
}

/* ---------------------------------------------------------------- Prefixes */

/* A path of the reduced graph from ENTRY, as a list from its last edge backwards. */
struct prefix {
    size_t before; /* index of the prefix that this prefix extends; NO_PREFIX: the empty prefix */
    uint32_t edge, vertex;
};

#define NO_PREFIX SIZE_MAX

struct growth {
    const struct reduced *reduced;
    VECTOR(struct prefix) prefixes;
    VECTOR(size_t) * at; /* prefixes that end at each vertex */
    bool *covered;       /* whether each reduced edge has extended all prefixes at its start */
};

/* Extends all prefixes that end at vertex v by the edge e. */
static void extend(struct growth *growth, uint32_t v, uint32_t e)
{
    uint32_t w = growth->reduced->to[e];
    growth->covered[e] = true;
    for (size_t i = 0; i < growth->at[v].count; i++) {
        struct prefix longer = {growth->at[v].at[i], e, w};
        vector_push(&growth->prefixes, longer);
        vector_push(&growth->at[w], growth->prefixes.count - 1);
    }
}

/* Extends prefixes until at least `threshold` prefixes exist that are not themselves extended. */
static void grow(struct growth *growth, uint64_t threshold)
{
    const struct dag *dag = growth->reduced->dag;
    uint64_t total = 1;
    vector_push(&growth->at[dag->entry], NO_PREFIX);
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        if (v == dag->exit || growth->reduced->inner[v])
            continue;
        total -= growth->at[v].count;
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++) {
            if (growth->reduced->is_second[dag->out[j]])
                continue;
            extend(growth, v, dag->out[j]);
            total += growth->at[v].count;
            if (total >= threshold)
                return;
        }
    }
}

/* Adds to `set` all edges that can be reached from v. */
static void mark_reachable(const struct dag *dag, uint32_t v, bool *set)
{
    bool *reached = memory_get_zeroed(dag->vertex_count, 1);
    reached[v] = true;
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t u = dag->order[i];
        for (uint32_t j = dag->out_first[u]; reached[u] && j < dag->out_first[u + 1]; j++) {
            set[dag->out[j]] = true;
            reached[dag->edges.at[dag->out[j]].to] = true;
        }
    }
    free(reached);
}

/* Returns the set of a prefix that ends at v. The set has the prefix's edges, the uncovered edges
 * out of v, and all edges that can be reached from these. */
static bool *set_of(const struct growth *growth, uint32_t v, size_t prefix)
{
    const struct dag *dag = growth->reduced->dag;
    bool *set = memory_get_zeroed(dag->edges.count + 1, 1);
    for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++) {
        uint32_t e = dag->out[j];
        if (growth->reduced->is_second[e] || growth->covered[e])
            continue;
        mark_original(growth->reduced, e, set);
        mark_reachable(dag, growth->reduced->to[e], set);
    }
    for (; prefix != NO_PREFIX; prefix = growth->prefixes.at[prefix].before)
        mark_original(growth->reduced, growth->prefixes.at[prefix].edge, set);
    return set;
}

static bool is_open(const struct growth *growth, uint32_t v)
{
    const struct dag *dag = growth->reduced->dag;
    for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++)
        if (!growth->reduced->is_second[dag->out[j]] && !growth->covered[dag->out[j]])
            return true;
    return v == dag->exit;
}

void partition_reduced(const struct dag *dag, uint32_t copies, edge_sets *sets)
{
    uint32_t starts = out_degree(dag, dag->entry);
    uint64_t threshold = starts > copies ? starts : copies;
    struct reduced reduced;
    reduced_make(&reduced, dag);
    struct growth growth = {
        .reduced = &reduced,
        .at = memory_get_zeroed(dag->vertex_count, sizeof *growth.at),
        .covered = memory_get_zeroed(dag->edges.count + 1, 1),
    };
    if (threshold * dag->edges.count > most_set_bytes)
        threshold = 1;
    grow(&growth, threshold);
    for (uint32_t i = 0; threshold > 1 && i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        for (size_t j = 0; !reduced.inner[v] && is_open(&growth, v) && j < growth.at[v].count; j++)
            vector_push(sets, set_of(&growth, v, growth.at[v].at[j]));
    }
    for (uint32_t v = 0; v < dag->vertex_count; v++)
        vector_free(&growth.at[v]);
    free(growth.at);
    free(growth.covered);
    vector_free(&growth.prefixes);
    reduced_free(&reduced);
}

/* ---------------------------------------------------------------- Through or round an edge */

bool partition_split(const struct dag *dag, const bool *set, uint32_t edge, bool *through,
                     bool *avoiding)
{
    /* vertices from which the edge's start can be reached */
    bool *before = memory_get_zeroed(dag->vertex_count, 1);
    /* vertices that can be reached from the edge's end */
    bool *behind = memory_get_zeroed(dag->vertex_count, 1);
    before[dag->edges.at[edge].from] = true;
    behind[dag->edges.at[edge].to] = true;
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        for (uint32_t j = dag->out_first[v]; behind[v] && j < dag->out_first[v + 1]; j++)
            behind[dag->edges.at[dag->out[j]].to] |= set[dag->out[j]];
    }
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++)
            before[v] |= set[dag->out[j]] && before[dag->edges.at[dag->out[j]].to];
    }
    bool some_through = false, some_avoiding = false;
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        through[e] =
            set[e] && (e == edge || before[dag->edges.at[e].to] || behind[dag->edges.at[e].from]);
        avoiding[e] = set[e] && e != edge;
    }
    dag_mark_paths(dag, through, through);
    dag_mark_paths(dag, avoiding, avoiding);
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        some_through |= through[e];
        some_avoiding |= avoiding[e];
    }
    free(before);
    free(behind);
    return some_through && some_avoiding;
}
