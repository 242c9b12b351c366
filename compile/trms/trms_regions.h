/* Regions without calls: their ends, and their propagation from block to block.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c decides where regions end; trms_regions.c propagates regions from block to block.
 *
 * In a region, the execution context and the fields that inline checks use stay the same, so each
 * field is loaded once. A region ends at calls, and at operations that may synchronise. A loop
 * without calls and synchronising operations lies in one region.
 */
#ifndef COMPILE_TRMS_TRMS_REGIONS_H
#define COMPILE_TRMS_TRMS_REGIONS_H

#include "compile/trms/trms_checks.h"

struct region_block {
    LLVMBasicBlockRef block;
    size_t number;      /* the block's index in the original order */
    struct loads loads; /* fields that the block's accesses need */
    bool begins;        /* whether the block always begins a new region */
    /* whether a region ends in the block; a new region then begins in the block, unless
     * ends_at_its_end is set */
    bool ends;
    bool ends_at_its_end; /* whether the end of the block belongs to no region */
    size_t in, out;       /* numbers of regions, found by regions_find */
};

/* The loaded fields of a region that continues in blocks after its first block. */
struct region {
    struct loads loads;   /* fields that the later blocks of the region need */
    struct loaded loaded; /* fields that are loaded at the end of the first block */
};

struct regions {
    struct region_block *blocks; /* blocks, ordered so that dominators come first */
    struct region *regions;
    size_t count; /* number of blocks; region numbers are below twice this number */
};

/* Orders the blocks, beginning with the entry, and finds their regions. */
void regions_find(struct regions *regions, struct region_block *blocks, size_t count);
void regions_free(struct regions *regions);

/* Returns whether the region at the end of the block begins in the same block. */
bool regions_begin_in(const struct regions *regions, size_t block);

#endif
