/* What code that counts its own contexts and its runtime keep: edges, and whose they are.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * places.c explains them.
 */
#ifndef NATIVE_CONTEXTS_PLACES_H
#define NATIVE_CONTEXTS_PLACES_H

#include "native/contexts/runtime.h"

#include "ground/call_places.h"

#define CONTEXTS_EDGE_SIZES 40 /* edge_size */

/* As the compiler writes it. */
struct counted_routine {
    uint64_t id; /* CALL_PLACES_UNKNOWN until it is called; then its own, for ever */
    uintptr_t address;
    uint64_t n_places, n_tails;
};

/* What stands in a place: an edge, or where nobody was called, the first three words alone. */
struct contexts_edge {
    uint64_t id; /* of the routine that was called; 0: nobody was */
    struct context_node *node;
    struct contexts_edge *owner; /* of the place; of an edge, its caller's */
    struct contexts_places *of;  /* the thread whose tree it leads to */
    struct {
        uint64_t id;
        struct context_node *node;
        struct contexts_edge *owner;
    } nobody;                           /* called from one of its own places */
    struct contexts_edge *first, *next; /* that it owns, the latest first; of its owner */
    uint32_t depth;
    uint16_t n_places;
    uint8_t n_tails; /* of the places: those of tail calls, which are the owner's */
    uint8_t is_held; /* while edges are taken back: by an activation */
    struct contexts_edge *places[];
};
_Static_assert(__builtin_offsetof(struct contexts_edge, node) == CALL_PLACES_EDGE_NODE, "abi");
_Static_assert(__builtin_offsetof(struct contexts_edge, places) == CALL_PLACES_EDGE_PLACES, "abi");
_Static_assert(__builtin_offsetof(struct context_node, count) == CALL_PLACES_NODE_COUNT, "abi");
_Static_assert(__builtin_offsetof(struct context_node, slot) == CALL_PLACES_NODE_SLOT, "abi");

struct contexts_places {
    struct contexts_edge *outside; /* the owner of the place from which a thread begins */
    /* The thread's aprof_contexts_calls, while it lives. NULL: that may be gone at any time, for the thread has
     * ended as far as we knew, and runs code again; all its calls come to places.c. */
    uint64_t *calls;
    uint64_t calls_known;
    struct contexts_edge *latest;  /* weight=time: that was entered */
    uint64_t cycles, cycles_known; /* weight=time: that nodes have counted, as the tree knows */
    char *arena;
    size_t arena_left, arena_bytes;
    struct contexts_edge **edges; /* by their nodes' numbers */
    uint32_t n_edges;             /* room in that table */
    uint32_t n_live, n_next;      /* edges in it, and how many there are when some are taken back */
    uintptr_t lowest, highest;    /* stack pointers that have been seen */
    uintptr_t edges_low, edges_high; /* all memory of edges lies there, among other things */
    struct contexts_edge *free[CONTEXTS_EDGE_SIZES]; /* by size, linked by `next` */
};

/* What stands in the edge's place while nobody was called from there. */
APROF_INLINE struct contexts_edge *contexts_nobody_at(struct contexts_edge *edge, unsigned place)
{
    return (struct contexts_edge *)&(place < edge->n_tails ? edge->owner : edge)->nobody;
}

/* places.c: a variable that the code knows by name (ground/call_places.h). */
extern NATIVE_EXPORT NATIVE_TLS struct contexts_edge **aprof_contexts_place;

/* prune.c. Memory for an edge with places of which none shows anybody; and back. */
NATIVE_HIDDEN struct contexts_edge *contexts_edge_take(struct contexts_places *of,
                                                       struct contexts_edge *owner,
                                                       unsigned n_places, unsigned n_tails);
NATIVE_HIDDEN void contexts_edge_give_back(struct contexts_places *of, struct contexts_edge *edge);

/* If there are many edges: takes back those of contexts that the tree need not keep, but for those
 * that an activation holds. With signals blocked. */
NATIVE_HIDDEN void contexts_edges_prune(struct contexts_thread *t);

#endif
