/* `aprof paths edges`: counts in a training run how often each edge is taken.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/child.h"
#include "tools/paths_command.h"

#include "paths/counters.h"
#include "paths/probe_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- Measuring */

struct edge_run {
    const char *program;
    char *folder;
    struct graph_program graphs;
    char *probes, *executable, *counters;
};

static bool build(struct edge_run *m, const struct link_record *link, struct failure *why)
{
    char *graphs = paths_file(m->folder, PATHS_GRAPHS);
    bool fine =
        paths_normalise(m->program, m->folder, why) && graph_program_read(&m->graphs, graphs, why);
    free(graphs);
    struct paths_build one = {.probes = m->probes, .executable = m->executable};
    return fine && probes_write_edges(&m->graphs, COUNTERS_LANES, m->probes, why) &&
           paths_build_all(link, m->folder, &one, 1, why);
}

static void take_counts(struct edge_profile *profile, const struct graph_program *graphs,
                        const struct path_counts *counts)
{
    uint64_t slot = 0;
    edge_profile_make(profile, graphs);
    for (size_t p = 0; p < profile->count; p++) {
        size_t edges = graphs->procedures.at[p].edges.count;
        profile->procedures[p].entries = counts->slots[slot];
        memcpy(profile->procedures[p].edges, &counts->slots[slot + 1], edges * sizeof(uint64_t));
        slot += edges + 1;
    }
}

static bool save(const struct edge_run *m, const char *output, struct failure *why)
{
    struct path_counts counts;
    struct edge_profile profile;
    uint64_t slots = probes_edge_slot(&m->graphs, m->graphs.procedures.count) + 1;
    if (!counts_read(&counts, m->counters, 0, 1, slots, why))
        return false;
    take_counts(&profile, &m->graphs, &counts);
    bool fine = edge_profile_write(&profile, &m->graphs, output, why);
    edge_profile_free(&profile);
    counts_free(&counts);
    return fine;
}

/* Returns the program's exit status, or -1 with a reason. */
static int measure(struct edge_run *m, char *const *arguments, const char *output,
                   struct failure *why)
{
    struct link_record link;
    if (!link_record_read(&link, m->program, why))
        return -1;
    bool fine = build(m, &link, why);
    link_record_free(&link);
    if (!fine)
        return -1;
    struct paths_launch launch = {.executable = m->executable,
                                  .name = m->program,
                                  .arguments = arguments,
                                  .counters = m->counters,
                                  .processor = -1};
    pid_t child = paths_start(&launch);
    if (child < 0) {
        failure_set(why, "%s: cannot start", m->program);
        return -1;
    }
    int status = paths_wait(child).status;
    if (!save(m, output, why))
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct settings {
    const char *output;
};

static const struct option_entry edges_options[] = {
    {'o', "output", "FILE", "name of the edge profile [aprof.paths.edges]",
     OPTION_INTO(struct settings, output)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct settings settings = {.output = "aprof.paths.edges"};
    struct edge_run m = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!(m.folder = child_folder_make("aprof-paths", &why)))
        return message_failure(&why);
    m.program = options.operands.at[0];
    m.probes = paths_file(m.folder, "probes");
    m.executable = paths_file(m.folder, "copy");
    m.counters = paths_file(m.folder, "counters");
    int status = measure(&m, (char *const *)options.operands.at + 1, settings.output, &why);
    if (status < 0)
        status = message_failure(&why);
    graph_program_free(&m.graphs);
    free(m.probes);
    free(m.executable);
    free(m.counters);
    child_folder_remove(m.folder);
    return status;
}

const struct command paths_edges = {
    .name = "edges",
    .summary = "counts how often each edge is taken",
    .usage = "[-o FILE] -- PROGRAM [arguments]",
    .details =
        "Runs the program once with a counter on every edge of its control-flow graphs, and\n"
        "writes an edge profile. The exit status is the exit status of the program.",
    .options = edges_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "a program to run",
    .run = run,
};
