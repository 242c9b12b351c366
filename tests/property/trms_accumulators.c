/* Tests that accumulators have the sums that separate returns would have added.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The test makes random calls of a few routines from a few call sites, including recursion. Each
 * activation reads only cells that were never read, so its input size is the number of cells that
 * it and its callees read. In most cases, this number and the cost are as in the routine's latest
 * calls; some calls cost more than accumulators accept.
 */
#include <string.h>

#include "native/trms/core.h"
#include "native/trms/calls/edges.h"
#include "native/trms/calls/accumulators.h"
#include "tests/property/rng.h"
#include "tests/property/trms_accumulators.h"
#include "tests/unit/cmocka_all.h"

enum { ROUNDS = 300, CALLS = 400, ROUTINES = 4, SITES = 3, DEPTH = 12, SIZES = 4096 };

struct sums {
    uint64_t calls, cost, squares, self, least, most;
};

/* The sums that each return adds. */
struct model {
    uint64_t cost_total[ROUTINES], cost_self[ROUTINES], calls[ROUTINES];
    struct sums points[ROUTINES][SIZES];
    uint64_t edge[ROUTINES][ROUTINES][SITES][3]; /* calls, cost, input */
};

struct pending_call {
    unsigned routine, site;
    uint64_t cost, cost_of_callees, input;
};

struct run {
    struct rng rng;
    struct trms_world world;
    struct trms_exec_context *ctx;
    struct routine routines[ROUTINES];
    struct pending_call stack[DEPTH];
    unsigned depth;
    uint64_t fresh; /* address of the next unread cell */
    struct model model;
};

static struct run run;

static void begin(struct run *r, unsigned routine, unsigned site)
{
    r->stack[r->depth++] = (struct pending_call){.routine = routine, .site = site};
    trms_exec_context_call(r->ctx, profile_get(&r->ctx->profile, &r->routines[routine]),
                           1000 - r->depth, 100 + site);
}

static void work(struct run *r, uint64_t cost, unsigned cells)
{
    r->ctx->cost += cost;
    for (unsigned i = 0; i < cells; i++, r->fresh += 4)
        trms_access_bytes(r->ctx, r->fresh, 4, WATCH_READ);
    r->stack[r->depth - 1].cost += cost;
    r->stack[r->depth - 1].input += cells;
}

static bool is_pending(const struct run *r, unsigned routine)
{
    for (unsigned i = 0; i < r->depth; i++)
        if (r->stack[i].routine == routine)
            return true;
    return false;
}

static void end(struct run *r)
{
    struct model *m = &r->model;
    const struct pending_call *a = &r->stack[--r->depth];
    uint64_t outermost = is_pending(r, a->routine) ? 0 : a->cost;
    struct sums *point = &m->points[a->routine][a->input];
    m->calls[a->routine]++;
    m->cost_total[a->routine] += outermost;
    m->cost_self[a->routine] += a->cost - a->cost_of_callees;
    point->least = !point->calls || a->cost < point->least ? a->cost : point->least;
    point->most = a->cost > point->most ? a->cost : point->most;
    point->calls++;
    point->cost += a->cost;
    point->squares += a->cost * a->cost;
    point->self += a->cost - a->cost_of_callees;
    if (r->depth) {
        struct pending_call *caller = &r->stack[r->depth - 1];
        uint64_t *edge = m->edge[caller->routine][a->routine][a->site];
        edge[0]++;
        edge[1] += outermost;
        edge[2] += a->input;
        caller->cost += a->cost;
        caller->cost_of_callees += a->cost;
        caller->input += a->input;
    }
    trms_exec_context_return(r->ctx);
}

static void run_begin(uint64_t seed, bool edges)
{
    const struct trms_config config = {.shift = 2,
                                       .time_bits = 29,
                                       .token_bits = TRMS_TOKEN_BITS,
                                       .token_block_log2 = 10,
                                       .metrics = BOTH_METRICS,
                                       .edges = edges};
    memset(&run, 0, sizeof run);
    run.rng.state = seed;
    run.fresh = 0x10000;
    trms_world_init(&run.world, &config);
    run.ctx = trms_exec_context_new(&run.world, 0);
    for (uint32_t i = 0; i < ROUTINES; i++)
        run.routines[i].id = i;
}

static uint64_t cost_of(struct rng *rng, unsigned routine)
{
    if (rng_once_in(rng, 64))
        return TRMS_ACCUMULATOR_COSTS - 1 + rng_below(rng, 3);
    return rng_once_in(rng, 8) ? rng_below(rng, 100) : routine;
}

static void run_calls(void)
{
    struct rng *rng = &run.rng;
    for (unsigned i = 0; i < CALLS; i++) {
        if (!run.depth || (run.depth < DEPTH && rng_below(rng, 2))) {
            unsigned routine = rng_below(rng, ROUTINES);
            begin(&run, routine, rng_below(rng, SITES));
            work(&run, cost_of(rng, routine), rng_once_in(rng, 8) ? rng_below(rng, 3) : 1);
        } else {
            end(&run);
        }
    }
    while (run.depth)
        end(&run);
    trms_exec_context_end(run.ctx);
}

static void compare_routine(void *model, struct routine_profile *profile)
{
    const struct model *m = model;
    uint32_t id = profile->routine->id;
    const struct point_table *table = &profile->table[METRIC_TRMS];
    assert_int_equal(profile->calls, m->calls[id]);
    assert_int_equal(profile->cost_total, m->cost_total[id]);
    assert_int_equal(profile->cost_self, m->cost_self[id]);
    for (uint32_t i = 0; i < table->n_points; i++) {
        const struct point *point = &table->points[i];
        const struct sums *sums = &m->points[id][point->input];
        assert_int_equal(point->calls, sums->calls);
        assert_int_equal(point->cost_sum.low, sums->cost);
        assert_int_equal(point->cost_squares.low, sums->squares);
        assert_int_equal(point->self_sum, sums->self);
        assert_int_equal(point->cost_min, sums->least);
        assert_int_equal(point->cost_max, sums->most);
    }
}

static void compare_edges(const struct trms_edges *edges, const struct model *m)
{
    for (uint32_t i = EDGE_NONE + 1; i < edges->table.n_edges; i++) {
        const struct call_edge *edge = &edges->table.edges[i];
        uintptr_t site = edges->sites.address[edge->site] - 100;
        const uint64_t *expected = m->edge[edge->caller->id][edge->callee->id][site];
        assert_int_equal(edge->calls, expected[0]);
        assert_int_equal(edge->cost, expected[1]);
        assert_int_equal(edge->input, expected[2]);
    }
}

void trms_accumulators_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        run_begin(seed, seed % 4);
        run_calls();
        assert_int_equal(run.world.n_gathered, 1);
        profile_each(&run.world.gathered[0], compare_routine, &run.model);
        if (run.world.edges)
            compare_edges(run.world.edges, &run.model);
        assert_int_equal(run.world.activations, run.model.calls[0] + run.model.calls[1] +
                                                    run.model.calls[2] + run.model.calls[3]);
        trms_world_free(&run.world);
    }
}

/* Two calls of one routine by another make an accumulator; then many squares are folded, more than
 * calls could produce in a test. */
void trms_accumulators_fold_squares(void **state)
{
    struct trms_accumulator_point *point = NULL;
    (void)state;
    run_begin(1, false);
    begin(&run, 0, 0);
    for (int i = 0; i < 2; i++) {
        begin(&run, 1, 0);
        work(&run, 3, 1);
        end(&run);
    }
    point = run.ctx->accumulators[1]->points;
    assert_int_equal(point->calls, 2);
    assert_int_equal(point->squares, 18);
    for (int i = 0; i < 3; i++) {
        point->squares += TRMS_ACCUMULATOR_SQUARES - 1;
        trms_accumulators_fold(run.ctx);
        assert_int_equal(point->squares, 18 - 1 - i);
    }
    end(&run);
    trms_exec_context_end(run.ctx);
    const struct routine_profile *profile = profile_get(&run.world.gathered[0], &run.routines[1]);
    const struct wide squares = profile->table[METRIC_TRMS].points[0].cost_squares;
    assert_int_equal(squares.high, 1);
    assert_int_equal(squares.low, TRMS_ACCUMULATOR_SQUARES + 15);
    trms_world_free(&run.world);
}
