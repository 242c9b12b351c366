/* The hooks: the code that runs when an instrumented routine is entered or left.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A patched entry calls contexts_entry_* before the first instruction of the routine itself. The
 * return address of the hook identifies the routine. The word above the hook's return address is
 * the routine's return address. The stack address of this word is the routine's slot, which shows
 * which pending activations have ended.
 *
 *     slot   0x7fe8  main                   main called f, f called g: 3 frames.
 *            0x7fc8    f                    Now h is entered with slot 0x7fc8: f and g have ended,
 *            0x7f98      g                  h is main's child.
 *
 * The callee of a tail call has the same slot as its caller, so the callee becomes a sibling of the
 * caller, as in a debugger's backtrace.
 *
 * All registers are preserved, including registers that hold arguments. The functions in this file
 * save the registers that they use. These functions and all their callees are compiled without
 * vector registers.
 */
#include "native/contexts/runtime.h"

#include "native/base/vectors.h"
#include "native/base/modules.h"
#include "native/base/syscalls.h"

#include <signal.h>

#define COLD KEEPS_REGISTERS APROF_NOINLINE

NATIVE_TLS int64_t contexts_left;
uint32_t contexts_functions_seen;

static COLD struct contexts_thread *admit(uintptr_t slot);
static COLD bool begin_burst(struct contexts_thread *t, const struct contexts_place *place);
static COLD void resync(struct contexts_thread *t, const struct contexts_place *place);
static COLD struct context_node *find_child(struct contexts_thread *t,
                                            const struct contexts_place *place, uintptr_t site);
static COLD void note_function(uintptr_t routine);
static COLD void deepen(struct contexts_thread *t);
static COLD void count(struct contexts_thread *t, struct context_node *node, uint64_t weight);
static COLD void prune(struct contexts_thread *t, struct context_node *node);
static COLD void check_burst(struct contexts_thread *t);

/* ---------------------------------------------------------------- hot path */

/* There is one event per call. Usually the context already exists, and is in the tree's cache. An
 * event then touches four cache lines: the thread's record, the top of the shadow stack, the
 * cache's entry and the node. An event makes no system call, executes no locked instruction, and
 * has one unpredictable branch, which depends on the number of ended activations. COLD functions
 * handle the rare cases. They save the registers that they change, so the hot path saves only the
 * registers that it uses itself. */

/* Drops the top frame. node->holds counts pins. Algorithm 1 removes a node that is on no stack and
 * has neither children nor a counter (context_tree_unpin does the same outside of hooks). */
APROF_INLINE void drop_top(struct contexts_thread *t)
{
    struct context_node *node = t->top->node;
    t->top--;
    if (t->tree->hot && UNLIKELY((--node->holds | (uint32_t)node->slot) == 0))
        prune(t, node);
}

/* Drops ended activations. Stacks grow downwards, so an activation whose slot is at or below the
 * new slot has returned: if it were pending, the new return address would overwrite its frame. The
 * bottom frame's slot is ~0, so the loop ends. Each frame is dropped once, so the amortised cost
 * per call is constant. */
APROF_INLINE void drop_below(struct contexts_thread *t, uintptr_t slot)
{
    while (t->top->slot <= slot)
        drop_top(t);
}

/* Repeated calls of one context, or of a few contexts in a loop, find their entries in the cache.
 * If another context has displaced a context from the cache, find_child searches the chain of the
 * hash table. */
APROF_INLINE struct context_node *child_of_top(struct contexts_thread *t,
                                               const struct contexts_place *place, uintptr_t site)
{
    struct context_tree *tree = t->tree;
    uintptr_t key = site & tree->site_mask;
    struct context_node *parent = t->top->node;
    struct context_node *node =
        tree->cache[context_tree_hash(parent, place->routine, key) >> 52 & (CONTEXT_CACHE - 1)];
    if (LIKELY(context_tree_is(node, parent, place->routine, key)))
        return node;
    return find_child(t, place, site);
}

APROF_INLINE void push(struct contexts_thread *t, struct context_node *node, uintptr_t slot,
                       uintptr_t site, uintptr_t routine)
{
    context_tree_pin(t->tree, node);
    if (UNLIKELY(t->top == t->limit))
        deepen(t);
    struct contexts_frame *frame = ++t->top;
    frame->slot = slot;
    frame->site = site;
    frame->node = node;
    frame->routine = routine;
}

/* If node->slot > 0, the node contains its own count (context_tree.h). */
APROF_INLINE void count_call(struct contexts_thread *t, struct context_node *node)
{
    if (LIKELY(node->slot > 0)) {
        t->tree->total += t->weight;
        node->count += t->weight;
        return;
    }
    count(t, node, t->weight);
}

/* Begins a hook; returns NULL if the hook must not record this event. If the result is not NULL,
 * the thread counts as inside the hook until end_hook. */
APROF_INLINE struct contexts_thread *begin_entry(const struct contexts_place *place)
{
    struct native_thread *self = native_self;
    struct contexts_thread *t;
    if (LIKELY(self && native_enter(self)))
        t = native_thread_data(self);
    else if (!(t = admit(place->slot)))
        return NULL;
    t->hook_slot = place->slot;
    if (UNLIKELY(!t->in_burst) && !begin_burst(t, place)) {
        native_leave((struct native_thread *)t - 1);
        return NULL;
    }
    return t;
}

APROF_INLINE void end_hook(struct contexts_thread *t)
{
    native_leave((struct native_thread *)t - 1);
}

KEEPS_REGISTERS void contexts_entry_calls(void)
{
    uintptr_t *frame = __builtin_frame_address(0); /* words: caller's rbp, return address, slot */
    struct contexts_place place = {(uintptr_t)(frame + 2), frame[0],
                                   frame[1] - CONTEXTS_ENTRY_BYTES, 0, 0};
    struct contexts_thread *t = begin_entry(&place);
    if (UNLIKELY(!t))
        return;
    drop_below(t, place.slot);
    uintptr_t site = frame[2];
    struct context_node *node = child_of_top(t, &place, site);
    push(t, node, place.slot, site, place.routine);
    count_call(t, node);
    if (UNLIKELY(++t->events == t->check))
        check_burst(t);
    end_hook(t);
}

/* ---------------------------------------------------------------- weight=time */

/* No hook reports when the latest routine ends. If the latest routine is still pending, it gets all
 * time since its entry. If the latest routine has ended, it gets half of this time, and the caller
 * of the new routine gets the other half. */
KEEPS_REGISTERS void contexts_entry_time(void)
{
    uintptr_t *frame = __builtin_frame_address(0);
    struct contexts_place place = {(uintptr_t)(frame + 2), frame[0],
                                   frame[1] - CONTEXTS_ENTRY_BYTES, 0, 0};
    struct contexts_thread *t = begin_entry(&place);
    if (UNLIKELY(!t))
        return;
    uint64_t elapsed = contexts_elapsed_cycles(t);
    if (t->top->slot <= place.slot) {
        count(t, t->top->node, elapsed / 2);
        elapsed -= elapsed / 2;
        drop_below(t, place.slot);
    }
    count(t, t->top->node, elapsed);
    uintptr_t site = frame[2];
    push(t, child_of_top(t, &place, site), place.slot, site, place.routine);
    if (UNLIKELY(++t->events == t->check))
        check_burst(t);
    t->clock = contexts_cycles();
    end_hook(t);
}

/* ---------------------------------------------------------------- -finstrument-functions */

NATIVE_EXPORT KEEPS_REGISTERS void __cyg_profile_func_enter(void *routine, void *site);
NATIVE_EXPORT KEEPS_REGISTERS void __cyg_profile_func_exit(void *routine, void *site);

/* Drops activations that a longjmp has left, if the routine is entered again from the same call.
 * The dropped activations are the routine's activation with the same slot, and the activations of
 * routines inlined into this routine. */
APROF_INLINE void drop_abandoned(struct contexts_thread *t, uintptr_t slot, uintptr_t routine)
{
    const struct contexts_frame *frame = t->top;
    while (UNLIKELY(frame->slot == slot)) {
        if (frame->routine == routine) {
            while (t->top >= frame)
                drop_top(t);
            return;
        }
        frame--;
    }
}

/* Inlined routines also have hooks, which run with the stack pointer of the containing routine. So
 * an activation with exactly the hook's slot has not ended. */
KEEPS_REGISTERS void __cyg_profile_func_enter(void *routine, void *call_site)
{
    if (--contexts_left >= 0)
        return;
    uintptr_t *frame = __builtin_frame_address(0);
    struct contexts_place place = {(uintptr_t)(frame + 1), frame[0], (uintptr_t)routine, 1, 0};
    struct contexts_thread *t = begin_entry(&place);
    if (UNLIKELY(!t))
        return;
    if (contexts_config.weight)
        count(t, t->top->node, contexts_elapsed_cycles(t));
    drop_below(t, place.slot - 1);
    drop_abandoned(t, place.slot, place.routine);
    const struct contexts_exec_context *ctx = &t->exec_contexts[t->ctx];
    if (UNLIKELY(place.slot < ctx->lowest || place.slot > ctx->highest))
        resync(t, &place);
    uintptr_t site = (uintptr_t)call_site;
    struct context_node *node = context_tree_child(t->tree, t->top->node, place.routine, site);
    if (UNLIKELY(!(node->count | node->holds)))
        note_function(place.routine);
    push(t, node, place.slot, site, place.routine);
    if (!contexts_config.weight)
        count_call(t, node);
    if (UNLIKELY(++t->events == t->check))
        check_burst(t);
    if (contexts_config.weight)
        t->clock = contexts_cycles();
    end_hook(t);
}

KEEPS_REGISTERS void __cyg_profile_func_exit(void *routine, void *call_site)
{
    (void)call_site;
    if (contexts_left >= 0)
        return;
    struct native_thread *self = native_self;
    if (UNLIKELY(!self || !native_enter(self)))
        return;
    struct contexts_thread *t = native_thread_data(self);
    uintptr_t *frame = __builtin_frame_address(0);
    if (LIKELY(t->in_burst)) {
        if (contexts_config.weight)
            count(t, t->top->node, contexts_elapsed_cycles(t));
        drop_below(t, (uintptr_t)(frame + 1) - 1);
        if (LIKELY(t->top->routine == (uintptr_t)routine))
            drop_top(t);
        if (contexts_config.weight)
            t->clock = contexts_cycles();
    }
    end_hook(t);
}

/* ---------------------------------------------------------------- cold */

static void *attach(void *nothing)
{
    (void)nothing;
    return native_thread_attach();
}

/* Returns whether the current code runs on the alternate signal stack. */
static bool on_signal_stack(void)
{
    stack_t stack;
    return native_syscall(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
}

/* Handles events that the common path rejects: the thread is new, the process is ending, or a hook
 * is already running. If the stack pointer is above the interrupted hook's frame, a signal handler
 * has jumped out of this hook. */
static COLD struct contexts_thread *admit(uintptr_t slot)
{
    struct native_thread *self = native_self;
    if (!self) {
        self = native_with_vectors(attach, NULL);
        if (!self || contexts_mode()->empty_hook || !native_enter(self))
            return NULL;
        return native_thread_data(self);
    }
    struct contexts_thread *t = native_thread_data(self);
    if (!native_is_inside(self) || slot <= t->hook_slot || on_signal_stack())
        return NULL;
    native_leave(self);
    if (!native_enter(self))
        return NULL;
    t->hook_slot = slot;
    contexts_stack_recover(t);
    return t;
}

static COLD bool begin_burst(struct contexts_thread *t, const struct contexts_place *place)
{
    return contexts_burst_begin(t, place);
}

static COLD void resync(struct contexts_thread *t, const struct contexts_place *place)
{
    contexts_stack_resync(t, *place);
}

/* Returns the child context, or NULL if it does not exist. */
static struct context_node *existing_child(const struct context_tree *tree,
                                           const struct context_node *parent, uintptr_t routine,
                                           uintptr_t site)
{
    uint64_t hash = context_tree_hash(parent, routine, site);
    uint32_t at = tree->heads[hash >> (64 - tree->heads_log2)];
    while (at) {
        struct context_node *node = context_tree_at(tree, at);
        if (context_tree_is(node, parent, routine, site))
            return node->count | node->holds ? node : NULL;
        at = node->chain;
    }
    return NULL;
}

/* Returns whether the top of the shadow stack is the caller. The top is the caller if its routine
 * contains the return address, or if an earlier walk found this caller above uninstrumented
 * code. */
static bool is_top_valid(struct contexts_thread *t, const struct contexts_place *place,
                         uintptr_t site)
{
    const struct contexts_frame *top = t->top;
    if (top->slot == ~(uintptr_t)0)
        return contexts_stack_has(t, place->slot);
    return contexts_routine_of(t, site) == top->routine ||
           existing_child(t->tree, top->node, place->routine, site & t->tree->site_mask);
}

/* Finds or makes a child that is not in the tree's cache. */
static COLD struct context_node *find_child(struct contexts_thread *t,
                                            const struct contexts_place *place, uintptr_t site)
{
    if (!is_top_valid(t, place, site))
        contexts_stack_resync(t, *place);
    return context_tree_child(t->tree, t->top->node, place->routine, site);
}

#define MODULES 4096 /* number of objects whose flags are cached; further objects are not cached */
static uint64_t modules_with_functions[MODULES / 64];

static void *find_module(void *address)
{
    return (void *)native_modules_find((uintptr_t)address);
}

static COLD void note_function(uintptr_t routine)
{
    static uintptr_t noted[256];
    if (__atomic_exchange_n(&noted[routine / 16 % 256], routine, __ATOMIC_RELAXED) == routine)
        return;
    const struct native_module *module = native_with_vectors(find_module, (void *)routine);
    __atomic_store_n(&contexts_functions_seen, 1, __ATOMIC_RELAXED);
    if (module && module->id < MODULES)
        __atomic_or_fetch(&modules_with_functions[module->id / 64], (uint64_t)1 << module->id % 64,
                          __ATOMIC_RELAXED);
}

bool contexts_has_functions(uintptr_t routine)
{
    const struct native_module *module = native_with_vectors(find_module, (void *)routine);
    return module && module->id < MODULES &&
           modules_with_functions[module->id / 64] >> module->id % 64 & 1;
}

static COLD void deepen(struct contexts_thread *t)
{
    contexts_stack_deepen(t);
}

static COLD void count(struct contexts_thread *t, struct context_node *node, uint64_t weight)
{
    context_tree_count(t->tree, node, weight);
}

static COLD void prune(struct contexts_thread *t, struct context_node *node)
{
    context_tree_prune(t->tree, node);
}

static COLD void check_burst(struct contexts_thread *t)
{
    contexts_burst_check(t);
}
