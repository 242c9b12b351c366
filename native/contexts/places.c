/* Counts calls without hooks: inline code calls these functions if it cannot find its context.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/contexts/contexts_pass.c generates the code. Each activation keeps its *edge* in a
 * register; the edge leads to the activation's context. An edge has the context's node, and a
 * *place* for each call in the routine. Before a call, the code stores the address of the call's
 * place in a thread-local variable. The callee reads this variable to find the edge that the
 * previous call from the same place used. If the edge's number is the callee's number, the callee
 * counts the call.
 *
 *     main        place 0 -> edge of f         f was called from there: one load, one comparison
 *                 place 1 -> nothing of main   no call yet: aprof_contexts_enter makes an edge
 *
 * A context has one edge. If a place leads to the edge of another context, the runtime finds the
 * right context's node in the tree, and finds the edge by the node's number. A place leads to
 * another context's edge in two cases. First, several routines may be called from the place
 * (through a pointer, or as callbacks of a library). Second, the caller may have called the routine
 * from another place before. If nothing was called from a place yet, the place points to its owner.
 * So a callee needs no more than the place from its caller.
 *
 * When a routine that has called other routines returns, it restores the place from which it was
 * called. So repeated calls by a library are attributed to the library's caller, and after a signal
 * handler, the thread-local variable has its old value again. A return needs no other action,
 * because the caller still has its own edge in a register. So longjmp, exceptions and coroutines
 * need no special code. A tail call makes the callee a sibling of its caller. The tail call's place
 * is in the caller's edge, but routines called from this place belong to the owner of the caller's
 * edge. So a tail call needs no code that restores a place. A coroutine counts as a callee of the
 * routine that resumed it first. A signal handler counts as a callee of the routine that made the
 * latest call.
 *
 * Invariant: if the program has signal handlers, the tree is changed only with signals blocked, so
 * the tree is consistent when a handler jumps away. At all other times, a signal handler may run
 * between any two instructions. So a routine's inline code keeps its state only in registers, which
 * a signal handler restores. An edge keeps its context in the tree; in a hot tree, unused edges are
 * reclaimed from time to time (prune.c).
 *
 * Cost: a call and its entry take about 12 instructions, or about 60 if the place alternates
 * between a few edges.
 */
#include "native/contexts/places.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/process.h"
#include "native/base/threads.h"
#include "native/base/vectors.h"

#define FIRST_EDGES 512
#define NEAR        12 /* number of a caller's edges that are tried before the tree is searched */

static struct contexts_edge nobody;
NATIVE_EXPORT struct contexts_edge *aprof_contexts_nobody = &nobody;
NATIVE_EXPORT NATIVE_TLS struct contexts_edge **aprof_contexts_place = &aprof_contexts_nobody;
NATIVE_EXPORT NATIVE_TLS uint64_t aprof_contexts_calls;

struct contexts_edge *contexts_places_enter(struct counted_routine *routine, uintptr_t site);

/* ---------------------------------------------------------------- the idle edge */

/* All routines get this edge while nothing is profiled: before the start and after the end of
 * profiling. */
static union {
    struct contexts_edge edge;
    char bytes[__builtin_offsetof(struct contexts_edge, places) +
               CALL_PLACES_MOST * sizeof(struct contexts_edge *)];
} idle;

static struct contexts_edge *idle_edge(void)
{
    struct contexts_edge *edge = &idle.edge;
    if (UNLIKELY(!__atomic_load_n(&edge->places[0], __ATOMIC_ACQUIRE))) {
        edge->nobody.owner = edge;
        for (size_t i = CALL_PLACES_MOST; i-- > 0;)
            __atomic_store_n(&edge->places[i], contexts_nobody_at(edge, 0), __ATOMIC_RELEASE);
    }
    return edge;
}

/* Sets each place of the idle edge, and each thread's first place, to the idle edge. The number
 * CALL_PLACES_OFF of this edge makes inline code skip the call of the runtime. */
void contexts_places_off(void)
{
    struct contexts_edge *edge = idle_edge();
    edge->id = CALL_PLACES_OFF;
    for (size_t i = 0; i < CALL_PLACES_MOST; i++)
        __atomic_store_n(&edge->places[i], edge, __ATOMIC_RELEASE);
    __atomic_store_n(&aprof_contexts_nobody, edge, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------------------- edges */

static void make_places(struct contexts_thread *t)
{
    if (LIKELY(t->places != NULL))
        return;
    struct contexts_places *made = host_alloc("aprof.contexts.places", sizeof(*made));
    made->calls = native_self->late ? NULL : &aprof_contexts_calls;
    made->calls_known = aprof_contexts_calls;
    made->outside = contexts_edge_take(made, NULL, 1, 0);
    made->outside->node = t->tree->root;
    made->outside->of = made;
    t->places = made;
}

/* Numbers the routine. Numbers are never reused, but addresses may be reused after a dlclose. */
static void number(struct counted_routine *routine)
{
    static uint64_t last = CALL_PLACES_OFF;
    uint64_t unknown = CALL_PLACES_UNKNOWN;
    if (__atomic_load_n(&routine->id, __ATOMIC_RELAXED) == unknown)
        __atomic_compare_exchange_n(&routine->id, &unknown,
                                    __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* A signal handler may replace the table of edges at any time. note_edge stores a larger table
 * first, and then the size of this table. */
static struct contexts_edge *edge_of(const struct contexts_places *of,
                                     const struct context_node *node)
{
    uint32_t n = __atomic_load_n(&of->n_edges, __ATOMIC_ACQUIRE);
    return LIKELY(node->index < n) ? __atomic_load_n(&of->edges, __ATOMIC_RELAXED)[node->index]
                                   : NULL;
}

/* Old tables of edges are kept, because a reader may still use them. Together, the old tables are
 * as large as the new table. */
static void note_edge(struct contexts_places *of, struct contexts_edge *edge)
{
    uint32_t n = of->n_edges ? of->n_edges : FIRST_EDGES;
    while (edge->node->index >= n)
        n *= 2;
    if (n > of->n_edges) {
        struct contexts_edge **grown = host_map("aprof.contexts.edges_of", n * sizeof(*grown));
        if (of->edges)
            memcpy(grown, of->edges, of->n_edges * sizeof(*grown));
        __atomic_store_n(&of->edges, grown, __ATOMIC_RELAXED);
        __atomic_store_n(&of->n_edges, n, __ATOMIC_RELEASE);
    }
    of->n_live += of->edges[edge->node->index] == NULL;
    of->edges[edge->node->index] = edge;
}

/* Finds or makes the edge. If another routine was loaded at the address of an unloaded routine,
 * makes a new edge, because the new routine may have more places. */
static struct contexts_edge *find_edge(struct contexts_thread *t, struct contexts_edge *owner,
                                       const struct counted_routine *routine, uintptr_t site)
{
    struct contexts_places *of = t->places;
    struct context_node *node = context_tree_child(t->tree, owner->node, routine->address, site);
    struct contexts_edge *edge = edge_of(of, node);
    if (edge && edge->id == routine->id)
        return edge;
    if (!edge)
        context_tree_pin(t->tree, node);
    edge = contexts_edge_take(of, owner, (unsigned)routine->n_places, (unsigned)routine->n_tails);
    edge->node = node;
    edge->id = routine->id;
    edge->of = of;
    edge->depth = owner->depth + 1;
    if (edge->depth > t->deepest)
        t->deepest = edge->depth;
    note_edge(of, edge);
    if (node->parent == owner->node) {
        edge->next = owner->first;
        owner->first = edge;
    }
    return edge;
}

/* ---------------------------------------------------------------- counting */

void contexts_places_settle(struct contexts_thread *t)
{
    struct contexts_places *of = t->places;
    if (!of)
        return;
    uint64_t calls = of->calls ? __atomic_load_n(of->calls, __ATOMIC_RELAXED) : of->calls_known;
    uint64_t cycles = __atomic_load_n(&of->cycles, __ATOMIC_RELAXED);
    t->tree->total += contexts_config.weight ? cycles - of->cycles_known : calls - of->calls_known;
    t->events += calls - of->calls_known;
    of->calls_known = calls;
    of->cycles_known = cycles;
}

void contexts_places_end(struct contexts_thread *t)
{
    contexts_places_settle(t);
    if (t->places)
        t->places->calls = NULL;
    aprof_contexts_place = &aprof_contexts_nobody;
}

void contexts_places_restart(struct contexts_thread *t)
{
    struct contexts_places *of = t->places;
    if (!of)
        return;
    of->cycles_known = of->cycles;
    if (of->calls)
        of->calls_known = *of->calls;
}

/* Returns whether the edge belongs to this thread. Returns false if there is no caller, or a
 * coroutine has moved to another thread. */
static bool is_of(const struct contexts_edge *owner, const struct contexts_thread *t)
{
    return owner && owner->of == t->places;
}

/* Returns the place from which the current routine was called. */
static struct contexts_edge **place_of_caller(const struct contexts_thread *t)
{
    struct contexts_edge **place = aprof_contexts_place;
    return LIKELY(is_of((*place)->owner, t)) ? place : t->places->outside->places;
}

static struct contexts_edge *enter_slowly(struct contexts_thread *t,
                                          struct counted_routine *routine, uintptr_t site)
{
    make_places(t);
    contexts_edges_prune(t);
    struct contexts_edge **place = place_of_caller(t);
    number(routine);
    struct contexts_edge *edge = find_edge(t, (*place)->owner, routine, site);
    contexts_places_settle(t);
    if (contexts_config.weight) {
        t->events += !t->places->calls;
        return edge;
    }
    if (t->places->calls)
        *place = edge;
    t->events++;
    context_tree_count(t->tree, edge->node, 1);
    return edge;
}

static void *attach(void *nothing)
{
    (void)nothing;
    return native_thread_attach();
}

/* Blocks signals if the program has handlers, so that code of handlers finds consistent data. The
 * code tests again inside the guard whether there are handlers: the thread that installs the first
 * handler waits only for threads that are already inside the guard. */
struct quiet {
    uint64_t signals;
    bool is_blocked;
};

static bool quiet_begin(struct native_thread *self, struct quiet *quiet)
{
    quiet->is_blocked = __atomic_load_n(&native_may_be_interrupted, __ATOMIC_RELAXED);
    if (quiet->is_blocked)
        native_signals_block(&quiet->signals);
    if (!native_enter(self))
        return false;
    if (quiet->is_blocked || !__atomic_load_n(&native_may_be_interrupted, __ATOMIC_RELAXED))
        return true;
    native_leave(self);
    native_signals_block(&quiet->signals);
    quiet->is_blocked = true;
    return native_enter(self);
}

static void quiet_end(const struct quiet *quiet)
{
    if (quiet->is_blocked)
        native_signals_restore(&quiet->signals);
}

static APROF_NOINLINE struct contexts_edge *enter(struct counted_routine *routine, uintptr_t site)
{
    struct native_thread *self = native_self;
    struct contexts_edge *edge = idle_edge();
    struct quiet quiet;
    if (!self && !(self = native_with_vectors(attach, NULL)))
        return edge;
    if (quiet_begin(self, &quiet)) {
        struct contexts_thread *t = native_thread_data(self);
        if (t->tree)
            edge = enter_slowly(t, routine, site);
        native_leave(self);
    }
    quiet_end(&quiet);
    return edge;
}

/* Searches the caller's latest edges. A signal handler may add edges during the search, but never
 * removes an edge to which a register refers. */
static struct contexts_edge *find_near(const struct contexts_edge *owner, uint64_t id,
                                       uintptr_t key)
{
    struct contexts_edge *edge = owner->first;
    for (int i = 0; edge && i < NEAR; i++, edge = edge->next)
        if (edge->id == id && edge->node->site == key)
            return edge;
    return NULL;
}

/* Finds the edge if the context is in the tree's cache. */
static struct contexts_edge *find_in_cache(const struct contexts_thread *t,
                                           const struct contexts_edge *owner,
                                           const struct counted_routine *routine, uintptr_t key)
{
    uint64_t hash = context_tree_hash(owner->node, routine->address, key);
    const struct context_node *node = t->tree->cache[hash >> 52 & (CONTEXT_CACHE - 1)];
    if (!context_tree_is(node, owner->node, routine->address, key))
        return NULL;
    struct contexts_edge *edge = edge_of(t->places, node);
    return edge && edge->id == routine->id && edge->owner == owner ? edge : NULL;
}

/* Returns the edge to which the place should lead, or NULL if this edge does not exist. */
static struct contexts_edge *edge_to_show(const struct counted_routine *routine, uintptr_t site)
{
    struct native_thread *self = native_self;
    const struct contexts_edge *owner = (*aprof_contexts_place)->owner;
    if (!self || native_gate != NATIVE_OPEN)
        return NULL;
    const struct contexts_thread *t = native_thread_data(self);
    if (!t->tree || !t->places || !t->places->calls || !is_of(owner, t))
        return NULL;
    uintptr_t key = site & t->tree->site_mask;
    struct contexts_edge *edge = find_near(owner, routine->id, key);
    return edge ? edge : find_in_cache(t, owner, routine, key);
}

static struct contexts_edge *enter_counting(struct counted_routine *routine, uintptr_t site)
{
    struct contexts_edge *edge = edge_to_show(routine, site);
    if (UNLIKELY(!edge || edge->node->slot <= 0))
        return enter(routine, site);
    *aprof_contexts_place = edge;
    edge->node->count++;
    aprof_contexts_calls++;
    return edge;
}

/* ---------------------------------------------------------------- weight=time */

/* With weight=time, places lead to no edge, so that each call takes the slow path, which reads the
 * clock. */

static void spend_in_summary(struct contexts_thread *t, struct context_node *node, uint64_t cycles)
{
    struct native_thread *self = native_self;
    struct quiet quiet;
    if (quiet_begin(self, &quiet)) {
        context_tree_count(t->tree, node, cycles);
        native_leave(self);
    }
    quiet_end(&quiet);
}

/* Adds time to a node. A signal handler may interrupt this function at any instruction and add time
 * to the same node. */
static void spend(struct contexts_thread *t, struct context_node *node, uint64_t cycles)
{
    if (UNLIKELY(node->slot <= 0)) {
        spend_in_summary(t, node, cycles);
        return;
    }
    node->count += cycles;
    t->places->cycles += cycles;
}

/* Attributes time as the hooks of patched entries do (hook.c). The end of the latest routine is
 * unknown, unless the latest routine is the caller and therefore still pending. */
static struct contexts_edge *enter_timed(struct counted_routine *routine, uintptr_t site)
{
    struct contexts_edge *edge = edge_to_show(routine, site);
    if (UNLIKELY(!edge))
        edge = enter(routine, site);
    if (UNLIKELY(!edge->of))
        return edge; /* this edge belongs to no thread, because nothing is profiled */
    struct contexts_thread *t = native_thread_data(native_self);
    struct contexts_places *of = t->places;
    uint64_t cycles = contexts_elapsed_cycles(t);
    const struct contexts_edge *caller = (*place_of_caller(t))->owner;
    if (of->latest && of->latest != caller) {
        spend(t, of->latest->node, cycles / 2);
        cycles -= cycles / 2;
    }
    spend(t, caller->node, cycles);
    aprof_contexts_calls++;
    of->latest = edge;
    t->clock = contexts_cycles();
    return edge;
}

/* The code in enter.S calls this function. */
struct contexts_edge *contexts_places_enter(struct counted_routine *routine, uintptr_t site)
{
    return UNLIKELY(contexts_config.weight) ? enter_timed(routine, site)
                                            : enter_counting(routine, site);
}
