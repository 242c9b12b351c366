/* Tables of points: one hash look-up per ended activation.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/profile.h"
#include "ground/array.h"
#include "ground/host.h"

#define TINY_TABLE 8 /* up to this number of points, a scan is cheaper than a hash look-up */

/* ---------------------------------------------------------------- one table */

static uint32_t hash(uint64_t input)
{
    return (uint32_t)((input * 0x9e3779b97f4a7c15u) >> 32);
}

static void index_insert(uint32_t *index, uint32_t mask, uint64_t input, uint32_t position)
{
    uint32_t slot = hash(input) & mask;
    while (index[slot])
        slot = (slot + 1) & mask;
    index[slot] = position + 1;
}

/* A table without an index is searched by a scan of all points. */
static void index_grow(struct point_table *table, uint32_t slots)
{
    uint32_t *old = table->index;
    uint32_t *index = host_alloc("aprof.profile.index", slots * sizeof(*index));
    for (uint32_t i = 0; i < table->n_points; i++)
        index_insert(index, slots - 1, table->points[i].input, i);
    table->index = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    table->index_mask = slots - 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    table->index = index;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    host_free(old);
}

/* The capacity of the index is raised last. If a signal handler jumps away before the capacity is
 * raised, the next call makes the index again. */
static void table_grow(struct point_table *table)
{
    uint32_t capacity = table->capacity ? 2 * table->capacity : 2;
    table->latest = NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (capacity > TINY_TABLE)
        index_grow(table, 2 * capacity);
    array_grow_whole("aprof.profile.points", &table->points, &table->capacity, capacity,
                     sizeof(struct point));
}

/* Invariant: the index contains only existing points. Therefore the point is stored first, then the
 * count, then the index. */
static struct point *table_append(struct point_table *table, uint64_t input)
{
    if (table->n_points == table->capacity)
        table_grow(table);
    uint32_t position = table->n_points;
    struct point *point = &table->points[position];
    *point = (struct point){.input = input, .cost_min = ~(uint64_t)0};
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    table->n_points = position + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (table->index)
        index_insert(table->index, table->index_mask, input, position);
    return table->latest = point;
}

static struct point *find_in_tiny(struct point_table *table, uint64_t input)
{
    for (uint32_t i = 0; i < table->n_points; i++)
        if (table->points[i].input == input)
            return table->latest = &table->points[i];
    return table_append(table, input);
}

/* The slow path: the required point is not the latest one. */
static APROF_NOINLINE struct point *find_other(struct point_table *table, uint64_t input)
{
    if (!table->index)
        return find_in_tiny(table, input);
    uint32_t slot = hash(input) & table->index_mask;
    for (; table->index[slot]; slot = (slot + 1) & table->index_mask) {
        struct point *point = &table->points[table->index[slot] - 1];
        if (point->input == input)
            return table->latest = point;
    }
    return table_append(table, input);
}

APROF_INLINE struct point *point_of(struct point_table *table, uint64_t input)
{
    if (LIKELY(table->latest) && LIKELY(table->latest->input == input))
        return table->latest;
    return find_other(table, input);
}

struct point *point_table_get(struct point_table *table, uint64_t input)
{
    return point_of(table, input);
}

static void table_free(struct point_table *table)
{
    host_free(table->points);
    host_free(table->index);
    memset(table, 0, sizeof(*table));
}

/* ---------------------------------------------------------------- points */

APROF_INLINE void point_add(struct point *point, const struct measurement *m)
{
    point_add_costs(point, m->cost, m->self);
    if (UNLIKELY(m->induced_thread | m->induced_external)) {
        point->induced_thread = u64_add(point->induced_thread, m->induced_thread);
        point->induced_external = u64_add(point->induced_external, m->induced_external);
        point->thread_again = u64_add(point->thread_again, m->thread_again);
    }
}

static void point_merge(struct point *to, const struct point *from)
{
    to->calls += from->calls;
    wide_add(&to->cost_sum, from->cost_sum);
    wide_add(&to->cost_squares, from->cost_squares);
    if (from->cost_min < to->cost_min)
        to->cost_min = from->cost_min;
    if (from->cost_max > to->cost_max)
        to->cost_max = from->cost_max;
    to->self_sum += from->self_sum;
    to->induced_thread = u64_add(to->induced_thread, from->induced_thread);
    to->induced_external = u64_add(to->induced_external, from->induced_external);
    to->thread_again = u64_add(to->thread_again, from->thread_again);
}

static void weights_merge(struct profile_weights *to, const struct profile_weights *from)
{
    to->weight = u64_add(to->weight, from->weight);
    wide_add(&to->total, from->total);
    wide_add(&to->self, from->self);
    wide_add(&to->total_variance, from->total_variance);
    wide_add(&to->self_variance, from->self_variance);
}

struct profile_weights *profile_weights_get(struct routine_profile *profile)
{
    if (!profile->weights)
        profile->weights = host_alloc("aprof.profile.weights", sizeof(*profile->weights));
    return profile->weights;
}

uint64_t profile_point_weight(const struct routine_profile *profile,
                              const struct point_table *table, const struct point *point)
{
    const struct profile_weights *weights = profile->weights;
    size_t metric = (size_t)(table - profile->table), position = (size_t)(point - table->points);
    return weights && position < weights->capacity[metric] ? weights->points[metric][position] : 0;
}

/* Adds a weight to the latest point. */
static void add_weight(struct routine_profile *to, int metric, uint64_t weight)
{
    struct profile_weights *weights = profile_weights_get(to);
    const struct point_table *table = &to->table[metric];
    uint64_t *sum;
    array_grow_whole("aprof.profile.weights", &weights->points[metric], &weights->capacity[metric],
                     table->capacity, sizeof(*sum));
    sum = &weights->points[metric][table->latest - table->points];
    *sum = u64_add(*sum, weight);
}

/* Adds all points of one table of `from` to the table of `metric` in `to`. */
static void table_merge(struct routine_profile *to, int metric, const struct routine_profile *from,
                        int from_metric)
{
    const struct point_table *table = &from->table[from_metric];
    for (uint32_t i = 0; i < table->n_points; i++) {
        const struct point *point = &table->points[i];
        uint64_t weight = profile_point_weight(from, table, point);
        if (!point->calls)
            continue;
        point_merge(point_table_get(&to->table[metric], point->input), point);
        if (weight)
            add_weight(to, metric, weight);
    }
}

/* Call this function when the metrics differ for the first time. Afterwards each metric has a table
 * of its own. The new table is linked only when it is complete, because a signal handler may jump
 * away. */
static APROF_NOINLINE void tables_part(struct routine_profile *profile)
{
    profile->table[METRIC_RMS] = (struct point_table){.points = NULL};
    if (profile->weights)
        profile->weights->capacity[METRIC_RMS] = 0;
    table_merge(profile, METRIC_RMS, profile, METRIC_TRMS);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    profile->differ = true;
}

static APROF_NOINLINE void add_to_each(struct routine_profile *to, const struct measurement *m,
                                       unsigned metrics)
{
    for (int metric = 0; metric < METRICS; metric++)
        if (metrics & 1u << metric)
            point_add(point_of(&to->table[metric], m->input[metric]), m);
}

/* HOT: once per activation. Usually rms and trms are equal, and the size is the same as in the
 * previous call. */
void profile_add(struct routine_profile *to, const struct measurement *m, unsigned metrics)
{
    to->calls++;
    to->cost_self += m->self;
    if (LIKELY(metrics == BOTH_METRICS && !to->differ)) {
        if (LIKELY(m->input[METRIC_TRMS] == m->input[METRIC_RMS])) {
            point_add(point_of(&to->table[METRIC_TRMS], m->input[METRIC_TRMS]), m);
            return;
        }
        tables_part(to);
    }
    add_to_each(to, m, metrics);
}

void profile_add_weight(struct routine_profile *to, uint32_t weight, unsigned metrics)
{
    unsigned tables = metrics == BOTH_METRICS && !to->differ ? 1u << METRIC_TRMS : metrics;
    for (int metric = 0; metric < METRICS; metric++)
        if (tables & 1u << metric)
            add_weight(to, metric, weight);
}

bool profile_seek(struct routine_profile *profile, uint64_t input)
{
    if (profile->differ)
        return false;
    point_of(&profile->table[METRIC_TRMS], input);
    return true;
}

const struct point_table *profile_table(const struct routine_profile *profile, enum metric metric,
                                        unsigned metrics)
{
    bool shared = metrics == BOTH_METRICS && !profile->differ;
    return &profile->table[shared ? METRIC_TRMS : metric];
}

void profile_add_point(struct routine_profile *to, const struct point *point, unsigned metrics)
{
    unsigned tables = metrics == BOTH_METRICS && !to->differ ? 1u << METRIC_TRMS : metrics;
    to->calls += point->calls;
    to->cost_self += point->self_sum;
    for (int metric = 0; metric < METRICS; metric++)
        if (tables & 1u << metric)
            point_merge(point_of(&to->table[metric], point->input), point);
}

/* ---------------------------------------------------------------- profiles */

static APROF_NOINLINE struct routine_profile *profile_make(struct profile *profile,
                                                           struct routine *routine)
{
    uint32_t block = routine->id / PROFILE_BLOCK;
    array_grow_whole("aprof.profile.blocks", &profile->blocks, &profile->n_blocks, block + 1,
                     sizeof(struct routine_profile **));
    if (!profile->blocks[block])
        profile->blocks[block] =
            host_alloc("aprof.profile.block", PROFILE_BLOCK * sizeof(struct routine_profile *));
    struct routine_profile *made = routine_profile_new(routine);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    profile->blocks[block][routine->id % PROFILE_BLOCK] = made;
    return made;
}

struct routine_profile *profile_get(struct profile *profile, struct routine *routine)
{
    uint32_t block = routine->id / PROFILE_BLOCK;
    if (LIKELY(block < profile->n_blocks && profile->blocks[block])) {
        struct routine_profile *found = profile->blocks[block][routine->id % PROFILE_BLOCK];
        if (LIKELY(found))
            return found;
    }
    return profile_make(profile, routine);
}

void profile_each(const struct profile *profile,
                  void (*visit)(void *context, struct routine_profile *), void *context)
{
    for (uint32_t b = 0; b < profile->n_blocks; b++)
        for (uint32_t i = 0; profile->blocks[b] && i < PROFILE_BLOCK; i++)
            if (profile->blocks[b][i])
                visit(context, profile->blocks[b][i]);
}

/* Clears the sums, but keeps the positions of pending activations valid. */
static void weights_clear(struct profile_weights *weights)
{
    for (int metric = 0; metric < METRICS; metric++)
        host_free(weights->points[metric]);
    *weights = (struct profile_weights){.innermost = weights->innermost};
}

static void clear_routine(void *context, struct routine_profile *routine)
{
    (void)context;
    routine->calls = routine->known = routine->cost_total = routine->cost_self = 0;
    if (routine->weights)
        weights_clear(routine->weights);
    routine->differ = false;
    for (int metric = 0; metric < METRICS; metric++)
        table_free(&routine->table[metric]);
}

struct routine_profile *routine_profile_new(struct routine *routine)
{
    struct routine_profile *made = host_alloc("aprof.profile.routine", sizeof(*made));
    made->routine = routine;
    return made;
}

void routine_profile_free(struct routine_profile *profile)
{
    clear_routine(NULL, profile);
    host_free(profile->weights);
    host_free(profile);
}

void routine_profile_move(struct routine_profile *to, struct routine_profile *from)
{
    to->calls += from->calls;
    to->known += from->known;
    if (from->weights)
        weights_merge(profile_weights_get(to), from->weights);
    to->cost_total += from->cost_total;
    to->cost_self += from->cost_self;
    if (from->differ != to->differ)
        tables_part(from->differ ? to : from);
    for (int metric = 0; metric < METRICS; metric++)
        table_merge(to, metric, from, metric);
    clear_routine(NULL, from);
}

static void move_routine(void *context, struct routine_profile *from)
{
    if (from->calls || from->known || from->cost_total)
        routine_profile_move(profile_get(context, from->routine), from);
}

void profile_move(struct profile *to, struct profile *from)
{
    profile_each(from, move_routine, to);
}

struct unification {
    struct profile *profile;
    struct routine *(*identify)(struct routine *);
};

static void unify_routine(void *context, struct routine_profile *from)
{
    const struct unification *unification = context;
    struct routine *routine = unification->identify(from->routine);
    if (routine != from->routine && (from->calls || from->known || from->cost_total))
        routine_profile_move(profile_get(unification->profile, routine), from);
}

void profile_unify(struct profile *profile, struct routine *(*identify)(struct routine *))
{
    struct unification unification = {profile, identify};
    profile_each(profile, unify_routine, &unification);
}

void profile_clear(struct profile *profile)
{
    profile_each(profile, clear_routine, NULL);
}

static void find_recorded(void *context, struct routine_profile *routine)
{
    bool *is_recorded = context;
    is_recorded[routine->routine->id] |= routine->calls > 0;
}

void profile_find_recorded(const struct profile *profile, bool *is_recorded)
{
    profile_each(profile, find_recorded, is_recorded);
}

static void clear_recorded(void *context, struct routine_profile *routine)
{
    const bool *is_recorded = context;
    uint64_t known = is_recorded[routine->routine->id] ? 0 : routine->known;
    clear_routine(NULL, routine);
    routine->known = known;
}

void profile_clear_recorded(struct profile *profile, const bool *is_recorded)
{
    profile_each(profile, clear_recorded, (void *)(uintptr_t)is_recorded);
}

static void forget_unrecorded(void *context, struct routine_profile *routine)
{
    const bool *is_recorded = context;
    if (!is_recorded[routine->routine->id])
        routine->known = 0;
}

void profile_forget_unrecorded(struct profile *profile, const bool *is_recorded)
{
    profile_each(profile, forget_unrecorded, (void *)(uintptr_t)is_recorded);
}

static void free_routine(void *context, struct routine_profile *routine)
{
    (void)context;
    routine_profile_free(routine);
}

void profile_free(struct profile *profile)
{
    profile_each(profile, free_routine, NULL);
    for (uint32_t b = 0; b < profile->n_blocks; b++)
        host_free(profile->blocks[b]);
    host_free(profile->blocks);
    memset(profile, 0, sizeof(*profile));
}
