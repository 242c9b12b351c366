/* The position of each execution context in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cursor's frames are the execution context's activations: both are pushed and popped together.
 * These functions are called only if the engine keeps contexts.
 */
#ifndef APROF_EXEC_CURSOR_H
#define APROF_EXEC_CURSOR_H

#include "points/profile.h"

struct engine;
struct exec_context;

/* The top activation of the execution context has just begun. */
void exec_cursor_call(struct engine *engine, struct exec_context *ctx);

/* The top activation ends: `m` has its measurements, NULL if it was not measured. */
void exec_cursor_return(struct engine *engine, struct exec_context *ctx,
                        const struct measurement *m);

/* The execution context has no activations any more. */
void exec_cursor_end(struct exec_context *ctx);

#endif
