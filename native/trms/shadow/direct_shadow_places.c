/* Computes the address ranges of narrow direct-mapped shadows.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "native/trms/shadow/direct_shadow_places.h"

/* Fractions of a shadow's size. Mappings belong to one cluster if they are at most 1 / NEAR_SHARE
 * of the size apart. 1 / MARGIN_SHARE of the size stays free at the end of each gap, for memory
 * that is not reported. */
#define NEAR_SHARE   64
#define MARGIN_SHARE 32

/* Addresses at most PAGE_BYTES from a multiple of the shadow's size have no words. Code may compute
 * the word of an access from an address on the other side of the multiple, and misaligned accesses
 * may cross the multiple. */
#define PAGE_BYTES ((uintptr_t)4096)

bool direct_shadow_cluster_add(struct direct_shadow_cluster *clusters, unsigned *n, unsigned log2,
                               const struct direct_shadow_cluster *mapping)
{
    struct direct_shadow_cluster *last = *n ? &clusters[*n - 1] : NULL;
    uintptr_t near = ((uintptr_t)1 << log2) / NEAR_SHARE;
    if (last && last->grows == mapping->grows && mapping->low - last->high <= near) {
        last->high = mapping->high;
        return true;
    }
    if (*n == DIRECT_SHADOW_PLACES_MOST)
        return false;
    clusters[(*n)++] = *mapping;
    return true;
}

/* Sorts clusters in the order of their words. */
static void sort_by_words(struct direct_shadow_cluster *clusters, unsigned n, uintptr_t mask)
{
    for (unsigned i = 1; i < n; i++) {
        struct direct_shadow_cluster moved = clusters[i];
        unsigned j = i;
        for (; j && (clusters[j - 1].low & mask) > (moved.low & mask); j--)
            clusters[j] = clusters[j - 1];
        clusters[j] = moved;
    }
}

/* Extends a range upwards by `way` bytes of free space. The program may use these bytes, except for
 * the last `margin` bytes. */
static void grow_up(struct direct_shadow_place *place, uintptr_t way, uintptr_t margin)
{
    place->high += way;
    place->high_most += way > margin ? way - margin : 0;
}

static void grow_down(struct direct_shadow_place *place, uintptr_t way, uintptr_t margin)
{
    way = way < place->low ? way : place->low;
    place->low -= way;
    place->low_most -= way > margin ? way - margin : 0;
}

/* Divides the free gap between two ranges. Only one range borders on the gap before the first
 * range, and on the gap after the last range. */
static void share_way(struct direct_shadow_place *below, bool up, struct direct_shadow_place *above,
                      bool down, uintptr_t way, uintptr_t margin)
{
    uintptr_t half = up && down ? (way / 2) & ~(PAGE_BYTES - 1) : way;
    if (up)
        grow_up(below, half, margin);
    if (down)
        grow_down(above, half, margin);
}

bool direct_shadow_places_share(struct direct_shadow_places *places, unsigned log2,
                                const struct direct_shadow_cluster *clusters, unsigned n)
{
    const uintptr_t bytes = (uintptr_t)1 << log2, mask = bytes - 1, margin = bytes / MARGIN_SHARE;
    struct direct_shadow_cluster sorted[DIRECT_SHADOW_PLACES_MOST];
    uintptr_t end = PAGE_BYTES;
    for (unsigned i = 0; i < n; i++)
        sorted[i] = clusters[i];
    sort_by_words(sorted, n, mask);
    *places = (struct direct_shadow_places){.log2 = log2, .n = n};
    for (unsigned i = 0; i < n; i++)
        places->at[i] = (struct direct_shadow_place){sorted[i].low, sorted[i].high, sorted[i].low,
                                                     sorted[i].high};
    for (unsigned i = 0; i < n; i++) {
        const struct direct_shadow_cluster *now = &sorted[i];
        uintptr_t begin = now->low & mask;
        if (begin < end || now->high - now->low > bytes - PAGE_BYTES - begin) {
            *places = (struct direct_shadow_places){0};
            return false;
        }
        share_way(i ? &places->at[i - 1] : NULL, i && sorted[i - 1].grows & DIRECT_SHADOW_GROWS_UP,
                  &places->at[i], now->grows & DIRECT_SHADOW_GROWS_DOWN, begin - end, margin);
        end = begin + (now->high - now->low);
    }
    if (n)
        share_way(&places->at[n - 1], sorted[n - 1].grows & DIRECT_SHADOW_GROWS_UP, NULL, false,
                  bytes - PAGE_BYTES - end, margin);
    return true;
}
