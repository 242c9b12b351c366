/* Property tests of path numbering, probe placement and partitions against enumerated paths.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The brute force lists every path of a small graph, and applies the definitions literally. Random
 * numbers come from a fixed seed, so a failure is repeated by running the test again.
 */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "paths/partition.h"
#include "paths/placement.h"
#include "paths/policy.h"

#define MOST_PATHS    400
#define MOST_VERTICES 12

static uint64_t seed = 88172645463325252u;

static uint32_t random_below(uint32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % bound);
}

/* ---------------------------------------------------------------- All paths of a graph */

struct path {
    uint32_t edges[MOST_VERTICES + 4];
    uint32_t count;
};

struct paths {
    struct path at[MOST_PATHS];
    uint32_t count;
    bool complete; /* whether the graph has at most MOST_PATHS paths */
};

static void collect(const struct dag *dag, uint32_t v, struct path *prefix, struct paths *paths)
{
    if (v == dag->exit) {
        if (paths->count == MOST_PATHS)
            paths->complete = false;
        else
            paths->at[paths->count++] = *prefix;
        return;
    }
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1] && paths->complete; i++) {
        prefix->edges[prefix->count++] = dag->out[i];
        collect(dag, dag->edges.at[dag->out[i]].to, prefix, paths);
        prefix->count--;
    }
}

static void list_paths(const struct dag *dag, struct paths *paths)
{
    struct path prefix = {.count = 0};
    paths->count = 0;
    paths->complete = true;
    collect(dag, dag->entry, &prefix, paths);
}

static bool is_within(const struct path *path, const bool *set)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (!set[path->edges[i]])
            return false;
    return true;
}

static void mark_path(const struct path *path, bool *set)
{
    for (uint32_t i = 0; i < path->count; i++)
        set[path->edges[i]] = true;
}

static int64_t sum_labels(const struct path *path, const int64_t *label)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < path->count; i++)
        sum += label[path->edges[i]];
    return sum;
}

/* The definition: every interesting path has a unique id. */
static bool is_valid(const struct paths *paths, const struct numbering *numbering)
{
    int64_t id[MOST_PATHS];
    for (uint32_t i = 0; i < paths->count; i++)
        id[i] = sum_labels(&paths->at[i], numbering->label);
    for (uint32_t i = 0; i < paths->count; i++)
        for (uint32_t j = 0; is_within(&paths->at[i], numbering->interesting) && j < paths->count;
             j++)
            if (i != j && id[i] == id[j])
                return false;
    return true;
}

/* ---------------------------------------------------------------- Random multi-DAGs */

/* Vertex 0 is ENTRY, the last one EXIT; every vertex is on some path. */
static void random_dag(struct dag *dag)
{
    uint32_t edges[3 * MOST_VERTICES][2], count = 0;
    uint32_t n = 3 + random_below(6), extra = random_below(9);
    for (uint32_t v = 0; v + 1 < n; v++) {
        edges[count][0] = v;
        edges[count++][1] = v + 1 + random_below(n - v - 1);
    }
    for (uint32_t v = 1; v < n; v++) {
        edges[count][0] = random_below(v);
        edges[count++][1] = v;
    }
    for (uint32_t i = 0; i < extra; i++) {
        edges[count][0] = random_below(n - 1);
        edges[count][1] = edges[count][0] + 1 + random_below(n - edges[count][0] - 1);
        count++;
    }
    dag_make_plain(dag, n, 0, n - 1, (const uint32_t(*)[2])edges, count);
}

static void random_paths_to_set(const struct paths *paths, bool *set, size_t edges)
{
    uint32_t odds = 1 + random_below(6);
    memset(set, 0, edges);
    for (uint32_t i = 0; i < paths->count; i++)
        if (random_below(odds) == 0)
            mark_path(&paths->at[i], set);
}

/* ---------------------------------------------------------------- Numbering */

static void check_decoding(const struct dag *dag, const struct paths *paths,
                           const struct numbering *numbering)
{
    uint32_t edges[MOST_VERTICES + 4];
    for (uint32_t i = 0; i < paths->count; i++) {
        const struct path *path = &paths->at[i];
        int64_t id = sum_labels(path, numbering->label);
        uint32_t count = numbering_decode(numbering, dag, (uint64_t)id, edges);
        assert_true(id >= 0 && (uint64_t)id < dag->suffixes[dag->entry]);
        if (!is_within(path, numbering->interesting)) {
            assert_int_equal(count, 0);
            continue;
        }
        assert_int_equal(count, path->count);
        assert_memory_equal(edges, path->edges, count * sizeof *edges);
        assert_int_equal(numbering_id(numbering, edges, count), (uint64_t)id);
    }
}

/* Runs the probes along every path; the resulting number must be the path's id. */
static void check_placement(const struct dag *dag, const struct paths *paths,
                            const struct numbering *numbering, const struct graph_block *blocks)
{
    uint64_t frequency[64];
    for (uint32_t e = 0; e < dag->edges.count; e++)
        frequency[e] = random_below(5) ? random_below(1000) : 0;
    for (int kind = PLACEMENT_AS_NUMBERED; kind <= PLACEMENT_BEST; kind++) {
        struct placement placement;
        placement_make(&placement, dag, numbering, frequency, blocks, kind);
        for (uint32_t i = 0; i < paths->count; i++) {
            const struct path *path = &paths->at[i];
            int64_t sum = 0, committed = -1;
            for (uint32_t j = 0; j < path->count; j++) {
                sum += placement.increment[path->edges[j]];
                if (!placement_commits(&placement, dag, numbering, path->edges[j]))
                    continue;
                assert_int_equal(committed, -1);
                committed = sum + placement.base;
            }
            if (is_within(path, numbering->interesting))
                assert_int_equal(committed, sum_labels(path, numbering->label));
            else if (committed >= 0)
                assert_int_equal(numbering_decode(numbering, dag, (uint64_t)committed,
                                                  (uint32_t[MOST_VERTICES + 4]){0}),
                                 0);
        }
        placement_free(&placement);
    }
}

static void pspp_is_valid_on_random_graphs(void **state)
{
    (void)state;
    static struct paths paths;
    bool set[64];
    struct graph_block blocks[MOST_VERTICES];
    unsigned spp_invalid = 0, trials = 0;
    while (trials < 120000) {
        struct dag dag;
        struct numbering pspp, spp;
        uint32_t rank[64];
        random_dag(&dag);
        list_paths(&dag, &paths);
        if (paths.complete) {
            trials++;
            random_paths_to_set(&paths, set, sizeof set);
            for (uint32_t e = 0; e < dag.edges.count; e++)
                rank[e] = random_below(1000);
            for (uint32_t v = 0; v < dag.vertex_count; v++)
                blocks[v] = (struct graph_block){.calls = random_below(3) == 0, .lines = ""};
            numbering_pspp(&pspp, &dag, set);
            numbering_spp(&spp, &dag, set, rank);
            assert_true(is_valid(&paths, &pspp));
            spp_invalid += !is_valid(&paths, &spp);
            check_decoding(&dag, &paths, &pspp);
            if (trials % 8 == 0)
                check_placement(&dag, &paths, &pspp, blocks);
            numbering_free(&pspp);
            numbering_free(&spp);
        }
        dag_free(&dag);
    }
    assert_in_range(spp_invalid, trials / 1000, trials / 5);
}

/* Every graph of 3 and 4 vertices with up to two edges between any two, and every set of paths. */
static void pspp_is_valid_on_all_small_graphs(void **state)
{
    (void)state;
    static struct paths paths;
    unsigned graphs = 0, sets = 0;
    for (uint32_t n = 3; n <= 4; n++) {
        uint32_t pairs = n * (n - 1) / 2, shapes = n == 3 ? 27 : 729;
        for (uint32_t shape = 0; shape < shapes; shape++) {
            uint32_t edges[16][2], count = 0, rest = shape;
            for (uint32_t pair = 0, u = 0, v = 1; pair < pairs; pair++, rest /= 3) {
                for (uint32_t i = 0; i < rest % 3; i++, count++) {
                    edges[count][0] = u;
                    edges[count][1] = v;
                }
                v = v + 1 < n ? v + 1 : ++u + 1;
            }
            struct dag dag;
            dag_make_plain(&dag, n, 0, n - 1, (const uint32_t(*)[2])edges, count);
            list_paths(&dag, &paths);
            bool useful[16], all_useful = paths.count > 0 && paths.count <= 12;
            dag_mark_paths(&dag, NULL, useful);
            for (uint32_t e = 0; e < count; e++)
                all_useful &= useful[e];
            graphs += all_useful;
            for (uint32_t chosen = 0; all_useful && chosen < 1u << paths.count; chosen++) {
                bool set[16] = {0};
                for (uint32_t i = 0; i < paths.count; i++)
                    if (chosen >> i & 1)
                        mark_path(&paths.at[i], set);
                struct numbering numbering;
                numbering_pspp(&numbering, &dag, set);
                assert_true(is_valid(&paths, &numbering));
                check_decoding(&dag, &paths, &numbering);
                numbering_free(&numbering);
                sets++;
            }
            dag_free(&dag);
        }
    }
    assert_true(graphs > 200 && sets > 10000);
}

static void smallest_failure_of_spp(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 2}};
    static const bool set[] = {true, true, true, false};
    static const uint32_t e1_first[] = {1, 0, 2, 3};
    static struct paths paths;
    struct dag dag;
    struct numbering spp, pspp;
    dag_make_plain(&dag, 3, 0, 2, edges, 4);
    list_paths(&dag, &paths);
    numbering_spp(&spp, &dag, set, e1_first);
    numbering_pspp(&pspp, &dag, set);
    assert_false(is_valid(&paths, &spp));
    assert_int_equal(spp.label[1], 0);                /* id(e1) */
    assert_int_equal(spp.label[0] + spp.label[3], 0); /* id(e0 e3) */
    assert_int_equal(pspp.label[0] + pspp.label[2], 1);
    assert_int_equal(pspp.label[1], 2);
    assert_int_equal(pspp.label[0] + pspp.label[3], 0);
    numbering_free(&spp);
    numbering_free(&pspp);
    dag_free(&dag);
}

static void pspp_of_all_edges_is_ball_larus(void **state)
{
    (void)state;
    static struct paths paths;
    for (int trial = 0; trial < 2000; trial++) {
        struct dag dag;
        struct numbering whole, ball_larus;
        random_dag(&dag);
        list_paths(&dag, &paths);
        numbering_pspp(&whole, &dag, NULL);
        numbering_ball_larus(&ball_larus, &dag);
        for (uint32_t i = 0; i < paths.count; i++)
            assert_int_equal(sum_labels(&paths.at[i], whole.label),
                             sum_labels(&paths.at[i], ball_larus.label));
        check_placement(&dag, &paths, &ball_larus, NULL);
        numbering_free(&whole);
        numbering_free(&ball_larus);
        dag_free(&dag);
    }
}

/* Whether the edges without increment connect all vertices, if ENTRY and EXIT are one vertex. */
static bool free_edges_connect(const struct dag *dag, const struct placement *placement)
{
    bool reached[MOST_VERTICES] = {false};
    reached[dag->entry] = reached[dag->exit] = true;
    for (uint32_t round = 0; round < dag->vertex_count; round++)
        for (uint32_t e = 0; e < dag->edges.count; e++) {
            const struct dag_edge *edge = &dag->edges.at[e];
            if (placement->increment[e] == 0 && (reached[edge->from] || reached[edge->to]))
                reached[edge->from] = reached[edge->to] = true;
        }
    for (uint32_t i = 0; i < dag->order_count; i++)
        if (!reached[dag->order[i]])
            return false;
    return true;
}

/* Event counting: a spanning tree has no increments, whatever the frequencies. */
static void a_spanning_tree_is_free(void **state)
{
    (void)state;
    uint64_t frequency[64];
    for (int trial = 0; trial < 5000; trial++) {
        struct dag dag;
        struct numbering numbering;
        struct placement placement;
        random_dag(&dag);
        for (uint32_t e = 0; e < dag.edges.count; e++)
            frequency[e] = random_below(1000);
        numbering_ball_larus(&numbering, &dag);
        placement_make(&placement, &dag, &numbering, frequency, NULL, PLACEMENT_TREE);
        assert_true(free_edges_connect(&dag, &placement));
        placement_free(&placement);
        numbering_free(&numbering);
        dag_free(&dag);
    }
}

/* Vertex 0 forks to 1 and 2, which lead to 3. The path is counted after the fork, unless a call
 * follows. */
static void commits_wait_for_calls(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    static const uint64_t frequency[] = {1, 1, 1, 1, 2};
    for (int calling = 1; calling < 5; calling++) {
        struct graph_block blocks[5] = {0};
        struct dag dag;
        struct numbering numbering;
        struct placement placement;
        blocks[calling].calls = true; /* 4 is EXIT, which makes no calls */
        dag_make_plain(&dag, 5, 0, 4, edges, 5);
        numbering_ball_larus(&numbering, &dag);
        placement_make(&placement, &dag, &numbering, frequency, blocks, PLACEMENT_BEST);
        assert_int_equal(placement.stop[1], calling != 1 && calling != 3);
        assert_int_equal(placement.stop[2], calling != 2 && calling != 3);
        assert_int_equal(placement.stop[3], calling != 3);
        placement_free(&placement);
        numbering_free(&numbering);
        dag_free(&dag);
    }
}

/* ---------------------------------------------------------------- Partitions */

static void check_coverage(const struct paths *paths, const edge_sets *sets)
{
    for (uint32_t i = 0; i < paths->count; i++) {
        bool covered = sets->count == 0;
        for (size_t j = 0; j < sets->count; j++)
            covered |= is_within(&paths->at[i], sets->at[j]);
        assert_true(covered);
    }
}

/* A set's edges must all lie on paths of the set. */
static void check_trimmed(const struct dag *dag, const bool *set)
{
    bool marked[64];
    dag_mark_paths(dag, set, marked);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        assert_int_equal(marked[e], set[e]);
}

static void reduced_partitions_lose_no_path(void **state)
{
    (void)state;
    static struct paths paths;
    unsigned partitioned = 0;
    for (int trial = 0; trial < 50000; trial++) {
        struct dag dag;
        edge_sets sets = {0};
        random_dag(&dag);
        list_paths(&dag, &paths);
        uint32_t copies = 1 + random_below(9);
        uint32_t starts = dag.out_first[dag.entry + 1] - dag.out_first[dag.entry];
        partition_reduced(&dag, copies, &sets);
        check_coverage(&paths, &sets);
        assert_in_range(sets.count, 0, 3 * (starts > copies ? starts : copies));
        for (size_t i = 0; i < sets.count; i++)
            check_trimmed(&dag, sets.at[i]);
        partitioned += sets.count > 1;
        edge_sets_free(&sets);
        dag_free(&dag);
    }
    assert_true(partitioned > 10000);
}

static void the_threshold_waits_for_all_prefixes(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 2}, {1, 2}, {0, 1}, {1, 2}, {0, 1}};
    static struct paths paths;
    struct dag dag;
    edge_sets sets = {0};
    dag_make_plain(&dag, 3, 0, 2, edges, 5);
    list_paths(&dag, &paths);
    assert_int_equal(paths.count, 5);
    partition_reduced(&dag, 4, &sets);
    check_coverage(&paths, &sets);
    edge_sets_free(&sets);
    dag_free(&dag);
}

/* 0 and 3 fork to two blocks each: two diamonds that share vertex 3 stay one set. */
static void diamonds_are_not_divided(void **state)
{
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3},
                                        {3, 4}, {3, 5}, {4, 6}, {5, 6}};
    struct dag dag;
    edge_sets sets = {0};
    dag_make_plain(&dag, 7, 0, 6, edges, 8);
    partition_reduced(&dag, 4, &sets);
    assert_int_equal(sets.count, 1);
    edge_sets_free(&sets);
    dag_free(&dag);
}

/* Repeated splits: the parts are always closed and disjoint, and no path is lost. */
static void splits_are_exact(void **state)
{
    (void)state;
    static struct paths paths;
    bool set[3][64];
    for (int trial = 0; trial < 50000; trial++) {
        struct dag dag;
        random_dag(&dag);
        list_paths(&dag, &paths);
        memset(set[0], true, sizeof set[0]);
        for (int depth = 0; depth < 4; depth++) {
            uint32_t edge = random_below((uint32_t)dag.edges.count);
            if (!set[0][edge] || !partition_split(&dag, set[0], edge, set[1], set[2]))
                continue;
            for (uint32_t i = 0; i < paths.count; i++) {
                bool through = false;
                for (uint32_t j = 0; j < paths.at[i].count; j++)
                    through |= paths.at[i].edges[j] == edge;
                bool before = is_within(&paths.at[i], set[0]);
                assert_int_equal(is_within(&paths.at[i], set[1]), before && through);
                assert_int_equal(is_within(&paths.at[i], set[2]), before && !through);
            }
            memcpy(set[0], set[1 + random_below(2)], sizeof set[0]);
        }
        dag_free(&dag);
    }
}

/* ---------------------------------------------------------------- Whole programs */

static void random_graph(struct graph *graph)
{
    uint32_t n = 1 + random_below(9), edges = random_below(2 * n + 1);
    *graph = (struct graph){.name = "f", .skipped = "", .call_sites = random_below(3)};
    for (uint32_t b = 0; b < n; b++) {
        struct graph_block block = {.calls = random_below(3) == 0, .lines = ""};
        vector_push(&graph->blocks, block);
    }
    for (uint32_t e = 0; e < edges && n > 1; e++) {
        struct graph_edge edge = {random_below(n), 1 + random_below(n - 1), random_below(10) == 0};
        vector_push(&graph->edges, edge);
    }
}

static void graph_free(struct graph *graph)
{
    vector_free(&graph->blocks);
    vector_free(&graph->edges);
}

static uint32_t dag_edge_of(const struct dag *dag, enum dag_kind kind, uint32_t origin)
{
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == kind && dag->edges.at[e].origin == origin)
            return e;
    return UINT32_MAX;
}

/* Walks through the graph at random and passes every completed path to `take`. */
static void walk(const struct graph *graph, const struct dag *dag,
                 void (*take)(const struct dag *, const struct path *, void *), void *context)
{
    struct path path = {.edges = {dag_edge_of(dag, DAG_ENTER, 0)}, .count = 1};
    uint32_t block = 0;
    for (int steps = 0; steps < 60; steps++) {
        uint32_t choices[64], count = 0;
        for (uint32_t e = 0; e < graph->edges.count; e++)
            if (graph->edges.at[e].from == block)
                choices[count++] = e;
        if (!count) {
            path.edges[path.count++] = dag_edge_of(dag, DAG_RETURN, block);
            take(dag, &path, context);
            return;
        }
        uint32_t taken = choices[random_below(count)], e = dag_edge_of(dag, DAG_FLOW, taken);
        block = graph->edges.at[taken].to;
        if (e == UINT32_MAX) {
            path.edges[path.count++] = dag_edge_of(dag, DAG_BREAK, taken);
            take(dag, &path, context);
            path.count = 0;
            e = dag_edge_of(dag, DAG_RESTART, block);
        }
        assert_true(e != UINT32_MAX && path.count < MOST_VERTICES);
        path.edges[path.count++] = e;
    }
}

/* A completed path leads from ENTRY to EXIT, and its number identifies it. */
static void check_walked(const struct dag *dag, const struct path *path, void *context)
{
    const struct numbering *numbering = context;
    uint32_t edges[MOST_VERTICES + 4], v = dag->entry;
    for (uint32_t i = 0; i < path->count; i++) {
        assert_int_equal(dag->edges.at[path->edges[i]].from, v);
        v = dag->edges.at[path->edges[i]].to;
    }
    assert_int_equal(v, dag->exit);
    uint64_t id = numbering_id(numbering, path->edges, path->count);
    assert_int_equal(numbering_decode(numbering, dag, id, edges), path->count);
    assert_memory_equal(edges, path->edges, path->count * sizeof *edges);
}

/* Irreducible loops, several edges between two blocks, unreachable blocks, endless loops, cuts. */
static void every_walk_is_a_sequence_of_paths(void **state)
{
    (void)state;
    unsigned cuts = 0;
    for (int trial = 0; trial < 60000; trial++) {
        struct graph graph;
        struct dag dag;
        struct numbering numbering;
        uint64_t limit = trial % 2 ? DAG_DEFAULT_LIMIT : 4 + random_below(20);
        random_graph(&graph);
        if (dag_make(&dag, &graph, limit)) {
            assert_true(dag.suffixes[dag.entry] <= limit);
            cuts += dag.cuts;
            numbering_ball_larus(&numbering, &dag);
            for (int i = 0; i < 4; i++)
                walk(&graph, &dag, check_walked, &numbering);
            numbering_free(&numbering);
            dag_free(&dag);
        } else {
            assert_true(limit < DAG_DEFAULT_LIMIT);
        }
        graph_free(&graph);
    }
    assert_true(cuts > 1000);
}

/* n diamonds in a row: 2^n paths. Block 3i has two ways, 3i + 1 and 3i + 2, to block 3i + 3. */
static void diamonds(struct graph *graph, uint32_t n)
{
    *graph = (struct graph){.name = "f", .skipped = ""};
    for (uint32_t b = 0; b <= 3 * n; b++) {
        struct graph_block block = {.lines = ""};
        vector_push(&graph->blocks, block);
    }
    for (uint32_t b = 0; b < 3 * n; b += 3)
        for (uint32_t side = 1; side <= 2; side++) {
            struct graph_edge there = {b, b + side, false}, back = {b + side, b + 3, false};
            vector_push(&graph->edges, there);
            vector_push(&graph->edges, back);
        }
}

/* The probes on a random path compute its id, and decoding the id gives the path again. */
static void check_random_path(const struct dag *dag, const struct numbering *numbering,
                              const struct placement *placement)
{
    uint32_t path[512], found[512], count = 0;
    uint64_t sum = (uint64_t)placement->base, committed = UINT64_MAX, id;
    for (uint32_t v = dag->entry; v != dag->exit; v = dag->edges.at[path[count++]].to) {
        uint32_t first = dag->out_first[v], ways = dag->out_first[v + 1] - first;
        path[count] = dag->out[first + random_below(ways)];
        sum += (uint64_t)placement->increment[path[count]];
        if (placement_commits(placement, dag, numbering, path[count]))
            committed = sum;
    }
    id = numbering_id(numbering, path, count);
    assert_true(id < dag->suffixes[dag->entry]);
    assert_true(committed == id);
    assert_int_equal(numbering_decode(numbering, dag, id, found), count);
    assert_memory_equal(found, path, count * sizeof *found);
}

static void ids_have_62_bits(void **state)
{
    (void)state;
    uint64_t frequency[1024];
    for (int trial = 0; trial < 300; trial++) {
        struct graph graph;
        struct dag dag;
        uint32_t n = 50 + random_below(50);
        diamonds(&graph, n);
        assert_true(dag_make(&dag, &graph, DAG_DEFAULT_LIMIT));
        assert_true(n > 62 ? dag.cuts > 0 : dag.suffixes[dag.entry] == UINT64_C(1) << n);
        for (uint32_t e = 0; e < dag.edges.count; e++)
            frequency[e] = random_below(1000);
        for (int kind = PLACEMENT_AS_NUMBERED; kind <= PLACEMENT_BEST; kind++) {
            struct numbering numbering;
            struct placement placement;
            numbering_by_frequency(&numbering, &dag, frequency);
            placement_make(&placement, &dag, &numbering, frequency, graph.blocks.at, kind);
            for (int i = 0; i < 10; i++)
                check_random_path(&dag, &numbering, &placement);
            numbering_free(&numbering);
            placement_free(&placement);
        }
        dag_free(&dag);
        graph_free(&graph);
    }
}

/* Under every policy, each path is counted by some copy, and all copies that count it agree about
 * its id. */
static void policies_lose_no_path(void **state)
{
    (void)state;
    static struct paths paths;
    unsigned divided = 0;
    for (int trial = 0; trial < 6000; trial++) {
        struct graph_program program = {.module = "test"};
        for (int i = 0; i < 3; i++) {
            struct graph graph;
            random_graph(&graph);
            vector_push(&program.procedures, graph);
        }
        struct subject *subjects = subjects_make(&program, NULL, 1000);
        for (int policy = 0; policy < POLICY_COUNT; policy++) {
            struct distribution distribution;
            uint32_t copies = policy == POLICY_SBL ? 1 : 1 + random_below(5);
            policy_distribute(&distribution, subjects, 3, policy, copies);
            for (uint32_t p = 0; p < 3; p++) {
                if (subjects[p].skipped)
                    continue;
                divided += distribution.partitioned[p] > 1;
                list_paths(&subjects[p].dag, &paths);
                for (uint32_t i = 0; i < paths.count; i++) {
                    unsigned counted = 0;
                    for (uint32_t c = 0; c < copies; c++) {
                        const struct part *part = &distribution.parts[c * 3 + p];
                        counted +=
                            part->used && is_within(&paths.at[i], part->numbering.interesting);
                    }
                    assert_true(counted >= 1);
                }
            }
            distribution_free(&distribution);
        }
        subjects_free(subjects, 3);
        program.module = NULL;
        graph_program_free(&program);
    }
    assert_true(divided > 1000);
}

#define TRAINED 5

/* Procedures with the same graph; the first TRAINED ones ran in training with the given counts, and
 * the others never ran. */
static void trained_program(struct graph_program *program, struct edge_profile *profile,
                            uint32_t procedures)
{
    static const uint64_t entries[TRAINED] = {160000, 80000, 40000, 20000, 20000};
    *program = (struct graph_program){.module = "test"};
    for (uint32_t p = 0; p < procedures; p++) {
        struct graph graph;
        diamonds(&graph, 4);
        vector_push(&program->procedures, graph);
    }
    edge_profile_make(profile, program);
    for (uint32_t p = 0; p < TRAINED; p++) {
        profile->procedures[p].entries = entries[p];
        for (size_t e = 0; e < program->procedures.at[p].edges.count; e++)
            profile->procedures[p].edges[e] = entries[p] / 2;
    }
}

/* Another input may differ completely from the training input, so untrained procedures must not all
 * be in one copy. */
static void what_training_did_not_run_is_divided(void **state)
{
    (void)state;
    const uint32_t procedures = TRAINED + 12;
    for (uint32_t copies = 2; copies <= 4; copies++)
        for (int policy = POLICY_PBL; policy <= POLICY_HITS; policy += POLICY_HITS - POLICY_PBL) {
            struct graph_program program;
            struct edge_profile profile;
            struct distribution distribution;
            trained_program(&program, &profile, procedures);
            struct subject *subjects = subjects_make(&program, &profile, DAG_DEFAULT_LIMIT);
            policy_distribute(&distribution, subjects, procedures, policy, copies);
            for (uint32_t c = 0; c < copies; c++) {
                uint32_t untrained = 0;
                for (uint32_t p = TRAINED; p < procedures; p++)
                    untrained += distribution.parts[c * procedures + p].used;
                assert_int_equal(untrained, 12 / copies);
            }
            distribution_free(&distribution);
            subjects_free(subjects, procedures);
            edge_profile_free(&profile);
            program.module = NULL;
            graph_program_free(&program);
        }
}

/* Divides whole procedures by the hits in a profile: the first procedure against all others. */
static void procedures_are_divided_by_hits(void **state)
{
    (void)state;
    struct graph_program program;
    struct edge_profile profile;
    struct distribution distribution;
    trained_program(&program, &profile, TRAINED);
    struct subject *subjects = subjects_make(&program, &profile, DAG_DEFAULT_LIMIT);
    policy_distribute(&distribution, subjects, TRAINED, POLICY_PBL, 2);
    for (uint32_t p = 0; p < TRAINED; p++)
        assert_int_equal(distribution.parts[p].used, p == 0);
    distribution_free(&distribution);
    subjects_free(subjects, TRAINED);
    edge_profile_free(&profile);
    program.module = NULL;
    graph_program_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_failure_of_spp),
        cmocka_unit_test(pspp_is_valid_on_all_small_graphs),
        cmocka_unit_test(pspp_is_valid_on_random_graphs),
        cmocka_unit_test(pspp_of_all_edges_is_ball_larus),
        cmocka_unit_test(a_spanning_tree_is_free),
        cmocka_unit_test(commits_wait_for_calls),
        cmocka_unit_test(reduced_partitions_lose_no_path),
        cmocka_unit_test(the_threshold_waits_for_all_prefixes),
        cmocka_unit_test(diamonds_are_not_divided),
        cmocka_unit_test(splits_are_exact),
        cmocka_unit_test(every_walk_is_a_sequence_of_paths),
        cmocka_unit_test(ids_have_62_bits),
        cmocka_unit_test(policies_lose_no_path),
        cmocka_unit_test(what_training_did_not_run_is_divided),
        cmocka_unit_test(procedures_are_divided_by_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
