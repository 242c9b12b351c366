/* Random trees of calling contexts for tests: equal seeds give equal trees.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_CONTEXTS_TOOLS_RANDOM_TREE_H
#define TESTS_CONTEXTS_TOOLS_RANDOM_TREE_H

#include "lib/contexts/contexts_profile.h"

#include "tests/property/rng.h"

struct random_tree {
    uint32_t routines, contexts, threads;
    bool sites;
    const char *build_id;
};

/* Makes a full tree with the given number of contexts for each thread; few contexts have most of
 * the weight. */
void random_profile(struct rng *rng, const struct random_tree *shape,
                    struct context_profile *profile);

#endif
