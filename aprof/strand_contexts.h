/* Where each strand of the engine stands in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cursor's frames are the strand's activations: contexts and activations go up and down
 * together. Nothing is called here unless the engine keeps contexts.
 */
#ifndef APROF_STRAND_CONTEXTS_H
#define APROF_STRAND_CONTEXTS_H

#include "points/profile.h"

struct engine;
struct strand;

/* The top activation of the strand has just begun. */
void strand_contexts_call(struct engine *engine, struct strand *strand);

/* It ends: `m` is what was measured, NULL if nothing was. */
void strand_contexts_return(struct engine *engine, struct strand *strand,
                            const struct measurement *m);

/* The strand has no activations any more. */
void strand_contexts_end(struct strand *strand);

#endif
