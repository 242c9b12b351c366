/* A report in memory: the measurements of one run, or of several merged ones.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables mirror the file format (aprof-out(5)). The report owns everything; strings are in its
 * arena. Indices are dense: routines[i].object counts in objects, profiles[i].routine in routines,
 * and a profile's points are contiguous in points[metric].
 */
#ifndef LIB_REPORT_REPORT_H
#define LIB_REPORT_REPORT_H

#include "lib/base/memory.h"
#include "lib/records/record_types.h"
#include "lib/base/message.h"
#include "ground/wide.h"
#include "lib/base/vector.h"

#include <stdint.h>

enum report_metric { METRIC_TRMS, METRIC_RMS, METRIC_COUNT };

extern const char *const metric_names[METRIC_COUNT + 1]; /* ends with NULL */

/* All activations of one routine that had the same input size. */
struct report_point {
    RECORD_POINT(RECORD_MEMBER)
    RECORD_POINT_TAIL(RECORD_MEMBER)
};

/* For samples: sums over the recorded calls, each times its weight (1 / the probability of
 * recording it), and the variances of these sums. */
struct report_weights {
    RECORD_WEIGHTS(RECORD_MEMBER)
};

struct report_routine {
    uint32_t object;
    uint32_t line;       /* 0: unknown */
    uint64_t offset;     /* link-time address in the object */
    uint64_t size_bytes; /* 0: unknown */
    const char *symbol;  /* from the symbol table; "" if there is none */
    const char *file;    /* "" when unknown */
    const char *name;    /* the name for users: demangled, or object+0xOFFSET */
};

struct report_profile {
    uint32_t routine;
    uint32_t thread; /* 0: all threads together */
    uint32_t count[METRIC_COUNT];
    size_t first[METRIC_COUNT]; /* the points of each metric, by ascending input */
    uint64_t calls, cost_total, cost_self;
    uint64_t known; /* for samples: the number of all calls */
    struct report_weights weights;
    double total_error, self_error; /* standard errors of estimates, in cost; 0: unknown */
};

#define CONTEXT_NO_CALLER UINT32_MAX

/* A routine, called from a context. */
struct report_context {
    uint32_t caller; /* index, smaller than its own, or CONTEXT_NO_CALLER */
    uint64_t error;  /* upper bound of its calls (or self cost) that were not recorded */
    struct report_profile profile;
};

/* The contexts of a thread. */
struct report_tree {
    uint32_t thread;     /* 0: all threads together */
    uint64_t total;      /* calls, or self cost, of all contexts, reported or not */
    size_t first, count; /* of its contexts */
};

struct report_contexts {
    const char *kind;          /* "full" or "hot"; NULL: there are no contexts */
    const char *phi, *epsilon; /* "0" if full */
    const char *weight;        /* "calls" or "cost": the criterion for hot contexts */
    const char *recursion;     /* "folded" or "unfolded" */
    VECTOR(struct report_context) all;
    VECTOR(struct report_tree) trees;
};

#define REPORT_NONE RECORD_NONE

/* A line of a file, in a chain of inlined functions; see report_code.h. */
struct report_place {
    uint32_t inlined; /* index, or REPORT_NONE: in the routine itself */
    uint32_t file;    /* index, or REPORT_NONE: not known */
    uint32_t line;    /* if the file is not known, an address in the object; 0: not known */
};

#define RECORD_TYPE_place struct report_place

/* The depth of nested inlined functions is limited, and so is the work per line. */
#define REPORT_INLINED_DEPTH_MAX 128

/* An inlined function, and its place: a line of a routine, or of the function inlined around it. */
struct report_inlined {
    struct report_place call; /* its `inlined` is smaller than the index of this function */
    const char *name;         /* "" when unknown */
};

/* The calls from one place in a routine to another routine. */
struct report_edge {
    RECORD_EDGE(RECORD_MEMBER)
};

/* The self cost of a routine at one place. */
struct report_line_cost {
    uint32_t routine;
    struct report_place place;
    uint64_t cost;
};

struct report_code {
    string_list files;
    VECTOR(struct report_inlined) inlined;
    VECTOR(struct report_edge) edges;
    VECTOR(struct report_line_cost) lines;
};

struct totals {
    RECORD_TOTALS(RECORD_MEMBER)
};

/* The recorded part of all activations. A rate of 0 means that all were recorded. */
struct report_share {
    RECORD_SAMPLED(RECORD_MEMBER)
    bool weighted; /* each recorded call has a weight, except in the oldest sampled reports */
};

struct report {
    char *path; /* path of the file, for messages */
    struct arena strings;
    RECORD_HEAD(RECORD_HEAD_MEMBERS)
    bool has_metric[METRIC_COUNT];
    unsigned resolution_bytes;
    struct report_share share;
    bool threads_separate;
    struct totals totals;
    string_list objects;
    /* by object: NULL, or the build id of an object whose debug data its profiler did not read; ""
     * if it has none */
    string_list unread_ids;
    string_list notes; /* messages about objects that could not be read */
    VECTOR(struct report_routine) routines;
    VECTOR(struct report_profile) profiles;
    VECTOR(struct report_point) points[METRIC_COUNT];
    struct report_contexts contexts;
    struct report_code code;
};

void report_free(struct report *report); /* leaves an empty report */

/* Gives every routine its readable name; the reader has done so for its reports. */
void report_name_routines(struct report *report);

/* The name for users, demangled or object+0xOFFSET; the caller frees it. */
char *routine_display_name(const struct report_routine *routine, const char *object_path);

/* Adds up the threads, so that every routine has one profile, with thread 0. */
void report_merge_threads(struct report *report);

/* The number of calls with this input size; for samples an estimate. */
static inline uint64_t point_calls(const struct report_point *point)
{
    return point->weight ? point->weight : point->calls;
}

/* Adds the weights of `from`. */
void weights_add(struct report_weights *to, const struct report_weights *from);

/* Adds `from` to `to`, which has the same input size. */
void point_add(struct report_point *to, const struct report_point *from);

/* Sorts points and joins points of equal input; returns the number of points that remain. */
size_t points_join(struct report_point *points, size_t count);

/* Chooses the requested metric, or else the first that the report has. */
bool report_choose_metric(const struct report *report, const char *wanted,
                          enum report_metric *metric, struct failure *why);

/* True if both reports are of one run: equal process, command and totals. */
bool report_is_same_run(const struct report *a, const struct report *b);

/* "basic blocks" or "instructions". */
const char *report_cost_words(const struct report *report);

/* The name of the program that ran, without its path; "" if it is not known. */
const char *report_program(const struct report *report);

/* The fields of `process`, joined with ':'; the caller frees it. */
char *report_process_words(const struct report *report);

/* "trms, 4-byte cells"; the caller frees it. */
char *report_input_words(const struct report *report, enum report_metric metric);

/* NULL if the report has no points at all, because adding even zero to a null pointer is
 * undefined. */
static inline const struct report_point *profile_points(const struct report *report,
                                                        const struct report_profile *profile,
                                                        enum report_metric metric)
{
    const struct report_point *points = report->points[metric].at;
    return points ? points + profile->first[metric] : NULL;
}

/* Whether a compiled-in profiler has written the report. */
bool report_is_compiled(const struct report *report);

/* Whether there is an object whose debug data were not read. */
bool report_has_unread(const struct report *report);

/* The prefix of profiler options in messages, for example of `contexts=hot`. */
const char *report_option_prefix(const struct report *report);

/* The input of all recorded calls together. */
u128 profile_input(const struct report *report, const struct report_profile *profile,
                   enum report_metric metric);

/* The input of all calls; for samples an estimate. */
u128 profile_estimated_input(const struct report *report, const struct report_profile *profile,
                             enum report_metric metric);

#endif
