/* The position of each execution context in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/exec_cursor.h"
#include "aprof/state.h"
#include "points/thread_contexts.h"

void exec_cursor_call(struct engine *engine, struct exec_context *ctx)
{
    struct context_cursor *cursor = &ctx->cursor;
    const struct activation *top = &ctx->stack[ctx->top];
    if (UNLIKELY(!cursor->tree)) {
        ctx->contexts = process_contexts_of(engine->contexts, engine->thread->number);
        context_cursor_start(cursor, ctx->contexts->tree);
    }
    thread_contexts_call(ctx->contexts, cursor, top->profile, top->measured);
}

void exec_cursor_return(struct engine *engine, struct exec_context *ctx,
                        const struct measurement *m)
{
    thread_contexts_return(ctx->contexts, &ctx->cursor, m, engine->metrics);
}

void exec_cursor_end(struct exec_context *ctx)
{
    if (ctx->cursor.tree)
        context_cursor_end(&ctx->cursor);
}
