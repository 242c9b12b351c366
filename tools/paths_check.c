/* `aprof paths check`: counts a recorded run in other ways, and compares the counts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three more programs run with the recorded arguments and input:
 *
 *     sequential     Ball-Larus on all procedures: the same paths, equally often
 *     conservation   a counter on every edge: each count is the sum over the paths with that edge.
 *                    If exit, longjmp or an exception ends an activation in the middle, there is a
 *                    difference. This difference must be a flow from the start of paths to blocks
 *                    that make calls, and nowhere negative. (Not done if there were several
 *                    processes, because a child ends paths that its parent had begun before
 *                    fork().)
 *     oracle         a hash over the edges of each path instead of a number: the same hashes,
 *                    equally often
 */
#include "tools/paths_command.h"

#include "paths/probe_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum way { SEQUENTIAL, CONSERVATION, ORACLE, WAYS };

static const char *const way_names[WAYS] = {"sequential", "conservation", "oracle"};

struct check {
    const char *folder;
    struct plan plan;            /* plan of the profile's copies */
    struct plan sequential;      /* plan of the same program under policy sbl */
    struct path_profile profile; /* merged counts of all copies */
    struct paths_run_record run;
    struct path_counts counts[WAYS];
    struct paths_build builds[WAYS];
    char *counters[WAYS];
};

/* ---------------------------------------------------------------- The other programs */

static bool plan_sequential(struct check *check, struct failure *why)
{
    struct plan *plan = &check->sequential;
    char *graphs = paths_file(check->folder, PATHS_GRAPHS);
    bool fine = graph_program_read(&plan->graphs, graphs, why);
    if (fine) {
        plan->program = check->plan.program;
        plan->build_id = check->plan.build_id;
        plan->policy = POLICY_SBL;
        plan->path_limit = check->plan.path_limit;
        plan->flags = COUNTERS_LANES;
        plan_make(plan, NULL, 1);
        plan_identify(plan);
    }
    free(graphs);
    return fine;
}

static bool build(struct check *check, struct failure *why)
{
    struct link_record link;
    for (int way = 0; way < WAYS; way++) {
        check->builds[way].probes = paths_copy_file(check->folder, "check-probes", (uint32_t)way);
        check->builds[way].executable = paths_copy_file(check->folder, "check-copy", (uint32_t)way);
        check->counters[way] = paths_copy_file(check->folder, "check-counters", (uint32_t)way);
    }
    if (!probes_write_copy(&check->sequential, 0, check->builds[SEQUENTIAL].probes, why) ||
        !probes_write_edges(&check->plan.graphs, COUNTERS_LANES, check->builds[CONSERVATION].probes,
                            why) ||
        !probes_write_oracle(&check->sequential, check->builds[ORACLE].probes, why) ||
        !link_record_read(&link, check->plan.program, why))
        return false;
    bool fine = paths_build_all(&link, check->folder, check->builds, WAYS, why);
    link_record_free(&link);
    return fine;
}

static bool execute(struct check *check, enum way way, struct failure *why)
{
    char *input = paths_file(check->folder, PATHS_INPUT);
    struct paths_end end, expected;
    struct paths_launch launch = {.executable = check->builds[way].executable,
                                  .name = check->plan.program,
                                  .arguments = check->run.arguments.at,
                                  .counters = check->counters[way],
                                  .input = check->run.has_input ? input : "/dev/null",
                                  .quiet = true,
                                  .processor = -1};
    pid_t child = paths_start(&launch);
    free(input);
    if (child < 0)
        return failure_set(why, "%s: cannot start", launch.executable);
    end = paths_wait(child);
    if (!paths_read_end(&expected, check->folder, 1, &check->plan, why))
        return false;
    return end.status == expected.status ||
           failure_set(why, "check by %s: the program ended with %s, unlike the copies",
                       way_names[way], paths_end_text(end.status));
}

static bool count_all(struct check *check, struct failure *why)
{
    const struct graph_program *graphs = &check->plan.graphs;
    const uint64_t slots[WAYS] = {check->sequential.slots[0],
                                  probes_edge_slot(graphs, graphs->procedures.count) + 1, 1};
    const uint64_t plans[WAYS] = {check->sequential.id, 0, check->sequential.id};
    for (int way = 0; way < WAYS; way++)
        if (!execute(check, (enum way)way, why) ||
            !counts_read(&check->counts[way], check->counters[way], plans[way], 1, slots[way], why))
            return false;
    return true;
}

/* ---------------------------------------------------------------- Comparing */

static const unsigned most_messages = 10;

static void complain(unsigned *found, const char *way, const char *procedure, const char *what)
{
    if ((*found)++ < most_messages)
        printf("%s: %s: %s\n", way, procedure, what);
}

static int compare_paths(const struct path_count *a, const struct path_count *b)
{
    if (a->procedure != b->procedure)
        return a->procedure < b->procedure ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static unsigned compare_sequential(struct check *check)
{
    struct path_profile other;
    unsigned found = 0;
    size_t i = 0, j = 0;
    path_profile_merge(&other, &check->sequential, &check->counts[SEQUENTIAL]);
    while (i < check->profile.paths.count || j < other.paths.count) {
        const struct path_count *a = &check->profile.paths.at[i], *b = &other.paths.at[j];
        int order = i == check->profile.paths.count ? 1
                    : j == other.paths.count        ? -1
                                                    : compare_paths(a, b);
        const struct path_count *path = order > 0 ? b : a;
        uint64_t merged = order > 0 ? 0 : a->count, counted = order < 0 ? 0 : b->count;
        if (merged != counted) {
            char *text = memory_format("path %" PRIu64 ": merged %" PRIu64 ", counted %" PRIu64,
                                       path->number, merged, counted);
            complain(&found, "sequential", check->plan.graphs.procedures.at[path->procedure].name,
                     text);
            free(text);
        }
        i += order <= 0;
        j += order >= 0;
    }
    path_profile_free(&other);
    return found;
}

/* One procedure, with paths from the index `first` to `last` - 1 in paths.at. */
struct view {
    struct check *check;
    uint32_t procedure;
    size_t first, last;
};

/* Returns, for each edge of the dag, how often the counted paths of the profile go through this
 * edge. */
static uint64_t *sum_paths(const struct view *view)
{
    const struct dag *dag = &view->check->plan.subjects[view->procedure].dag;
    uint64_t *sum = memory_get_zeroed(dag->edges.count + 1, sizeof *sum);
    uint32_t *edges = memory_get_zeroed(dag->vertex_count, sizeof *edges);
    struct numbering ball_larus;
    numbering_ball_larus(&ball_larus, dag);
    for (size_t i = view->first; i < view->last; i++) {
        const struct path_count *path = &view->check->profile.paths.at[i];
        uint32_t count = path_edges(&ball_larus, dag, path, edges);
        for (uint32_t j = 0; j < count; j++)
            sum[edges[j]] += path->count;
    }
    numbering_free(&ball_larus);
    free(edges);
    return sum;
}

/* Whether the block follows a call of setjmp. setjmp can return more often than it is called. */
static bool is_behind_cut(const struct graph *graph, uint32_t block)
{
    for (size_t e = 0; e < graph->edges.count; e++)
        if (graph->edges.at[e].to == block && graph->edges.at[e].cut)
            return true;
    return false;
}

/* `rest` is the count of each edge minus the counts of the paths through this edge. If the rest of
 * the incoming edges is larger than the rest of the outgoing edges, the block must have a call,
 * because a call may end the activation. If it is smaller, the block must follow a setjmp. */
static void check_block(const struct view *view, uint32_t block, const int64_t *rest,
                        unsigned *found)
{
    const struct subject *subject = &view->check->plan.subjects[view->procedure];
    const struct dag *dag = &subject->dag;
    int64_t left = 0;
    for (uint32_t i = dag->in_first[block]; i < dag->in_first[block + 1]; i++)
        left += rest[dag->in[i]];
    for (uint32_t i = dag->out_first[block]; i < dag->out_first[block + 1]; i++)
        left -= rest[dag->out[i]];
    bool may_lose = subject->graph->blocks.at[block].calls;
    bool may_gain = is_behind_cut(subject->graph, block);
    if (left == 0 || (left > 0 && may_lose) || (left < 0 && may_gain))
        return;
    char *text =
        memory_format("block %" PRIu32 ": entered %" PRId64 " times more than left", block, left);
    complain(found, "conservation", subject->graph->name, text);
    free(text);
}

/* Compares the counts of edges with the counts of paths. Edge counters do not show that a new path
 * starts after a back edge, so the counts of the incoming back edges are used for this. */
static void check_edges(const struct view *view, const uint64_t *counted, unsigned *found)
{
    const struct subject *subject = &view->check->plan.subjects[view->procedure];
    const struct dag *dag = &subject->dag;
    uint64_t *sum = sum_paths(view);
    int64_t *rest = memory_get_zeroed(dag->edges.count + 1, sizeof *rest);
    struct edge_counts counts = {counted[0], (uint64_t *)(counted + 1)};
    uint64_t *frequency = frequency_measured(dag, subject->graph, &counts);
    for (uint32_t e = 0; e < dag->edges.count; e++) {
        const struct dag_edge *edge = &dag->edges.at[e];
        rest[e] = edge->kind == DAG_RETURN ? 0 : (int64_t)(frequency[e] - sum[e]);
        if (rest[e] >= 0)
            continue;
        char *text = memory_format("edge %" PRIu32 ": counted %" PRIu64 ", paths have %" PRIu64, e,
                                   frequency[e], sum[e]);
        complain(found, "conservation", subject->graph->name, text);
        free(text);
    }
    for (uint32_t b = 0; b + 2 < dag->vertex_count; b++)
        check_block(view, b, rest, found);
    free(sum);
    free(rest);
    free(frequency);
}

/* Compares the oracle's hashes of a procedure with the hashes of its paths. */
static void check_sums(const struct view *view, const struct counters_entry *entries, size_t count,
                       unsigned *found)
{
    const struct dag *dag = &view->check->plan.subjects[view->procedure].dag;
    const char *name = view->check->plan.graphs.procedures.at[view->procedure].name;
    uint32_t *edges = memory_get_zeroed(dag->vertex_count, sizeof *edges);
    struct numbering ball_larus;
    uint64_t expected = 0, counted = 0;
    numbering_ball_larus(&ball_larus, dag);
    for (size_t i = 0; i < count; i++)
        counted += entries[i].count;
    for (size_t i = view->first; i < view->last; i++) {
        const struct path_count *path = &view->check->profile.paths.at[i];
        uint64_t sum = probes_oracle_sum(edges, path_edges(&ball_larus, dag, path, edges)),
                 of_sum = 0;
        for (size_t j = 0; j < count; j++)
            of_sum += entries[j].value == sum ? entries[j].count : 0;
        expected += path->count;
        if (of_sum != path->count) {
            char *text = memory_format("path %" PRIu64 ": merged %" PRIu64 ", counted %" PRIu64,
                                       path->number, path->count, of_sum);
            complain(found, "oracle", name, text);
            free(text);
        }
    }
    if (expected != counted)
        complain(found, "oracle", name, "executed paths are missing from the profile");
    numbering_free(&ball_larus);
    free(edges);
}

static int by_procedure(const void *a, const void *b)
{
    const struct counters_entry *x = a, *y = b;
    return (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

/* Steps through procedures, paths and hash entries together. */
static void compare_procedures(struct check *check, unsigned *found)
{
    const struct path_counts *edges = &check->counts[CONSERVATION], *sums = &check->counts[ORACLE];
    uint64_t slot = 0;
    size_t path = 0, entry = 0;
    if (sums->entries.count)
        qsort(sums->entries.at, sums->entries.count, sizeof *sums->entries.at, by_procedure);
    for (uint32_t p = 0; p < check->plan.distribution.procedures; p++) {
        struct view view = {check, p, path, path};
        size_t first_entry = entry;
        while (view.last < check->profile.paths.count &&
               check->profile.paths.at[view.last].procedure == p)
            view.last++;
        while (entry < sums->entries.count && sums->entries.at[entry].procedure == p + 1u)
            entry++;
        if (!check->plan.subjects[p].skipped) {
            if (edges->processes == 1)
                check_edges(&view, &edges->slots[slot], &found[CONSERVATION]);
            check_sums(&view, sums->entries.at + first_entry, entry - first_entry, &found[ORACLE]);
        }
        path = view.last;
        slot += check->plan.graphs.procedures.at[p].edges.count + 1;
    }
}

static unsigned compare(struct check *check)
{
    unsigned found[WAYS] = {0}, all = 0;
    found[SEQUENTIAL] = compare_sequential(check);
    compare_procedures(check, found);
    for (int way = 0; way < WAYS; way++) {
        if (way == CONSERVATION && check->counts[way].processes > 1)
            printf("%s: not checked, because of several processes\n", way_names[way]);
        else if (found[way])
            printf("%s: %u differences\n", way_names[way], found[way]);
        else
            printf("%s: equal\n", way_names[way]);
        all += found[way];
    }
    return all;
}

/* ---------------------------------------------------------------- Command */

static bool read_all(struct check *check, struct failure *why)
{
    char *path = paths_file(check->folder, PATHS_PROFILE);
    bool fine = paths_read_plan(&check->plan, check->folder, why) &&
                path_profile_read(&check->profile, &check->plan, path, why) &&
                paths_read_run(&check->run, check->folder, &check->plan, why);
    free(path);
    return fine;
}

static void check_free(struct check *check)
{
    for (int way = 0; way < WAYS; way++) {
        if (check->builds[way].probes) {
            unlink(check->builds[way].probes);
            unlink(check->builds[way].executable);
            counts_remove_files(check->counters[way]);
        }
        free(check->builds[way].probes);
        free(check->builds[way].executable);
        free(check->counters[way]);
        counts_free(&check->counts[way]);
    }
    paths_free_run(&check->run);
    path_profile_free(&check->profile);
    plan_free(&check->sequential);
    plan_free(&check->plan);
}

static const struct option_entry check_options[] = {PATHS_ENTRY_FOLDER, {0}};

static int run(const struct command *command, char **argv)
{
    struct paths_settings settings = {.folder = "."};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    struct check check = {0};
    char *absolute = paths_absolute(settings.folder);
    check.folder = absolute ? absolute : settings.folder;
    bool fine = read_all(&check, &why) && plan_sequential(&check, &why) && build(&check, &why) &&
                count_all(&check, &why);
    int status = fine ? (compare(&check) ? STATUS_FAILED : STATUS_OK) : message_failure(&why);
    check_free(&check);
    free(absolute);
    return status;
}

const struct command paths_check = {
    .name = "check",
    .summary = "compares the counts with three other instrumentations",
    .usage = "[-o FOLDER]",
    .details =
        "Runs the program again, with the arguments and the input of the last run, with three\n"
        "other instrumentations, and compares their counts with the merged profile.",
    .options = check_options,
    .run = run,
};
