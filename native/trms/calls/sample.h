/* Sampling: decides which activations of routines with two versions are measured.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The code of a routine calls the runtime if a sampling decision is due, or if the routine's caller
 * is measured (compile/trms/trms_versions.c). Activations are measured with all their callees. In
 * unmeasured code, only kernel writes are recorded. An execution context measures as long as it has
 * pending activations.
 *
 *     decision  Each routine has separate decisions, which depend on the number of calls and on
 *               chance, but neither on the caller nor on the cost. Callees that are measured only
 *               because their caller is measured are part of the caller's measurement; they are not
 *               recorded.
 *     rate      The first TRMS_SAMPLE_FIRST calls are not recorded: a routine with fewer calls is
 *               near the root, and would measure the whole program. Then one of `rate` calls is
 *               recorded. The fraction is halved whenever the number of calls has quadrupled. With
 *               a rate of 8:
 *
 *                   call number     16..63    64..255    256..1023    1024..4095    ...
 *                   recorded        1 of 8    1 of 16    1 of 32      1 of 64
 *
 *     weight    The inverse of the probability of recording the call, which is the period. Sums of
 *               weight times cost estimate the cost of all calls for any periods (weights.h).
 *     number    While the period is at most TRMS_SAMPLE_DRAWN calls, a random number decides each
 *               call. The thread draws the number, and all routines use it until a routine needs a
 *               second number. So decisions about one routine's calls are independent of each
 *               other, and the rate is right. But a caller and the routine that it calls once are
 *               recorded together, which costs little more than recording only the caller. Later
 *               calls are divided into strata as long as the period. One call of each stratum is
 *               chosen, and the other calls need no decision. Example: a chain of four routines,
 *               each called 100 times at 1 of 16:
 *
 *                   own numbers       6 calls of each recorded, 23 of the 100 chains measured
 *                   common numbers    6 calls of each recorded, 6 of the 100 chains measured
 *
 *     budget    The rate may change at each decision (budget.h). A stratum keeps the length that it
 *               had when its call was chosen. A new rate takes effect only with the next random
 *               number: the rate may depend on costs of calls that the current number has selected.
 *     input     First accesses are counted from the beginning of the measured activation, so no
 *               history is needed: each older time in the execution context's shadow words means
 *               "not accessed by this activation". Writes of other execution contexts are omitted,
 *               because most of them would be missed. So execution contexts share nothing, and each
 *               keeps its direct-mapped shadow.
 *     outside   Counts cells that the kernel wrote and that no measured activation of the execution
 *               context has accessed after the write. Unmeasured code may have accessed these
 *               cells, so the true number is at most the reported number.
 */
#ifndef NATIVE_TRMS_CALLS_SAMPLE_H
#define NATIVE_TRMS_CALLS_SAMPLE_H

#include "ground/basics.h"
#include "ground/trms_words.h"

#define TRMS_SAMPLE_FIRST 16

/* If the sampling period is at most this number, there is a separate decision for each call. */
#define TRMS_SAMPLE_DRAWN 64

/* The state of a routine's sampling decisions; initially zero. Compiled code decrements `left`. */
struct trms_sampling {
    uint32_t left;   /* number of following calls that need no decision */
    uint32_t gap;    /* initial value of `left` */
    uint64_t calls;  /* number of calls up to the latest decision */
    uint64_t number; /* index of the random number that decided the latest call */
    /* number of calls that are decided; if a stratum is open, number of its first call */
    uint64_t known;
    uint64_t stratum; /* length of the open stratum; 0: the next call has a separate decision */
};
_Static_assert(sizeof(struct trms_sampling) == 8 * TRMS_WORDS_SAMPLING_WORDS, "trms_words.h");

/* The random numbers of a thread. */
struct trms_chance {
    uint64_t state;  /* state of the pseudo-random generator, not 0 */
    uint64_t drawn;  /* random number of 32 bits */
    uint64_t number; /* random numbers drawn so far */
    uint32_t rate;   /* the rate when the number was drawn; 0: no number was drawn yet */
};

/* Makes a sampling decision; compiled code calls this function when `left` is 0. Returns the call's
 * weight, or 0 if the call is not recorded. */
uint32_t trms_sampling_decide(struct trms_sampling *sampling, uint32_t rate,
                              struct trms_chance *chance);

/* Returns the number of calls for which a sampling decision was made. This number differs from the
 * number of calls by at most a stratum, and by 0 on average. */
APROF_INLINE uint64_t trms_sampling_known(const struct trms_sampling *sampling)
{
    return sampling->calls <= TRMS_SAMPLE_FIRST ? sampling->calls : sampling->known;
}

/* Returns the generator's initial state for this seed and thread. */
struct trms_chance trms_chance(uint64_t seed, uint32_t thread);

#endif
