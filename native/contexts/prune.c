/* Allocates memory for edges, and reclaims unused contexts of a hot tree.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An activation keeps its edge in a register or on the stack, and no hook reports the activation's
 * end. So each edge pins its context (places.c). When the number of edges has doubled since the
 * last search, the stack and the registers are searched for pointers into edges. Any word that
 * points into an edge counts as a reference, and keeps the edge. All other edges no longer pin
 * their contexts. So the tree prunes contexts as in Algorithm 1: monitored contexts and their
 * ancestors stay. Edges of removed contexts are reused by routines with the same number of call
 * places. Places that lead to removed edges are cleared, and the remaining edges pin their contexts
 * again.
 *
 * So a hot tree has at most twice as many nodes as the paper's tree, plus the nodes on the stack.
 *
 * The search covers the thread's own stack, upwards from the current frame. If a thread has ever
 * run on another stack (coroutine, signal handler), the thread keeps all its edges.
 */
#include "native/contexts/places.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "ground/sort.h"
#include "native/base/maps.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"
#include "native/base/vectors.h"

#define FIRST_ARENA ((size_t)4 << 10)
#define LARGEST     ((size_t)256 << 10)
#define FEW_EDGES   2048
#define EXACT_SIZES 32u

extern const uintptr_t aprof_contexts_stack_end __asm__("__libc_stack_end");

/* ---------------------------------------------------------------- memory */

/* Returns the size class. Each number of places up to 32 has a separate class. Above 32, there is
 * one class for each power of two. */
static unsigned edge_size(unsigned n_places)
{
    unsigned size = EXACT_SIZES;
    if (n_places <= EXACT_SIZES)
        return n_places;
    for (unsigned room = EXACT_SIZES; room < n_places; room *= 2)
        size++;
    return size;
}

static unsigned room_of(unsigned size)
{
    return size <= EXACT_SIZES ? size : EXACT_SIZES << (size - EXACT_SIZES);
}

/* Allocates twice as much memory as the last time, and at least the requested size. */
static void more_room(struct contexts_places *of, size_t bytes)
{
    of->arena_bytes = of->arena_bytes ? 2 * of->arena_bytes : FIRST_ARENA;
    if (of->arena_bytes > LARGEST)
        of->arena_bytes = LARGEST;
    of->arena_left = bytes > of->arena_bytes ? pages_bytes(bytes) : of->arena_bytes;
    of->arena = host_map("aprof.contexts.edges", of->arena_left);
    uintptr_t low = (uintptr_t)of->arena, high = low + of->arena_left;
    if (!of->edges_high || low < of->edges_low)
        of->edges_low = low;
    if (high > of->edges_high)
        of->edges_high = high;
}

static struct contexts_edge *new_edge(struct contexts_places *of, unsigned size)
{
    size_t bytes = sizeof(struct contexts_edge) + room_of(size) * sizeof(void *);
    if (bytes > of->arena_left)
        more_room(of, bytes);
    APROF_ASSERT(bytes <= of->arena_left);
    struct contexts_edge *edge = (struct contexts_edge *)of->arena;
    of->arena += bytes;
    of->arena_left -= bytes;
    return edge;
}

struct contexts_edge *contexts_edge_take(struct contexts_places *of, struct contexts_edge *owner,
                                         unsigned n_places, unsigned n_tails)
{
    unsigned size = edge_size(n_places);
    APROF_ASSERT(size < CONTEXTS_EDGE_SIZES);
    struct contexts_edge *edge = of->free[size];
    if (edge)
        of->free[size] = edge->next;
    else
        edge = new_edge(of, size);
    *edge = (struct contexts_edge){
        .owner = owner, .n_places = (uint16_t)n_places, .n_tails = (uint8_t)n_tails};
    edge->nobody.owner = edge;
    for (unsigned i = 0; i < n_places; i++)
        edge->places[i] = contexts_nobody_at(edge, i);
    return edge;
}

/* Gives an edge back for reuse. If an activation still uses the edge, further calls of this
 * activation belong to no context. */
static void give_back(struct contexts_places *of, struct contexts_edge *edge)
{
    unsigned size = edge_size(edge->n_places);
    edge->id = 0;
    edge->of = NULL;
    edge->first = NULL;
    edge->next = of->free[size];
    of->free[size] = edge;
}

/* ---------------------------------------------------------------- the thread's own stack */

/* Returns the start of the mapping that contains the address, or the address itself if there is no
 * mapping. */
static uintptr_t mapping_begin(uintptr_t address)
{
    size_t bytes = pages_bytes(sizeof(struct native_maps));
    struct native_maps *maps = host_map("aprof.contexts.maps", bytes);
    struct native_mapping mapping;
    uintptr_t begin = address;
    if (native_maps_open(maps)) {
        while (begin == address && native_maps_next(maps, &mapping))
            if (mapping.readable && address - mapping.start < mapping.end - mapping.start)
                begin = mapping.start;
        native_maps_close(maps);
    }
    host_unmap(maps, bytes);
    return begin;
}

#if defined(__x86_64__)
/* Linux keeps at least this distance between the main thread's stack and the next mapping
 * (MIN_GAP). */
#define GAP                 ((uintptr_t)128 << 20)
#define lowest_of_main(end) ((end)-GAP)
#else
/* qemu-user maps an arm64 program next to the main thread's stack. */
#define lowest_of_main(end) mapping_begin((end)-1)
#endif

/* Returns the upper end of the thread's own stack; 0 if the thread has been seen on another
 * stack. */
static uintptr_t own_stack(const struct contexts_places *of)
{
    uintptr_t end = (uintptr_t)__builtin_thread_pointer(), low;
    if (native_self->tid == (int)native_syscall(SYS_getpid)) {
        end = aprof_contexts_stack_end;
        low = lowest_of_main(end);
    } else {
        low = mapping_begin(end);
    }
    return low <= of->lowest && of->highest < end ? end : 0;
}

static void note_stack(struct contexts_places *of)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!of->highest || here < of->lowest)
        of->lowest = here;
    if (here > of->highest)
        of->highest = here;
}

/* ---------------------------------------------------------------- references from activations */

static int compare_words(const void *a, const void *b)
{
    uintptr_t first = *(const uintptr_t *)a, second = *(const uintptr_t *)b;
    return (first > second) - (first < second);
}

struct words {
    uintptr_t *at, *spare;
    size_t n, bytes;
};

/* Collects the words of the stack that may point into edges. The callee-saved registers have been
 * stored in the caller's frame. The array keeps at least one zero after the last collected word. */
static APROF_NOINLINE void collect_words(struct words *words, const struct contexts_places *of,
                                         uintptr_t end)
{
    const uintptr_t *low = __builtin_frame_address(0), *high = (const uintptr_t *)end;
    words->bytes = pages_bytes(((size_t)(high - low) + 3) * sizeof(*low));
    words->at = host_map("aprof.contexts.words", words->bytes);
    words->spare = host_map("aprof.contexts.words", words->bytes);
    words->at[words->n++] = (uintptr_t)aprof_contexts_place;
    words->at[words->n++] = (uintptr_t)of->latest;
    for (const uintptr_t *at = low; at < high; at++)
        if (*at >= of->edges_low && *at < of->edges_high)
            words->at[words->n++] = *at;
}

/* Returns whether a word of the sorted array lies in [low, high). */
static bool has_word(const uintptr_t *sorted, size_t n, uintptr_t low, uintptr_t high)
{
    size_t from = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (sorted[from + half] < low) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return sorted[from] >= low && sorted[from] < high;
}

static void mark_held(struct contexts_places *of, uintptr_t end)
{
    struct words words = {0};
    __builtin_unwind_init();
    collect_words(&words, of, end);
    const uintptr_t *sorted =
        sort_merge(words.at, words.spare, words.n, sizeof(*words.at), compare_words);
    for (uint32_t i = 0; i < of->n_edges; i++) {
        struct contexts_edge *edge = of->edges[i];
        if (edge)
            edge->is_held = has_word(sorted, words.n, (uintptr_t)edge,
                                     (uintptr_t)&edge->places[edge->n_places]);
    }
    host_unmap(words.at, words.bytes);
    host_unmap(words.spare, words.bytes);
}

/* ---------------------------------------------------------------- pruning */

static bool was_removed(const struct context_node *node)
{
    return !node->parent && node->index;
}

static void unpin_all(struct contexts_thread *t)
{
    struct contexts_places *of = t->places;
    for (uint32_t i = 0; i < of->n_edges; i++)
        if (of->edges[i] && !of->edges[i]->is_held)
            context_tree_unpin(t->tree, of->edges[i]->node);
}

static void take_back(struct contexts_thread *t)
{
    struct contexts_places *of = t->places;
    for (uint32_t i = 0; i < of->n_edges; i++) {
        struct contexts_edge *edge = of->edges[i];
        if (!edge)
            continue;
        edge->first = NULL;
        if (was_removed(edge->node)) {
            give_back(of, edge);
            of->edges[i] = NULL;
            of->n_live--;
        } else if (!edge->is_held) {
            context_tree_pin(t->tree, edge->node);
        }
    }
}

/* In a remaining edge, clears each place that refers to a removed edge. Adds the remaining edge to
 * its caller's list of edges. */
static void clear_removed(struct contexts_edge *edge)
{
    for (unsigned i = 0; i < edge->n_places; i++)
        if (!edge->places[i]->id)
            edge->places[i] = contexts_nobody_at(edge, i);
    if (edge->node->parent == edge->owner->node) {
        edge->next = edge->owner->first;
        edge->owner->first = edge;
    }
}

static void *prune(void *thread)
{
    struct contexts_thread *t = thread;
    struct contexts_places *of = t->places;
    uintptr_t end = own_stack(of);
    if (end) {
        mark_held(of, end);
        unpin_all(t);
        of->outside->first = NULL;
        take_back(t);
        for (uint32_t i = 0; i < of->n_edges; i++)
            if (of->edges[i])
                clear_removed(of->edges[i]);
        if (!of->outside->places[0]->id)
            of->outside->places[0] = contexts_nobody_at(of->outside, 0);
    }
    of->n_next = of->n_live > FEW_EDGES / 2 ? 2 * of->n_live : FEW_EDGES;
    return NULL;
}

void contexts_edges_prune(struct contexts_thread *t)
{
    if (!t->tree->hot)
        return;
    note_stack(t->places);
    if (UNLIKELY(t->places->n_live >= t->places->n_next))
        native_with_vectors(prune, t);
}
