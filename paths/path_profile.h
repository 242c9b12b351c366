/* A path profile: how often each path of each procedure was executed, merged from all copies.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof-path-profile 2
 *     plan PLAN-ID
 *     copy NUMBER HITS INCREMENTS COMMITS UNINTERESTING STARTS PROCESSES
 *     difference TEXT
 *     procedure NUMBER NAME
 *     path COUNT EDGES                    edges of the dag, `0 3 7`
 *     complete ...
 *
 * Every path has one count, and all copies that count the path must agree. If copies have different
 * counts for a path or for a procedure's entries, they behaved differently, and the profile has a
 * record `difference`. The copies of a sliced plan counted at different times, so their counts are
 * added up. Sliced copies must agree on the number of started paths, and on the positions where the
 * intervals began.
 */
#ifndef PATHS_PATH_PROFILE_H
#define PATHS_PATH_PROFILE_H

#include "paths/counts.h"
#include "paths/plan.h"

struct path_count {
    uint32_t procedure;
    /* Ball-Larus number of the path, which may differ from the path's numbers in the copies */
    uint64_t number;
    uint64_t count;
};

/* The cost of profiling for a copy in this run, computed from the counts. */
struct copy_cost {
    uint64_t hits;       /* executions of edges with a non-zero label (the paper's metric) */
    uint64_t increments; /* number of hits on edges that commit no path */
    uint64_t commits;    /* number of commits of paths that the copy counts for the profile */
    /* number of commits of paths that the copy does not count for the profile */
    uint64_t uninteresting;
    uint64_t starts; /* number of started paths if the copy is sliced; each start has a check */
    uint64_t processes;
};

struct path_profile {
    struct arena strings;
    VECTOR(struct path_count) paths; /* paths, ordered by procedure and number */
    VECTOR(struct copy_cost) copies;
    string_list differences;
    uint64_t plan;
};

/* `counts` has one struct path_counts per copy of the plan. */
void path_profile_merge(struct path_profile *profile, const struct plan *plan,
                        const struct path_counts *counts);

bool path_profile_write(const struct path_profile *profile, const struct plan *plan,
                        const char *path, struct failure *why);
bool path_profile_read(struct path_profile *profile, const struct plan *plan, const char *path,
                       struct failure *why);
void path_profile_free(struct path_profile *profile);

/* Stores the edges of a path in `edges`, and returns their number, which is at most the number of
 * the dag's vertices. */
uint32_t path_edges(const struct numbering *ball_larus, const struct dag *dag,
                    const struct path_count *path, uint32_t *edges);

#endif
