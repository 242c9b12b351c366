/* The position of each execution context in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "aprof/strand_contexts.h"
#include "aprof/state.h"
#include "points/thread_contexts.h"

void strand_contexts_call(struct engine *engine, struct strand *strand)
{
    struct context_cursor *cursor = &strand->cursor;
    const struct activation *top = &strand->stack[strand->top];
    if (UNLIKELY(!cursor->tree)) {
        strand->contexts = process_contexts_of(engine->contexts, engine->thread->number);
        context_cursor_start(cursor, strand->contexts->tree);
    }
    thread_contexts_call(strand->contexts, cursor, top->profile, top->measured);
}

void strand_contexts_return(struct engine *engine, struct strand *strand,
                            const struct measurement *m)
{
    thread_contexts_return(strand->contexts, &strand->cursor, m, engine->metrics);
}

void strand_contexts_end(struct strand *strand)
{
    if (strand->cursor.tree)
        context_cursor_end(&strand->cursor);
}
