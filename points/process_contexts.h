/* Input sizes and costs per calling context: all contexts, or the hot ones in bounded space.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each strand has a cursor in the tree of its thread (in that of thread 0 if threads are merged);
 * the cursor's frames are the strand's activations. When an activation ends, its context counts (1,
 * or the activation's own cost), and its measurement goes to the profile of the context, if that is
 * monitored then. A context that is evicted loses its profile: the number of profiles is bounded by
 * 1/epsilon. So, where contexts are hot by calls, a profile has COUNT - ERROR activations, and at
 * most ERROR, which is at most epsilon*N, ended before it began.
 *
 * A context is a path of routines; call sites are not told apart.
 */
#ifndef POINTS_PROCESS_CONTEXTS_H
#define POINTS_PROCESS_CONTEXTS_H

#include "aprof/engine.h"
#include "points/profile.h"

struct contexts;
struct strand;
struct thread_contexts;

/* NULL unless the configuration asks for contexts. */
struct contexts *contexts_new(const struct engine_config *config);
void contexts_free(struct contexts *contexts);

/* The top activation of the strand has just begun. */
void contexts_call(struct engine *engine, struct strand *strand);

/* It ends: `m` is what was measured, NULL if nothing was. */
void contexts_return(struct engine *engine, struct strand *strand, const struct measurement *m);

/* Moves what `from` has measured to the contexts of a thread: thread_contexts.h. */
void contexts_move(struct contexts *contexts, uint32_t thread, struct thread_contexts *from);

/* The strand has no activations any more. */
void contexts_strand_end(struct strand *strand);

/* Forgets what was measured; pending activations go on. */
void contexts_clear(struct contexts *contexts);

/* How they are kept, as given to contexts_new. */
const struct contexts_config *contexts_config(const struct contexts *contexts);

/* Threads are 0 .. this - 1; most may have none. */
uint32_t contexts_threads(const struct contexts *contexts);

/* N, the weight that was counted in the thread. */
uint64_t contexts_total(const struct contexts *contexts, uint32_t thread);

/* Visits the contexts to report of a thread: the hot ones at phi, or all that have ended at least
 * once, and the contexts on the way to these; callers before callees. `id` counts from 1, `parent`
 * is 0 for a context without caller. `profile` is NULL if nothing is recorded; `error` is by how
 * much the weight in the context may exceed what was recorded. Returns the largest id. */
uint32_t contexts_visit(const struct contexts *contexts, uint32_t thread,
                        void (*visit)(void *closure, struct routine *routine,
                                      const struct routine_profile *profile, uint64_t error,
                                      uint32_t id, uint32_t parent),
                        void *closure);

#endif
