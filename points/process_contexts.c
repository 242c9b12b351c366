/* Input sizes and costs per calling context: all contexts, or the hot contexts in bounded space.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/process_contexts.h"
#include "contexts/fraction.h"
#include "ground/array.h"
#include "ground/host.h"
#include "points/thread_contexts.h"

struct process_contexts {
    struct contexts_config config;
    bool separate_threads;
    struct thread_contexts **threads; /* contexts by thread number, or only [0] if threads are
                                       * merged */
    uint32_t n_threads;
};

/* ---------------------------------------------------------------- threads */

struct thread_contexts *process_contexts_of(struct process_contexts *contexts, uint32_t number)
{
    if (!contexts->separate_threads)
        number = 0;
    contexts->threads =
        array_grow("aprof.contexts.threads", contexts->threads, &contexts->n_threads, number + 1,
                   sizeof(struct thread_contexts *));
    if (!contexts->threads[number])
        contexts->threads[number] = thread_contexts_new(&contexts->config);
    return contexts->threads[number];
}

void process_contexts_move(struct process_contexts *contexts, uint32_t thread,
                           struct thread_contexts *from)
{
    thread_contexts_move(process_contexts_of(contexts, thread), from);
}

/* ---------------------------------------------------------------- life */

struct process_contexts *process_contexts_new(const struct contexts_config *config,
                                              bool separate_threads)
{
    if (config->mode == CONTEXTS_OFF)
        return NULL;
    struct process_contexts *contexts = host_alloc("aprof.contexts", sizeof(*contexts));
    contexts->config = *config;
    contexts->config.by_cost &=
        contexts->config.mode == CONTEXTS_HOT; /* only hot mode can weight calls by their cost */
    contexts->separate_threads = separate_threads;
    return contexts;
}

void process_contexts_clear(struct process_contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->n_threads; i++)
        if (contexts->threads[i])
            thread_contexts_clear(contexts->threads[i]);
}

void process_contexts_free(struct process_contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->n_threads; i++)
        if (contexts->threads[i])
            thread_contexts_free(contexts->threads[i]);
    host_free(contexts->threads);
    host_free(contexts);
}

/* ---------------------------------------------------------------- queries */

const struct contexts_config *process_contexts_config(const struct process_contexts *contexts)
{
    return &contexts->config;
}

uint32_t process_contexts_threads(const struct process_contexts *contexts)
{
    return contexts->n_threads;
}

uint64_t process_contexts_total(const struct process_contexts *contexts, uint32_t thread)
{
    return contexts->threads[thread] ? contexts->threads[thread]->tree->total : 0;
}

struct context_visit {
    const struct thread_contexts *thread;
    void (*visit)(void *closure, struct routine *routine, const struct routine_profile *profile,
                  uint64_t error, uint32_t id, uint32_t parent);
    void *closure;
};

static void visit_node(void *closure, const struct context_node *node, uint32_t id, uint32_t parent)
{
    struct context_visit *visit = closure;
    const struct thread_contexts *thread = visit->thread;
    const struct routine_profile *profile =
        node->index < thread->n_profiles ? thread->profiles[node->index] : NULL;
    if (id)
        visit->visit(visit->closure, (struct routine *)node->routine, profile,
                     context_tree_error(thread->tree, node), id, parent);
}

uint32_t process_contexts_visit(const struct process_contexts *contexts, uint32_t thread,
                                void (*visit)(void *closure, struct routine *routine,
                                              const struct routine_profile *profile, uint64_t error,
                                              uint32_t id, uint32_t parent),
                                void *closure)
{
    struct context_visit wanted = {contexts->threads[thread], visit, closure};
    if (!wanted.thread)
        return 0;
    struct context_tree *tree = wanted.thread->tree;
    uint64_t least = tree->hot ? context_tree_threshold(tree, contexts->config.phi) : 1;
    return context_tree_visit(tree, least, visit_node, &wanted) - 1;
}
