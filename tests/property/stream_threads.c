/* The stream builder: signal handlers, coroutines and threads; see stream_model.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/property/stream_model.h"

/* ---------------------------------------------------------------- execution contexts */

static struct model_exec_context *exec_context_add(struct builder *b, enum model_kind kind,
                                                   aprof_word pointer)
{
    struct model_thread *t = model_thread_now(b);
    struct model_exec_context *s = &t->exec_contexts[t->n_exec_contexts];
    struct model_frame *frames = s->frames;
    size_t room = s->room;
    *s = (struct model_exec_context){
        .kind = kind, .frames = frames, .room = room, .pointer = pointer};
    s->oracle_exec_context = oracle_exec_context_start(b->oracle, b->running);
    t->current = t->n_exec_contexts++;
    return s;
}

void builder_signal_enter(struct builder *b)
{
    struct model_thread *t = model_thread_now(b);
    if (t->n_exec_contexts == EXEC_CONTEXTS_PER_THREAD_MAX)
        return;
    model_segment_settle(b);
    unsigned below = t->current;
    aprof_word pointer = model_exec_context_now(b)->pointer;
    model_put_event(b, EVENT_SIGNAL_ENTER, 2, (aprof_word[]){b->running, pointer});
    bool open = model_exec_context_now(b)->segment.arrives;
    struct model_exec_context *handler =
        exec_context_add(b, KIND_HANDLER, pointer - SIGNAL_FRAME_BYTES);
    handler->below = below;
    handler->below_is_open = open;
    model_begin_root_if_empty(b);
    model_segment_arrive(b, true, true);
}

/* The handler is always the youngest execution context of its thread. */
static void drop_handler(struct builder *b)
{
    struct model_thread *t = model_thread_now(b);
    struct model_exec_context *handler = model_exec_context_now(b);
    oracle_exec_context_end(b->oracle, handler->oracle_exec_context);
    t->current = handler->below;
    t->n_exec_contexts--;
}

bool builder_signal_leave(struct builder *b)
{
    if (model_exec_context_now(b)->kind != KIND_HANDLER)
        return false;
    model_segment_settle_now(b);
    unsigned below = model_exec_context_now(b)->below;
    aprof_word pointer = model_thread_now(b)->exec_contexts[below].pointer;
    model_put_event(b, EVENT_SIGNAL_LEAVE, 2, (aprof_word[]){b->running, pointer});
    drop_handler(b);
    return true;
}

/* Jumps out of the handler, and perhaps of interrupted handlers, to a frame of the interrupted
 * code. */
bool builder_signal_longjmp(struct builder *b)
{
    struct model_exec_context *handler = model_exec_context_now(b),
                              *exec_contexts = model_thread_now(b)->exec_contexts;
    if (handler->kind != KIND_HANDLER || handler->below_is_open)
        return false;
    struct model_exec_context *below = &exec_contexts[handler->below];
    while (below->kind == KIND_HANDLER && !below->below_is_open && rng_once_in(b->rng, 2))
        below = &exec_contexts[below->below];
    size_t target = model_unwind_target(below, 1 + rng_below(b->rng, 4));
    if (target == below->depth)
        return false;
    aprof_word pointer = below->frames[target].slot + WORD;
    if (model_routine_seen(b, below, target) == model_code_routine(b, handler, handler->depth))
        model_segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        model_segment_close(b, BLOCK_INDIRECT, model_entry_slot(b, pointer));
    while (model_exec_context_now(b) != below)
        drop_handler(b);
    while (below->depth > target)
        model_frame_pop(b);
    below->pointer = pointer;
    below->fell = false;
    model_segment_arrive(b, false, true);
    return true;
}

static bool may_switch_stack(const struct builder *b)
{
    const struct model_exec_context *s = model_exec_context_now(b);
    return model_thread_now(b)->stack_is_known && s->kind != KIND_HANDLER &&
           model_top_slot(s) != NO_SLOT;
}

bool builder_coroutine_new(struct builder *b, unsigned routine)
{
    struct model_thread *t = model_thread_now(b);
    struct model_exec_context *s = model_exec_context_now(b);
    if (s->segment.called)
        builder_segment(b); /* only now is the routine known to have been called */
    bool entry = model_is_entry(b, routine);
    if (!may_switch_stack(b) || t->n_exec_contexts >= EXEC_CONTEXTS_PER_THREAD_MAX / 2 ||
        (s->kind == KIND_COROUTINE && !entry))
        return false;
    aprof_word stacks = rng_once_in(b->rng, 2) ? COROUTINE_STACKS_LOW : COROUTINE_STACKS_HIGH;
    aprof_word pointer = stacks + COROUTINE_STACK_BYTES * ++b->n_coroutines - 64;
    if (routine == model_code_routine(b, s, s->depth) || rng_once_in(b->rng, 2))
        model_segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        model_segment_close(b, BLOCK_INDIRECT, model_entry_slot(b, pointer));
    s = exec_context_add(b, KIND_COROUTINE, pointer - 2 * WORD);
    s->start = pointer;
    model_frame_push(b, routine, entry ? model_entry_slot(b, pointer) : NO_SLOT);
    model_segment_arrive(b, true, true);
    builder_segment(b);
    return true;
}

bool builder_coroutine_resume(struct builder *b)
{
    struct model_thread *t = model_thread_now(b);
    unsigned target = rng_below(b->rng, t->n_exec_contexts);
    if (!may_switch_stack(b) || target == t->current)
        return false;
    struct model_exec_context *s = &t->exec_contexts[target];
    aprof_word slot = model_top_slot(s);
    unsigned leaving = model_code_routine(b, model_exec_context_now(b), builder_depth(b));
    size_t rest = s->depth;
    while (rest && s->frames[rest - 1].slot == slot)
        rest--;
    if (b->config.linked && slot + WORD == s->start)
        return false; /* with that stack pointer a new coroutine begins, too */
    bool by_jump = rest && model_routine_seen(b, s, rest) != leaving && rng_once_in(b->rng, 2);
    model_segment_close(b, by_jump ? BLOCK_INDIRECT : BLOCK_RETURN,
                        by_jump ? model_entry_slot(b, slot + WORD) : slot);
    t->current = target;
    model_pop_chain(b);
    model_begin_root_if_empty(b);
    s->pointer = slot + WORD;
    s->fell = false;
    model_segment_arrive(b, false, true);
    return true;
}

/* Chooses a parked coroutine of the running thread that no handler has interrupted; returns NULL if
 * there is none. A record of the running execution context first shows which stack is in use. */
static struct model_exec_context *any_parked_coroutine(struct builder *b)
{
    builder_segment(b);
    struct model_thread *t = model_thread_now(b);
    unsigned chosen = rng_below(b->rng, t->n_exec_contexts);
    for (unsigned i = 0; i < t->n_exec_contexts; i++)
        if (t->exec_contexts[i].kind == KIND_HANDLER)
            return NULL;
    return chosen != t->current && t->exec_contexts[chosen].kind == KIND_COROUTINE
               ? &t->exec_contexts[chosen]
               : NULL;
}

/* The highest address of a coroutine's stack. */
static aprof_word coroutine_stack_high(const struct model_exec_context *s)
{
    return s->start + 64;
}

bool builder_coroutine_move(struct builder *b)
{
    struct model_exec_context *s = any_parked_coroutine(b);
    if (!s)
        return false;
    aprof_word stacks = rng_once_in(b->rng, 2) ? COROUTINE_STACKS_LOW : COROUTINE_STACKS_HIGH;
    aprof_word high = coroutine_stack_high(s);
    aprof_word to = stacks + COROUTINE_STACK_BYTES * ++b->n_coroutines;
    model_put_event(b, EVENT_STACK_MOVED, 3,
                    (aprof_word[]){high - COROUTINE_STACK_BYTES + 4096, high, to});
    for (size_t i = 0; i < s->depth; i++)
        if (s->frames[i].slot != NO_SLOT)
            s->frames[i].slot += to - high;
    s->pointer += to - high;
    s->start += to - high;
    return true;
}

bool builder_coroutine_free(struct builder *b)
{
    struct model_thread *t = model_thread_now(b);
    struct model_exec_context *s = any_parked_coroutine(b), *last;
    if (!s)
        return false;
    aprof_word high = coroutine_stack_high(s);
    model_put_event(b, EVENT_STACK_FREED, 2,
                    (aprof_word[]){high - COROUTINE_STACK_BYTES + 4096, high});
    oracle_exec_context_end(b->oracle, s->oracle_exec_context);
    last = &t->exec_contexts[--t->n_exec_contexts];
    if (t->current == t->n_exec_contexts)
        t->current = (unsigned)(s - t->exec_contexts);
    struct model_exec_context freed = *s;
    *s = *last;
    *last = freed;
    return true;
}

/* ---------------------------------------------------------------- threads */

static aprof_word thread_stack_high(unsigned number)
{
    return THREAD_STACKS + (number + 1) * THREAD_STACK_BYTES - 4096;
}

/* A thread's first activation begins when it first runs. */
static void thread_run(struct builder *b, unsigned number)
{
    model_put_event(b, EVENT_THREAD_SWITCH, 1, (aprof_word[]){number});
    b->running = number;
    if (model_exec_context_now(b)->depth)
        return;
    model_begin_root_if_empty(b);
    model_segment_arrive(b, rng_once_in(b->rng, 2), true);
}

void builder_thread_start(struct builder *b, unsigned number)
{
    struct model_thread *t = &b->threads[number];
    unsigned creator = b->running;
    aprof_word high = thread_stack_high(number);
    if (creator)
        model_segment_settle(b);
    b->running = number;
    t->alive = true;
    t->stack_is_known = !rng_once_in(b->rng, 8);
    t->n_exec_contexts = 0;
    exec_context_add(b, KIND_THREAD, high - 128);
    aprof_word limits[] = {high - THREAD_STACK_BYTES + 8192, high};
    if (!t->stack_is_known)
        limits[0] = limits[1] = 0;
    model_put_event(b, EVENT_THREAD_START, 3, (aprof_word[]){number, limits[0], limits[1]});
    if (!creator)
        thread_run(b, number);
    else
        b->running = creator;
}

void builder_thread_switch(struct builder *b, unsigned number)
{
    if (number == b->running)
        return;
    model_segment_settle(b);
    thread_run(b, number);
}

/* Writes all segments of the running thread. */
void model_thread_settle(struct builder *b)
{
    while (builder_signal_leave(b))
        ;
    model_segment_settle_now(b);
}

void model_thread_end_exec_contexts(struct builder *b, unsigned number)
{
    struct model_thread *t = &b->threads[number];
    for (unsigned i = 0; i < t->n_exec_contexts; i++) {
        oracle_exec_context_end(b->oracle, t->exec_contexts[i].oracle_exec_context);
        t->exec_contexts[i].depth = 0;
    }
    t->n_exec_contexts = 0;
    t->alive = false;
}

unsigned model_another_alive(const struct builder *b)
{
    for (unsigned i = 1; i < BUILDER_THREADS_MAX; i++) {
        if (b->threads[i].alive && i != b->running)
            return i;
    }
    return 0;
}

void builder_thread_end(struct builder *b, unsigned number)
{
    unsigned before = b->running;
    builder_thread_switch(b, number);
    model_thread_settle(b);
    if (before != number)
        thread_run(b, before);
    model_put_event(b, EVENT_THREAD_END, 1, (aprof_word[]){number});
    model_thread_end_exec_contexts(b, number);
    if (before == number)
        thread_run(b, model_another_alive(b));
}
