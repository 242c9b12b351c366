/* The position of each execution context in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cursor's frames are the strand's activations: both are pushed and popped together. These
 * functions are called only if the engine keeps contexts.
 */
#ifndef APROF_STRAND_CONTEXTS_H
#define APROF_STRAND_CONTEXTS_H

#include "points/profile.h"

struct engine;
struct strand;

/* The top activation of the execution context has just begun. */
void strand_contexts_call(struct engine *engine, struct strand *strand);

/* The top activation ends: `m` has its measurements, NULL if it was not measured. */
void strand_contexts_return(struct engine *engine, struct strand *strand,
                            const struct measurement *m);

/* The execution context has no activations any more. */
void strand_contexts_end(struct strand *strand);

#endif
