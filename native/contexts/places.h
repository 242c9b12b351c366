/* Edges and their owners, which inline counting code and the runtime share.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * places.c explains edges and owners.
 */
#ifndef NATIVE_CONTEXTS_PLACES_H
#define NATIVE_CONTEXTS_PLACES_H

#include "native/contexts/runtime.h"

#include "ground/call_places.h"

#define CONTEXTS_EDGE_SIZES 40 /* edge_size */

/* The compiler generates this struct for each routine. */
struct counted_routine {
    uint64_t id; /* id of the routine; CALL_PLACES_UNKNOWN until the first call, then constant */
    uintptr_t address;
    uint64_t n_places, n_tails;
};

/* The target of a place. Before the first call from a place, its target has only the first three
 * members of this struct. */
struct contexts_edge {
    uint64_t id; /* id of the called routine; 0: nothing was called yet */
    struct context_node *node;
    struct contexts_edge *owner; /* the caller's edge; before the first call: owner of the place */
    struct contexts_places *of;  /* thread to whose tree the edge leads */
    struct {
        uint64_t id;
        struct context_node *node;
        struct contexts_edge *owner;
    } nobody; /* target of the edge's places before their first call */
    /* `first`: the list of edges that this edge owns, which begins with the latest edge; `next`:
     * next edge in the owner's list */
    struct contexts_edge *first, *next;
    uint32_t depth;
    uint16_t n_places;
    uint8_t n_tails; /* number of places for tail calls; their callees belong to the edge's owner */
    uint8_t is_held; /* only during reclaiming: whether an activation uses this edge */
    struct contexts_edge *places[];
};
_Static_assert(__builtin_offsetof(struct contexts_edge, node) == CALL_PLACES_EDGE_NODE, "abi");
_Static_assert(__builtin_offsetof(struct contexts_edge, places) == CALL_PLACES_EDGE_PLACES, "abi");
_Static_assert(__builtin_offsetof(struct context_node, count) == CALL_PLACES_NODE_COUNT, "abi");
_Static_assert(__builtin_offsetof(struct context_node, slot) == CALL_PLACES_NODE_SLOT, "abi");

struct contexts_places {
    struct contexts_edge *outside; /* owner of the thread's first place */
    /* The thread's aprof_contexts_calls while the thread lives. NULL while an ending thread still
     * runs code, because aprof_contexts_calls may be freed at any time. While `calls` is NULL,
     * places.c processes all calls of the thread. */
    uint64_t *calls;
    uint64_t calls_known;
    struct contexts_edge *latest; /* weight=time: edge of the latest entry */
    /* weight=time: cycles counted in nodes, and the part of these cycles that the tree's total
     * includes */
    uint64_t cycles, cycles_known;
    char *arena;
    size_t arena_left, arena_bytes;
    struct contexts_edge **edges; /* edges by the numbers of their nodes */
    uint32_t n_edges;             /* capacity of the table `edges` */
    /* `n_live`: number of edges in the table; when it reaches `n_next`, some edges are reclaimed */
    uint32_t n_live, n_next;
    uintptr_t lowest, highest;       /* range of the stack pointers that have been seen */
    uintptr_t edges_low, edges_high; /* range of addresses that includes all memory of edges */
    struct contexts_edge *free[CONTEXTS_EDGE_SIZES]; /* free edges by size, linked by `next` */
};

/* Returns the target of the edge's places before their first call. */
APROF_INLINE struct contexts_edge *contexts_nobody_at(struct contexts_edge *edge, unsigned place)
{
    return (struct contexts_edge *)&(place < edge->n_tails ? edge->owner : edge)->nobody;
}

/* places.c defines these variables; inline code uses them by name (ground/call_places.h). */
extern NATIVE_EXPORT NATIVE_TLS struct contexts_edge **aprof_contexts_place;

/* In prune.c: allocates an edge whose places have no targets yet. */
NATIVE_HIDDEN struct contexts_edge *contexts_edge_take(struct contexts_places *of,
                                                       struct contexts_edge *owner,
                                                       unsigned n_places, unsigned n_tails);

/* If there are many edges, reclaims each edge that no activation uses and whose context the tree
 * need not keep. The caller has blocked signals. */
NATIVE_HIDDEN void contexts_edges_prune(struct contexts_thread *t);

#endif
