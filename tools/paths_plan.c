/* `aprof paths plan`: decides which paths each copy counts, and builds the copies.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/paths_command.h"

#include "paths/counters.h"
#include "paths/probe_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct settings {
    enum policy policy;
    unsigned long copies, limit, interval;
    const char *edges, *folder;
    bool threads, slicing, events;
};

#define MOST_COPIES      1024
#define DEFAULT_INTERVAL 10000
#define LONGEST_INTERVAL 1000000000

/* A description of the first invalid setting; NULL if all settings are valid. */
static const char *check_settings(const struct settings *settings)
{
    if (settings->policy == POLICY_SBL && settings->copies > 1 && !settings->slicing)
        return "--policy=sbl needs --copies=1 or --slicing";
    if (settings->slicing && settings->policy != POLICY_SBL && settings->policy != POLICY_HITS)
        return "--slicing needs --policy=sbl or hits";
    if (settings->events && (settings->slicing || settings->threads))
        return "--events excludes --slicing and --threads: events count all paths of all threads";
    if (settings->events && settings->copies != 1 && settings->policy != POLICY_SBL)
        return "--events needs --policy=sbl or --copies=1";
    if (settings->interval && !settings->slicing)
        return "--interval needs --slicing";
    if (settings->threads && (settings->policy != POLICY_SBL || settings->slicing))
        return "--threads needs --policy=sbl: copies of a threaded program take different paths";
    if (settings->policy == POLICY_HITS && !settings->edges)
        return "--policy=hits needs an edge profile: --edges=FILE, from 'aprof paths edges'";
    return NULL;
}

/* ---------------------------------------------------------------- Steps */

static bool make_plan(struct plan *plan, const struct settings *settings, struct failure *why)
{
    struct edge_profile edges = {0};
    if (settings->edges && !edge_profile_read(&edges, &plan->graphs, settings->edges, why))
        return false;
    bool sliced = settings->slicing;
    uint32_t copies = settings->policy == POLICY_SBL && !sliced ? 1 : (uint32_t)settings->copies;
    plan->policy = settings->policy;
    plan->path_limit = settings->limit;
    plan->flags = (sliced       ? COUNTERS_SLICED
                   : copies > 1 ? COUNTERS_PARTIAL
                                : 0) |
                  (settings->threads ? COUNTERS_LANES : 0) |
                  (settings->events ? COUNTERS_EVENTS : 0);
    if (sliced)
        plan->interval = settings->interval ? (uint32_t)settings->interval : DEFAULT_INTERVAL;
    plan_make(plan, settings->edges ? &edges : NULL, copies);
    edge_profile_free(&edges);
    char *path = paths_file(settings->folder, PATHS_PLAN);
    bool fine = plan_write(plan, path, why);
    free(path);
    return fine;
}

static bool make_copies(const struct plan *plan, const struct link_record *link, const char *folder,
                        struct failure *why)
{
    uint32_t copies = plan->distribution.copies;
    struct paths_build *builds = memory_get_zeroed(copies, sizeof *builds);
    bool fine = true;
    for (uint32_t c = 0; c < copies; c++) {
        builds[c].probes = paths_copy_file(folder, "probes", c + 1);
        builds[c].executable = paths_copy_file(folder, "copy", c + 1);
        builds[c].makes_events = plan->flags & COUNTERS_EVENTS;
        unlink(builds[c].executable);
        fine = fine && probes_write_copy(plan, c, builds[c].probes, why);
    }
    fine = fine && paths_build_all(link, folder, builds, copies, why);
    for (uint32_t c = 0; c < copies; c++) {
        unlink(builds[c].probes);
        free(builds[c].probes);
        free(builds[c].executable);
    }
    free(builds);
    return fine;
}

/* Reports procedures that are not counted as paths. */
static void print_exception(const struct graph *procedure, const struct subject *subject)
{
    if (subject->skipped)
        printf("skipped: %s: %s\n", procedure->name, subject->skipped);
    else if (subject->dag.cuts)
        printf("cut: %s: %u of %zu edges, where paths end as at back edges\n", procedure->name,
               subject->dag.cuts, procedure->edges.count);
}

static void print_plan(const struct plan *plan)
{
    size_t profiled = 0, partitioned = 0, cuts = 0;
    for (size_t p = 0; p < plan->distribution.procedures; p++) {
        profiled += !plan->subjects[p].skipped;
        partitioned += plan->distribution.partitioned[p] > 1;
        cuts += plan->subjects[p].skipped ? 0 : plan->subjects[p].dag.cuts;
    }
    printf("%s: policy %s, %zu procedures, %zu of them partitioned, %zu edges cut\n", plan->program,
           policy_names[plan->policy], profiled, partitioned, cuts);
    if (plan->flags & COUNTERS_SLICED)
        printf("sliced: intervals of %u paths\n", plan->interval);
    for (uint32_t c = 0; c < plan->distribution.copies; c++)
        printf("copy %u: %llu probes\n", c + 1, (unsigned long long)plan->probes[c]);
    for (size_t p = 0; p < plan->distribution.procedures; p++)
        print_exception(&plan->graphs.procedures.at[p], &plan->subjects[p]);
}

static bool make_all(const char *program, const struct settings *settings, struct failure *why)
{
    struct link_record link;
    struct plan plan = {0};
    char *folder = NULL, *absolute = NULL;
    if (!link_record_read(&link, program, why))
        return false;
    bool fine = mkdir(settings->folder, 0777) == 0 || errno == EEXIST ||
                failure_set(why, "%s: %s", settings->folder, strerror(errno));
    fine = fine && ((folder = paths_absolute(settings->folder)) ||
                    failure_set(why, "%s: %s", settings->folder, strerror(errno)));
    fine = fine && paths_normalise(program, folder, why);
    char *graphs = paths_file(settings->folder, PATHS_GRAPHS);
    fine = fine && graph_program_read(&plan.graphs, graphs, why);
    free(graphs);
    if (fine) {
        absolute = paths_absolute(program);
        plan.program = absolute;
        plan.build_id = link.build_id;
        fine = make_plan(&plan, settings, why) && make_copies(&plan, &link, folder, why);
    }
    if (fine)
        print_plan(&plan);
    plan_free(&plan);
    link_record_free(&link);
    free(folder);
    free(absolute);
    return fine;
}

static const struct option_entry plan_options[] = {
    {0, "policy", "POLICY", "how the paths are divided among copies: * [sbl]",
     OPTION_INTO(struct settings, policy), OPTION_CHOICES(policy_names)},
    {0, "copies", "N", "number of copies [2; sbl: 1]", OPTION_INTO(struct settings, copies),
     .most = MOST_COPIES},
    {0, "edges", "FILE", "edge profile from 'aprof paths edges'; required by hits",
     OPTION_INTO(struct settings, edges)},
    {0, "path-limit", "N", "cuts edges in procedures with more than N paths [2^62]",
     OPTION_INTO(struct settings, limit), .most = (unsigned long)DAG_DEFAULT_LIMIT},
    {0, "threads", NULL, "counts the paths of each thread separately (sbl only)",
     OPTION_INTO(struct settings, threads)},
    {0, "slicing", NULL, "divides the run into intervals; a copy counts in its own intervals",
     OPTION_INTO(struct settings, slicing)},
    {0, "interval", "N", "number of paths that start in an interval of --slicing [10000]",
     OPTION_INTO(struct settings, interval), .most = LONGEST_INTERVAL},
    {0, "events", NULL, "counts paths by an analysis of events (one copy only)",
     OPTION_INTO(struct settings, events)},
    {'o', "output", "FOLDER", "folder of the plan and the copies [.]",
     OPTION_INTO(struct settings, folder)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.limit = (unsigned long)DAG_DEFAULT_LIMIT, .folder = "."};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    const char *wrong = check_settings(&settings);
    if (wrong)
        return options_usage_error(&options, wrong, NULL);
    if (settings.copies == 0)
        settings.copies = 2;
    return make_all(options.operands.at[0], &settings, &why) ? STATUS_OK : message_failure(&why);
}

const struct command paths_plan = {
    .name = "plan",
    .summary = "decides which paths each copy counts, and makes the copies",
    .usage = "[options] PROGRAM",
    .details = "Makes a plan and instrumented copies of a program that aprof-pathcc built.",
    .options = plan_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one program",
    .run = run,
};
