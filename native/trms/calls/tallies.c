/* Accumulators of calls; see tallies.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/tallies.h"
#include "native/trms/calls/edges.h"
#include "ground/array.h"
#include "ground/host.h"

#define SIZES_MOST 1024 /* of a tally */
#define WIDEN_BY   4
#define PATIENCE   4 /* number of conflicts until a size loses its slot */
#define CROWDED    2 /* conflicts per slot before an accumulator is enlarged */

static struct trms_tally_point no_point = {.input = TRMS_TALLY_NO_INPUT};
struct trms_tally trms_tally_apart = {
    .points = &no_point, .edge = EDGE_NONE, .aside = &trms_tally_apart, .whole = &trms_tally_apart};
struct trms_tally trms_tally_unmeasured = {.points = &no_point,
                                           .edge = EDGE_NONE,
                                           .aside = &trms_tally_unmeasured,
                                           .whole = &trms_tally_unmeasured};

/* ---------------------------------------------------------------- points */

static void point_start(struct trms_tally_point *point, uint64_t input)
{
    *point = (struct trms_tally_point){
        .input = input, .cost = TRMS_TALLY_NO_COST, .cost_min = (uint16_t)~0};
}

static void point_fold(struct trms_tally_point *point)
{
    if (point->squares >= TRMS_TALLY_SQUARES) {
        point->squares -= TRMS_TALLY_SQUARES;
        point->squares_high++;
    }
}

/* Costs of less than 2^16 have squares of less than 2^128. */
static struct wide squares_of(const struct trms_tally_point *point)
{
    return wide_of((u128)point->squares_high * TRMS_TALLY_SQUARES + point->squares);
}

static void point_move(struct trms_exec_context *ctx, struct trms_tally *tally,
                       const struct trms_tally_point *point)
{
    if (!point->calls)
        return;
    tally->costs += point->costs;
    struct point moved = {
        .input = point->input,
        .calls = point->calls,
        .cost_sum = {point->costs, 0},
        .cost_squares = squares_of(point),
        .cost_min = point->cost_min,
        .cost_max = point->cost_max,
        .self_sum = point->costs - point->costs_of_callees,
    };
    profile_add_point(tally->profile, &moved, ctx->world->config.metrics);
    ctx->activations += point->calls;
    if (ctx->edges)
        trms_edge_count(ctx, tally->edge, point->calls, 0, point->calls * point->input);
}

static struct trms_tally_point *points_new(uint64_t n)
{
    struct trms_tally_point *points = host_alloc("aprof.trms.tally.points", n * sizeof(*points));
    for (uint64_t i = 0; i < n; i++)
        point_start(&points[i], TRMS_TALLY_NO_INPUT);
    return points;
}

static void points_free(const struct trms_tally *tally, struct trms_tally_point *points)
{
    if (points != &tally->first)
        host_free(points);
}

/* Sizes that differ in their lowest bits differ in more slots of a larger table. */
static void tally_widen(struct trms_tally *tally)
{
    uint64_t n = tally->mask + 1, mask = WIDEN_BY * n - 1;
    struct trms_tally_point *points = points_new(mask + 1), *old = tally->points;
    for (uint64_t i = 0; i < n; i++)
        if (old[i].calls)
            points[old[i].input & mask] = old[i];
    tally->points = points;
    tally->mask = mask;
    points_free(tally, old);
}

static bool is_crowded(const struct trms_tally *tally)
{
    return tally->mask + 1 < SIZES_MOST && tally->conflicts > CROWDED * (tally->mask + 1);
}

/* Invariant: the counts of a point are in the profile or still here, never in both. So no signal handler may
 * jump away while they move, or while the points are replaced and the mask is old. */
bool trms_tally_turn(struct trms_exec_context *ctx, struct trms_tally *tally, uint64_t input)
{
    struct trms_tally_point *point = &tally->points[input & tally->mask];
    struct trms_quiet quiet;
    if (!point->calls) {
        point_start(point, input);
        return true;
    }
    tally->conflicts++;
    if (!is_crowded(tally) && tally->conflicts % PATIENCE)
        return false;
    trms_quiet_begin(&quiet);
    if (is_crowded(tally))
        tally_widen(tally);
    point = &tally->points[input & tally->mask];
    point_move(ctx, tally, point);
    point_start(point, input);
    trms_quiet_end(&quiet);
    return true;
}

/* ---------------------------------------------------------------- tallies of an execution context */

static void tally_start(struct trms_tally *tally)
{
    struct trms_tally_point *old = tally->points;
    point_start(&tally->first, TRMS_TALLY_NO_INPUT);
    tally->mask = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tally->points = &tally->first;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tally->inside = tally->costs = tally->conflicts = 0;
    points_free(tally, old);
}

/* Its slow-path accumulator changes with it. */
static struct trms_tally *tally_new(struct routine_profile *profile, uint32_t edge)
{
    struct trms_tally *tally = host_alloc("aprof.trms.tally", 2 * sizeof(*tally));
    struct trms_tally *aside = tally + 1;
    tally->profile = aside->profile = profile;
    tally->edge = aside->edge = edge;
    tally->aside = aside->aside = aside;
    tally->whole = aside->whole = tally;
    tally->points = &tally->first;
    aside->points = &no_point;
    tally_start(tally);
    return tally;
}

/* Pending activations keep a pointer to their accumulator, so each is a separate block of memory. */
struct trms_tally *trms_tally_get(struct trms_exec_context *ctx, struct routine_profile *profile,
                                  uint32_t edge)
{
    uint32_t number = ctx->edges ? edge : profile->routine->id;
    array_grow_whole("aprof.trms.tallies", &ctx->tallies, &ctx->n_tallies, number + 1,
                     sizeof(*ctx->tallies));
    struct trms_tally *tally = ctx->tallies[number];
    if (LIKELY(tally))
        return tally;
    tally = tally_new(profile, edge);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return ctx->tallies[number] = tally;
}

static void tally_gather(struct trms_exec_context *ctx, struct trms_tally *tally)
{
    for (uint64_t i = 0; i <= tally->mask; i++)
        point_move(ctx, tally, &tally->points[i]);
    uint64_t outermost = tally->costs - tally->inside;
    tally->profile->cost_total += outermost;
    if (ctx->edges)
        trms_edge_count(ctx, tally->edge, 0, outermost, 0);
}

void trms_tallies_fold(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_tallies; i++)
        for (uint64_t k = 0; ctx->tallies[i] && k <= ctx->tallies[i]->mask; k++)
            point_fold(&ctx->tallies[i]->points[k]);
}

void trms_tallies_gather(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_tallies; i++)
        if (ctx->tallies[i])
            tally_gather(ctx, ctx->tallies[i]);
    trms_tallies_clear(ctx);
}

void trms_tallies_clear(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_tallies; i++)
        if (ctx->tallies[i])
            tally_start(ctx->tallies[i]);
}

void trms_tallies_free(struct trms_exec_context *ctx)
{
    for (uint32_t i = 0; i < ctx->n_tallies; i++) {
        if (ctx->tallies[i])
            points_free(ctx->tallies[i], ctx->tallies[i]->points);
        host_free(ctx->tallies[i]);
    }
    host_free(ctx->tallies);
}
