/* The ranges of a process's memory for which a direct-mapped shadow has words.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lowest bits of an address select its word; the number of bits depends on the shadow's size.
 * Ranges are parts of the address space in which no two addresses share a word. The size of a wide
 * shadow is 4 TiB. The ranges of wide shadows are fixed: they are the areas that Linux uses, each
 * with at least a tebibyte to grow. The ranges of a narrow shadow are found when the shadow is
 * created: each range contains one of the few clusters of the process's mappings. The free space
 * between two clusters is divided between their ranges. The words form a circle: each range may
 * grow until its words meet the words of the next range. The program has no memory in the pages
 * next to a multiple of the shadow's size; compile/trms/trms_words.c relies on this.
 */
#ifndef NATIVE_TRMS_SHADOW_DIRECT_SHADOW_PLACES_H
#define NATIVE_TRMS_SHADOW_DIRECT_SHADOW_PLACES_H

#include "ground/basics.h"

#define DIRECT_SHADOW_PLACES_MOST 16

struct direct_shadow_place {
    uintptr_t low, high; /* the shadow has words for this whole range */
    /* the shadow is no longer used if the program gets memory in this range, but below `low_most`
     * or above `high_most` */
    uintptr_t low_most, high_most;
};

struct direct_shadow_places {
    unsigned log2; /* log2 of the size of a shadow in bytes; 0: there are no ranges */
    unsigned n;
    struct direct_shadow_place at[DIRECT_SHADOW_PLACES_MOST];
};

/* A cluster is a group of mappings that are close together. */
enum { DIRECT_SHADOW_GROWS_UP = 1, DIRECT_SHADOW_GROWS_DOWN = 2 };
struct direct_shadow_cluster {
    uintptr_t low, high;
    unsigned grows; /* mask of directions */
};

/* Adds the next mapping, in the order of addresses. If the mapping is near the last cluster and
 * grows in the same direction, this cluster is extended. Returns false if there are too many
 * clusters. */
bool direct_shadow_cluster_add(struct direct_shadow_cluster *clusters, unsigned *n, unsigned log2,
                               const struct direct_shadow_cluster *mapping);

/* Makes ranges for these clusters. Returns false and makes no ranges if two clusters have the same
 * words, or if a cluster crosses a multiple of 2^log2. */
bool direct_shadow_places_share(struct direct_shadow_places *places, unsigned log2,
                                const struct direct_shadow_cluster *clusters, unsigned n);

/* Returns whether the memory is within the limits `low_most` and `high_most` of a range. */
APROF_INLINE bool direct_shadow_places_have(const struct direct_shadow_places *places,
                                            uintptr_t low, uintptr_t high)
{
    for (unsigned i = 0; i < places->n; i++)
        if (low >= places->at[i].low_most && high <= places->at[i].high_most)
            return true;
    return false;
}

#endif
