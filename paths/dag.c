/* The acyclic graph of a procedure; the paths from ENTRY to EXIT are profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/dag.h"

#include <string.h>

/* ---------------------------------------------------------------- Adjacency */

static void index_by(const struct dag *dag, bool outgoing, uint32_t **first, uint32_t **list)
{
    uint32_t *start = memory_get_zeroed(dag->vertex_count + 2, sizeof *start);
    uint32_t *edges = memory_get_zeroed(dag->edges.count + 1, sizeof *edges);
    for (size_t e = 0; e < dag->edges.count; e++)
        start[(outgoing ? dag->edges.at[e].from : dag->edges.at[e].to) + 2]++;
    for (uint32_t v = 2; v < dag->vertex_count + 2; v++)
        start[v] += start[v - 1];
    for (uint32_t e = 0; e < dag->edges.count; e++)
        edges[start[(outgoing ? dag->edges.at[e].from : dag->edges.at[e].to) + 1]++] = e;
    *first = start;
    *list = edges;
}

static void index_edges(struct dag *dag)
{
    free(dag->out_first);
    free(dag->out);
    free(dag->in_first);
    free(dag->in);
    index_by(dag, true, &dag->out_first, &dag->out);
    index_by(dag, false, &dag->in_first, &dag->in);
}

/* ---------------------------------------------------------------- Depth-first search */

enum search_state { UNSEEN, OPEN, DONE };

struct search {
    uint32_t *stack, *next; /* `next`: position among the edges of the vertex */
    uint8_t *state;
    uint32_t depth;
};

static struct search search_start(uint32_t vertex_count)
{
    return (struct search){
        .stack = memory_get_zeroed(vertex_count + 1, sizeof(uint32_t)),
        .next = memory_get_zeroed(vertex_count + 1, sizeof(uint32_t)),
        .state = memory_get_zeroed(vertex_count + 1, 1),
    };
}

static void search_enter(struct search *search, uint32_t v)
{
    search->state[v] = OPEN;
    search->stack[search->depth++] = v;
}

static void search_free(struct search *search)
{
    free(search->stack);
    free(search->next);
    free(search->state);
}

/* Sets reached[v] if a search reaches v; sets back[e] for cuts, and for edges to a vertex on the
 * search's stack. Cuts are not edges of the dag: a new path starts after a cut. */
static void find_back_edges(const struct graph *graph, bool *back, bool *reached)
{
    uint32_t count = (uint32_t)graph->blocks.count;
    struct dag shape = {.vertex_count = count};
    for (uint32_t e = 0; e < graph->edges.count; e++) {
        struct dag_edge edge = {graph->edges.at[e].from, graph->edges.at[e].to, DAG_FLOW, e};
        vector_push(&shape.edges, edge);
    }
    index_edges(&shape);
    struct search search = search_start(count);
    search_enter(&search, 0);
    while (search.depth) {
        uint32_t v = search.stack[search.depth - 1];
        uint32_t position = shape.out_first[v] + search.next[v]++;
        if (position >= shape.out_first[v + 1]) {
            search.state[v] = DONE;
            search.depth--;
            continue;
        }
        uint32_t e = shape.out[position], w = graph->edges.at[e].to;
        back[e] = graph->edges.at[e].cut || search.state[w] == OPEN;
        if (search.state[w] == UNSEEN)
            search_enter(&search, w);
    }
    for (uint32_t v = 0; v < count; v++)
        reached[v] = search.state[v] == DONE;
    search_free(&search);
    dag_free(&shape);
}

/* Sorts the vertices in the reverse of the order in which a search from ENTRY finishes them. */
static void sort_vertices(struct dag *dag)
{
    struct search search = search_start(dag->vertex_count);
    uint32_t *done = memory_get_zeroed(dag->vertex_count, sizeof *done), count = 0;
    search_enter(&search, dag->entry);
    while (search.depth) {
        uint32_t v = search.stack[search.depth - 1];
        uint32_t position = dag->out_first[v] + search.next[v]++;
        if (position >= dag->out_first[v + 1]) {
            search.state[v] = DONE;
            search.depth--;
            done[count++] = v;
        } else if (search.state[dag->edges.at[dag->out[position]].to] == UNSEEN) {
            search_enter(&search, dag->edges.at[dag->out[position]].to);
        }
    }
    search_free(&search);
    free(dag->order);
    dag->order = memory_get_zeroed(dag->vertex_count, sizeof *dag->order);
    dag->order_count = count;
    for (uint32_t i = 0; i < count; i++)
        dag->order[i] = done[count - 1 - i];
    /* EXIT has no successors, so it may be last in topological order; it is moved to the end. */
    for (uint32_t i = 0; i + 1 < count; i++)
        if (dag->order[i] == dag->exit) {
            memmove(dag->order + i, dag->order + i + 1, (count - 1 - i) * sizeof *dag->order);
            dag->order[count - 1] = dag->exit;
        }
    free(done);
}

/* ---------------------------------------------------------------- Construction */

static void add_edge(struct dag *dag, uint32_t from, uint32_t to, enum dag_kind kind,
                     uint32_t origin)
{
    struct dag_edge edge = {from, to, kind, origin};
    vector_push(&dag->edges, edge);
}

static void add_restart(struct dag *dag, bool *restarts, uint32_t block)
{
    if (!restarts[block])
        add_edge(dag, dag->entry, block, DAG_RESTART, block);
    restarts[block] = true;
}

static void make_uncut(struct dag *dag, const struct graph *graph, bool *restarts)
{
    uint32_t count = (uint32_t)graph->blocks.count;
    bool *back = memory_get_zeroed(graph->edges.count + 1, 1);
    bool *reached = memory_get_zeroed(count, 1);
    bool *has_successor = memory_get_zeroed(count, 1);
    *dag = (struct dag){.vertex_count = count + 2, .entry = count, .exit = count + 1};
    find_back_edges(graph, back, reached);
    add_edge(dag, dag->entry, 0, DAG_ENTER, 0);
    for (uint32_t e = 0; e < graph->edges.count; e++) {
        const struct graph_edge *edge = &graph->edges.at[e];
        has_successor[edge->from] = true;
        if (!reached[edge->from])
            continue;
        if (!back[e]) {
            add_edge(dag, edge->from, edge->to, DAG_FLOW, e);
            continue;
        }
        add_edge(dag, edge->from, dag->exit, DAG_BREAK, e);
        add_restart(dag, restarts, edge->to);
    }
    for (uint32_t b = 0; b < count; b++)
        if (reached[b] && !has_successor[b])
            add_edge(dag, b, dag->exit, DAG_RETURN, b);
    index_edges(dag);
    sort_vertices(dag);
    free(back);
    free(reached);
    free(has_successor);
}

static uint64_t sum_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t count_suffixes(const struct dag *dag, uint32_t v)
{
    uint64_t sum = 0;
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1]; i++)
        sum = sum_saturated(sum, dag->suffixes[dag->edges.at[dag->out[i]].to]);
    return sum;
}

static struct dag_edge *largest_flow(struct dag *dag, uint32_t v)
{
    struct dag_edge *largest = NULL;
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1]; i++) {
        struct dag_edge *edge = &dag->edges.at[dag->out[i]];
        if (edge->kind == DAG_FLOW && dag->suffixes[edge->to] > 1 &&
            (!largest || dag->suffixes[edge->to] > dag->suffixes[largest->to]))
            largest = edge;
    }
    return largest;
}

/* Counts the paths from every vertex to EXIT (`suffixes`), and cuts edges so that no block has more
 * such paths than the limit. */
static void cut_edges(struct dag *dag, bool *restarts, uint64_t limit)
{
    uint32_t edges_before = (uint32_t)dag->edges.count;
    VECTOR(uint32_t) heads = {0};
    dag->suffixes = memory_get_zeroed(dag->vertex_count, sizeof *dag->suffixes);
    dag->suffixes[dag->exit] = 1;
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        if (v == dag->exit || v == dag->entry)
            continue;
        struct dag_edge *largest;
        while (count_suffixes(dag, v) > limit && (largest = largest_flow(dag, v))) {
            vector_push(&heads, largest->to);
            largest->to = dag->exit;
            largest->kind = DAG_BREAK;
            dag->cuts++;
        }
        dag->suffixes[v] = count_suffixes(dag, v);
    }
    for (size_t i = 0; i < heads.count; i++)
        add_restart(dag, restarts, heads.at[i]);
    if (heads.count || edges_before != dag->edges.count) {
        index_edges(dag);
        sort_vertices(dag);
    }
    dag->suffixes[dag->entry] = count_suffixes(dag, dag->entry);
    vector_free(&heads);
}

bool dag_make(struct dag *dag, const struct graph *graph, uint64_t limit)
{
    /* The edges out of ENTRY cannot be cut. If too many paths begin with these edges, the limit for
     * blocks is lowered. */
    for (uint64_t block_limit = limit; block_limit; block_limit /= 4) {
        bool *restarts = memory_get_zeroed(graph->blocks.count, 1);
        make_uncut(dag, graph, restarts);
        cut_edges(dag, restarts, block_limit);
        free(restarts);
        if (dag->suffixes[dag->entry] <= limit)
            return true;
        dag_free(dag);
    }
    return false;
}

void dag_make_plain(struct dag *dag, uint32_t vertex_count, uint32_t entry, uint32_t exit,
                    const uint32_t (*edges)[2], uint32_t edge_count)
{
    *dag = (struct dag){.vertex_count = vertex_count, .entry = entry, .exit = exit};
    for (uint32_t e = 0; e < edge_count; e++)
        add_edge(dag, edges[e][0], edges[e][1], DAG_FLOW, e);
    index_edges(dag);
    sort_vertices(dag);
    dag->suffixes = memory_get_zeroed(vertex_count, sizeof *dag->suffixes);
    dag->suffixes[exit] = 1;
    for (uint32_t i = dag->order_count; i-- > 0;)
        if (dag->order[i] != exit)
            dag->suffixes[dag->order[i]] = count_suffixes(dag, dag->order[i]);
}

void dag_free(struct dag *dag)
{
    vector_free(&dag->edges);
    free(dag->order);
    free(dag->out_first);
    free(dag->out);
    free(dag->in_first);
    free(dag->in);
    free(dag->suffixes);
    *dag = (struct dag){0};
}

/* ---------------------------------------------------------------- Sets of paths */

void dag_mark_paths(const struct dag *dag, const bool *among, bool *marked)
{
    bool *from_entry = memory_get_zeroed(dag->vertex_count, 1);
    bool *to_exit = memory_get_zeroed(dag->vertex_count, 1);
    from_entry[dag->entry] = true;
    to_exit[dag->exit] = true;
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++)
            if (from_entry[v] && (!among || among[dag->out[j]]))
                from_entry[dag->edges.at[dag->out[j]].to] = true;
    }
    for (uint32_t i = dag->order_count; i-- > 0;) {
        uint32_t v = dag->order[i];
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++)
            if ((!among || among[dag->out[j]]) && to_exit[dag->edges.at[dag->out[j]].to])
                to_exit[v] = true;
    }
    for (uint32_t e = 0; e < dag->edges.count; e++)
        marked[e] = (!among || among[e]) && from_entry[dag->edges.at[e].from] &&
                    to_exit[dag->edges.at[e].to];
    free(from_entry);
    free(to_exit);
}
