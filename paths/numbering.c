/* Path numbers: Ball-Larus, selective path profiling (SPP) and its precise variant (PSPP).
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/numbering.h"

#include <string.h>

/* State of the first step, which visits the vertices backwards. */
struct labelling {
    const struct dag *dag;
    struct numbering *to;
    /* rank of each edge in SPP's arbitrary order; NULL: edges are sorted by decreasing `frequency`
     * or, if this is also NULL, by decreasing `least` */
    const uint32_t *rank;
    const uint64_t *frequency;
    uint64_t *least;  /* smallest id of an interesting suffix; UINT64_MAX if there is none */
    uint32_t *sorted; /* scratch space for the interesting edges of one vertex */
};

/* Returns whether edge a comes before edge b. */
static bool comes_before(const struct labelling *labelling, uint32_t a, uint32_t b)
{
    if (labelling->rank)
        return labelling->rank[a] < labelling->rank[b];
    if (labelling->frequency)
        return labelling->frequency[a] > labelling->frequency[b];
    return labelling->least[labelling->dag->edges.at[a].to] >
           labelling->least[labelling->dag->edges.at[b].to];
}

/* Merge sort, because switches may have thousands of edges, and equal edges must keep their
 * order. */
static void sort_edges(const struct labelling *labelling, uint32_t *edges, uint32_t count,
                       uint32_t *scratch)
{
    if (count < 2)
        return;
    uint32_t half = count / 2, left = 0, right = half, to = 0;
    sort_edges(labelling, edges, half, scratch);
    sort_edges(labelling, edges + half, count - half, scratch);
    memcpy(scratch, edges, count * sizeof *edges);
    while (left < half || right < count) {
        bool take_left = left < half && (right == count ||
                                         !comes_before(labelling, scratch[right], scratch[left]));
        edges[to++] = scratch[take_left ? left++ : right++];
    }
}

/* Labels the interesting edges of a vertex. The first label is the number of paths from the vertex
 * to EXIT that begin with an uninteresting edge. */
static void label_vertex(struct labelling *labelling, uint32_t v)
{
    const struct dag *dag = labelling->dag;
    uint64_t number = 0, least = UINT64_MAX;
    uint32_t count = 0;
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1]; i++) {
        uint32_t e = dag->out[i];
        if (labelling->to->interesting[e])
            labelling->sorted[count++] = e;
        else
            number += dag->suffixes[dag->edges.at[e].to];
    }
    sort_edges(labelling, labelling->sorted, count, labelling->sorted + count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = labelling->sorted[i], w = dag->edges.at[e].to;
        labelling->to->first[e] = number;
        if (labelling->least[w] != UINT64_MAX && labelling->least[w] + number < least)
            least = labelling->least[w] + number;
        number += dag->suffixes[w];
    }
    labelling->least[v] = least;
}

/* If an edge leads to a vertex with only one incoming edge, moves the edge's label to the vertex's
 * outgoing edges. */
static void push_labels(const struct dag *dag, int64_t *label)
{
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i];
        if (v == dag->exit || dag->in_first[v + 1] - dag->in_first[v] != 1)
            continue;
        uint32_t in = dag->in[dag->in_first[v]];
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++)
            label[dag->out[j]] += label[in];
        label[in] = 0;
    }
}

/* The parameters in which the numberings differ. */
struct style {
    const bool *interesting; /* whether each edge is interesting; NULL: all edges */
    const uint32_t *rank;
    const uint64_t *frequency;
    bool push;
};

static void make(struct numbering *numbering, const struct dag *dag, struct style style)
{
    size_t count = dag->edges.count;
    *numbering = (struct numbering){
        .interesting = memory_get_zeroed(count + 1, 1),
        .first = memory_get_zeroed(count + 1, sizeof(uint64_t)),
        .label = memory_get_zeroed(count + 1, sizeof(int64_t)),
    };
    for (size_t e = 0; e < count; e++)
        numbering->interesting[e] = !style.interesting || style.interesting[e];
    struct labelling labelling = {
        .dag = dag,
        .to = numbering,
        .rank = style.rank,
        .frequency = style.frequency,
        .least = memory_get_zeroed(dag->vertex_count, sizeof(uint64_t)),
        .sorted = memory_get_zeroed(2 * count + 1, sizeof(uint32_t)),
    };
    for (uint32_t i = dag->order_count; i-- > 0;)
        if (dag->order[i] != dag->exit)
            label_vertex(&labelling, dag->order[i]);
    for (size_t e = 0; e < count; e++)
        numbering->label[e] = (int64_t)numbering->first[e];
    if (style.push)
        push_labels(dag, numbering->label);
    for (size_t e = 0; e < count; e++)
        if (!numbering->interesting[e])
            numbering->label[e] = 0;
    free(labelling.least);
    free(labelling.sorted);
}

void numbering_ball_larus(struct numbering *numbering, const struct dag *dag)
{
    make(numbering, dag, (struct style){0});
}

void numbering_by_frequency(struct numbering *numbering, const struct dag *dag,
                            const uint64_t *frequency)
{
    make(numbering, dag, (struct style){.frequency = frequency});
}

void numbering_pspp(struct numbering *numbering, const struct dag *dag, const bool *interesting)
{
    make(numbering, dag, (struct style){.interesting = interesting, .push = true});
}

void numbering_spp(struct numbering *numbering, const struct dag *dag, const bool *interesting,
                   const uint32_t *rank)
{
    make(numbering, dag, (struct style){.interesting = interesting, .rank = rank, .push = true});
}

void numbering_free(struct numbering *numbering)
{
    free(numbering->interesting);
    free(numbering->first);
    free(numbering->label);
    *numbering = (struct numbering){0};
}

/* Finds the interesting edge out of v with the largest label that is at most `rest`. */
static bool step(const struct numbering *numbering, const struct dag *dag, uint32_t v,
                 uint64_t rest, uint32_t *edge)
{
    bool found = false;
    for (uint32_t i = dag->out_first[v]; i < dag->out_first[v + 1]; i++) {
        uint32_t e = dag->out[i];
        if (numbering->interesting[e] && numbering->first[e] <= rest &&
            (!found || numbering->first[e] > numbering->first[*edge])) {
            *edge = e;
            found = true;
        }
    }
    return found;
}

uint32_t numbering_decode(const struct numbering *numbering, const struct dag *dag, uint64_t id,
                          uint32_t *edges)
{
    uint32_t count = 0;
    for (uint32_t v = dag->entry; v != dag->exit; v = dag->edges.at[edges[count - 1]].to) {
        if (!step(numbering, dag, v, id, &edges[count]))
            return 0;
        id -= numbering->first[edges[count]];
        count++;
    }
    return id ? 0 : count;
}

uint64_t numbering_id(const struct numbering *numbering, const uint32_t *edges, uint32_t count)
{
    uint64_t id = 0;
    for (uint32_t i = 0; i < count; i++)
        id += numbering->first[edges[i]];
    return id;
}
