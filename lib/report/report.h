/* A report in memory: the measurements of one run, or of several merged runs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables mirror the file format (aprof-out(5)). The report owns all data; strings are in its
 * arena. Indices are dense: routines[i].object is an index into objects, and profiles[i].routine is
 * an index into routines. The points of a profile are contiguous in points[metric].
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

/* All activations of one routine with one input size. */
struct report_point {
    RECORD_POINT(RECORD_MEMBER)
    RECORD_POINT_TAIL(RECORD_MEMBER)
};

/* Sums over the recorded calls of a sample, and the variances of these sums. In these sums, the
 * numbers of each call are multiplied by the call's weight (1 / the probability of recording the
 * call). */
struct report_weights {
    RECORD_WEIGHTS(RECORD_MEMBER)
};

struct report_routine {
    uint32_t object;
    uint32_t line;       /* 0: unknown */
    uint64_t offset;     /* link-time address in the object */
    uint64_t size_bytes; /* 0: unknown */
    const char *symbol;  /* name in the symbol table; "" if there is none */
    const char *file;    /* "" when unknown */
    const char *name;    /* name for users: demangled, or object+0xOFFSET */
};

struct report_profile {
    uint32_t routine;
    uint32_t thread; /* number of the thread; 0: all threads together */
    uint32_t count[METRIC_COUNT];
    size_t first[METRIC_COUNT]; /* points of each metric, by ascending input */
    uint64_t calls, cost_total, cost_self;
    uint64_t known; /* for a sample, the number of all calls, recorded or not */
    struct report_weights weights;
    double total_error, self_error; /* standard errors of estimated costs; 0: unknown */
};

#define CONTEXT_NO_CALLER UINT32_MAX

/* A calling context: a routine, and the context that calls the routine. */
struct report_context {
    uint32_t caller; /* index of the caller, below the index of the context; or CONTEXT_NO_CALLER */
    uint64_t error;  /* the calls (or self cost) of the context that were not recorded are at most
                      * this number */
    struct report_profile profile;
};

/* The contexts of a thread. */
struct report_tree {
    uint32_t thread; /* 0: all threads together */
    /* calls or self cost of all contexts, including contexts that are not in the report */
    uint64_t total;
    size_t first, count; /* range of the tree's contexts */
};

struct report_contexts {
    const char *kind;          /* kind of tree, "full" or "hot"; NULL: there are no contexts */
    const char *phi, *epsilon; /* thresholds as text; "0" for a full tree */
    const char *weight;        /* criterion for hot contexts: "calls" or "cost" */
    const char *recursion;     /* "folded" or "unfolded" */
    VECTOR(struct report_context) all;
    VECTOR(struct report_tree) trees;
};

#define REPORT_NONE RECORD_NONE

/* A line of a file, in a chain of inlined functions; see report_code.h. */
struct report_place {
    uint32_t inlined; /* index of the inlined function; REPORT_NONE: in the routine itself */
    uint32_t file;    /* index of the file; REPORT_NONE: not known */
    uint32_t line;    /* line, or the address in the object if the file is not known; 0: not
                       * known */
};

#define RECORD_TYPE_place struct report_place

/* The maximum depth of nested inlined functions, which limits the work per line. */
#define REPORT_INLINED_DEPTH_MAX 128

/* An inlined function and the code location of its call. The call is in the routine itself, or in
 * another function that is inlined into the routine. */
struct report_inlined {
    struct report_place call; /* code location of the call; the index call.inlined of the outer
                               * function is smaller than this function's index */
    const char *name;         /* "" when unknown */
};

/* All calls of one routine from one code location in another routine. */
struct report_edge {
    RECORD_EDGE(RECORD_MEMBER)
};

/* The self cost of a routine at one code location. */
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

/* The recorded part of all activations. A rate of 0 means that all activations were recorded. */
struct report_share {
    RECORD_SAMPLED(RECORD_MEMBER)
    bool weighted; /* whether recorded calls have weights; false for the oldest samples */
};

struct report {
    char *path; /* path of the file, for error messages */
    struct arena strings;
    RECORD_HEAD(RECORD_HEAD_MEMBERS)
    bool has_metric[METRIC_COUNT];
    unsigned resolution_bytes;
    struct report_share share;
    bool threads_separate;
    struct totals totals;
    string_list objects;
    /* for each object: NULL if the profiler read its debug data; otherwise the object's build id
     * ("" if the object has no build id) */
    string_list unread_ids;
    string_list notes; /* notes about objects that could not be read */
    VECTOR(struct report_routine) routines;
    VECTOR(struct report_profile) profiles;
    VECTOR(struct report_point) points[METRIC_COUNT];
    struct report_contexts contexts;
    struct report_code code;
};

/* Frees the data of the report; the report is empty afterwards. */
void report_free(struct report *report);

/* Sets the readable name of every routine. The report reader calls this function for each report
 * that it reads. */
void report_name_routines(struct report *report);

/* The name for users, demangled or object+0xOFFSET. The caller frees the name. */
char *routine_display_name(const struct report_routine *routine, const char *object_path);

/* Adds up the threads, so that every routine has one profile with thread 0. */
void report_merge_threads(struct report *report);

/* Adds up the profiles of each routine, as report_merge_threads() does; all profiles get thread
 * 0. */
void report_merge_profiles(struct report *report);

/* The number of calls with the point's input size; for samples, an estimate. */
static inline uint64_t point_calls(const struct report_point *point)
{
    return point->weight ? point->weight : point->calls;
}

/* Adds the weights of `from` to `to`. */
void weights_add(struct report_weights *to, const struct report_weights *from);

/* Adds `from` to `to`, which has the same input size. */
void point_add(struct report_point *to, const struct report_point *from);

/* Sorts the points, and merges points of the same input size; returns the number of resulting
 * points. */
size_t points_join(struct report_point *points, size_t count);

/* Chooses the requested metric; without a request, the first metric of the report. */
bool report_choose_metric(const struct report *report, const char *wanted,
                          enum report_metric *metric, struct failure *why);

/* True if both reports are of the same run: process, command and totals are equal. */
bool report_is_same_run(const struct report *a, const struct report *b);

/* "basic blocks" or "instructions". */
const char *report_cost_words(const struct report *report);

/* The name of the program that ran, without its path; "" if the program is not known. */
const char *report_program(const struct report *report);

/* Joins the fields of `process` with ':'. The caller frees the text. */
char *report_process_words(const struct report *report);

/* The metric as text: "trms, 4-byte cells". The caller frees the text. */
char *report_input_words(const struct report *report, enum report_metric metric);

/* The points of a profile. If the report has no points, returns NULL before adding an index to the
 * null pointer, which C does not define even for the index 0. */
static inline const struct report_point *profile_points(const struct report *report,
                                                        const struct report_profile *profile,
                                                        enum report_metric metric)
{
    const struct report_point *points = report->points[metric].at;
    return points ? points + profile->first[metric] : NULL;
}

/* Whether a compiled-in profiler has written the report. */
bool report_is_compiled(const struct report *report);

/* Whether the debug data of any object were not read. */
bool report_has_unread(const struct report *report);

/* The text that messages put before the profiler's options, for example before `contexts=hot`. */
const char *report_option_prefix(const struct report *report);

/* The total input of all recorded calls. */
u128 profile_input(const struct report *report, const struct report_profile *profile,
                   enum report_metric metric);

/* The total input of all calls; for samples, an estimate. */
u128 profile_estimated_input(const struct report *report, const struct report_profile *profile,
                             enum report_metric metric);

#endif
