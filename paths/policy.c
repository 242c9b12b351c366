/* Distributes the profiling of a program over copies: SBL, PBL, P3 and distribution by hits.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "paths/policy.h"

#include "paths/partition.h"

#include <string.h>

const char *const policy_names[POLICY_COUNT + 1] = {"sbl", "pbl", "p3", "hits", NULL};

/* The smallest tasks that together have at most 1 / RARE of all measured executions are the rare
 * tasks, for which predictions are not reliable. */
#define RARE 64

/* ---------------------------------------------------------------- Subjects */

/* Combines measured and estimated frequencies; a single measured execution outweighs all
 * estimates. */
static uint64_t *mixed_weights(const struct dag *dag, const uint64_t *frequency)
{
    const uint64_t unit = 1024;
    uint64_t *estimated = frequency_estimated(dag), most = 1;
    for (size_t e = 0; e < dag->edges.count; e++)
        most = estimated[e] > most ? estimated[e] : most;
    for (size_t e = 0; e < dag->edges.count; e++)
        estimated[e] = frequency[e] * unit +
                       (uint64_t)((double)estimated[e] / (double)most * (double)(unit - 1));
    return estimated;
}

static void subject_weigh(struct subject *subject, const struct graph *graph,
                          const struct edge_counts *counts)
{
    const struct dag *dag = &subject->dag;
    if (!counts) {
        subject->frequency = frequency_estimated(dag);
        subject->weight = frequency_estimated(dag);
        return;
    }
    subject->frequency = frequency_measured(dag, graph, counts);
    subject->weight = mixed_weights(dag, subject->frequency);
}

static void subject_make(struct subject *subject, const struct graph *graph,
                         const struct edge_counts *counts, uint64_t path_limit)
{
    subject->graph = graph;
    subject->is_measured = counts != NULL;
    if (*graph->skipped)
        subject->skipped = graph->skipped;
    else if (!graph->blocks.count)
        subject->skipped = "no blocks";
    else if (!dag_make(&subject->dag, graph, path_limit))
        subject->skipped = "too many paths, however they are cut";
    else
        subject_weigh(subject, graph, counts);
}

struct subject *subjects_make(const struct graph_program *program, const struct edge_profile *edges,
                              uint64_t path_limit)
{
    size_t count = program->procedures.count;
    struct subject *subjects = memory_get_zeroed(count + 1, sizeof *subjects);
    for (size_t p = 0; p < count; p++)
        subject_make(&subjects[p], &program->procedures.at[p], edges ? &edges->procedures[p] : NULL,
                     path_limit);
    return subjects;
}

void subjects_free(struct subject *subjects, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        dag_free(&subjects[p].dag);
        free(subjects[p].frequency);
        free(subjects[p].weight);
    }
    free(subjects);
}

/* ---------------------------------------------------------------- Parts */

static bool is_whole(const struct subject *subject, const bool *set)
{
    return !set || !memchr(set, false, subject->dag.edges.count);
}

static void part_make(struct part *part, const struct subject *subject, const bool *set,
                      enum policy policy)
{
    const struct dag *dag = &subject->dag;
    bool whole = is_whole(subject, set);
    enum placement_kind kind = policy == POLICY_HITS ? PLACEMENT_BEST
                               : whole               ? PLACEMENT_TREE
                                                     : PLACEMENT_AS_NUMBERED;
    part->used = true;
    if (!whole)
        numbering_pspp(&part->numbering, dag, set);
    else if (policy == POLICY_HITS)
        numbering_by_frequency(&part->numbering, dag, subject->weight);
    else
        numbering_ball_larus(&part->numbering, dag);
    placement_make(&part->placement, dag, &part->numbering, subject->weight,
                   subject->graph->blocks.at, kind);
}

static void part_free(struct part *part)
{
    numbering_free(&part->numbering);
    placement_free(&part->placement);
}

struct cost {
    /* predicted number of executions of probes; for policies that do not use hits, the number of
     * probes */
    uint64_t measured;
    uint64_t probes; /* static number of probes */
};

/* Returns whether the policy uses hits; the paper's policies use only the static number of
 * probes. */
static bool goes_by_hits(const struct subject *subject, enum policy policy)
{
    return policy == POLICY_HITS || (policy == POLICY_PBL && subject->is_measured);
}

static struct cost part_cost(const struct part *part, const struct subject *subject,
                             enum policy policy)
{
    uint64_t probes = placement_count(&part->placement, &subject->dag);
    if (!goes_by_hits(subject, policy))
        return (struct cost){probes, probes};
    return (struct cost){placement_cost(&part->placement, &subject->dag, subject->frequency),
                         probes};
}

static struct cost set_cost(const struct subject *subject, const bool *set, enum policy policy)
{
    struct part part;
    part_make(&part, subject, set, policy);
    struct cost cost = part_cost(&part, subject, policy);
    part_free(&part);
    return cost;
}

/* ---------------------------------------------------------------- Tasks and loads */

struct task {
    uint32_t procedure;
    uint32_t copy;
    bool *set; /* NULL: all paths */
    struct cost cost;
    uint32_t number;   /* position in the order of creation, which makes the sort deterministic */
    bool is_split_out; /* whether no split of this task reduces the load */
};

typedef VECTOR(struct task) task_list;

static int by_decreasing(uint64_t a, uint64_t b, const struct task *x, const struct task *y)
{
    if (a != b)
        return a < b ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_measured(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    return by_decreasing(x->cost.measured, y->cost.measured, x, y);
}

static int by_probes(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    return by_decreasing(x->cost.probes, y->cost.probes, x, y);
}

static uint32_t least_loaded(const uint64_t *load, uint32_t copies)
{
    uint32_t least = 0;
    for (uint32_t c = 1; c < copies; c++)
        if (load[c] < load[least])
            least = c;
    return least;
}

/* Returns the number of tasks that are not rare. `tasks` must be sorted by decreasing cost. */
static size_t count_significant(const task_list *tasks)
{
    uint64_t all = 0, rest = 0;
    size_t significant = tasks->count;
    for (size_t i = 0; i < tasks->count; i++)
        all += tasks->at[i].cost.measured;
    while (significant && (rest += tasks->at[significant - 1].cost.measured) <= all / RARE)
        significant--;
    return significant;
}

static void assign_rare(struct task *tasks, size_t count, uint32_t copies)
{
    uint64_t *load = memory_get_zeroed(copies, sizeof *load);
    if (count)
        qsort(tasks, count, sizeof *tasks, by_probes);
    for (size_t i = 0; i < count; i++) {
        tasks[i].copy = least_loaded(load, copies);
        load[tasks[i].copy] += tasks[i].cost.probes + 1;
    }
    free(load);
}

/* Assigns a copy to every task, and returns the largest load. */
static uint64_t assign(task_list *tasks, uint32_t copies, bool by_hits)
{
    uint64_t *load = memory_get_zeroed(copies, sizeof *load), most = 0;
    if (tasks->count)
        qsort(tasks->at, tasks->count, sizeof *tasks->at, by_measured);
    size_t significant = by_hits ? count_significant(tasks) : tasks->count;
    for (size_t i = 0; i < significant; i++) {
        tasks->at[i].copy = least_loaded(load, copies);
        load[tasks->at[i].copy] += tasks->at[i].cost.measured;
    }
    if (significant < tasks->count)
        assign_rare(tasks->at + significant, tasks->count - significant, copies);
    for (size_t i = significant; i < tasks->count; i++)
        load[tasks->at[i].copy] += tasks->at[i].cost.measured;
    for (uint32_t c = 0; c < copies; c++)
        most = load[c] > most ? load[c] : most;
    free(load);
    return most;
}

static void add_task(task_list *tasks, uint32_t procedure, bool *set, struct cost cost)
{
    struct task task = {
        .procedure = procedure, .set = set, .cost = cost, .number = (uint32_t)tasks->count};
    vector_push(tasks, task);
}

/* ---------------------------------------------------------------- P3 */

static void add_tasks_of(task_list *tasks, const struct subject *subjects, uint32_t p,
                         enum policy policy, uint32_t copies)
{
    const struct subject *subject = &subjects[p];
    edge_sets sets = {0};
    if (policy == POLICY_P3 && subject->graph->call_sites <= 1)
        partition_reduced(&subject->dag, copies, &sets);
    if (sets.count > 1) {
        for (size_t i = 0; i < sets.count; i++)
            add_task(tasks, p, sets.at[i], set_cost(subject, sets.at[i], policy));
        sets.count = 0; /* the tasks own the sets now */
    } else {
        add_task(tasks, p, NULL, set_cost(subject, NULL, policy));
    }
    edge_sets_free(&sets);
}

/* ---------------------------------------------------------------- Splitting by hits */

/* Maximum number of edges that are examined for splits, so that planning takes at most a few
 * seconds for any program. */
static const uint64_t most_split_work = 60000000;

#define SPLIT_CANDIDATES 24

struct split {
    bool *set[2];
    struct cost cost[2];
    bool found;
};

static uint64_t larger_cost(const struct split *split)
{
    uint64_t a = split->cost[0].measured, b = split->cost[1].measured;
    return a > b ? a : b;
}

/* Chooses hot edges with different frequencies, because edges with equal frequencies are mostly on
 * the same paths. */
static uint32_t choose_candidates(const struct subject *subject, const bool *set,
                                  uint32_t *candidates)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < subject->dag.edges.count; e++) {
        uint64_t frequency = subject->frequency[e];
        uint32_t at = 0;
        if ((set && !set[e]) || !frequency)
            continue;
        while (at < count && subject->frequency[candidates[at]] > frequency)
            at++;
        if (at == SPLIT_CANDIDATES ||
            (at < count && subject->frequency[candidates[at]] == frequency))
            continue;
        if (count < SPLIT_CANDIDATES)
            count++;
        memmove(candidates + at + 1, candidates + at, (count - 1 - at) * sizeof *candidates);
        candidates[at] = e;
    }
    return count;
}

static void try_split(struct split *best, const struct subject *subject, const bool *set,
                      uint32_t edge)
{
    size_t bytes = subject->dag.edges.count + 1;
    struct split split = {.set = {memory_get_zeroed(bytes, 1), memory_get_zeroed(bytes, 1)}};
    if (partition_split(&subject->dag, set, edge, split.set[0], split.set[1])) {
        for (int i = 0; i < 2; i++)
            split.cost[i] = set_cost(subject, split.set[i], POLICY_HITS);
        split.found = true;
    }
    if (split.found && (!best->found || larger_cost(&split) < larger_cost(best))) {
        struct split worse = *best;
        *best = split;
        split = worse;
    }
    free(split.set[0]);
    free(split.set[1]);
}

static struct split find_split(const struct subject *subject, const struct task *task,
                               uint64_t *work)
{
    uint32_t candidates[SPLIT_CANDIDATES + 1];
    struct split best = {0};
    bool *set = memory_get_zeroed(subject->dag.edges.count + 1, 1);
    dag_mark_paths(&subject->dag, task->set, set);
    uint32_t count = choose_candidates(subject, set, candidates);
    for (uint32_t i = 0; i < count; i++)
        try_split(&best, subject, set, candidates[i]);
    *work += count * (uint64_t)subject->dag.edges.count;
    free(set);
    return best;
}

static size_t largest_task(const task_list *tasks, uint64_t most, uint32_t copies)
{
    uint64_t *load = memory_get_zeroed(copies, sizeof *load);
    size_t largest = SIZE_MAX;
    for (size_t i = 0; i < tasks->count; i++)
        load[tasks->at[i].copy] += tasks->at[i].cost.measured;
    for (size_t i = 0; i < tasks->count && largest == SIZE_MAX; i++)
        if (load[tasks->at[i].copy] == most && !tasks->at[i].is_split_out)
            largest = i;
    free(load);
    return largest;
}

/* Replaces a task by the two parts of a split. */
static void apply_split(task_list *tasks, size_t at, const struct split *split)
{
    struct task *task = &tasks->at[at];
    task->set = split->set[0];
    task->cost = split->cost[0];
    add_task(tasks, task->procedure, split->set[1], split->cost[1]);
}

/* Returns whether the split reduces the largest load; if so, keeps the split. */
static bool split_helps(task_list *tasks, size_t at, const struct split *split, uint32_t copies,
                        uint64_t *most)
{
    task_list trial = {0};
    vector_reserve(&trial, tasks->count + 1);
    memcpy(trial.at, tasks->at, tasks->count * sizeof *trial.at);
    trial.count = tasks->count;
    apply_split(&trial, at, split);
    uint64_t lower = assign(&trial, copies, true);
    bool helps = lower < *most;
    if (helps) {
        *most = lower;
        free(tasks->at[at].set);
        free(tasks->at);
        *tasks = trial;
    } else {
        vector_free(&trial);
    }
    return helps;
}

static void split_tasks(task_list *tasks, const struct subject *subjects, uint32_t copies)
{
    uint64_t work = 0, most = assign(tasks, copies, true);
    while (work < most_split_work && tasks->count) {
        size_t at = largest_task(tasks, most, copies);
        if (at == SIZE_MAX)
            return;
        struct split split = find_split(&subjects[tasks->at[at].procedure], &tasks->at[at], &work);
        if (split.found && split_helps(tasks, at, &split, copies, &most))
            continue;
        tasks->at[at].is_split_out = true;
        free(split.set[0]);
        free(split.set[1]);
    }
}

/* ---------------------------------------------------------------- Result */

/* Makes one part of all tasks that belong to one procedure and are assigned to one copy. */
static void make_parts(struct distribution *distribution, const struct subject *subjects,
                       const task_list *tasks, enum policy policy)
{
    size_t count = distribution->procedures * distribution->copies;
    bool **sets = memory_get_zeroed(count + 1, sizeof *sets);
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task *task = &tasks->at[i];
        size_t edges = subjects[task->procedure].dag.edges.count;
        bool **set = &sets[task->copy * distribution->procedures + task->procedure];
        if (!*set)
            *set = memory_get_zeroed(edges + 1, 1);
        for (size_t e = 0; e < edges; e++)
            (*set)[e] |= !task->set || task->set[e];
        distribution->partitioned[task->procedure]++;
    }
    for (size_t i = 0; i < count; i++)
        if (sets[i]) {
            part_make(&distribution->parts[i], &subjects[i % distribution->procedures], sets[i],
                      policy);
            free(sets[i]);
        }
    free(sets);
}

void policy_distribute(struct distribution *distribution, const struct subject *subjects,
                       size_t count, enum policy policy, uint32_t copies)
{
    task_list tasks = {0};
    *distribution = (struct distribution){
        .copies = copies,
        .procedures = count,
        .parts = memory_get_zeroed(count * copies + 1, sizeof(struct part)),
        .partitioned = memory_get_zeroed(count + 1, sizeof(uint32_t)),
    };
    for (uint32_t p = 0; p < count; p++)
        if (!subjects[p].skipped)
            add_tasks_of(&tasks, subjects, p, policy, copies);
    if (policy == POLICY_HITS && copies > 1)
        split_tasks(&tasks, subjects, copies);
    else
        assign(&tasks, copies, count && goes_by_hits(subjects, policy));
    make_parts(distribution, subjects, &tasks, policy);
    for (size_t i = 0; i < tasks.count; i++)
        free(tasks.at[i].set);
    vector_free(&tasks);
}

void distribution_extend(struct distribution *distribution, uint32_t copies)
{
    struct part *parts = memory_get_zeroed(distribution->procedures * copies + 1, sizeof *parts);
    memcpy(parts, distribution->parts,
           distribution->procedures * distribution->copies * sizeof *parts);
    free(distribution->parts);
    distribution->parts = parts;
    distribution->copies = copies;
}

void distribution_free(struct distribution *distribution)
{
    for (size_t i = 0; i < distribution->procedures * distribution->copies; i++)
        part_free(&distribution->parts[i]);
    free(distribution->parts);
    free(distribution->partitioned);
    *distribution = (struct distribution){0};
}
