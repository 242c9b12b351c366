/* A tree of calling contexts of a thread, with a profile for each monitored calling context.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Only one thread may call these functions at a time; several cursors may share one tree.
 */
#ifndef POINTS_THREAD_CONTEXTS_H
#define POINTS_THREAD_CONTEXTS_H

#include "contexts/context_cursor.h"
#include "points/process_contexts.h"
#include "points/profile.h"

struct thread_contexts {
    struct context_tree *tree;
    /* profiles by node->index; NULL: no activation was recorded */
    struct routine_profile **profiles;
    uint32_t n_profiles;
};

/* Returns a new tree, owned by the caller. `config` is copied; its mode is not CONTEXTS_OFF. */
struct thread_contexts *thread_contexts_new(const struct contexts_config *config);
void thread_contexts_free(struct thread_contexts *contexts);

/* Clears all measurements; cursors keep their positions. */
void thread_contexts_clear(struct thread_contexts *contexts);

/* Records that an activation has begun. `profile` is the profile of the activation's routine in its
 * execution context. If `measured` is true, the profile counts the activation as pending. */
void thread_contexts_call(const struct thread_contexts *contexts, struct context_cursor *cursor,
                          const struct routine_profile *profile, bool measured);

/* Records that the cursor's activation ends. `m` is the activation's measurement, or NULL if the
 * activation was not measured. */
void thread_contexts_return(struct thread_contexts *contexts, struct context_cursor *cursor,
                            const struct measurement *m, unsigned metrics);

/* Moves all measurements of `from` to `into`; `from` is empty afterwards. No activation of `from`
 * may be pending, and both trees must have equal configurations. In hot mode, contexts lose their
 * profiles if `into` has no free counter for them. */
void thread_contexts_move(struct thread_contexts *into, struct thread_contexts *from);

#endif
