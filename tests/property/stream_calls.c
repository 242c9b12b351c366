/* The stream builder: calls, jumps and returns; see stream_model.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/property/stream_model.h"

/* ---------------------------------------------------------------- calls */

/* The frame below which a longjmp over about n frames ends. This frame and the next younger one
 * have different slots. If no such frame exists, the result is the depth. */
size_t model_unwind_target(const struct model_exec_context *s, size_t n)
{
    size_t at = s->depth > n ? s->depth - n : 1;
    while (at < s->depth && s->frames[at - 1].slot == s->frames[at].slot)
        at++;
    return at;
}

/* Pushes a return address: the last access of the segment. Between two return addresses there is
 * always a word, because the stack is aligned to 16 bytes at calls. No callee has the stack pointer
 * of a coroutine's first routine. */
static aprof_word push_slot(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    if (s->pointer == model_top_slot(s) || s->pointer == s->start)
        s->pointer -= WORD;
    aprof_word slot = s->pointer - WORD;
    if (b->config.linked)
        return slot;
    model_segment_add(b, ACCESS_WRITE, slot, WORD, false);
    model_oracle_access(b, ACCESS_WRITE, slot, WORD);
    return slot;
}

static void close_with_call(struct builder *b, aprof_word slot)
{
    model_segment_close(b, b->config.linked ? BLOCK_LINKED_CALL : BLOCK_CALL, slot);
}

/* The slot of a routine that is entered with this stack pointer. */
aprof_word model_entry_slot(const struct builder *b, aprof_word pointer)
{
    return b->config.linked ? pointer - WORD : pointer;
}

/* Moves the stack pointer for the callee's locals. Handlers use little stack, because the engine
 * assumes that a handler with a megabyte has its own stack. */
static void make_frame(struct builder *b, aprof_word slot, bool may_be_wide)
{
    struct model_exec_context *s = model_exec_context_now(b);
    unsigned words = rng_below(b->rng, 9);
    if (may_be_wide && s->kind != KIND_HANDLER && rng_once_in(b->rng, 3))
        words = rng_below(b->rng, 40000);
    s->pointer = slot - words * WORD;
}

/* Sometimes, frames that were left have no effect except for the higher slot of the next call. With
 * return addresses in a register, the same slot would mean a call without a frame: push_slot would
 * derive it from the first stack pointer of a coroutine. */
static void forget_frames(struct builder *b, size_t *target)
{
    struct model_exec_context *s = model_exec_context_now(b);
    *target = s->depth;
    if (s->depth < 3 || !rng_once_in(b->rng, 40))
        return;
    size_t at = model_unwind_target(s, 1 + rng_below(b->rng, 3));
    if (at == s->depth)
        return;
    aprof_word pointer = s->frames[at].slot + (b->config.linked ? 2 * WORD : WORD);
    if (pointer > s->frames[at - 1].slot || pointer == s->start)
        return;
    *target = at;
    s->pointer = pointer;
}

/* Code of an interpreter that works for a script's function begins no activation. */
static void arrive_folded(struct builder *b, unsigned routine, bool entry)
{
    struct model_exec_context *s = model_exec_context_now(b);
    model_segment_arrive(b, entry, true);
    s->segment.routine = routine;
    s->segment.flags = model_is_unnamed(b, routine) ? BLOCK_UNNAMED : entry ? BLOCK_ENTRY : 0;
}

/* A call to the middle of the caller itself would not count as a call. Folded calls use little
 * stack, because many of them may be pending without a slot. A call a megabyte below the last slot
 * would count as a call on another stack. */
static void arrive_in_callee(struct builder *b, unsigned routine, unsigned caller, aprof_word slot)
{
    if (model_is_folded(b, routine)) {
        /* No frame has this slot, so push_slot would leave no word. */
        make_frame(b, slot - WORD, false);
        arrive_folded(b, routine, routine == caller || rng_once_in(b->rng, 2));
        return;
    }
    model_frame_push(b, routine, slot);
    make_frame(b, slot, b->config.wide_frames);
    model_segment_arrive(b, routine == caller || !rng_once_in(b->rng, 16), true);
    model_exec_context_now(b)->segment.called = true;
    if (b->config.repeats && rng_once_in(b->rng, 2))
        builder_segment(b);
}

void builder_call(struct builder *b, unsigned routine)
{
    unsigned caller = model_code_routine(b, model_exec_context_now(b), builder_depth(b));
    size_t target;
    if (b->config.repeats && !rng_once_in(b->rng, 4))
        routine = (caller + 1) % b->config.n_routines;
    model_segment_make_room(b);
    forget_frames(b, &target);
    aprof_word slot = push_slot(b);
    close_with_call(b, slot);
    while (model_exec_context_now(b)->depth > target)
        model_frame_pop(b);
    arrive_in_callee(b, routine, caller, slot);
}

/* Writes a record of the binder; nothing in it is measured. */
static void put_binder_block(struct builder *b, enum block_end end, aprof_word word)
{
    bool accesses = end == BLOCK_CALL || rng_once_in(b->rng, 2);
    struct block *block = model_block_new(b, end, accesses);
    block->routine = &b->routines[rng_below(b->rng, b->config.n_routines)];
    model_put_word(b, (aprof_word)block);
    if (accesses) {
        block->access[0] = (struct access){.kind = ACCESS_WRITE, .size_bytes = WORD};
        model_put_word(b, word);
    }
    if (block->event.words > block->n_accesses)
        model_put_word(b, word);
}

static void put_binder(struct builder *b, aprof_word slot)
{
    static const enum block_end ends[] = {BLOCK_JUMP, BLOCK_CALL, BLOCK_RETURN, BLOCK_INDIRECT,
                                          BLOCK_FALL};
    struct block *stub = model_block_new(b, BLOCK_JUMP, 0);
    stub->event.words = 1;
    stub->flags = BLOCK_RESOLVER | BLOCK_UNNAMED;
    stub->routine = &b->routines[b->config.n_routines];
    model_put_word(b, (aprof_word)stub);
    model_put_word(b, slot);
    for (unsigned n = rng_below(b->rng, 6); n > 0; n--)
        put_binder_block(b, ends[rng_below(b->rng, 5)], slot - n * 64);
    put_binder_block(b, BLOCK_INDIRECT, slot);
}

void builder_call_by_binder(struct builder *b, unsigned routine)
{
    unsigned caller = model_code_routine(b, model_exec_context_now(b), builder_depth(b));
    aprof_word slot = push_slot(b);
    close_with_call(b, slot);
    put_binder(b, slot);
    arrive_in_callee(b, routine, caller, slot);
    builder_segment(b); /* until then the engine attributes everything to the binder */
}

/* ---------------------------------------------------------------- jumps */

/* Applies a jump to the entry of `routine` to the activations that share the top's slot. */
static void enter_by_jump(struct builder *b, unsigned routine)
{
    struct model_exec_context *s = model_exec_context_now(b);
    size_t at = s->depth;
    aprof_word slot = model_top_slot(s);
    while (at > 0 && s->frames[at - 1].slot == slot && s->frames[at - 1].routine != routine)
        at--;
    if (at == 0 || s->frames[at - 1].slot != slot) {
        model_frame_push(b, routine, slot);
        return;
    }
    while (s->depth > at)
        model_frame_pop(b);
}

void builder_tail_call(struct builder *b, unsigned routine)
{
    struct model_exec_context *s = model_exec_context_now(b);
    aprof_word slot = model_top_slot(s);
    bool bind = slot != NO_SLOT && rng_once_in(b->rng, 8);
    model_segment_settle_now(b);
    s->pointer = slot != NO_SLOT ? slot : s->pointer;
    if (slot != NO_SLOT && rng_once_in(b->rng, 2))
        model_segment_close(b, BLOCK_INDIRECT, slot);
    else
        model_segment_close(b, BLOCK_JUMP, 0);
    if (bind)
        put_binder(b, slot);
    bool from_script = b->routines[s->frames[s->depth - 1].routine].is_script;
    if (model_is_folded(b, routine) || (from_script && !b->routines[routine].is_script)) {
        arrive_folded(b, routine, true);
        builder_segment(b);
        return;
    }
    bool enters = model_is_entry(b, routine);
    if (enters)
        enter_by_jump(b, routine);
    model_segment_arrive(b, true, true);
    s->segment.routine = routine;
    s->segment.flags = model_is_unnamed(b, routine) ? BLOCK_UNNAMED : BLOCK_ENTRY;
    builder_segment(b);
}

/* An execution context without pending activations continues in code with a call that was not
 * recorded.
 */
void model_begin_root_if_empty(struct builder *b)
{
    if (model_exec_context_now(b)->depth)
        return;
    model_frame_push(b, rng_below(b->rng, b->config.n_routines), NO_SLOT);
}

void model_pop_chain(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    aprof_word slot = model_top_slot(s);
    while (s->depth && model_top_slot(s) == slot)
        model_frame_pop(b);
}

/* The outermost activation returns to an unknown caller: another root replaces it. */
static void return_from_root(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    unsigned old = s->frames[s->depth - 1].routine, other = rng_below(b->rng, b->config.n_routines);
    if (other == old) {
        builder_segment(b);
        return;
    }
    model_segment_close(b, BLOCK_RETURN, s->pointer);
    if (model_is_folded(b, other)) {
        arrive_folded(b, other, rng_once_in(b->rng, 2));
        return;
    }
    model_pop_chain(b);
    model_frame_push(b, other, NO_SLOT);
    model_segment_arrive(b, rng_once_in(b->rng, 2), true);
}

void builder_return(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    aprof_word slot = model_top_slot(s);
    if (slot == NO_SLOT) {
        return_from_root(b);
        return;
    }
    model_segment_close(b, BLOCK_RETURN, slot);
    s->pointer = slot + WORD;
    model_pop_chain(b);
    bool empty = s->depth == 0;
    model_begin_root_if_empty(b);
    model_segment_arrive(b, false, empty);
}

/* With linked calls, longjmp jumps by the link register, which counts as a return. */
static bool looks_like_tail_call(const struct builder *b, aprof_word pointer)
{
    return b->config.linked && pointer - WORD == model_top_slot(model_exec_context_now(b));
}

void builder_unwind(struct builder *b, size_t n)
{
    struct model_exec_context *s = model_exec_context_now(b);
    size_t target = model_unwind_target(s, n);
    if (target == s->depth)
        return;
    aprof_word pointer = s->frames[target].slot + WORD;
    if (s->frames[target - 1].slot != NO_SLOT)
        pointer +=
            WORD * rng_below(b->rng, (uint32_t)((s->frames[target - 1].slot - pointer) / WORD));
    bool same = model_routine_seen(b, s, target) == model_code_routine(b, s, s->depth);
    if (same || looks_like_tail_call(b, pointer) || rng_once_in(b->rng, 2))
        model_segment_close(b, BLOCK_RETURN, pointer - WORD);
    else
        model_segment_close(b, BLOCK_INDIRECT, model_entry_slot(b, pointer));
    while (s->depth > target)
        model_frame_pop(b);
    s->pointer = pointer;
    model_segment_arrive(b, false, true);
}

/* ---------------------------------------------------------------- regions */

void builder_region_begin(struct builder *b, unsigned region)
{
    unsigned routine = b->config.n_routines + 1 + region;
    model_segment_settle_now(b);
    model_put_event(b, EVENT_REGION_BEGIN, 1, (aprof_word[]){(aprof_word)&b->routines[routine]});
    model_frame_push(b, routine, model_top_slot(model_exec_context_now(b)));
    model_segment_arrive(b, false, false);
    model_exec_context_now(b)->segment.arrives = false;
}

void builder_region_end(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    model_segment_settle_now(b);
    model_put_event(b, EVENT_REGION_END, 0, NULL);
    if (b->routines[s->frames[s->depth - 1].routine].is_region)
        model_frame_pop(b);
    model_segment_arrive(b, false, false);
    s->segment.arrives = false;
}

/* ---------------------------------------------------------------- functions of scripts */

/* Code of the interpreter works for the running function, or is in the middle of the function. */
static void arrive_in_script(struct builder *b)
{
    unsigned routine = rng_below(b->rng, b->config.n_routines);
    if (model_is_folded(b, routine) && rng_once_in(b->rng, 2)) {
        arrive_folded(b, routine, rng_once_in(b->rng, 2));
        return;
    }
    model_segment_arrive(b, false, false);
    model_exec_context_now(b)->segment.arrives = false;
}

static void end_runtime(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    while (s->depth > 1 && b->routines[s->frames[s->depth - 1].routine].is_runtime &&
           b->routines[s->frames[s->depth - 2].routine].is_runtime)
        model_frame_pop(b);
}

/* Makes the hook's call, which begins no activation. */
static aprof_word call_hook(struct builder *b)
{
    const unsigned hook = 3;
    unsigned caller = model_code_routine(b, model_exec_context_now(b), builder_depth(b));
    model_segment_make_room(b);
    aprof_word slot = push_slot(b);
    close_with_call(b, slot);
    arrive_in_callee(b, hook, caller, slot);
    builder_segment(b);
    return slot;
}

void builder_script_begin(struct builder *b, unsigned routine, bool has_slot)
{
    struct model_exec_context *s = model_exec_context_now(b);
    aprof_word slot = has_slot && !b->config.linked ? call_hook(b) : 0;
    model_segment_settle_now(b);
    model_put_event(b, EVENT_SCRIPT_BEGIN, 2,
                    (aprof_word[]){(aprof_word)&b->routines[routine], slot});
    s->paused = s->fell = false;
    if (!slot) {
        end_runtime(b);
        slot = model_top_slot(s);
    }
    model_frame_push(b, routine, slot);
    arrive_in_script(b);
}

void builder_script_end(struct builder *b)
{
    struct model_exec_context *s = model_exec_context_now(b);
    model_segment_settle_now(b);
    model_put_event(b, EVENT_SCRIPT_END, 0, NULL);
    s->paused = false;
    if (b->routines[s->frames[s->depth - 1].routine].is_script)
        model_frame_pop(b);
    bool empty = s->depth == 0;
    model_begin_root_if_empty(b);
    model_segment_arrive(b, false, empty);
    s->segment.arrives = empty;
}

void builder_pause(struct builder *b, bool paused)
{
    model_segment_settle_now(b);
    model_put_event(b, paused ? EVENT_PAUSE : EVENT_RESUME, 0, NULL);
    model_exec_context_now(b)->paused = paused;
}
