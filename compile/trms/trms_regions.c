/* Finds the region without calls to which each block belongs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     a: g(); ...        region a1 from g on
 *     b: x += p[i];      in a1, although b is also its own successor; fields are loaded in a
 *     c: if (x) g();     in a1; d continues in c1, which begins after this g
 *     e: y = p[0];       e0, a region of its own, because it is reached in a1 and in c1
 *
 * Block i can begin two regions: region 2 i at its beginning, and region 2 i + 1 after its last
 * call. If all predecessors that are known so far end in the same region, the block begins in this
 * region; otherwise the block begins a new region. The pass repeats these decisions until nothing
 * changes. Invariant: every path to code of a region passes through the region's beginning.
 */
#include "compile/trms/trms_regions.h"

#include "lib/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN ((size_t)-1)

static size_t begun(size_t block)
{
    return 2 * block;
}

static size_t begun_within(size_t block)
{
    return 2 * block + 1;
}

/* ---------------------------------------------------------------- order */

struct place {
    LLVMBasicBlockRef block;
    size_t at;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->block < b->block ? -1 : a->block > b->block;
}

static struct place *places_make(const struct region_block *blocks, size_t count)
{
    struct place *places = memory_get_zeroed(count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){blocks[i].block, i};
    qsort(places, count, sizeof *places, compare_places);
    return places;
}

static size_t place_of(const struct place *places, size_t count, LLVMBasicBlockRef block)
{
    struct place key = {block, 0};
    const struct place *found = bsearch(&key, places, count, sizeof key, compare_places);
    return found ? found->at : UNKNOWN;
}

/* Blocks are numbered in reverse postorder of a depth-first search, so each block comes after its
 * dominators. Unreachable blocks come last. */
static void order(struct region_block *blocks, size_t count)
{
    struct visit {
        size_t block;
        unsigned next;
    } *path = memory_get_zeroed(count, sizeof *path);
    struct place *places = places_make(blocks, count);
    struct region_block *ordered = memory_get_zeroed(count, sizeof *ordered);
    bool *seen = memory_get_zeroed(count, sizeof *seen);
    size_t depth = 1, reached = 0;
    seen[0] = true;
    while (depth) {
        struct visit *top = &path[depth - 1];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[top->block].block);
        if (top->next == LLVMGetNumSuccessors(end)) {
            ordered[count - ++reached] = blocks[top->block];
            depth--;
            continue;
        }
        size_t to = place_of(places, count, LLVMGetSuccessor(end, top->next++));
        if (to == UNKNOWN || seen[to])
            continue;
        seen[to] = true;
        path[depth++] = (struct visit){to, 0};
    }
    memmove(ordered, ordered + count - reached, reached * sizeof *ordered);
    for (size_t i = 0; i < count; i++)
        if (!seen[i])
            ordered[reached++] = blocks[i];
    memcpy(blocks, ordered, count * sizeof *blocks);
    free(path);
    free(places);
    free(ordered);
    free(seen);
}

/* ---------------------------------------------------------------- ways */

static size_t out_of(const struct region_block *block, size_t i)
{
    return block->ends ? begun_within(i) : block->in;
}

/* Records that a path reaches the block from this region; returns whether this changes the region
 * in which the block begins. */
static bool meet(struct region_block *blocks, size_t i, size_t reached_in)
{
    size_t *in = &blocks[i].in, before = *in;
    if (before == begun(i) || reached_in == UNKNOWN || reached_in == before)
        return false;
    *in = before == UNKNOWN ? reached_in : begun(i);
    return true;
}

/* The region at the end of block i may change in a later pass. A successor then gets a second,
 * different predecessor region, and begins a new region. */
static bool flow_from(struct region_block *blocks, size_t count, const struct place *places,
                      size_t i)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[i].block);
    size_t out = out_of(&blocks[i], i);
    bool changed = false;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        size_t to = place_of(places, count, LLVMGetSuccessor(end, s));
        if (to != UNKNOWN)
            changed |= meet(blocks, to, blocks[i].ends_at_its_end ? begun(to) : out);
    }
    return changed;
}

static void add_loads(struct loads *to, const struct loads *more)
{
    to->reads |= more->reads;
    to->writes |= more->writes;
}

void regions_find(struct regions *regions, struct region_block *blocks, size_t count)
{
    order(blocks, count);
    struct place *places = places_make(blocks, count);
    *regions = (struct regions){.blocks = blocks, .count = count};
    regions->regions = memory_get_zeroed(2 * count, sizeof *regions->regions);
    for (size_t i = 0; i < count; i++)
        blocks[i].in = blocks[i].begins || !i ? begun(i) : UNKNOWN;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            changed |= flow_from(blocks, count, places, i);
    }
    for (size_t i = 0; i < count; i++) {
        struct region_block *block = &blocks[i];
        if (block->in == UNKNOWN) /* never reached */
            block->in = begun(i);
        block->out = out_of(block, i);
        if (block->in != begun(i))
            add_loads(&regions->regions[block->in].loads, &block->loads);
    }
    free(places);
}

bool regions_begin_in(const struct regions *regions, size_t block)
{
    return regions->blocks[block].out / 2 == block && !regions->blocks[block].ends_at_its_end;
}

void regions_free(struct regions *regions)
{
    free(regions->regions);
}
