/* Adds trees of calling contexts: threads, files, runs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXTS_SUM_H
#define LIB_CONTEXTS_CONTEXTS_SUM_H

#include "lib/contexts/contexts_align.h"

/* Adds up the trees of all profiles; `thread` selects one thread, or all threads (CONTEXTS_MERGED).
 * The result does not depend on the order of the profiles. Returns false if the profiles have
 * different units of weight, or the thread does not exist. */
bool contexts_sum(const struct context_profile *const *profiles, size_t count, uint32_t thread,
                  bool sites, struct context_profile *sum, struct failure *why);

/* Adds a tree's counts and totals into contexts of the common tree. */
void contexts_add_tree(context_list *to, struct contexts_tree *total,
                       const struct context_profile *from, const struct contexts_tree *tree,
                       const uint32_t *map);

#endif
