/* Weights: the number of calls that a recorded activation of a sample represents.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each recorded activation adds weight times cost to its routine's sums. A recursive routine's
 * total is the cost of its outermost activations. But unmeasured calls are not recorded, so it is
 * unknown whether an activation is outermost. So each recorded activation adds its cost minus the
 * cost of the next inner activations of its routine. Over all activations these differences add up
 * to the outermost costs. Example: f calls itself, costs 10, 7 and 4 with callees:
 *
 *     differences    10 - 7 = 3    7 - 4 = 3    4    together 10
 *
 * All callees of a recorded activation are followed, so its difference is known, no matter which
 * activations are recorded.
 *
 * Ratios. The number of recorded calls is random, and the number of all calls is known: when the
 * first stratum begins, the sums so far are multiplied by the ratio of the two (Hajek's estimator).
 * If the run ends earlier, the reader of the report does this. In strata, the number of recorded
 * calls is not random, so they need no such factor.
 *
 * Variances. A separately decided call adds weight * (weight - 1) times the square of the
 * difference between its cost and the mean of earlier ones; a call of a stratum adds half of that,
 * with the difference from the previous call (collapsed strata; Cochran, Sampling Techniques,
 * 5A.12).
 */
#ifndef NATIVE_TRMS_CALLS_WEIGHTS_H
#define NATIVE_TRMS_CALLS_WEIGHTS_H

#include "native/trms/state.h"

/* The weight if all activations are recorded; weights in a sample are larger. */
#define TRMS_WEIGHT_OF_ALL 1

/* The data of the activation that has the same index on the stack. */
struct trms_weight {
    uint32_t weight; /* 0: followed, but not recorded */
    uint32_t outer;  /* index of the nearest activation of its routine below it; 0: none */
    uint64_t inside; /* cost of the activations of its routine directly inside it */
};

/* The latest activation has begun; it is recorded with this weight, or not recorded (0). */
void trms_weights_call(struct trms_exec_context *ctx, uint32_t weight);

/* The latest activation ends, and is added to its points if it is recorded. */
void trms_weights_return(struct trms_exec_context *ctx, uint64_t cost);

/* Pending activations start again (a forked child). */
void trms_weights_restart(struct trms_exec_context *ctx);

#endif
