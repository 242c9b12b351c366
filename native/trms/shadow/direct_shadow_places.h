/* The memory of a process, as needed for direct-mapped shadows.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lowest bits of an address select its word; their number depends on the shadow's size. Places
 * are parts of the address space in which no two addresses share a word. In a wide shadow, of 4
 * TiB, the ranges are fixed: the areas that Linux uses, each with at least a tebibyte to grow. In a
 * narrow shadow, the ranges are the process's mappings when the shadow is created, in few clusters.
 * The free space between clusters is divided: the words form a circle, on which each cluster may
 * grow until it meets the next one. In both kinds, the pages next to a multiple of the shadow's
 * size have no memory; compile/trms/trms_words.c relies on this.
 */
#ifndef NATIVE_TRMS_SHADOW_DIRECT_SHADOW_PLACES_H
#define NATIVE_TRMS_SHADOW_DIRECT_SHADOW_PLACES_H

#include "ground/basics.h"

#define DIRECT_SHADOW_PLACES_MOST 16

struct direct_shadow_place {
    uintptr_t low, high;           /* it has all words of this range, */
    uintptr_t low_most, high_most; /* and is full if memory exists beyond these addresses */
};

struct direct_shadow_places {
    unsigned log2; /* log2 of the bytes of a shadow; 0: there are no ranges */
    unsigned n;
    struct direct_shadow_place at[DIRECT_SHADOW_PLACES_MOST];
};

/* Memory that is close together. */
enum { DIRECT_SHADOW_GROWS_UP = 1, DIRECT_SHADOW_GROWS_DOWN = 2 };
struct direct_shadow_cluster {
    uintptr_t low, high;
    unsigned grows; /* mask */
};

/* The next mapping, in the order of addresses: extends the last cluster if it grows in the same
 * direction and is near, in shadows of 2^log2 bytes. Returns false if there are too many
 * clusters. */
bool direct_shadow_cluster_add(struct direct_shadow_cluster *clusters, unsigned *n, unsigned log2,
                               const struct direct_shadow_cluster *mapping);

/* Ranges for these clusters. False, and none: two of them have the same words, or one crosses a
 * multiple of 2^log2. */
bool direct_shadow_places_share(struct direct_shadow_places *places, unsigned log2,
                                const struct direct_shadow_cluster *clusters, unsigned n);

/* True if the memory is in one of the ranges, and that range is not full. */
APROF_INLINE bool direct_shadow_places_have(const struct direct_shadow_places *places,
                                            uintptr_t low, uintptr_t high)
{
    for (unsigned i = 0; i < places->n; i++)
        if (low >= places->at[i].low_most && high <= places->at[i].high_most)
            return true;
    return false;
}

#endif
