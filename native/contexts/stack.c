/* The shadow stacks of a thread, and their synchronisation with the real stacks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * As long as every entry of a routine calls a hook, the slots alone determine the shadow stack
 * (hook.c). The real stack is walked when a burst begins, or when the routine on top of the shadow
 * stack cannot have called the entered routine. The walk starts at the innermost activation. The
 * walk ends at the first activation that is on the shadow stack with unchanged callers:
 *
 *     shadow   main 0x7fe8   a 0x7fc8   b 0x7f98               (of an earlier burst)
 *     real     main 0x7fe8   a 0x7fc8   c 0x7f88   d 0x7f68    now e is entered
 *
 * In this example, the walk finds the activations d, c and a. Activation a and its caller have the
 * same slots and return addresses on both stacks. Therefore activation b is dropped, c and d are
 * pushed, and main is never visited.
 *
 * A thread may have several stacks: coroutines switch between stacks, and signal handlers may have
 * separate stacks. Each stack belongs to one execution context (`ctx` in names), which is
 * identified by the range of its slots. If the walk goes from a signal handler's stack to the
 * interrupted stack, the interrupted frames get the slot ~0. So no entry drops these frames.
 */
#include "native/contexts/runtime.h"
#include "ground/pages.h"

/* maximum number per thread; a further context replaces the least recently used one */
#define EXEC_CONTEXTS 64
#define NEVER         (~(uintptr_t)0)

/* A slot also belongs to an execution context if it is at most this number of bytes below the
 * context's lowest known slot. */
#define EXEC_CONTEXT_SLACK 65536

static struct contexts_exec_context *current(const struct contexts_thread *t)
{
    return &t->exec_contexts[t->ctx];
}

/* ---------------------------------------------------------------- execution contexts */

/* Makes the execution context current: hooks use its frames. */
static void load(struct contexts_thread *t, uint32_t ctx)
{
    struct contexts_exec_context *s = &t->exec_contexts[ctx];
    t->ctx = ctx;
    t->top = s->frames + s->depth;
    t->limit = s->frames + s->deepest;
    s->used = ++t->switches;
}

static void save(struct contexts_thread *t)
{
    current(t)->depth = (size_t)(t->top - current(t)->frames);
}

static void drop(struct contexts_thread *t)
{
    context_tree_unpin(t->tree, t->top--->node);
}

/* Returns an array of frames with capacity for `n` frames. */
static struct contexts_frame *reserve(struct contexts_frame *frames, size_t *capacity, size_t n)
{
    return pages_grow("aprof.contexts.frames", frames, capacity, n, sizeof(*frames));
}

static void make_bottom(struct contexts_thread *t, struct contexts_exec_context *s)
{
    s->frames[0].slot = NEVER;
    s->frames[0].site = 0;
    s->frames[0].routine = 0;
    s->frames[0].node = t->tree->root;
    s->depth = s->deepest = 0;
    s->lowest = NEVER;
    s->highest = 0;
}

static void init_exec_context(struct contexts_thread *t, struct contexts_exec_context *s)
{
    s->frames = reserve(NULL, &s->capacity, 1);
    make_bottom(t, s);
}

/* Makes an empty execution context current; the caller has called `save`. */
static void take_exec_context(struct contexts_thread *t)
{
    if (t->n_exec_contexts < EXEC_CONTEXTS) {
        init_exec_context(t, &t->exec_contexts[t->n_exec_contexts]);
        load(t, t->n_exec_contexts++);
        return;
    }
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < EXEC_CONTEXTS; i++)
        if (t->exec_contexts[i].used < t->exec_contexts[oldest].used)
            oldest = i;
    load(t, oldest);
    while (t->top > current(t)->frames)
        drop(t);
    make_bottom(t, current(t));
}

static bool covers(const struct contexts_exec_context *s, uintptr_t slot)
{
    return slot <= s->highest && slot >= s->lowest;
}

bool contexts_stack_has(const struct contexts_thread *t, uintptr_t slot)
{
    return covers(current(t), slot);
}

/* Finds the execution context whose range contains the slot, and makes it current. */
static void choose_exec_context(struct contexts_thread *t, uintptr_t slot)
{
    if (covers(current(t), slot))
        return;
    for (uint32_t i = 0; i < t->n_exec_contexts; i++)
        if (covers(&t->exec_contexts[i], slot)) {
            save(t);
            load(t, i);
            return;
        }
}

void contexts_stack_start(struct contexts_thread *t)
{
    t->exec_contexts = host_map("aprof.contexts.exec_contexts", 4096);
    _Static_assert(EXEC_CONTEXTS * sizeof(struct contexts_exec_context) <= 4096,
                   "execution contexts fit a page");
    init_exec_context(t, &t->exec_contexts[0]);
    t->n_exec_contexts = 1;
    load(t, 0);
}

void contexts_stack_free(struct contexts_thread *t)
{
    for (uint32_t i = 0; i < t->n_exec_contexts; i++)
        pages_free(t->exec_contexts[i].frames, t->exec_contexts[i].capacity, sizeof(*t->walk));
    host_unmap(t->exec_contexts, 4096);
    pages_free(t->walk, t->walk_capacity, sizeof(*t->walk));
}

void contexts_stack_recover(struct contexts_thread *t)
{
    struct context_tree *old = t->tree;
    t->tree = contexts_new_tree();
    context_tree_merge(t->tree, old);
    if (!t->places)
        context_tree_free(old);
    t->places = NULL; /* pending inline code still counts in the old tree, which has no effect */
    for (uint32_t i = 0; i < t->n_exec_contexts; i++)
        make_bottom(t, &t->exec_contexts[i]);
    load(t, t->ctx);
}

void contexts_stack_deepen(struct contexts_thread *t)
{
    struct contexts_exec_context *s = current(t);
    save(t);
    s->deepest = s->depth + 1;
    s->frames = reserve(s->frames, &s->capacity, s->deepest + 1);
    if (s->deepest > t->deepest)
        t->deepest = s->deepest;
    load(t, t->ctx);
}

static void push(struct contexts_thread *t, const struct contexts_frame *frame)
{
    if (t->top == t->limit)
        contexts_stack_deepen(t);
    struct context_node *node =
        context_tree_child(t->tree, t->top->node, frame->routine, frame->site);
    context_tree_pin(t->tree, node);
    *++t->top = *frame;
    t->top->node = node;
}

/* ---------------------------------------------------------------- resynchronisation */

/* The results of a walk so far. */
struct survey {
    size_t n; /* number of frames in t->walk */
    /* youngest frame that stays on the shadow stack; NULL: none was found */
    struct contexts_frame *same;
    struct contexts_frame *seen; /* youngest shadow frame that the walk has not passed */
    bool touched;                /* whether the walk found slots of the current execution context */
    bool verified;               /* whether `valid` is set */
    struct contexts_frame *valid; /* the shadow stack equals the real stack up to this frame */
    uintptr_t outermost;          /* outermost slot found on the stack where the walk began */
};

static void remember(struct contexts_thread *t, struct survey *survey, uintptr_t slot,
                     const struct contexts_place *place)
{
    t->walk = reserve(t->walk, &t->walk_capacity, survey->n + 1);
    struct contexts_frame *frame = &t->walk[survey->n++];
    frame->slot = slot;
    frame->site = *(uintptr_t *)place->slot;
    frame->routine = place->routine;
}

static bool in_memory(const struct contexts_frame *frame)
{
    return frame->slot == NEVER || *(uintptr_t *)frame->slot == frame->site;
}

/* Compares frames with the real stack. The memory of the frames up to `top` is readable: the walk
 * has found one of these frames, so their stack still exists. */
static void verify(const struct contexts_thread *t, struct survey *survey,
                   struct contexts_frame *top)
{
    struct contexts_frame *frame = current(t)->frames;
    while (frame < top && in_memory(frame + 1))
        frame++;
    survey->valid = frame;
    survey->verified = true;
}

/* Returns whether the activation at `place` and all its callers are on the shadow stack. */
static bool is_known(struct contexts_thread *t, struct survey *survey,
                     const struct contexts_place *place)
{
    while (survey->seen->slot < place->slot)
        survey->seen--;
    struct contexts_frame *frame = survey->seen;
    if (frame->slot != place->slot || frame->routine != place->routine ||
        frame->site != *(uintptr_t *)place->slot)
        return false;
    if (!survey->verified)
        verify(t, survey, frame);
    return frame <= survey->valid;
}

/* Walks from `place` to its callers, until an activation with all its callers is on the shadow
 * stack. */
static enum contexts_step walk(struct contexts_thread *t, struct contexts_place place,
                               struct survey *survey)
{
    bool exact = !__atomic_load_n(&contexts_functions_seen, __ATOMIC_RELAXED);
    for (;;) {
        enum contexts_step step = contexts_unwind(t, &place);
        if (step != STEP_CALLER)
            return step;
        if (!place.jumped) {
            survey->outermost = place.slot;
            survey->touched |= covers(current(t), place.slot);
        }
        if (!place.routine)
            continue;
        if (exact && !place.jumped && is_known(t, survey, &place)) {
            survey->same = survey->seen;
            return STEP_CALLER;
        }
        remember(t, survey, place.jumped ? NEVER : place.slot, &place);
    }
}

/* Returns the youngest frame to keep after a walk that ended in unknown code. A frame that the walk
 * did not reach is kept if the word at its slot is still its return address. */
static struct contexts_frame *believable(const struct contexts_thread *t,
                                         const struct survey *survey)
{
    struct contexts_frame *frame = current(t)->frames;
    if (survey->touched)
        while (frame < t->top && frame[1].slot > survey->outermost && in_memory(frame + 1))
            frame++;
    return frame;
}

static void widen(struct contexts_exec_context *s, uintptr_t lowest, uintptr_t highest)
{
    if (lowest < s->lowest)
        s->lowest = lowest > EXEC_CONTEXT_SLACK ? lowest - EXEC_CONTEXT_SLACK : 0;
    if (highest > s->highest)
        s->highest = highest;
}

void contexts_stack_resync(struct contexts_thread *t, struct contexts_place place)
{
    uintptr_t lowest = place.slot;
    if (place.in_hook)
        contexts_unwind(t, &place);
    choose_exec_context(t, place.slot);
    struct survey survey = {.seen = t->top, .outermost = place.slot};
    survey.touched = covers(current(t), place.slot);
    enum contexts_step end = walk(t, place, &survey);
    bool fresh = current(t)->highest == 0;
    if (!survey.touched && !survey.same && !fresh) {
        save(t);
        take_exec_context(t);
    }
    struct contexts_frame *keep = survey.same;
    if (!keep)
        keep = end == STEP_BROKEN ? believable(t, &survey) : current(t)->frames;
    while (t->top > keep)
        drop(t);
    while (survey.n)
        push(t, &t->walk[--survey.n]);
    widen(current(t), lowest, survey.outermost);
}
