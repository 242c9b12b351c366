/* Finds how often each edge of an acyclic graph is taken: measured in a training run, or estimated.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/frequency.h"

#include <string.h>

/* ---------------------------------------------------------------- Edge profiles */

void edge_profile_make(struct edge_profile *profile, const struct graph_program *program)
{
    profile->count = program->procedures.count;
    profile->procedures = memory_get_zeroed(profile->count + 1, sizeof *profile->procedures);
    for (size_t p = 0; p < profile->count; p++)
        profile->procedures[p].edges =
            memory_get_zeroed(program->procedures.at[p].edges.count + 1, sizeof(uint64_t));
}

void edge_profile_free(struct edge_profile *profile)
{
    for (size_t p = 0; p < profile->count; p++)
        free(profile->procedures[p].edges);
    free(profile->procedures);
    *profile = (struct edge_profile){0};
}

bool edge_profile_write(const struct edge_profile *profile, const struct graph_program *program,
                        const char *path, struct failure *why)
{
    struct record_output writer;
    record_output_start(&writer, "aprof-edges", 1);
    record_output_put(&writer, "module", "s", program->module);
    for (size_t p = 0; p < profile->count; p++) {
        const struct edge_counts *counts = &profile->procedures[p];
        if (!counts->entries)
            continue;
        record_output_put(&writer, "procedure", "uu", (uint64_t)p, counts->entries);
        for (size_t e = 0; e < program->procedures.at[p].edges.count; e++)
            if (counts->edges[e])
                record_output_put(&writer, "edge", "uu", (uint64_t)e, counts->edges[e]);
    }
    return record_output_finish(&writer, path, why);
}

/* Reads a record. `current` is the procedure to which the edges belong. */
static bool take_record(struct edge_profile *profile, const struct graph_program *program,
                        const struct record_file *file, uint64_t *current)
{
    uint64_t index, count;
    if (record_is(file, "procedure", 2, false) &&
        record_number(file, 0, profile->count - 1, current))
        return record_number(file, 1, UINT64_MAX, &profile->procedures[*current].entries);
    if (!record_is(file, "edge", 2, false) || *current >= profile->count ||
        !record_number(file, 0, UINT32_MAX, &index) || !record_number(file, 1, UINT64_MAX, &count))
        return false;
    if (index >= program->procedures.at[*current].edges.count)
        return false;
    profile->procedures[*current].edges[index] = count;
    return true;
}

bool edge_profile_read(struct edge_profile *profile, const struct graph_program *program,
                       const char *path, struct failure *why)
{
    struct record_file file;
    *profile = (struct edge_profile){0};
    if (!record_open(&file, path, "aprof-edges", 1, why))
        return false;
    bool fine = record_next(&file) && record_is(&file, "module", 1, false);
    if (!fine)
        record_fail(&file, "the module is missing", why);
    else if (!(fine = strcmp(file.fields.at[1], program->module) == 0))
        failure_set(why, "%s: edge profile of another program or build; measure it again", path);
    edge_profile_make(profile, program);
    uint64_t current = UINT64_MAX;
    while (fine && record_next(&file))
        if (!take_record(profile, program, &file, &current))
            fine = record_fail(&file, "unexpected record", why);
    record_close(&file);
    if (!fine)
        edge_profile_free(profile);
    return fine;
}

/* ---------------------------------------------------------------- Frequencies */

uint64_t *frequency_measured(const struct dag *dag, const struct graph *graph,
                             const struct edge_counts *counts)
{
    uint64_t *frequency = memory_get_zeroed(dag->edges.count + 1, sizeof *frequency);
    uint64_t *restarts = memory_get_zeroed(dag->vertex_count, sizeof *restarts);
    uint64_t *inflow = memory_get_zeroed(dag->vertex_count, sizeof *inflow);
    inflow[0] = counts->entries;
    for (size_t e = 0; e < graph->edges.count; e++)
        inflow[graph->edges.at[e].to] += counts->edges[e];
    for (size_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_BREAK)
            restarts[graph->edges.at[dag->edges.at[e].origin].to] +=
                counts->edges[dag->edges.at[e].origin];
    for (size_t e = 0; e < dag->edges.count; e++) {
        const struct dag_edge *edge = &dag->edges.at[e];
        if (edge->kind == DAG_ENTER)
            frequency[e] = counts->entries;
        else if (edge->kind == DAG_RESTART)
            frequency[e] = restarts[edge->to];
        else if (edge->kind == DAG_RETURN)
            frequency[e] = inflow[edge->from];
        else
            frequency[e] = counts->edges[edge->origin];
    }
    free(restarts);
    free(inflow);
    return frequency;
}

uint64_t *frequency_estimated(const struct dag *dag)
{
    const double loop_rounds = 10;
    uint64_t *frequency = memory_get_zeroed(dag->edges.count + 1, sizeof *frequency);
    double *flow = memory_get_zeroed(dag->vertex_count, sizeof *flow);
    /* limit for the frequency of a vertex, so that sums of frequencies stay far below 2^64 */
    double most = 1e15;
    for (uint32_t i = 0; i < dag->order_count; i++) {
        uint32_t v = dag->order[i], outs = dag->out_first[v + 1] - dag->out_first[v];
        uint32_t restart = UINT32_MAX;
        for (uint32_t j = dag->in_first[v]; j < dag->in_first[v + 1]; j++)
            if (dag->edges.at[dag->in[j]].kind == DAG_RESTART)
                restart = dag->in[j];
        if (restart != UINT32_MAX) {
            double rounds = flow[v] * (loop_rounds - 1) + 1;
            frequency[restart] = (uint64_t)(rounds < most ? rounds : most);
            flow[v] = flow[v] * loop_rounds < most ? flow[v] * loop_rounds : most;
        }
        for (uint32_t j = dag->out_first[v]; j < dag->out_first[v + 1]; j++) {
            const struct dag_edge *edge = &dag->edges.at[dag->out[j]];
            if (edge->kind == DAG_RESTART)
                continue;
            double share = edge->kind == DAG_ENTER ? FREQUENCY_UNIT : flow[v] / outs;
            frequency[dag->out[j]] = (uint64_t)share;
            flow[edge->to] += share;
        }
    }
    free(flow);
    return frequency;
}
