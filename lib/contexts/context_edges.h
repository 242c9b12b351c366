/* Calls by caller and callee, added up over the contexts of a report.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_CONTEXTS_CONTEXT_EDGES_H
#define LIB_CONTEXTS_CONTEXT_EDGES_H

#include "lib/report/report.h"

struct context_edge {
    uint32_t caller, callee; /* indices of routines */
    uint64_t calls;
    /* cost of the callee, including its callees; an edge is counted only once on a path */
    u128 cost;
};

typedef VECTOR(struct context_edge) context_edge_list;

/* Lists the edges sorted by caller, then by callee. Contexts without a caller have no edge. */
void context_edges_make(const struct report *report, context_edge_list *edges);

#endif
