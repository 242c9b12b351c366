/* Weights: the number of calls that a recorded activation of a sample represents.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each recorded activation adds weight times cost to its routine's sums. A recursive routine's total is the cost of
 * its outermost activations, but it is unknown whether one is outermost, because unmeasured code leaves no trace.
 * So an activation adds its cost minus that of the activations of its routine directly inside it. Over all
 * activations these differences add up to the outermost costs. Example: f calls itself, costs 10, 7 and 4 with
 * callees:
 *
 *     differences    10 - 7 = 3    7 - 4 = 3    4    together 10
 *
 * Everything inside a recorded activation is followed, so its difference is known, whichever are recorded.
 *
 * Ratios. The number of recorded calls is random, and the number of all calls is known: when strata begin, the sums
 * so far are scaled by the ratio of the two (Hajek's estimator). A run that ends before is scaled by the reader of
 * the report. Strata have no such error.
 *
 * Variances. A separately decided call adds weight * (weight - 1) times the square of the difference between its
 * cost and the mean of earlier ones; one of a stratum half of that, with the difference from the previous one
 * (collapsed strata; Cochran, Sampling Techniques, 5A.12).
 */
#ifndef NATIVE_TRMS_CALLS_WEIGHTS_H
#define NATIVE_TRMS_CALLS_WEIGHTS_H

#include "native/trms/state.h"

/* Where all activations are recorded; in a sample no weight is so small. */
#define TRMS_WEIGHT_OF_ALL 1

/* Of an activation on the stack, at the same index. */
struct trms_weight {
    uint32_t weight; /* 0: not recorded, only followed */
    uint32_t outer;  /* index of the next activation of its routine below it; 0: there is none */
    uint64_t inside; /* cost of the activations of its routine directly inside it */
};

/* The latest activation has begun, which is recorded with this weight, or not (0). */
void trms_weights_call(struct trms_strand *strand, uint32_t weight);

/* It ends, and is added to its points if it is recorded. */
void trms_weights_return(struct trms_strand *strand, uint64_t cost);

/* Pending activations start again (a forked child). */
void trms_weights_restart(struct trms_strand *strand);

#endif
