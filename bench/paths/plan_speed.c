/* Path profiling benchmark: the time of planning for a large program, by policy.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: plan_speed [BLOCKS]     default 100000
 *
 * The program is random: procedures of 5 to 2000 blocks with loops, switches and forward branches.
 * In its edge profile, hot edges are rare, as in real profiles.
 */
#include "paths/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state = 1;

static uint32_t random_below(uint32_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % bound;
}

static uint32_t random_size(void)
{
    if (random_below(100) == 0)
        return 500 + random_below(1500);
    return 5 + random_below(random_below(8) ? 40 : 200);
}

static void random_procedure(struct graph *graph, uint32_t blocks)
{
    *graph = (struct graph){.name = "f", .skipped = "", .call_sites = random_below(4)};
    for (uint32_t b = 0; b < blocks; b++) {
        struct graph_block block = {.calls = random_below(3) == 0, .lines = ""};
        uint32_t outs = random_below(50) == 0 ? 3 + random_below(20) : 1 + random_below(2);
        vector_push(&graph->blocks, block);
        for (uint32_t i = 0; i < outs && b + 1 < blocks; i++) {
            uint32_t to = i == 0                          ? b + 1
                          : random_below(8) == 0 && b > 0 ? 1 + random_below(b)
                                                          : b + 1 + random_below(8);
            struct graph_edge edge = {b, to < blocks ? to : blocks - 1, false};
            vector_push(&graph->edges, edge);
        }
    }
}

static void random_counts(struct edge_profile *profile, const struct graph_program *program)
{
    edge_profile_make(profile, program);
    for (size_t p = 0; p < profile->count; p++) {
        uint32_t heat = random_below(20) ? random_below(100) : random_below(1000000);
        profile->procedures[p].entries = heat;
        for (size_t e = 0; e < program->procedures.at[p].edges.count; e++)
            profile->procedures[p].edges[e] = random_below(3) ? random_below(heat + 1) : 0;
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    long wanted = argc > 1 ? atol(argv[1]) : 100000;
    for (int policy = 0; policy < POLICY_COUNT; policy++) {
        struct plan plan = {.policy = (enum policy)policy, .path_limit = DAG_DEFAULT_LIMIT};
        struct edge_profile edges;
        long blocks = 0;
        for (state = 1; blocks < wanted;) {
            struct graph graph;
            random_procedure(&graph, random_size());
            blocks += (long)graph.blocks.count;
            vector_push(&plan.graphs.procedures, graph);
        }
        random_counts(&edges, &plan.graphs);
        double start = seconds();
        plan_make(&plan, policy == POLICY_HITS ? &edges : NULL, policy == POLICY_SBL ? 1 : 8);
        printf("%-5s %ld blocks, %zu procedures: %.2f s\n", policy_names[policy], blocks,
               plan.graphs.procedures.count, seconds() - start);
        edge_profile_free(&edges);
        plan_free(&plan);
    }
    return 0;
}
