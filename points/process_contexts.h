/* Input sizes and costs per calling context: all contexts, or the hot contexts in bounded space.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each execution context has a cursor in the tree of its thread, or in the tree of thread 0 if
 * threads are merged. The cursor's frames are the activations of the execution context. When an
 * activation ends, its calling context's count grows by 1 or by the activation's self cost. If the
 * calling context is monitored when the activation ends, the activation's measurement is added to
 * the profile of the calling context. An evicted context loses its profile, so there are never more
 * than 1/epsilon profiles. If the number of calls decides which contexts are hot, the profile of a
 * context has COUNT - ERROR activations. At most ERROR activations ended before the profile began,
 * and ERROR is at most epsilon*N.
 *
 * A calling context is a path of routines; call sites do not distinguish contexts.
 */
#ifndef POINTS_PROCESS_CONTEXTS_H
#define POINTS_PROCESS_CONTEXTS_H

#include "points/profile.h"

enum process_contexts_mode { CONTEXTS_OFF, CONTEXTS_FULL, CONTEXTS_HOT };

struct contexts_config {
    enum process_contexts_mode mode;
    /* whether the cost decides which contexts are hot; otherwise, the number of calls decides */
    bool by_cost;
    /* whether a routine occurs at most once in a context (contexts/context_tree.h) */
    bool fold_recursion;
    uint32_t phi, epsilon; /* fractions as in contexts/fraction.h; epsilon < phi */
};

struct process_contexts;
struct thread_contexts;

/* Returns NULL if the configuration has no contexts. */
struct process_contexts *process_contexts_new(const struct contexts_config *config,
                                              bool separate_threads);
void process_contexts_free(struct process_contexts *contexts);

/* Returns the contexts of a thread, or of thread 0 if threads are merged. The first call for a
 * thread creates its tree. */
struct thread_contexts *process_contexts_of(struct process_contexts *contexts, uint32_t thread);

/* Like thread_contexts_move: moves the measurements of `from` to the contexts of a thread. */
void process_contexts_move(struct process_contexts *contexts, uint32_t thread,
                           struct thread_contexts *from);

/* Removes all measurements; pending activations continue. */
void process_contexts_clear(struct process_contexts *contexts);

/* Returns the configuration that process_contexts_new received. */
const struct contexts_config *process_contexts_config(const struct process_contexts *contexts);

/* Returns the number of threads; a thread may have no contexts. */
uint32_t process_contexts_threads(const struct process_contexts *contexts);

/* Returns N, the total weight counted in the thread. */
uint64_t process_contexts_total(const struct process_contexts *contexts, uint32_t thread);

/* Visits the contexts of a thread for the report, callers before callees. In hot mode, the function
 * visits the contexts that are hot at phi, and their ancestors; in full mode, all contexts with an
 * ended activation, and their ancestors. `id` counts from 1; `parent` is 0 for a context without
 * caller. `profile` is NULL if no activation was recorded. The recorded weight of a context may
 * differ from the true weight by at most `error`. Returns the largest id. */
uint32_t process_contexts_visit(const struct process_contexts *contexts, uint32_t thread,
                                void (*visit)(void *closure, struct routine *routine,
                                              const struct routine_profile *profile, uint64_t error,
                                              uint32_t id, uint32_t parent),
                                void *closure);

#endif
