/* Weights: what recorded activations of a sample stand for.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each recorded activation adds weight times cost to its routine's sums. A recursive routine's total is the cost of
 * its outermost activations, but whether one is outermost is not known: what runs unmeasured leaves no trace. So an
 * activation adds its cost less that of the activations of its routine directly inside it. Over all activations
 * these differences add up to the outermost costs. Example: f calls itself, costs 10, 7 and 4 with callees:
 *
 *     differences    10 - 7 = 3    7 - 4 = 3    4    together 10
 *
 * What is inside a recorded activation is followed, so its difference is known, whichever are recorded.
 *
 * Ratios. How many calls drawing has recorded is chance, and how many there were is known: when strata begin, the
 * sums so far are scaled by the ratio of the two (Hajek's estimator). A run that ends before is scaled by whoever reads
 * the report. Strata have neither error.
 *
 * Variances. A call that is drawn by itself adds weight * (weight - 1) times the square of the difference between its
 * cost and the mean of those before it; one of a stratum half of that, with the difference from the one before it
 * (collapsed strata; Cochran, Sampling Techniques, 5A.12).
 */
#ifndef NATIVE_TRMS_CALLS_WEIGHTS_H
#define NATIVE_TRMS_CALLS_WEIGHTS_H

#include "native/trms/state.h"

/* Where all activations are recorded; in a sample no weight is so small. */
#define TRMS_WEIGHT_OF_ALL 1

/* Of an activation on the stack, at the same place. */
struct trms_weight {
    uint32_t weight; /* 0: not recorded, only followed */
    uint32_t outer; /* the place of the next activation of its routine below it; 0: there is none */
    uint64_t inside; /* cost of the activations of its routine directly inside it */
};

/* The latest activation has begun, which is recorded with this weight, or not (0). */
void trms_weights_call(struct trms_strand *strand, uint32_t weight);

/* It ends, and its points have it if it is recorded. */
void trms_weights_return(struct trms_strand *strand, uint64_t cost);

/* Pending activations begin anew (a forked child). */
void trms_weights_restart(struct trms_strand *strand);

#endif
