/* Accumulators of calls; see accumulators.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/accumulators.h"
#include "native/trms/calls/edges.h"
#include "ground/array.h"
#include "ground/host.h"

#define SIZES_MOST 1024 /* maximum number of sizes in an accumulator */
#define WIDEN_BY   4
#define PATIENCE   4 /* number of conflicts after which a size loses its slot */
#define CROWDED    2 /* conflicts per slot before an accumulator is enlarged */

static struct trms_accumulator_point no_point = {.input = TRMS_ACCUMULATOR_NO_INPUT};
struct trms_accumulator trms_accumulator_apart = {.points = &no_point,
                                                  .edge = EDGE_NONE,
                                                  .aside = &trms_accumulator_apart,
                                                  .whole = &trms_accumulator_apart};
struct trms_accumulator trms_accumulator_unmeasured = {.points = &no_point,
                                                       .edge = EDGE_NONE,
                                                       .aside = &trms_accumulator_unmeasured,
                                                       .whole = &trms_accumulator_unmeasured};

/* ---------------------------------------------------------------- points */

static void point_start(struct trms_accumulator_point *point, uint64_t input)
{
    *point = (struct trms_accumulator_point){
        .input = input, .cost = TRMS_ACCUMULATOR_NO_COST, .cost_min = (uint16_t)~0};
}

static void point_fold(struct trms_accumulator_point *point)
{
    if (point->squares >= TRMS_ACCUMULATOR_SQUARES) {
        point->squares -= TRMS_ACCUMULATOR_SQUARES;
        point->squares_high++;
    }
}

/* Returns the sum of squares, which cannot overflow 128 bits because costs are below 2^16. */
static struct wide squares_of(const struct trms_accumulator_point *point)
{
    return wide_of((u128)point->squares_high * TRMS_ACCUMULATOR_SQUARES + point->squares);
}

static void point_move(struct trms_exec_context *ctx, struct trms_accumulator *accumulator,
                       const struct trms_accumulator_point *point)
{
    if (!point->calls)
        return;
    accumulator->costs += point->costs;
    struct point moved = {
        .input = point->input,
        .calls = point->calls,
        .cost_sum = {point->costs, 0},
        .cost_squares = squares_of(point),
        .cost_min = point->cost_min,
        .cost_max = point->cost_max,
        .self_sum = point->costs - point->costs_of_callees,
    };
    profile_add_point(accumulator->profile, &moved, ctx->world->config.metrics);
    ctx->activations += point->calls;
    if (ctx->edges)
        trms_edge_count(ctx, accumulator->edge, point->calls, 0, point->calls * point->input);
}

static struct trms_accumulator_point *points_new(uint64_t n)
{
    struct trms_accumulator_point *points =
        host_alloc("aprof.trms.accumulator.points", n * sizeof(*points));
    for (uint64_t i = 0; i < n; i++)
        point_start(&points[i], TRMS_ACCUMULATOR_NO_INPUT);
    return points;
}

static void points_free(const struct trms_accumulator *accumulator,
                        struct trms_accumulator_point *points)
{
    if (points != &accumulator->first)
        host_free(points);
}

/* Enlarges the accumulator's table, so that more sizes have separate slots. */
static void accumulator_widen(struct trms_accumulator *accumulator)
{
    uint64_t n = accumulator->mask + 1, mask = WIDEN_BY * n - 1;
    struct trms_accumulator_point *points = points_new(mask + 1), *old = accumulator->points;
    for (uint64_t i = 0; i < n; i++)
        if (old[i].calls)
            points[old[i].input & mask] = old[i];
    accumulator->points = points;
    accumulator->mask = mask;
    points_free(accumulator, old);
}

static bool is_crowded(const struct trms_accumulator *accumulator)
{
    return accumulator->mask + 1 < SIZES_MOST &&
           accumulator->conflicts > CROWDED * (accumulator->mask + 1);
}

/* Invariant: the counts of a point are in the profile or in the accumulator, never in both. So no
 * signal handler may jump away while counts move to the profile. No signal handler may jump away,
 * either, while a larger array of points and its mask replace the old array and mask. */
bool trms_accumulator_turn(struct trms_exec_context *ctx, struct trms_accumulator *accumulator,
                           uint64_t input)
{
    struct trms_accumulator_point *point = &accumulator->points[input & accumulator->mask];
    struct trms_quiet quiet;
    if (!point->calls) {
        point_start(point, input);
        return true;
    }
    accumulator->conflicts++;
    if (!is_crowded(accumulator) && accumulator->conflicts % PATIENCE)
        return false;
    trms_quiet_begin(&quiet);
    if (is_crowded(accumulator))
        accumulator_widen(accumulator);
    point = &accumulator->points[input & accumulator->mask];
    point_move(ctx, accumulator, point);
    point_start(point, input);
    trms_quiet_end(&quiet);
    return true;
}

/* --------------------------------------------------------- accumulators of an execution context */

static void accumulator_start(struct trms_accumulator *accumulator)
{
    struct trms_accumulator_point *old = accumulator->points;
    point_start(&accumulator->first, TRMS_ACCUMULATOR_NO_INPUT);
    accumulator->mask = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    accumulator->points = &accumulator->first;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    accumulator->inside = accumulator->costs = accumulator->conflicts = 0;
    points_free(accumulator, old);
}

/* Makes an accumulator and its slow-path accumulator. */
static struct trms_accumulator *accumulator_new(struct routine_profile *profile, uint32_t edge)
{
    struct trms_accumulator *accumulator =
        host_alloc("aprof.trms.accumulator", 2 * sizeof(*accumulator));
    struct trms_accumulator *aside = accumulator + 1;
    accumulator->profile = aside->profile = profile;
    accumulator->edge = aside->edge = edge;
    accumulator->aside = aside->aside = aside;
    accumulator->whole = aside->whole = accumulator;
    accumulator->points = &accumulator->first;
    aside->points = &no_point;
    accumulator_start(accumulator);
    return accumulator;
}

/* Pending activations keep a pointer to their accumulator, so accumulators never move: each is a
 * separate block of memory. */
struct trms_accumulator *trms_accumulator_get(struct trms_exec_context *ctx,
                                              struct routine_profile *profile, uint32_t edge)
{
    uint32_t number = ctx->edges ? edge : profile->routine->id;
    array_grow_whole("aprof.trms.accumulators", &ctx->accumulators, &ctx->n_accumulators,
                     number + 1, sizeof(*ctx->accumulators));
    struct trms_accumulator *accumulator = ctx->accumulators[number];
    if (LIKELY(accumulator))
        return accumulator;
    accumulator = accumulator_new(profile, edge);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return ctx->accumulators[number] = accumulator;
}

static void accumulator_gather(struct trms_exec_context *ctx, struct trms_accumulator *accumulator)
{
    for (uint64_t i = 0; i <= accumulator->mask; i++)
        point_move(ctx, accumulator, &accumulator->points[i]);
    uint64_t outermost = accumulator->costs - accumulator->inside;
    accumulator->profile->cost_total += outermost;
    if (ctx->edges)
        trms_edge_count(ctx, accumulator->edge, 0, outermost, 0);
}

void trms_accumulators_fold(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_accumulators; i++)
        for (uint64_t k = 0; ctx->accumulators[i] && k <= ctx->accumulators[i]->mask; k++)
            point_fold(&ctx->accumulators[i]->points[k]);
}

void trms_accumulators_gather(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_accumulators; i++)
        if (ctx->accumulators[i])
            accumulator_gather(ctx, ctx->accumulators[i]);
    trms_accumulators_clear(ctx);
}

void trms_accumulators_clear(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_accumulators; i++)
        if (ctx->accumulators[i])
            accumulator_start(ctx->accumulators[i]);
}

void trms_accumulators_free(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_accumulators; i++) {
        if (ctx->accumulators[i])
            points_free(ctx->accumulators[i], ctx->accumulators[i]->points);
        host_free(ctx->accumulators[i]);
    }
    host_free(ctx->accumulators);
}
