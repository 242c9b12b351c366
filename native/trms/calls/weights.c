/* Weights of recorded activations; see weights.h.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/calls/weights.h"
#include "ground/array.h"
#include "native/trms/calls/sample.h"
#include "native/trms/calls/accumulators.h"

static uint64_t scaled(uint64_t sum, uint64_t to, uint64_t from)
{
    return sum / from * to + sum % from * to / from;
}

static void scale(struct wide *sum, uint64_t to, uint64_t from)
{
    if (!sum->high)
        sum->low = scaled(sum->low, to, from);
}

/* Scales the sums of calls before the first stratum. When the first stratum begins, the number of
 * these calls is known. */
static void calibrate(struct profile_weights *weights, uint64_t known)
{
    weights->calibrated = true;
    if (!weights->weight)
        return;
    scale(&weights->total, known, weights->weight);
    scale(&weights->self, known, weights->weight);
    for (int i = 0; i < 2; i++) {
        scale(&weights->total_variance, known, weights->weight);
        scale(&weights->self_variance, known, weights->weight);
    }
    weights->weight = known;
}

void trms_weights_call(struct trms_exec_context *ctx, uint32_t weight)
{
    uint32_t place = (uint32_t)trms_depth(ctx);
    struct routine_profile *profile = ctx->activation->profile;
    struct profile_weights *weights = profile_weights_get(profile);
    uint32_t outer = weights->innermost;
    array_grow_whole("aprof.trms.weights", &ctx->weights, &ctx->weights_capacity, place + 1,
                     sizeof(*ctx->weights));
    if (outer >= place || ctx->stack[outer].profile != profile)
        outer = 0; /* a signal handler has jumped over the return of the outer activation */
    if (weight > TRMS_SAMPLE_DRAWN && !weights->calibrated)
        calibrate(weights, profile->known - weight);
    ctx->weights[place] = (struct trms_weight){weight, outer, 0};
    weights->innermost = place;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t times(uint64_t number, uint32_t weight)
{
    uint64_t product;
    return __builtin_mul_overflow(number, weight, &product) ? ~(uint64_t)0 : product;
}

/* Adds a weighted cost to a sum and to the sum's variance, and updates the reference value for the
 * next cost. */
static void add_term(struct wide *sum, struct wide *variance, uint64_t *reference, uint64_t cost,
                     uint32_t weight, uint64_t weights)
{
    bool is_drawn = weight <= TRMS_SAMPLE_DRAWN;
    uint64_t off = distance(cost, *reference), step = is_drawn ? off / (weights / weight) : off;
    u128 square = (u128)times(off, weight) * times(off, weight - 1);
    wide_add(sum, wide_of((u128)cost * weight));
    if (weights > weight)
        wide_add(variance, wide_of(is_drawn ? square : square / 2));
    *reference = cost > *reference ? *reference + step : *reference - step;
}

static void add(struct profile_weights *to, uint64_t total, uint64_t self, uint32_t weight)
{
    to->weight = u64_add(to->weight, weight);
    add_term(&to->total, &to->total_variance, &to->total_reference, total, weight, to->weight);
    add_term(&to->self, &to->self_variance, &to->self_reference, self, weight, to->weight);
}

void trms_weights_return(struct trms_exec_context *ctx, uint64_t cost)
{
    const struct trms_activation *top = ctx->activation;
    struct profile_weights *weights = profile_weights_get(top->profile);
    const struct trms_weight *own = &ctx->weights[trms_depth(ctx)];
    weights->innermost = own->outer;
    if (own->outer)
        ctx->weights[own->outer].inside += cost;
    if (!own->weight || top->accumulator == &trms_accumulator_unmeasured)
        return;
    add(weights, cost - own->inside, cost - top->cost_of_callees, own->weight);
    profile_add_weight(top->profile, own->weight, ctx->world->config.metrics);
}

void trms_weights_restart(struct trms_exec_context *ctx)
{
    for (size_t i = 1; ctx->weights && i <= trms_depth(ctx); i++)
        ctx->weights[i].inside = 0;
}
