/* Builds the tree of a flame graph, optionally folded, inverted or compared with a base.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     recorded              folded         focus on f     inverted
 *     main 0                main 0         f 3            f 3      main 3
 *       f 1                   f 3            g 5          g 5      f 5      main 5
 *         f 2                   g 5
 *           g 5
 *
 * The numbers in the example are the own counts of the contexts. The sum of counts is equal in all
 * forms of the tree, except that a focus omits all calls outside of its routine.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_FLAME_TREE_H
#define LIB_CONTEXTS_CONTEXTS_FLAME_TREE_H

#include "lib/contexts/contexts_flame.h"

typedef VECTOR(struct report_routine) flame_routines;

struct flame_tree {
    context_list contexts;
    flame_routines routines; /* routines of the profile, followed by routines that only the base
                              * has */
    uint64_t *before;        /* for each context, the sum of its subtree in the base; NULL: no
                              * base */
};

/* Builds the tree from the profile's first tree. */
struct flame_tree flame_tree_make(const struct context_profile *profile,
                                  const struct contexts_flame *flame);
void flame_tree_free(struct flame_tree *tree);

#endif
