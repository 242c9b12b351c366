/* Sampling: which activations are measured, in routines that have two versions.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/trms/trms_versions.c lets a routine request a sampling decision when it is due, or while
 * an activation that called it is measured. Measured activations are measured with all their
 * callees. Of other code only kernel writes are recorded. An execution context measures as long as
 * it has pending activations.
 *
 *     turn     Each routine's own, whether or not its caller is measured, by how often it was
 *              called so far and by chance: never by what it costs. Activations that others drag in
 *              are followed, for they are part of their callers, and not recorded.
 *     rate     The first TRMS_SAMPLE_FIRST calls are not recorded: a routine that is called no more
 *              often is near the root, and would measure the whole program. Then it is one of
 *              `rate`, and half as many whenever it has been called four times as often. With a
 *              rate of 8:
 *
 *                   call number     16..63    64..255    256..1023    1024..4095    ...
 *                   recorded        1 of 8    1 of 16    1 of 32      1 of 64
 *
 *     weight   1 / the probability of recording the call, which is known for each: the period. Sums
 *              of weight times cost estimate the cost of all calls, whatever the period was
 *              (weights.h).
 *     draw     As long as one of TRMS_SAMPLE_DRAWN or more is recorded, each call is decided by a
 *              number that the thread has drawn, and routines use the same one: whichever is called
 *              next, until one comes again, which draws another. So calls of one routine are
 *              decided independently of each other, and each with its rate; but what calls each
 *              other once is recorded together, and costs little more than if the caller alone
 *              were. Later calls are divided into strata as long as the period, one call of each is
 *              drawn, and the others need not ask. A chain of four, called 100 times each at 1 of
 *              16:
 *
 *                   own numbers       6 calls of each recorded, 23 of the 100 chains measured
 *                   common numbers    6 calls of each recorded, 6 of the 100 chains measured
 *
 *     input    What an activation accesses first is counted from its beginning, so no history is
 *              needed: each older time in the shadow words of its execution context means "not by
 *              it". Writes of other execution contexts are left out, because most of them would be
 *              missed: execution contexts share nothing, and each keeps its direct-mapped shadow.
 *     outside  Cells that the kernel wrote and that no measured activation of the execution context
 *              has accessed since. Unmeasured code may have, so the true number is this or less.
 */
#ifndef NATIVE_TRMS_CALLS_SAMPLE_H
#define NATIVE_TRMS_CALLS_SAMPLE_H

#include "ground/basics.h"
#include "ground/trms_words.h"

#define TRMS_SAMPLE_FIRST 16

/* Up to this period, each call is decided separately. */
#define TRMS_SAMPLE_DRAWN 64

/* The state of a routine's decisions; initially zero. Compiled code decrements `left`. */
struct trms_sampling {
    uint32_t left;   /* number of next calls that need no decision */
    uint32_t gap;    /* initial value of `left` */
    uint64_t calls;  /* number of calls up to the latest decision */
    uint64_t number; /* index of the random number that decided it */
};
_Static_assert(sizeof(struct trms_sampling) == 8 * TRMS_WORDS_SAMPLING_WORDS, "trms_words.h");

/* The random numbers of a thread. */
struct trms_chance {
    uint64_t state;  /* state of the pseudo-random generator, not 0 */
    uint64_t drawn;  /* 32 bits */
    uint64_t number; /* random numbers drawn so far */
};

/* Called when `left` is 0: returns the weight of this call, or 0 if it is not recorded. */
uint32_t trms_sampling_decide(struct trms_sampling *sampling, uint32_t rate,
                              struct trms_chance *chance);

/* The number of decided calls, which differs from the number of calls by at most a stratum, and by
 * 0 on average. */
uint64_t trms_sampling_known(const struct trms_sampling *sampling, uint32_t rate);

/* The generator's initial state for this seed and thread. */
struct trms_chance trms_chance(uint64_t seed, uint32_t thread);

#endif
