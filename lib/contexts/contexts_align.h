/* Aligns the contexts of several trees, such as trees of threads, of runs or of builds.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two contexts are equal if they have equal parents, equal routines and, if known, equal call
 * sites. A routine is identified by its address if all profiles have the same build of its object,
 * according to the build id. Otherwise, a routine is identified by the names of object, routine and
 * source file. Call sites are then ignored, because they move with every change of the source.
 * Routines of one name in one object are distinguished by their order.
 *
 * All look-ups use hash tables, so aligning takes time in proportion to the number of contexts.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_ALIGN_H
#define LIB_CONTEXTS_CONTEXTS_ALIGN_H

#include "lib/contexts/contexts_profile.h"

struct context_alignment {
    const struct context_profile *const *profiles;
    size_t profile_count;
    /* for each profile, a map from the profile's ids to the ids of the sum */
    uint32_t **routine_maps, **site_maps;
    struct context_builder builder;
    struct context_profile sum; /* common objects, routines and call sites */
};

/* The profiles must outlive the alignment. If `sites` is false, call sites are ignored. */
void contexts_align_start(struct context_alignment *a,
                          const struct context_profile *const *profiles, size_t count, bool sites);

/* Aligns one tree of a profile; returns the ids of its contexts in the common tree. The caller
 * frees the ids. No counts are added. */
uint32_t *contexts_align_tree(struct context_alignment *a, size_t profile,
                              const struct contexts_tree *tree);

/* Returns the common tree: contexts with counts of 0, and their routines and sites. Frees all other
 * data. */
void contexts_align_finish(struct context_alignment *a, struct context_profile *sum);

#endif
