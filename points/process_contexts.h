/* Input sizes and costs per calling context: all contexts, or the hot ones in bounded space.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each execution context has a cursor in the tree of its thread, or of thread 0 if threads are
 * merged. The cursor's frames are the context's activations. When an activation ends, its calling
 * context's count grows by 1 or by the activation's self cost. The measurement is added to the
 * context's profile, if the context is monitored at that time. An evicted context loses its
 * profile, so there are at most 1/epsilon profiles. If contexts are hot by calls, a profile has
 * COUNT - ERROR activations. At most ERROR activations, and ERROR is at most epsilon*N, ended
 * before the profile began.
 *
 * A context is a path of routines; call sites do not distinguish contexts.
 */
#ifndef POINTS_PROCESS_CONTEXTS_H
#define POINTS_PROCESS_CONTEXTS_H

#include "points/profile.h"

enum process_contexts_mode { CONTEXTS_OFF, CONTEXTS_FULL, CONTEXTS_HOT };

struct contexts_config {
    enum process_contexts_mode mode;
    bool by_cost;          /* hot by cost, not by number of calls */
    bool fold_recursion;   /* a routine occurs once in a context: contexts/context_tree.h */
    uint32_t phi, epsilon; /* contexts/fraction.h; epsilon < phi */
};

struct process_contexts;
struct thread_contexts;

/* Returns NULL if the configuration has no contexts. */
struct process_contexts *process_contexts_new(const struct contexts_config *config,
                                              bool separate_threads);
void process_contexts_free(struct process_contexts *contexts);

/* The contexts of a thread, or of thread 0 if threads are merged. The trees are created at the
 * first call. */
struct thread_contexts *process_contexts_of(struct process_contexts *contexts, uint32_t thread);

/* Moves the measurements of `from` to the contexts of a thread: thread_contexts.h. */
void process_contexts_move(struct process_contexts *contexts, uint32_t thread,
                           struct thread_contexts *from);

/* Removes the measurements; pending activations continue. */
void process_contexts_clear(struct process_contexts *contexts);

/* The configuration, as given to process_contexts_new. */
const struct contexts_config *process_contexts_config(const struct process_contexts *contexts);

/* The number of threads, each of which may be without contexts. */
uint32_t process_contexts_threads(const struct process_contexts *contexts);

/* N, the weight counted in the thread. */
uint64_t process_contexts_total(const struct process_contexts *contexts, uint32_t thread);

/* Visits the contexts of a thread for the report, callers before callees: contexts hot at phi, or
 * all contexts with an ended activation, and their ancestors. `id` counts from 1, `parent` is 0 for
 * a context without caller. `profile` is NULL if nothing is recorded; `error` is the largest
 * possible excess of the context's weight over the recorded one. Returns the largest id. */
uint32_t process_contexts_visit(const struct process_contexts *contexts, uint32_t thread,
                                void (*visit)(void *closure, struct routine *routine,
                                              const struct routine_profile *profile, uint64_t error,
                                              uint32_t id, uint32_t parent),
                                void *closure);

#endif
