/* Measurements: for each routine, tables of points (input size -> calls and costs).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef POINTS_PROFILE_H
#define POINTS_PROFILE_H

#include "ground/wide.h"
#include "points/routine.h"

/* All activations of one routine with the same input size. */
struct point {
    uint64_t input; /* cells */
    uint64_t calls;
    struct wide cost_sum;
    struct wide cost_squares;
    uint64_t cost_min, cost_max; /* smallest and largest total cost */
    uint64_t self_sum;           /* sum of self costs: callees excluded */
    uint64_t induced_thread;     /* induced first accesses, attributed to the latest writer */
    uint64_t induced_external;
    /* the part of `induced_thread` that is in cells with earlier accesses by the same activation;
     * without the writes of other threads, trms would be smaller by this part */
    uint64_t thread_again;
};

enum metric { METRIC_TRMS, METRIC_RMS, METRICS };
#define BOTH_METRICS (1u << METRIC_TRMS | 1u << METRIC_RMS)

/* Estimates for all calls of a sampled routine. A recorded call with weight w represents w calls;
 * its weight is the inverse of the probability that the call is recorded. The total of a recursive
 * routine is a sum over all calls: the cost of each call minus the costs of recursive calls inside
 * it. */
struct profile_weights {
    uint64_t weight; /* sum of the calls' weights */
    struct wide total, self;
    struct wide total_variance, self_variance; /* variances of `total` and `self` */
    /* values derived from the earlier costs; each new cost is compared with them */
    uint64_t total_reference, self_reference;
    /* whether the sums over individually sampled calls have been scaled to the number of these
     * calls, recorded or not */
    bool calibrated;
    uint32_t innermost; /* position of the routine's latest activation on the stack */
    uint32_t capacity[METRICS];
    /* for each point, indexed by its position: sum of the weights of its calls */
    uint64_t *points[METRICS];
};

/* Points by input size: an array in order of appearance, with a hash index unless the array is
 * tiny. A signal handler may interrupt a table operation at any instruction and jump away; the
 * table stays in use. A size may then exist twice until the table is moved, and a point may have no
 * calls. */
struct point_table {
    struct point *points;
    struct point *latest; /* point of the latest counted call; NULL if no call was counted */
    uint32_t *index;      /* hash index: position + 1, 0 = free; NULL while the table is tiny */
    uint32_t n_points, capacity;
    uint32_t index_mask;
};

/* The profile of one routine in one execution context or, after gathering, in one thread. */
struct routine_profile {
    struct routine *routine;
    uint64_t calls;
    uint64_t cost_total; /* cost of outermost activations only, so that recursion counts once */
    uint64_t cost_self;
    uint64_t known; /* for sampled routines: estimated number of all calls, recorded or not */
    struct profile_weights *weights; /* estimates for a sampled routine; otherwise NULL */
    uint32_t pending;                /* number of pending measured activations */
    /* whether rms and trms have ever differed. Until then, both metrics share the table of trms,
     * which saves a table for most routines */
    bool differ;
    struct point_table table[METRICS];
};

/* All routines of one execution context or thread by routine id, in blocks of pointers that are
 * made on demand. */
#define PROFILE_BLOCK 64
struct profile {
    struct routine_profile ***blocks;
    uint32_t n_blocks;
};

/* The measurement of an ended activation. */
struct measurement {
    uint64_t input[METRICS];
    uint64_t cost, self;
    uint64_t induced_thread, induced_external, thread_again;
};

/* A profile outside any `struct profile`; owned by the caller. */
struct routine_profile *routine_profile_new(struct routine *routine);
void routine_profile_free(struct routine_profile *profile);

/* Moves all measurements of `from` to `to`. */
void routine_profile_move(struct routine_profile *to, struct routine_profile *from);

/* Returns the routine's profile; creates it if it does not exist. The profile lives as long as
 * `profile`. */
struct routine_profile *profile_get(struct profile *profile, struct routine *routine);

/* Adds a call and its costs to the point, except the square of the cost. */
APROF_INLINE void point_add_cost(struct point *point, uint64_t cost, uint64_t self)
{
    point->calls++;
    wide_add_word(&point->cost_sum, cost);
    if (cost < point->cost_min)
        point->cost_min = cost;
    if (cost > point->cost_max)
        point->cost_max = cost;
    point->self_sum += self;
}

/* HOT: adds the costs of an activation without induced input. */
APROF_INLINE void point_add_costs(struct point *point, uint64_t cost, uint64_t self)
{
    point_add_cost(point, cost, self);
    if (LIKELY(cost <= ~(uint32_t)0))
        wide_add_word(&point->cost_squares, cost * cost);
    else
        wide_add_square(&point->cost_squares, cost);
}

/* HOT: like profile_add for BOTH_METRICS, but only for an activation without induced input. Returns
 * false and does nothing if the metrics differ, or if the input size is not that of the latest
 * activation. */
APROF_INLINE bool profile_add_again(struct routine_profile *to, uint64_t input, uint64_t cost,
                                    uint64_t self)
{
    struct point *latest = to->table[METRIC_TRMS].latest;
    if (UNLIKELY(to->differ || !latest) || latest->input != input)
        return false;
    to->calls++;
    to->cost_self += self;
    point_add_costs(latest, cost, self);
    return true;
}

/* Makes the point of this size the latest point, so that the next profile_add_again adds to it.
 * Returns false if the metrics differ. */
bool profile_seek(struct routine_profile *profile, uint64_t input);

/* Adds one activation to the tables of `metrics`, a mask of 1 << enum metric. */
void profile_add(struct routine_profile *to, const struct measurement *m, unsigned metrics);

/* Adds many activations at once. All have the same input size, and their rms and trms are equal. */
void profile_add_point(struct routine_profile *to, const struct point *point, unsigned metrics);

/* Returns the weights of a routine with sampled calls. */
struct profile_weights *profile_weights_get(struct routine_profile *profile);

/* Sets the weight of the sampled activation that was added last. */
void profile_add_weight(struct routine_profile *to, uint32_t weight, unsigned metrics);

/* Returns the sum of the weights of all calls of a point; 0 if no activation was sampled. `table`
 * is the table of the profile that has the point. */
uint64_t profile_point_weight(const struct routine_profile *profile,
                              const struct point_table *table, const struct point *point);

/* Returns the table of a profile that has the points of `metric`. `metrics` are all metrics for
 * which the profile has tables. */
const struct point_table *profile_table(const struct routine_profile *profile, enum metric metric,
                                        unsigned metrics);

/* Moves all measurements of `from` to `to`; `from` keeps its routines and pending counts. */
void profile_move(struct profile *to, struct profile *from);

/* Moves the measurements of each routine to the routine that `identify` returns for it. */
void profile_unify(struct profile *profile, struct routine *(*identify)(struct routine *));

/* Clears all measurements; keeps routines and pending counts. */
void profile_clear(struct profile *profile);

/* Sets is_recorded[id] for each routine with recorded activations. */
void profile_find_recorded(const struct profile *profile, bool *is_recorded);

/* profile_clear_recorded does what profile_clear does, but does not clear `known` of routines that
 * are not in `is_recorded`. profile_forget_unrecorded clears `known` of the routines that are not
 * in `is_recorded`. A report names only recorded routines. So the number of calls of any other
 * routine is kept for a later part of the report. */
void profile_clear_recorded(struct profile *profile, const bool *is_recorded);
void profile_forget_unrecorded(struct profile *profile, const bool *is_recorded);

void profile_free(struct profile *profile);

/* Calls `visit` for each routine in order of id. */
void profile_each(const struct profile *profile,
                  void (*visit)(void *context, struct routine_profile *), void *context);

/* Returns the point of this input size; creates it with calls = 0 if it does not exist. The pointer
 * is valid until the next call. */
struct point *point_table_get(struct point_table *table, uint64_t input);

#endif
