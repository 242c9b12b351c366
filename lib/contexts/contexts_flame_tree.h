/* Builds the tree of a flame graph, optionally folded, inverted or compared with a base.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     recorded              folded         focus on f     inverted
 *     main 0                main 0         f 3            f 3      main 3
 *       f 1                   f 3            g 5          g 5      f 5      main 5
 *         f 2                   g 5
 *           g 5
 *
 * The numbers in the example are the own counts of the contexts. All forms of the tree have the
 * same sum of counts, except that a focus omits all calls outside its routine.
 */
#ifndef LIB_CONTEXTS_CONTEXTS_FLAME_TREE_H
#define LIB_CONTEXTS_CONTEXTS_FLAME_TREE_H

#include "lib/contexts/contexts_flame.h"

typedef VECTOR(struct report_routine) flame_routines;

struct flame_tree {
    context_list contexts;
    flame_routines routines; /* routines of the profile, followed by routines that only the base
                              * has */
    uint64_t *before;        /* own count of each context in the base; NULL: no base */
};

/* Builds the tree as recorded, from the profile's first tree and the base's. With a focus, the tree
 * has only the calls of the matching routines. Contexts that differ only in their call site are one
 * context. */
struct flame_tree flame_tree_make(const struct context_profile *profile,
                                  const struct contexts_flame *flame);

/* Folds and inverts the tree as the options require. */
void flame_tree_form(struct flame_tree *tree, const struct contexts_flame *flame);
void flame_tree_free(struct flame_tree *tree);

/* The minimum count of a frame in a picture whose root has the count `whole`. */
uint64_t flame_least(const struct contexts_flame *flame, uint64_t whole);

#endif
