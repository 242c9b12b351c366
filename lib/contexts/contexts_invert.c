/* Inverts trees of calling contexts; see contexts_invert.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The inverted tree is built level by level. Each context has a node of the inverted tree, and a
 * cursor that climbs towards the root. A cursor stops when the weight of its node is too small.
 */
#include "lib/contexts/contexts_invert.h"

struct climber {
    uint64_t weight, before;
    uint32_t cursor; /* context of the original tree */
    uint32_t node;   /* node of the inverted tree */
};

typedef VECTOR(struct climber) climber_list;
typedef VECTOR(uint64_t) count_list;

/* The inverted tree. Until the tree is finished, the count of a node is the sum over its
 * subtree. */
struct inverted {
    struct context_builder tree;
    count_list before;
};

static void add_climber(struct inverted *inverted, const struct climber *c)
{
    inverted->tree.contexts.at[c->node].count += c->weight;
    while (inverted->before.count < inverted->tree.contexts.count)
        vector_push(&inverted->before, 0);
    inverted->before.at[c->node] += c->before;
}

static void start_climbers(const struct context *contexts, const uint64_t *before, size_t count,
                           climber_list *climbers, struct inverted *inverted)
{
    for (size_t i = 1; i < count; i++) {
        struct climber climber = {context_count(&contexts[i]), before ? before[i] : 0, (uint32_t)i,
                                  0};
        if (climber.weight > 0 || climber.before > 0) {
            vector_push(climbers, climber);
            add_climber(inverted, &climber);
        }
    }
}

/* Builds one level of the inverted tree. Each climber replaces its node by the node's child for the
 * cursor's routine, and adds its counts to this child. */
static void step_climbers(const struct context *contexts, const climber_list *climbers,
                          struct inverted *inverted)
{
    for (size_t i = 0; i < climbers->count; i++) {
        struct climber *c = &climbers->at[i];
        c->node = context_builder_child(&inverted->tree, c->node, contexts[c->cursor].routine,
                                        CONTEXTS_NONE);
        add_climber(inverted, c);
    }
}

/* Keeps a cursor if its node has the minimum weight, and its context has a caller. */
static void keep_climbers(const struct context *contexts, climber_list *climbers, uint64_t least,
                          const struct inverted *inverted)
{
    size_t kept = 0;
    for (size_t i = 0; i < climbers->count; i++) {
        struct climber c = climbers->at[i];
        c.cursor = contexts[c.cursor].parent;
        if (c.cursor != 0 && inverted->tree.contexts.at[c.node].count >= least)
            climbers->at[kept++] = c;
    }
    climbers->count = kept;
}

/* Removes nodes below the minimum weight. Subtracts the sums of a node's children from the sums of
 * the node. */
static context_list finish(struct inverted *inverted, uint64_t least)
{
    context_list list = context_builder_finish(&inverted->tree);
    uint64_t *before = inverted->before.at;
    uint32_t *places = memory_get_zeroed(list.count + 1, sizeof *places);
    size_t kept = 1;
    for (size_t i = 1; i < list.count; i++) {
        struct context c = list.at[i];
        if (c.count < least)
            continue;
        c.parent = places[c.parent];
        c.monitored = true;
        places[i] = (uint32_t)kept;
        before[kept] = before[i];
        list.at[kept++] = c;
    }
    list.count = kept;
    list.at[0].monitored = true;
    for (size_t i = 1; i < kept; i++) {
        list.at[list.at[i].parent].count -= list.at[i].count;
        before[list.at[i].parent] -= before[i];
    }
    free(places);
    return list;
}

context_list contexts_invert_both(const struct context *contexts, uint64_t **before, size_t count,
                                  uint64_t least, size_t depth)
{
    struct inverted inverted = {0};
    climber_list climbers = {0};
    context_builder_start(&inverted.tree);
    vector_push(&inverted.before, 0);
    start_climbers(contexts, *before, count, &climbers, &inverted);
    for (size_t level = 0; level < depth && climbers.count > 0; level++) {
        step_climbers(contexts, &climbers, &inverted);
        keep_climbers(contexts, &climbers, least, &inverted);
    }
    vector_free(&climbers);
    context_list list = finish(&inverted, least);
    *before = inverted.before.at;
    return list;
}

context_list contexts_invert(const struct context *contexts, size_t count, uint64_t least,
                             size_t depth)
{
    uint64_t *before = NULL;
    context_list inverted = contexts_invert_both(contexts, &before, count, least, depth);
    free(before);
    return inverted;
}
