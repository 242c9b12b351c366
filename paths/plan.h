/* A plan: which paths each copy of a program counts, and where its counters are.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The plan's file has all data that decoding of counts needs, so decoding does not depend on how
 * the plan was found:
 *
 *     aprof-paths-plan 2
 *     program PATH BUILD-ID
 *     module MODULE-ID
 *     policy NAME COPIES PATH-LIMIT FLAGS INTERVAL
 *     cost COPY SLOTS PROBES
 *     part COPY PROCEDURE TABLE EARLY BASE INTERESTING LABELS INCREMENTS
 *     complete ...
 *
 * Three fields are lists of edges of the dag. INTERESTING has ranges such as `0-3 7`; LABELS and
 * INCREMENTS have `EDGE:VALUE` for values other than 0. Copies are numbered from 1. The checksum is
 * the plan's identity. All copies of a sliced plan are equal, so only the first copy's parts are in
 * the file.
 */
#ifndef PATHS_PLAN_H
#define PATHS_PLAN_H

#include "paths/counters.h"
#include "paths/policy.h"

/* The position of the counters of one part. */
struct layout {
    bool hashed;
    uint64_t slot; /* slot of the path with number 0 */
};

struct plan {
    struct arena strings;
    const char *program; /* path of the program's file */
    const char *build_id;
    enum policy policy;
    uint64_t path_limit;
    uint32_t flags;    /* enum counters_flag */
    uint32_t interval; /* number of path starts per interval, if the plan is sliced */
    uint64_t id;
    struct graph_program graphs;
    struct subject *subjects;
    struct distribution distribution;
    struct layout *layouts; /* layouts in the order of distribution.parts */
    /* number of slots of each copy; in a partial plan, the first slots count entries of
     * procedures */
    uint64_t *slots;
    uint64_t *probes; /* static number of non-zero increments and commits, by copy */
};

/* If a procedure has more paths than this number, its paths are counted in a hash table. */
#define PLAN_MOST_ARRAY_PATHS 65536
/* If a copy has more counters than this number, further paths also use hash tables, because
 * counters take address space. */
#define PLAN_MOST_SLOTS ((uint64_t)1 << 24)

/* Completes a plan. The plan's graphs, and its first fields up to `interval`, must already be
 * set. */
void plan_make(struct plan *plan, const struct edge_profile *edges, uint32_t copies);

/* Sets the plan's id, as plan_write does. */
void plan_identify(struct plan *plan);

bool plan_write(struct plan *plan, const char *path, struct failure *why);

/* Reads a plan and its graphs. */
bool plan_read(struct plan *plan, const char *path, const char *graphs_path, struct failure *why);
void plan_free(struct plan *plan);

/* Returns the index of a part; in this function, copies are numbered from 0. */
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
