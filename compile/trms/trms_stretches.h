/* Regions without calls: what ends one, and how it continues from block to block.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c says what ends a region, trms_stretches.c follows it from block to block.
 *
 * In a stretch the strand stays the same, and so do its fields that looks use: so each is loaded once. A
 * call ends a stretch, and what may synchronise; a loop without any of these lies in one.
 */
#ifndef COMPILE_TRMS_TRMS_STRETCHES_H
#define COMPILE_TRMS_TRMS_STRETCHES_H

#include "compile/trms/trms_looks.h"

struct stretch_block {
    LLVMBasicBlockRef block;
    size_t number;        /* before they were ordered */
    struct loads loads;   /* of the stretch that it begins in */
    bool begins;          /* one of its own, wherever it is reached from */
    bool ends;            /* has an end of a stretch, and then goes on in one of its own ... */
    bool ends_at_its_end; /* ... or does not go on in one */
    size_t in, out;       /* numbers of stretches; found by stretches_find */
};

/* What is known of a stretch that goes on in other blocks than its first. */
struct stretch {
    struct loads loads;   /* of these others */
    struct loaded loaded; /* by the end of the first one */
};

struct stretches {
    struct stretch_block *blocks; /* each after those that all ways to it lead through */
    struct stretch *stretches;
    size_t count; /* of blocks; there are twice as many numbers */
};

/* Orders the blocks, the first of which is where they are entered, and finds their stretches. */
void stretches_find(struct stretches *stretches, struct stretch_block *blocks, size_t count);
void stretches_free(struct stretches *stretches);

/* Whether this is where the stretch begins that the block ends in. */
bool stretches_begin_in(const struct stretches *stretches, size_t block);

#endif
