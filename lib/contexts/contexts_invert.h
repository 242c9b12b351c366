/* An inverted tree of calling contexts: routines first, then their callers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A context a > b > c of count n adds n to c, to c < b and to c < b < a. For example, main > f > h
 * with 3 calls and main > g > h with 4 calls become
 *
 *     (all)   7      count 0
 *       h     7      count 0
 *         f   3      count 0
 *           main 3   count 3: here the context ends
 *         g   4 ...
 */
#ifndef LIB_CONTEXTS_CONTEXTS_INVERT_H
#define LIB_CONTEXTS_CONTEXTS_INVERT_H

#include "lib/contexts/contexts_profile.h"

/* Returns the inverted tree of contexts [0, count). The tree has up to `depth` levels, and only
 * chains with at least the weight `least`. The `count` of each node is its weight minus the weight
 * of its kept children. The time is proportional to the number of contexts times the number of
 * levels. The caller frees the tree. */
context_list contexts_invert(const struct context *contexts, size_t count, uint64_t least,
                             size_t depth);

/* Like contexts_invert(), but contexts and nodes also have second counts: `*before` is the list for
 * the contexts, and is replaced by the list for the nodes. The caller frees both lists of second
 * counts. If `*before` is NULL, the second counts are 0. Only the first counts decide which nodes
 * are kept. */
context_list contexts_invert_both(const struct context *contexts, uint64_t **before, size_t count,
                                  uint64_t least, size_t depth);

#endif
