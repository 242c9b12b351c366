/* The memory of a process, as needed for direct-mapped shadows.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The word of an address is at its lowest bits, so many as a window is large. Places are parts of the
 * address space no two of whose addresses share a word. In a wide window, of 4 TiB, they are those
 * where Linux puts anything, each with a tebibyte and more to grow, and are known beforehand. In a
 * narrow one they are what the process has when it gets one, in few clusters, and the free way
 * between these is shared out: the words are a circle on which each cluster may grow until it meets
 * the next one. The page on either side of a multiple of a window's size has no memory, in windows of
 * both kinds: compile/trms/trms_words.c counts on it.
 */
#ifndef NATIVE_TRMS_SHADOW_WINDOW_PLACES_H
#define NATIVE_TRMS_SHADOW_WINDOW_PLACES_H

#include "ground/basics.h"

#define WINDOW_PLACES_MOST 16

struct window_place {
    uintptr_t low, high;           /* it has all words from here up to there, */
    uintptr_t low_most, high_most; /* and is full if memory is beyond these */
};

struct window_places {
    unsigned log2; /* of the bytes of a shadow; 0: there are no ranges */
    unsigned n;
    struct window_place at[WINDOW_PLACES_MOST];
};

/* Memory that is close together. */
enum { WINDOW_GROWS_UP = 1, WINDOW_GROWS_DOWN = 2 };
struct window_cluster {
    uintptr_t low, high;
    unsigned grows; /* mask */
};

/* The next mapping, in the order of addresses: extends the last cluster if it grows in the same direction and is
 * near, in shadows of 2^log2 bytes. False: there are too many. */
bool window_cluster_add(struct window_cluster *clusters, unsigned *n, unsigned log2,
                        const struct window_cluster *mapping);

/* Ranges for these clusters. False, and none: two of them have the same words, or one crosses a multiple of
 * 2^log2. */
bool window_places_share(struct window_places *places, unsigned log2,
                         const struct window_cluster *clusters, unsigned n);

/* Whether memory is in one of the ranges, and that is not full. */
APROF_INLINE bool window_places_have(const struct window_places *places, uintptr_t low,
                                     uintptr_t high)
{
    for (unsigned i = 0; i < places->n; i++)
        if (low >= places->at[i].low_most && high <= places->at[i].high_most)
            return true;
    return false;
}

#endif
