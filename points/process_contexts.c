/* Input sizes and costs per calling context: all contexts, or the hot ones in bounded space.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "points/process_contexts.h"
#include "contexts/fraction.h"
#include "ground/host.h"
#include "aprof/state.h"
#include "points/thread_contexts.h"

struct contexts {
    struct contexts_config config;
    bool separate_threads;
    struct thread_contexts **threads; /* by number, or [0] */
    uint32_t n_threads;
};

/* ---------------------------------------------------------------- calls and returns */

static struct thread_contexts *thread_of(struct contexts *contexts, uint32_t number)
{
    if (!contexts->separate_threads)
        number = 0;
    if (number >= contexts->n_threads) {
        uint32_t n = number + 1 > 2 * contexts->n_threads ? number + 1 : 2 * contexts->n_threads;
        struct thread_contexts **grown = host_alloc("aprof.contexts.threads", n * sizeof(*grown));
        if (contexts->threads)
            memcpy(grown, contexts->threads, contexts->n_threads * sizeof(*grown));
        host_free(contexts->threads);
        contexts->threads = grown;
        contexts->n_threads = n;
    }
    if (!contexts->threads[number])
        contexts->threads[number] = thread_contexts_new(&contexts->config);
    return contexts->threads[number];
}

void contexts_call(struct engine *engine, struct strand *strand)
{
    struct context_cursor *cursor = &strand->cursor;
    const struct activation *top = &strand->stack[strand->top];
    if (UNLIKELY(!cursor->tree)) {
        strand->contexts = thread_of(engine->contexts, engine->thread->number);
        context_cursor_start(cursor, strand->contexts->tree);
    }
    thread_contexts_call(strand->contexts, cursor, top->profile, top->measured);
}

void contexts_return(struct engine *engine, struct strand *strand, const struct measurement *m)
{
    thread_contexts_return(strand->contexts, &strand->cursor, m, engine->metrics);
}

void contexts_move(struct contexts *contexts, uint32_t thread, struct thread_contexts *from)
{
    thread_contexts_move(thread_of(contexts, thread), from);
}

void contexts_strand_end(struct strand *strand)
{
    if (strand->cursor.tree)
        context_cursor_end(&strand->cursor);
}

/* ---------------------------------------------------------------- life */

struct contexts *contexts_new(const struct engine_config *config)
{
    if (config->contexts.mode == CONTEXTS_OFF)
        return NULL;
    struct contexts *contexts = host_alloc("aprof.contexts", sizeof(*contexts));
    contexts->config = config->contexts;
    contexts->config.by_cost &= contexts->config.mode == CONTEXTS_HOT; /* else nothing is weighed */
    contexts->separate_threads = config->separate_threads;
    return contexts;
}

void contexts_clear(struct contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->n_threads; i++)
        if (contexts->threads[i])
            thread_contexts_clear(contexts->threads[i]);
}

void contexts_free(struct contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->n_threads; i++)
        if (contexts->threads[i])
            thread_contexts_free(contexts->threads[i]);
    host_free(contexts->threads);
    host_free(contexts);
}

/* ---------------------------------------------------------------- queries */

const struct contexts_config *contexts_config(const struct contexts *contexts)
{
    return &contexts->config;
}

uint32_t contexts_threads(const struct contexts *contexts)
{
    return contexts->n_threads;
}

uint64_t contexts_total(const struct contexts *contexts, uint32_t thread)
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

uint32_t contexts_visit(const struct contexts *contexts, uint32_t thread,
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
