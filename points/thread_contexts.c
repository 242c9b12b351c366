/* A tree of calling contexts of a thread, with a profile for each monitored calling context.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Example without folding: main calls sort, sort calls itself, and both activations of sort return.
 * The tree is main, main/sort, main/sort/sort; the marks of the frames are OUTER. With folding, the
 * two activations of sort have one context, and only the mark of the first activation is OUTER. The
 * cost of the outer activation contains the inner cost, so only the outer cost is added to
 * cost_total.
 */
#include "points/thread_contexts.h"
#include "ground/array.h"
#include "ground/host.h"
#include "ground/pages.h"

/* ---------------------------------------------------------------- profiles by context */

static struct routine_profile *profile_at(const struct thread_contexts *contexts,
                                          const struct context_node *node)
{
    return node->index < contexts->n_profiles ? contexts->profiles[node->index] : NULL;
}

static void drop_profile(void *closure, struct context_node *node)
{
    struct thread_contexts *contexts = closure;
    if (!profile_at(contexts, node))
        return;
    routine_profile_free(contexts->profiles[node->index]);
    contexts->profiles[node->index] = NULL;
}

static struct routine_profile **profile_slot(struct thread_contexts *contexts,
                                             const struct context_node *node)
{
    if (UNLIKELY(node->index >= contexts->n_profiles))
        contexts->profiles =
            array_grow("aprof.contexts.profiles", contexts->profiles, &contexts->n_profiles,
                       node->index + 1, sizeof(struct routine_profile *));
    return &contexts->profiles[node->index];
}

static struct routine_profile *profile_of(struct thread_contexts *contexts,
                                          const struct context_node *node)
{
    struct routine_profile **profile = profile_slot(contexts, node);
    if (UNLIKELY(!*profile))
        *profile = routine_profile_new((struct routine *)node->routine);
    return *profile;
}

/* ---------------------------------------------------------------- calls and returns */

enum mark { NOT_MEASURED, OUTER, INNER };

/* Returns whether a measured frame with the same context is below the top frame. The nearest frame
 * with this context suffices, so recursion of any depth has a constant cost per call. */
static bool is_pending_below(const struct context_cursor *cursor)
{
    for (size_t i = cursor->depth; --i > 0;)
        if (cursor->frames[i].node == cursor->node && cursor->frames[i].mark != NOT_MEASURED)
            return true;
    return false;
}

void thread_contexts_call(const struct thread_contexts *contexts, struct context_cursor *cursor,
                          const struct routine_profile *profile, bool measured)
{
    context_cursor_enter(cursor, (uintptr_t)profile->routine, 0, measured ? OUTER : NOT_MEASURED);
    bool may_recur = contexts->tree->config.recursion_limit && profile->pending > 1;
    if (measured && may_recur && is_pending_below(cursor))
        cursor->frames[cursor->depth].mark = INNER;
}

void thread_contexts_return(struct thread_contexts *contexts, struct context_cursor *cursor,
                            const struct measurement *m, unsigned metrics)
{
    const struct context_node *node = cursor->node;
    if (m) {
        context_cursor_count(cursor, contexts->tree->config.weighted ? m->self : 1);
        if (node->slot) {
            struct routine_profile *profile = profile_of(contexts, node);
            profile_add(profile, m, metrics);
            if (context_cursor_mark(cursor) == OUTER)
                profile->cost_total += m->cost;
        }
    }
    context_cursor_leave(cursor);
}

/* ---------------------------------------------------------------- moving */

struct move {
    struct thread_contexts *into, *from;
    /* nodes of `into`, indexed by the ids that the visit of `from` assigns */
    struct context_node **nodes;
    uint32_t n;
};

/* Moves the measurements of a context. If the context has no profile in `into`, the profile moves
 * from `from` to `into`. Otherwise, the points move to the existing profile. Points are never
 * copied, because they take most of the memory. */
static void move_profile(struct move *move, const struct context_node *to,
                         const struct context_node *from)
{
    struct routine_profile *profile = profile_at(move->from, from);
    struct routine_profile **into = profile_slot(move->into, to);
    if (*into) {
        routine_profile_move(*into, profile);
        return;
    }
    *into = profile;
    move->from->profiles[from->index] = NULL;
}

/* Recreates contexts that the merge of the trees has pruned; they are pruned again at the end.
 */
static void move_node(void *closure, const struct context_node *from, uint32_t id, uint32_t parent)
{
    struct move *move = closure;
    struct context_tree *tree = move->into->tree;
    struct context_node *node = tree->root;
    if (id)
        node = context_tree_child(tree, move->nodes[parent], from->routine, from->site);
    context_tree_pin(tree, node);
    move->nodes[id] = node;
    move->n = id + 1;
    if (profile_at(move->from, from) && node->slot)
        move_profile(move, node, from);
}

void thread_contexts_move(struct thread_contexts *into, struct thread_contexts *from)
{
    size_t bytes = pages_bytes(from->tree->n_nodes * sizeof(struct context_node *));
    struct move move = {into, from, host_map("aprof.contexts.move", bytes), 0};
    context_tree_merge(into->tree, from->tree);
    context_tree_visit(from->tree, 1, move_node, &move);
    while (move.n > 0)
        context_tree_unpin(into->tree, move.nodes[--move.n]);
    host_unmap(move.nodes, bytes);
    thread_contexts_clear(from);
}

/* ---------------------------------------------------------------- life */

struct thread_contexts *thread_contexts_new(const struct contexts_config *config)
{
    struct thread_contexts *contexts = host_alloc("aprof.contexts.thread", sizeof(*contexts));
    const struct context_tree_config of_tree = {
        .summary = config->mode == CONTEXTS_HOT ? CONTEXTS_LAZY_SPACE_SAVING : CONTEXTS_ALL,
        .epsilon = config->epsilon,
        .phi = config->phi,
        .weighted = config->by_cost,
        .recursion_limit = config->fold_recursion,
        .evicted = drop_profile,
        .closure = contexts,
    };
    contexts->tree = context_tree_new(&of_tree);
    return contexts;
}

static void drop_profiles(struct thread_contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->n_profiles; i++)
        if (contexts->profiles[i]) {
            routine_profile_free(contexts->profiles[i]);
            contexts->profiles[i] = NULL;
        }
}

void thread_contexts_clear(struct thread_contexts *contexts)
{
    drop_profiles(contexts);
    context_tree_clear(contexts->tree);
}

void thread_contexts_free(struct thread_contexts *contexts)
{
    drop_profiles(contexts);
    context_tree_free(contexts->tree);
    host_free(contexts->profiles);
    host_free(contexts);
}
