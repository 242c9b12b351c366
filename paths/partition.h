/* Divides the paths of one procedure into sets that different copies can count.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * partition_reduced() is the paper's find_partition (P3, section 3.2): one set per path prefix of
 * the reduced graph. In the reduced graph, diamonds and triangles without inner branches are single
 * edges, so their branches are not separated. The number of sets stops growing at the threshold.
 *
 * partition_split() divides a set by one edge e: the paths through e, and the paths that avoid e. A
 * set is closed if it contains every path that its edges allow. If the set is closed, so are both
 * parts, and no path is in both parts. For each edge of the first part except e, paths lead from
 * the edge to e's start, or from e's end to the edge. The graph has no cycles, so a path with only
 * such edges reaches e's end only through e.
 */
#ifndef PATHS_PARTITION_H
#define PATHS_PARTITION_H

#include "paths/dag.h"

/* Sets of edges; each set has one bool per edge. */
typedef VECTOR(bool *) edge_sets;

void partition_reduced(const struct dag *dag, uint32_t copies, edge_sets *sets);

/* Splits a set of paths; `through` and `avoiding` have one bool per edge. Returns false if one of
 * the two parts would have no path. */
bool partition_split(const struct dag *dag, const bool *set, uint32_t edge, bool *through,
                     bool *avoiding);

void edge_sets_free(edge_sets *sets);

#endif
