/* The position of each execution context in the tree of contexts of its thread.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cursor's frames correspond to the execution context's activations: they are pushed and popped
 * together. The functions of this file are called only if the engine keeps contexts.
 */
#ifndef APROF_EXEC_CURSOR_H
#define APROF_EXEC_CURSOR_H

#include "points/profile.h"

struct engine;
struct exec_context;

/* Call this function when the top activation of the execution context has just begun. */
void exec_cursor_call(struct engine *engine, struct exec_context *ctx);

/* Call this function when the top activation ends. `m` has the activation's measurements, or is
 * NULL if it was not measured. */
void exec_cursor_return(struct engine *engine, struct exec_context *ctx,
                        const struct measurement *m);

/* Call this function when the execution context has no activations any more. */
void exec_cursor_end(struct exec_context *ctx);

#endif
