/* Points per calling context: each execution context has a tree, added to the world's when it ends.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * So execution contexts share no data here. With hot contexts, each execution context monitors up to 1/epsilon
 * of them. The sum of all summaries has the error bound of context_summary.h.
 */
#include "native/trms/core.h"

#include "points/process_contexts.h"
#include "ground/host.h"
#include "points/thread_contexts.h"

struct trms_contexts {
    struct thread_contexts *measured;
    struct context_cursor cursor;
};

APROF_NOINLINE void trms_contexts_call(struct trms_strand *strand,
                                       const struct routine_profile *profile, bool measured)
{
    thread_contexts_call(strand->contexts->measured, &strand->contexts->cursor, profile, measured);
}

APROF_NOINLINE void trms_contexts_return(struct trms_strand *strand, const struct measurement *m)
{
    thread_contexts_return(strand->contexts->measured, &strand->contexts->cursor, m,
                           strand->world->config.metrics);
}

void trms_contexts_begin(struct trms_strand *strand)
{
    if (!strand->world->contexts)
        return;
    struct trms_contexts *contexts = host_alloc("aprof.trms.contexts", sizeof(*contexts));
    contexts->measured = thread_contexts_new(process_contexts_config(strand->world->contexts));
    context_cursor_start(&contexts->cursor, contexts->measured->tree);
    strand->contexts = contexts;
}

void trms_contexts_gather(struct trms_strand *strand)
{
    if (strand->contexts)
        process_contexts_move(strand->world->contexts, strand->thread, strand->contexts->measured);
}

void trms_contexts_restart(struct trms_strand *strand)
{
    if (strand->contexts)
        thread_contexts_clear(strand->contexts->measured);
}

void trms_contexts_end(struct trms_strand *strand)
{
    struct trms_contexts *contexts = strand->contexts;
    if (!contexts)
        return;
    context_cursor_end(&contexts->cursor);
    thread_contexts_free(contexts->measured);
    host_free(contexts);
}
