/* Points per calling context: each execution context has a tree, and the world adds up the trees.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * So execution contexts need not share data about calling contexts. With hot contexts, each
 * execution context monitors up to 1/epsilon calling contexts. The sum of all summaries has the
 * error bound of context_summary.h.
 */
#include "native/trms/core.h"

#include "points/process_contexts.h"
#include "ground/host.h"
#include "points/thread_contexts.h"

struct trms_contexts {
    struct thread_contexts *measured;
    struct context_cursor cursor;
};

APROF_NOINLINE void trms_contexts_call(struct trms_exec_context *ctx,
                                       const struct routine_profile *profile, bool measured)
{
    thread_contexts_call(ctx->contexts->measured, &ctx->contexts->cursor, profile, measured);
}

APROF_NOINLINE void trms_contexts_return(struct trms_exec_context *ctx, const struct measurement *m)
{
    thread_contexts_return(ctx->contexts->measured, &ctx->contexts->cursor, m,
                           ctx->world->config.metrics);
}

void trms_contexts_begin(struct trms_exec_context *ctx)
{
    if (!ctx->world->contexts)
        return;
    struct trms_contexts *contexts = host_alloc("aprof.trms.contexts", sizeof(*contexts));
    contexts->measured = thread_contexts_new(process_contexts_config(ctx->world->contexts));
    context_cursor_start(&contexts->cursor, contexts->measured->tree);
    ctx->contexts = contexts;
}

void trms_contexts_gather(struct trms_exec_context *ctx)
{
    if (ctx->contexts)
        process_contexts_move(ctx->world->contexts, ctx->thread, ctx->contexts->measured);
}

void trms_contexts_restart(struct trms_exec_context *ctx)
{
    if (ctx->contexts)
        thread_contexts_clear(ctx->contexts->measured);
}

void trms_contexts_end(struct trms_exec_context *ctx)
{
    struct trms_contexts *contexts = ctx->contexts;
    if (!contexts)
        return;
    context_cursor_end(&contexts->cursor);
    thread_contexts_free(contexts->measured);
    host_free(contexts);
}
