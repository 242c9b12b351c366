/* A plan: what every copy of a program counts, and the positions of its counters.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file holds everything that decoding needs, so that nothing depends on how the plan was found:
 *
 *     aprof-paths-plan 2
 *     program PATH BUILD-ID
 *     module MODULE-ID
 *     policy NAME COPIES PATH-LIMIT FLAGS INTERVAL
 *     cost COPY SLOTS PROBES
 *     part COPY PROCEDURE TABLE EARLY BASE INTERESTING LABELS INCREMENTS
 *     complete ...
 *
 * Lists of edges of the dag: INTERESTING has ranges, `0-3 7`; LABELS and INCREMENTS have
 * `EDGE:VALUE` for values other than 0. Copies count from 1. The checksum is the plan's identity.
 * The copies of a sliced plan are alike, and only the first one's parts are in the file.
 */
#ifndef PATHS_PLAN_H
#define PATHS_PLAN_H

#include "paths/counters.h"
#include "paths/policy.h"

/* The position of the counts of one part. */
struct layout {
    bool hashed;
    uint64_t slot; /* of the path with number 0 */
};

struct plan {
    struct arena strings;
    const char *program; /* path of the program's file */
    const char *build_id;
    enum policy policy;
    uint64_t path_limit;
    uint32_t flags;    /* enum counters_flag */
    uint32_t interval; /* if sliced: starts of paths per interval */
    uint64_t id;
    struct graph_program graphs;
    struct subject *subjects;
    struct distribution distribution;
    struct layout *layouts; /* like distribution.parts */
    uint64_t *slots;        /* by copy; the first ones count entries if the plan is partial */
    uint64_t *probes;       /* by copy: static number of non-zero increments and commits */
};

/* Procedures with more paths are counted in a hash table. */
#define PLAN_MOST_ARRAY_PATHS 65536
/* Above this number of counters in a copy, further paths also use hash tables, because counters
 * take address space. */
#define PLAN_MOST_SLOTS ((uint64_t)1 << 24)

/* Completes a plan whose graphs and first fields, up to the interval, are set. */
void plan_make(struct plan *plan, const struct edge_profile *edges, uint32_t copies);

/* Sets the id, which writing does too. */
void plan_identify(struct plan *plan);

bool plan_write(struct plan *plan, const char *path, struct failure *why);

/* Reads a plan and its graphs. */
bool plan_read(struct plan *plan, const char *path, const char *graphs_path, struct failure *why);
void plan_free(struct plan *plan);

/* Copies count from 0 here. */
static inline size_t plan_index(const struct plan *plan, uint32_t copy, size_t procedure)
{
    return (plan->flags & COUNTERS_SLICED ? 0 : copy * plan->distribution.procedures) + procedure;
}

static inline const struct part *plan_part(const struct plan *plan, uint32_t copy, size_t procedure)
{
    return &plan->distribution.parts[plan_index(plan, copy, procedure)];
}

static inline const struct layout *plan_layout(const struct plan *plan, uint32_t copy,
                                               size_t procedure)
{
    return &plan->layouts[plan_index(plan, copy, procedure)];
}

#endif
