/* Writes the probes files that turn a normalised module into copies.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Edges of the dag correspond to these positions in the program:
 *
 *     ENTER     the procedure's entry
 *     FLOW      the edge
 *     BREAK     the edge: the end of a path, and then RESTART, the start of the next path
 *     RETURN    the block
 */
#include "paths/probe_writer.h"

#include "paths/counters.h"
#include "paths/probes.h"

#include <inttypes.h>

struct probe_writer {
    struct record_output records;
    uint32_t procedure; /* number in the last `procedure` record, or NONE */
};

#define NONE UINT32_MAX

static const char *const place_names[] = PROBE_PLACE_NAMES;
static const char *const action_names[] = PROBE_ACTION_NAMES;

static void put_identity(struct probe_writer *to, const char *module,
                         const struct counters_identity *identity)
{
    char id[17];
    snprintf(id, sizeof id, "%016" PRIx64, identity->plan);
    to->procedure = NONE;
    record_output_start(&to->records, "aprof-probes", 2);
    record_output_put(&to->records, "identity", "ssuuuuu", module, id, (uint64_t)identity->copy,
                      (uint64_t)identity->copies, (uint64_t)identity->flags, identity->slots,
                      (uint64_t)identity->interval);
}

static void put_procedure(struct probe_writer *to, const struct graph_program *graphs,
                          uint32_t procedure, const struct layout *layout)
{
    char table[24] = "hash";
    if (!layout->hashed)
        snprintf(table, sizeof table, "%" PRIu64, layout->slot);
    record_output_put(&to->records, "procedure", "uss", (uint64_t)procedure,
                      graphs->procedures.at[procedure].name, table);
}

static void put(struct probe_writer *to, enum probe_place place, uint32_t number,
                enum probe_action action, int64_t value)
{
    record_output_put(&to->records, "probe", "susi", place_names[place], (uint64_t)number,
                      action_names[action], value);
}

/* ---------------------------------------------------------------- Copies of a plan */

/* A procedure of one copy. */
struct scene {
    struct probe_writer *to;
    const struct subject *subject;
    const struct part *part;
    uint32_t *restart; /* for each block, the RESTART edge of the dag to this block */
    bool sliced;
};

static bool is_live(const struct scene *scene, uint32_t vertex)
{
    return scene->part->placement.live[vertex];
}

static bool commits(const struct scene *scene, uint32_t e)
{
    return placement_commits(&scene->part->placement, &scene->subject->dag, &scene->part->numbering,
                             e);
}

static int64_t increment(const struct scene *scene, uint32_t e)
{
    return scene->part->placement.increment[e];
}

/* Returns the increment of a commit, modulo 2^64 as in the probes. */
static int64_t last_increment(const struct scene *scene, uint32_t e)
{
    return (int64_t)((uint64_t)increment(scene, e) + (uint64_t)scene->part->placement.base);
}

/* Writes the probes for the first edge of a path: ENTER or RESTART. If this edge commits the path,
 * the path is committed at once. */
static void put_start(const struct scene *scene, uint32_t e, enum probe_place place,
                      uint32_t number)
{
    if (scene->sliced)
        put(scene->to, place, number, PROBE_START, (int64_t)e);
    if (commits(scene, e)) {
        put(scene->to, place, number, PROBE_SET, 0);
        put(scene->to, place, number, PROBE_COMMIT, last_increment(scene, e));
    } else if (is_live(scene, scene->subject->dag.edges.at[e].to)) {
        put(scene->to, place, number, PROBE_SET, increment(scene, e));
    }
}

static void put_step(const struct scene *scene, uint32_t e, enum probe_place place, uint32_t number)
{
    if (commits(scene, e))
        put(scene->to, place, number, PROBE_COMMIT, last_increment(scene, e));
    else if (placement_hits(&scene->part->placement, &scene->subject->dag, e))
        put(scene->to, place, number, PROBE_ADD, increment(scene, e));
}

static void put_edge_probes(const struct scene *scene, uint32_t e)
{
    const struct dag_edge *edge = &scene->subject->dag.edges.at[e];
    put_step(scene, e, PROBE_EDGE, edge->origin);
    if (edge->kind == DAG_BREAK) {
        uint32_t head = scene->subject->graph->edges.at[edge->origin].to;
        put_start(scene, scene->restart[head], PROBE_BEHIND, edge->origin);
    }
}

static uint32_t *find_restarts(const struct dag *dag)
{
    uint32_t *restart = memory_get_zeroed(dag->vertex_count, sizeof *restart);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_RESTART)
            restart[dag->edges.at[e].to] = e;
    return restart;
}

/* Writes the probes of entry, edges and blocks in this order, which the instrumenter expects. */
static void put_part(struct probe_writer *to, const struct subject *subject,
                     const struct part *part, bool sliced)
{
    const struct dag *dag = &subject->dag;
    struct scene scene = {to, subject, part, find_restarts(dag), sliced};
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_ENTER)
            put_start(&scene, e, PROBE_ENTRY, 0);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_FLOW || dag->edges.at[e].kind == DAG_BREAK)
            put_edge_probes(&scene, e);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_RETURN)
            put_step(&scene, e, PROBE_BLOCK, dag->edges.at[e].origin);
    free(scene.restart);
}

bool probes_write_copy(const struct plan *plan, uint32_t copy, const char *path,
                       struct failure *why)
{
    struct probe_writer to;
    put_identity(&to, plan->graphs.module,
                 &(struct counters_identity){.plan = plan->id,
                                             .copy = copy + 1,
                                             .copies = plan->distribution.copies,
                                             .flags = plan->flags,
                                             .interval = plan->interval,
                                             .slots = plan->slots[copy]});
    for (uint32_t p = 0; p < plan->distribution.procedures; p++) {
        const struct part *part = plan_part(plan, copy, p);
        bool counts_entries = plan->flags & COUNTERS_PARTIAL && !plan->subjects[p].skipped;
        if (!part->used && !counts_entries)
            continue;
        put_procedure(&to, &plan->graphs, p, plan_layout(plan, copy, p));
        if (counts_entries)
            put(&to, PROBE_ENTRY, 0, PROBE_COUNT, p);
        if (part->used)
            put_part(&to, &plan->subjects[p], part, plan->flags & COUNTERS_SLICED);
    }
    return record_output_finish(&to.records, path, why);
}

/* ---------------------------------------------------------------- Edge counts */

uint64_t probes_edge_slot(const struct graph_program *graphs, size_t procedure)
{
    uint64_t slot = 0;
    for (size_t p = 0; p < procedure; p++)
        slot += graphs->procedures.at[p].edges.count + 1;
    return slot;
}

bool probes_write_edges(const struct graph_program *graphs, uint32_t flags, const char *path,
                        struct failure *why)
{
    struct probe_writer to;
    uint64_t slot = 0;
    put_identity(&to, graphs->module,
                 &(struct counters_identity){
                     .copy = 1,
                     .copies = 1,
                     .flags = flags,
                     .slots = probes_edge_slot(graphs, graphs->procedures.count) + 1});
    for (uint32_t p = 0; p < graphs->procedures.count; p++) {
        const struct graph *graph = &graphs->procedures.at[p];
        if (!*graph->skipped && graph->blocks.count) {
            put_procedure(&to, graphs, p, &(struct layout){.slot = slot});
            put(&to, PROBE_ENTRY, 0, PROBE_COUNT, (int64_t)slot);
            for (uint32_t e = 0; e < graph->edges.count; e++)
                put(&to, PROBE_EDGE, e, PROBE_COUNT, (int64_t)slot + 1 + e);
        }
        slot += graph->edges.count + 1;
    }
    return record_output_finish(&to.records, path, why);
}

/* ---------------------------------------------------------------- Oracle */

static void put_oracle(struct probe_writer *to, const struct subject *subject)
{
    const struct dag *dag = &subject->dag;
    uint32_t *restart = find_restarts(dag);
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_ENTER)
            put(to, PROBE_ENTRY, 0, PROBE_SET, (int64_t)e + 1);
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        const struct dag_edge *edge = &dag->edges.at[e];
        if (edge->kind != DAG_FLOW && edge->kind != DAG_BREAK)
            continue;
        put(to, PROBE_EDGE, edge->origin, PROBE_MIX, (int64_t)e + 1);
        if (edge->kind == DAG_FLOW)
            continue;
        uint32_t head = subject->graph->edges.at[edge->origin].to;
        put(to, PROBE_EDGE, edge->origin, PROBE_COMMIT, 0);
        put(to, PROBE_BEHIND, edge->origin, PROBE_SET, (int64_t)restart[head] + 1);
    }
    for (uint32_t e = 0; e < dag->edges.count; e++)
        if (dag->edges.at[e].kind == DAG_RETURN) {
            put(to, PROBE_BLOCK, dag->edges.at[e].origin, PROBE_MIX, (int64_t)e + 1);
            put(to, PROBE_BLOCK, dag->edges.at[e].origin, PROBE_COMMIT, 0);
        }
    free(restart);
}

bool probes_write_oracle(const struct plan *plan, const char *path, struct failure *why)
{
    struct probe_writer to;
    put_identity(&to, plan->graphs.module,
                 &(struct counters_identity){.plan = plan->id,
                                             .copy = 1,
                                             .copies = 1,
                                             .flags = plan->flags & COUNTERS_LANES,
                                             .slots = 1});
    for (uint32_t p = 0; p < plan->distribution.procedures; p++)
        if (!plan->subjects[p].skipped) {
            put_procedure(&to, &plan->graphs, p, &(struct layout){.hashed = true});
            put_oracle(&to, &plan->subjects[p]);
        }
    return record_output_finish(&to.records, path, why);
}

uint64_t probes_oracle_sum(const uint32_t *edges, uint32_t count)
{
    uint64_t sum = edges[0] + 1;
    for (uint32_t i = 1; i < count; i++)
        sum = sum * PROBE_MIX_FACTOR + edges[i] + 1;
    return sum;
}
