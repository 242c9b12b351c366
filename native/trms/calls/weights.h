/* Weights: the number of calls that a recorded activation of a sample represents.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each recorded activation adds weight times cost to its routine's sums. A recursive routine's
 * total is the cost of its outermost activations. But unmeasured calls are not recorded, so it is
 * unknown whether a recorded activation is outermost. Therefore each recorded activation adds its
 * cost, minus the costs of its next inner activations of the same routine. Over all activations,
 * these differences add up to the costs of outermost activations. Example: f calls itself; its
 * activations cost 10, 7 and 4, including callees:
 *
 *     differences    10 - 7 = 3    7 - 4 = 3    4    together 10
 *
 * All callees of a recorded activation are followed, so the difference is known even if inner
 * activations are not recorded.
 *
 * Ratios. The number of recorded calls is random, but the number of all calls is known. When the
 * first stratum begins, the sums so far are multiplied by the ratio of all calls to recorded calls
 * (Hajek's estimator). If the run ends before the first stratum, the program that reads the report
 * multiplies the sums. In strata, the number of recorded calls is not random, so strata need no
 * factor.
 *
 * Variances. A call with its own sampling decision adds weight * (weight - 1) * d^2. Here d is the
 * difference between the call's cost and the mean of earlier costs. A call of a stratum adds half
 * of weight * (weight - 1) * e^2 (collapsed strata; Cochran, Sampling Techniques, 5A.12). Here e is
 * the difference from the previous call's cost.
 */
#ifndef NATIVE_TRMS_CALLS_WEIGHTS_H
#define NATIVE_TRMS_CALLS_WEIGHTS_H

#include "native/trms/state.h"

/* The weight if all activations are recorded; weights in a sample are larger. */
#define TRMS_WEIGHT_OF_ALL 1

/* The data for weights of one activation, which has the same index on the stack. */
struct trms_weight {
    uint32_t weight; /* 0: the activation is followed, but not recorded */
    uint32_t outer;  /* index of the next older activation of the same routine; 0: none */
    uint64_t inside; /* total cost of the next inner activations of the same routine */
};

/* Notes that the latest activation has begun, and is recorded with this weight. If the weight is 0,
 * the activation is not recorded. */
void trms_weights_call(struct trms_exec_context *ctx, uint32_t weight);

/* Notes that the latest activation ends; adds the activation to its points if it is recorded. */
void trms_weights_return(struct trms_exec_context *ctx, uint64_t cost);

/* Restarts the pending activations, as in a forked child. */
void trms_weights_restart(struct trms_exec_context *ctx);

#endif
